//! Loops compiled for the widest vector unit of the machine they run on.

/// Runs a kernel in the variant that was compiled for this processor.
///
/// The kernel and all it calls must be inlined for that. Results do not depend on the variant: the
/// compiler reorders no sums and fuses no products, it only works on several elements at once.
#[inline(always)]
pub fn vectorised<R>(kernel: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(kernel)
}
