#!/usr/bin/env bash
# Installs the Python package as users do, tests it against the command, checks its types.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
tools="$target/python"
python3 -c 'import ensurepip' || { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv; }
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet numpy scipy pytest matplotlib mypy
"$tools/bin/pip" install --quiet .

cargo build --release --quiet -p unstick-cli
UNSTICK_COMMAND="$target/release/unstick" "$tools/bin/python" -m pytest --quiet
"$tools/bin/mypy"
