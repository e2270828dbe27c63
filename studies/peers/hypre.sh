#!/usr/bin/env bash
# hypre's structured multigrid and our solvers on the same cube, right after one another: first hypre on
# so many ranks, then `unstick bench` on as many threads, then hypre once more to see how steady the machine is.
# UNSTICK replaces the command `unstick`, CC and CFLAGS the compiler and its flags.
set -euo pipefail

if [[ $# -lt 1 || $# -gt 4 ]]; then
    echo "usage: $0 SIZE [SOLVERS [REPETITIONS [RANKS]]]" >&2
    exit 2
fi
size=$1
solvers=${2:-sticking,policy}
repetitions=${3:-5}
ranks=${4:-1}
unstick=${UNSTICK:-unstick}

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build=$(mktemp -d)
trap 'rm -rf -- "$build"' EXIT

# The flags are a list of words, hence unquoted. Debian keeps the headers of hypre in a folder of
# their own.
# shellcheck disable=SC2086
"${CC:-mpicc}" -std=c11 ${CFLAGS:--O3 -march=native} -I/usr/include/hypre \
    -o "$build/hypre_pfmg" "$here/hypre_pfmg.c" -lHYPRE -lm
# The program computes the cube itself: a folder of 256³ cells has a gigabyte. Here it is seen to be the same.
"$unstick" generate cube-lid --size 32 --out "$build/cube" --quiet
"$build/hypre_pfmg" check "$build/cube"

export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
hypre() { mpirun -n "$ranks" "$build/hypre_pfmg" "$size" "$repetitions"; }
hypre
"$unstick" bench example:cube-lid --sizes "$size" --threads "$ranks" --solvers "$solvers" --repetitions "$repetitions"
hypre
