#!/usr/bin/env bash
# Builds viewer/wasm/sandbox.wasm, the simulator inside the page. The next build of the command embeds it.
# Needs rustup, which adds the target for browsers where it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
# All browsers have vectors of 128 bits. The paths of this machine stay out of the file.
RUSTFLAGS="-C target-feature=+simd128 --remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" \
  cargo build --profile sandbox --target wasm32-unknown-unknown -p unstick-sandbox
cp "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/sandbox/unstick_sandbox.wasm" viewer/wasm/sandbox.wasm
ls -l viewer/wasm/sandbox.wasm
