#!/usr/bin/env bash
# Installs the library for C as users do, compiles the examples with warnings as errors, and runs them against the
# shared and the static library.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
prefix="$target/c"
need() { command -v "$1" >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$2"; }; }
need pkg-config pkg-config
need g++ g++
[ -d /usr/include/eigen3 ] || { apt-get update -qq && apt-get install -y -qq --no-install-recommends libeigen3-dev; }

cargo test --release --quiet -p unstick-c
crates/c/install.sh "$prefix"
export PKG_CONFIG_PATH="$PWD/$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$PWD/$prefix/lib"
[ "${prefix#/}" = "$prefix" ] || { PKG_CONFIG_PATH="$prefix/lib/pkgconfig"; LD_LIBRARY_PATH="$prefix/lib"; }
flags=$(pkg-config --cflags unstick)
warnings="-Wall -Wextra -Werror -O2"
for kind in shared static; do
  if [ "$kind" = shared ]; then libraries=$(pkg-config --libs unstick); else
    libraries="$prefix/lib/libunstick.a -lpthread -ldl -lm"
  fi
  # shellcheck disable=SC2086 # these are lists of words
  {
    gcc -std=c11 $warnings crates/c/examples/obstacle.c $flags -o "$prefix/obstacle" $libraries -lm
    g++ -std=c++17 $warnings crates/c/examples/mac_fluid.cpp $flags -o "$prefix/mac_fluid" $libraries
    g++ -std=c++17 $warnings -isystem /usr/include/eigen3 crates/c/examples/sparse_matrix.cpp $flags \
      -o "$prefix/sparse_matrix" $libraries
  }
  for example in obstacle mac_fluid sparse_matrix; do "$prefix/$example"; done
done
