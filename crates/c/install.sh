#!/usr/bin/env bash
# Builds the library and installs it for C and C++: install.sh PREFIX
set -euo pipefail
prefix=$(realpath -m "${1:?usage: install.sh PREFIX}")
cd "$(dirname "$0")/../.."
cargo build --release --quiet -p unstick-c
target="${CARGO_TARGET_DIR:-target}/release"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
install -m 644 crates/c/include/unstick.h "$prefix/include/"
install -m 755 "$target/libunstick_c.so" "$prefix/lib/libunstick.so"
install -m 644 "$target/libunstick_c.a" "$prefix/lib/libunstick.a"
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" crates/c/unstick.pc.in > "$prefix/lib/pkgconfig/unstick.pc"
