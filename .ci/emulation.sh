#!/usr/bin/env bash
# Runs the GPU's kernels on the host: a C++ compiler compiles the same source.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v g++ >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends g++; }
cargo test --release -p unstick-gpu --features emulation --lib --tests
cargo test --release -p unstick-scene -p unstick-cli --features unstick-scene/emulation,unstick-cli/emulation \
  --test gpu --test gpu_fields --test gpu_steps --test emulated_gpu
