//! Prints the kernels as one text, for compilers and eyes: `cargo run -p unstick-gpu --example kernels`.

fn main() {
    print!("{}", unstick_gpu::kernel_text());
}
