//! Compiles the kernels for the host where tests ask for it.

fn main() {
    println!("cargo::rerun-if-changed=kernels");
    #[cfg(feature = "emulation")]
    for dimension in ["2", "3"] {
        cc::Build::new()
            .cpp(true)
            .std("c++17")
            .include("kernels")
            .define("DIM", dimension)
            .flag_if_supported("-ffp-contract=off")
            .warnings(false)
            .file("kernels/emulate.cpp")
            .compile(&format!("unstick_kernels_{dimension}"));
    }
}
