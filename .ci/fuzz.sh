#!/usr/bin/env bash
# Runs every fuzz target on a fixed number of mutated inputs. Stable Rust is enough; no libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --release --manifest-path fuzz/Cargo.toml --no-default-features --target-dir "${CARGO_TARGET_DIR:-target}"
