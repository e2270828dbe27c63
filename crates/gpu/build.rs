//! Compiles the kernels for the host if tests ask for it.

#[cfg(feature = "emulation")]
#[allow(dead_code, unused_imports)]
#[path = "src/layout/mod.rs"]
mod layout;

#[cfg(feature = "emulation")]
#[allow(dead_code)]
#[path = "src/text.rs"]
mod text;

fn main() -> std::io::Result<()> {
    for path in ["kernels", "src/layout", "src/text.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    #[cfg(feature = "emulation")]
    compile_for_host()?;
    Ok(())
}

#[cfg(feature = "emulation")]
fn compile_for_host() -> std::io::Result<()> {
    let folder = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(folder.join("kernels.cu"), text::shared_text())?;
    for dimension in ["2", "3"] {
        cc::Build::new()
            .cpp(true)
            .std("c++17")
            .include("kernels")
            .include(&folder)
            .define("DIM", dimension)
            .flag_if_supported("-ffp-contract=off")
            .warnings(false)
            .file("kernels/emulate.cpp")
            .compile(&format!("unstick_kernels_{dimension}"));
    }
    Ok(())
}
