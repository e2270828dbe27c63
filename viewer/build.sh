#!/usr/bin/env bash
# Builds viewer/sandbox.wasm, the simulator inside the page. Needs Rust alone.
#   viewer/build.sh           build it and note the sources it is of
#   viewer/build.sh --check   say whether it is of the sources as they are
set -euo pipefail
cd "$(dirname "$0")/.."

sources() {
  find crates/{grid,mlcp,liquid,sandbox}/{src,Cargo.toml} -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1
}

if [ "${1:-}" = --check ]; then
  [ "$(sources)" = "$(cat viewer/sandbox.sources)" ] && exit
  echo "viewer/sandbox.wasm is of other sources: run viewer/build.sh and commit what it changes" >&2
  exit 1
fi

rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
# Vectors of 128 bits: all browsers have them. No paths of the machine that builds it.
RUSTFLAGS="-C target-feature=+simd128 --remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" \
  cargo build --profile sandbox --target wasm32-unknown-unknown -p unstick-sandbox
cp "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/sandbox/unstick_sandbox.wasm" viewer/sandbox.wasm
sources > viewer/sandbox.sources
ls -l viewer/sandbox.wasm
