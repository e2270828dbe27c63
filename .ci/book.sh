#!/usr/bin/env bash
# Builds the documentation as a book and checks every link.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="${CARGO_TARGET_DIR:-target}/mdbook"
[ -x "$tools/bin/mdbook" ] ||
  cargo install mdbook --version '^0.5' --no-default-features --locked --quiet --root "$tools" --target-dir "$tools/build"
"$tools/bin/mdbook" build docs
python3 .ci/links.py README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md fuzz/README.md docs
