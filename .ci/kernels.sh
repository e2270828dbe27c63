#!/usr/bin/env bash
# Compiles the GPU's kernels with NVIDIA's compiler. Needs no GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="${CARGO_TARGET_DIR:-target}/nvrtc"
python3 -c 'import ensurepip' || { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv; }
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
"$tools/bin/python" -c 'import nvidia.cu13' 2>/dev/null || "$tools/bin/pip" install --quiet 'nvidia-cuda-nvrtc==13.0.*'
cargo run --release --quiet -p unstick-gpu --example kernels |
  LD_LIBRARY_PATH="$("$tools/bin/python" .ci/nvrtc.py --folder)" "$tools/bin/python" .ci/nvrtc.py
