#!/usr/bin/env bash
# Builds the viewer with its sandbox and tests it in Debian's Chromium: driven by playwright-core, checked by axe-core.
set -euo pipefail
cd "$(dirname "$0")/.."

viewer/build.sh
command -v npm >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends nodejs npm; }
command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }
cargo build --release -p unstick-cli
cargo test --release -p unstick-view
(cd viewer/tests && npm ci --no-audit --no-fund)
UNSTICK="$(realpath "${CARGO_TARGET_DIR:-target}")/release/unstick" npm --prefix viewer/tests test
