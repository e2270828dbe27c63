#!/usr/bin/env bash
# Runs every fuzz target on a fixed number of mutated inputs, and the program for long runs on a few. Stable Rust is
# enough; libFuzzer is not needed.
set -euo pipefail
cd "$(dirname "$0")/.."
cp Cargo.lock fuzz/Cargo.lock # the versions of the workspace, which are compiled already
target="${CARGO_TARGET_DIR:-target}"
cargo test --release --manifest-path fuzz/Cargo.toml --no-default-features --target-dir "$target"
cargo build --release --manifest-path fuzz/Cargo.toml --no-default-features --target-dir "$target" --bin unstick-fuzz
"$target/release/unstick-fuzz" 200 --threads 2 --findings "$target/fuzz-findings"
size=$(stat -c %s "$target/release/unstick-fuzz")
[ "$size" -lt 30000000 ] || { echo "unstick-fuzz has $size bytes, expected fewer than 30 MB to carry it" >&2; exit 1; }
