#!/usr/bin/env bash
# Builds the wheel that users install, tries it beside NumPy alone, tests it against the command and beside the libraries
# that it works with, checks its types.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
tools="$target/python"
python3 -c 'import ensurepip' || { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv; }
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet 'maturin>=1.9.4,<2' numpy scipy pytest matplotlib mypy xarray pyvista 'jax[cpu]'

rm -rf "$target/wheels" "$target/python-clean"
"$tools/bin/maturin" build --quiet --release --locked --out "$target/wheels"
wheel=$(echo "$target"/wheels/unstick-*-abi3-*.whl)
python3 -m venv "$target/python-clean"
"$target/python-clean/bin/pip" install --quiet "$wheel"
"$target/python-clean/bin/python" - <<'PYTHON'
import numpy as np
import unstick

result = unstick.solve(np.array([[2.0, -1.0], [-1.0, 2.0]]), [2.0, -1.0], wall=[True, True])
assert result.converged and result.x.tolist() == [0.0, 0.5], result
assert unstick.Scene.load("dam-break").simulate().step(0.005)["converged"]
PYTHON

"$tools/bin/pip" install --quiet --force-reinstall --no-deps "$wheel"
cargo build --release --quiet -p unstick-cli
UNSTICK_COMMAND="$target/release/unstick" "$tools/bin/python" -m pytest --quiet
"$tools/bin/mypy"

# The torch of Debian: that of PyPI brings CUDA along, gigabytes of it. Its Python must be one that the wheel serves.
if command -v apt-get >/dev/null && /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-torch python3-venv >/dev/null
  [ -x "$target/python-torch/bin/python" ] || /usr/bin/python3 -m venv --system-site-packages "$target/python-torch"
  "$target/python-torch/bin/pip" install --quiet 'numpy>=1.25,<2' 'scipy>=1.11,<1.14' pytest
  "$target/python-torch/bin/pip" install --quiet --force-reinstall --no-deps "$wheel"
  "$target/python-torch/bin/python" -m pytest --quiet python/tests/test_other_arrays.py
fi
