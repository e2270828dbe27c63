#!/usr/bin/env bash
# Compiles the Eigen peer into a temporary folder and runs it on a problem folder.
# CXX and CXXFLAGS replace the compiler and its flags.
set -euo pipefail

if [[ $# -ne 1 ]]; then
    echo "usage: $0 FOLDER" >&2
    exit 2
fi

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build=$(mktemp -d)
trap 'rm -rf -- "$build"' EXIT

# The flags are a list of words, hence unquoted.
# shellcheck disable=SC2086
"${CXX:-g++}" -std=c++17 ${CXXFLAGS:--O3 -DNDEBUG -march=native} \
    -o "$build/eigen_iccg" "$here/eigen_iccg.cpp"
"$build/eigen_iccg" "$1"
