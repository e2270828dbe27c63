//! Sets `has_sandbox` where `viewer/build.sh` has built the sandbox. The page works without it.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_sandbox)");
    println!("cargo::rerun-if-changed=../../viewer/wasm");
    if std::path::Path::new("../../viewer/wasm/sandbox.wasm").is_file() {
        println!("cargo::rustc-cfg=has_sandbox");
    }
}
