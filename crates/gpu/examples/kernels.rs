//! Prints the kernels as one text, to compile or to read: `cargo run -p unstick-gpu --example kernels`.

fn main() {
    print!("{}", unstick_gpu::kernel_text());
}
