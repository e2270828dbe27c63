#!/usr/bin/env bash
# Runs every fuzz target on a fixed number of mutated inputs. Stable Rust is enough; libFuzzer is not needed.
set -euo pipefail
cd "$(dirname "$0")/.."
cp Cargo.lock fuzz/Cargo.lock # the versions of the workspace, which are compiled already
cargo test --release --manifest-path fuzz/Cargo.toml --no-default-features --target-dir "${CARGO_TARGET_DIR:-target}"
