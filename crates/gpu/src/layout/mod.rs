//! What the host and the kernels share. Every constant, mode and structure is defined here, once; [`header`] gives the
//! same definitions in C. The build script compiles this module too, for the kernels that tests run on the host.

mod aggregates;
mod c;
mod constants;
mod level;
mod modes;
mod step;
mod structures;
mod viscous;

pub(crate) use aggregates::*;
pub(crate) use c::{Address, Pointer};
pub(crate) use constants::*;
pub(crate) use modes::*;
pub(crate) use step::*;
pub(crate) use structures::*;
pub(crate) use viscous::*;

/// The definitions in C, for the kernels.
pub(crate) fn header() -> String {
    let structures = [viscous::in_c(), step::in_c(), aggregates::in_c(), structures::in_c()];
    [constants::in_c(), level::tiles_in_c(), modes::in_c()].concat() + &structures.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_every_definition_under_its_rust_name() {
        let header = header();
        for line in [
            "#define THREADS 128",
            "struct Vector { enum : int { Residual = 0,",
            "struct DeviceLevel {",
            "    float *coupling[3];",
            "    DeviceLevel *levels;",
            "    double *vectors[12];",
        ] {
            assert!(header.contains(line), "{line} is missing from\n{header}");
        }
    }

    #[test]
    fn the_header_asserts_the_size_of_every_structure() {
        let header = header();
        let sizes = [("Args", size_of::<Args>()), ("DeviceLevel", size_of::<DeviceLevel>())];
        for (name, size) in sizes {
            assert!(header.contains(&format!("static_assert(sizeof({name}) == {size}, \"{name}\");")), "{name}");
        }
    }
}
