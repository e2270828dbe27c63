#!/usr/bin/env bash
# Compares the public interface of every published library with the last release. Needs cargo-semver-checks.
set -euo pipefail
cd "$(dirname "$0")/.."
last=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || { echo "no release yet, nothing to compare with"; exit; }
cargo semver-checks check-release --workspace --baseline-rev "$last"
