//! Rust definitions as C text.

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

/// An address on the device.
pub(crate) type Address = u64;

/// The address of an array on the device; zero if there is none.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Pointer<T>(Address, PhantomData<T>);

impl<T> Pointer<T> {
    pub const NULL: Self = Self(0, PhantomData);

    pub fn new(address: Address) -> Self {
        Self(address, PhantomData)
    }

    pub fn address(self) -> Address {
        self.0
    }

    pub fn is_null(&self) -> bool {
        self.0 == 0
    }

    /// The pointer to the element of that index.
    pub fn at(self, index: usize) -> Self {
        Self::new(self.0 + (index * size_of::<T>()) as Address)
    }
}

/// A type that the kernels know.
pub(super) trait CType {
    /// The declaration of a variable of this type.
    fn declare(name: &str) -> String;
}

macro_rules! c_types {
    ($($rust:ty => $c:literal),+ $(,)?) => {
        $(impl CType for $rust {
            fn declare(name: &str) -> String {
                format!(concat!($c, " {}"), name)
            }
        })+
    };
}

c_types! {
    u8 => "unsigned char",
    i32 => "int",
    u32 => "unsigned",
    u64 => "unsigned long long",
    f32 => "float",
    f64 => "double",
}

impl<T: CType, const N: usize> CType for [T; N] {
    fn declare(name: &str) -> String {
        T::declare(&format!("{name}[{N}]"))
    }
}

impl<T: CType> CType for Pointer<T> {
    fn declare(name: &str) -> String {
        T::declare(&format!("*{name}"))
    }
}

/// Defines constants; `in_c` gives them as macros.
macro_rules! constants {
    ($($(#[doc = $doc:literal])+ $name:ident: $kind:ty = $value:expr;)+) => {
        $($(#[doc = $doc])+ pub(crate) const $name: $kind = $value;)+

        pub(super) fn in_c() -> String {
            [$(format!("{}#define {} {:?}\n", concat!($("//", $doc, "\n"),+), stringify!($name), $name)),+].concat()
        }
    };
}

/// Defines enumerations; `in_c` gives them with the same names. A value of one is an `int` there.
macro_rules! modes {
    ($($(#[doc = $doc:literal])+ $name:ident: $repr:ident {
        $($(#[doc = $variant_doc:literal])* $variant:ident = $value:literal),+ $(,)?
    })+) => {
        $(
            $(#[doc = $doc])+
            #[repr($repr)]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub(crate) enum $name { $($(#[doc = $variant_doc])* $variant = $value),+ }
        )+

        pub(super) fn in_c() -> String {
            [$({
                let variants = [$(format!("{} = {}", stringify!($variant), $value)),+].join(", ");
                format!("{}struct {} {{ enum : int {{ {variants} }}; }};\n", concat!($("//", $doc, "\n"),+), stringify!($name))
            }),+].concat()
        }
    };
}

/// Defines structures of plain numbers; `in_c` gives them field by field. The kernels' compiler asserts that they have
/// the same size there. `Pod` admits no padding, so that equal sizes mean equal offsets.
macro_rules! structures {
    ($($(#[doc = $doc:literal])+ $name:ident {
        $($(#[doc = $field_doc:literal])* $field:ident: $kind:ty),+ $(,)?
    })+) => {
        $(
            $(#[doc = $doc])+
            #[repr(C)]
            #[derive(Clone, Copy, Debug, Pod, Zeroable)]
            pub(crate) struct $name { $($(#[doc = $field_doc])* pub $field: $kind),+ }

            impl CType for $name {
                fn declare(name: &str) -> String {
                    format!("{} {name}", stringify!($name))
                }
            }

            impl $name {
                fn in_c() -> String {
                    let name = stringify!($name);
                    let mut text = format!("{}struct {name} {{\n", concat!($("//", $doc, "\n"),+));
                    $(
                        $(text += concat!("    //", $field_doc, "\n");)*
                        text += &format!("    {};\n", <$kind>::declare(stringify!($field)));
                    )+
                    text += &format!("}};\nstatic_assert(sizeof({name}) == {}, \"{name}\");\n", size_of::<Self>());
                    text
                }
            }
        )+

        pub(super) fn in_c() -> String {
            [$($name::in_c()),+].concat()
        }
    };
}

pub(super) use {constants, modes, structures};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_those_of_c() {
        assert_eq!(f32::declare("x"), "float x");
        assert_eq!(<[i32; 3]>::declare("cells"), "int cells[3]");
        assert_eq!(Pointer::<u8>::declare("flags"), "unsigned char *flags");
        assert_eq!(<[Pointer<f64>; 2]>::declare("vectors"), "double *vectors[2]");
    }

    #[test]
    fn pointers_step_by_elements() {
        let pointer = Pointer::<f64>::new(256);
        assert_eq!(pointer.at(3).address(), 280);
        assert!(!pointer.is_null() && Pointer::<f64>::NULL.is_null());
    }
}
