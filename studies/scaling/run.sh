#!/usr/bin/env bash
# Solves and steps on 1, 2 and all threads of this machine, and hypre beside them: in one call, or section by section.
#
#   studies/scaling/run.sh [FOLDER [SECTION…]]      results go into FOLDER/SECTION.txt [out/scaling, all sections]
#
# section   seconds on 16 cores, and what it does
# machine     5  the processor and its copies
# hypre      45  the linear cube, one box a rank, on as many ranks as there are cores
# cube       85  cube-lid
# sphere     20  generated sphere-half
# frames     40  captured frames
# steps      60  sphere-half: whole steps, their stages, and how much of the processor was at work
# before     40  solve and steps of another version in turn with this one, if it lies in BIN as `unstick-before`
#
# Programs are built unless they lie in the folder BIN, for machines without Rust: unstick, and hypre_pfmg with its
# libraries in BIN/lib. MPIRUN replaces the command mpirun.
#
# THREADS  numbers of threads, the largest first       [all, 2, 1]
# SOLVERS  those that are timed                        [best,sticking+cg/multigrid]
# SIZES    cells along each axis of the generated cube [128 256]
# CELLS    those of the steps                          [128]
# FRAMES   their frames on all threads                 [12]
# FEW      those on fewer threads, which are also told apart on all [3]
set -uo pipefail
cd "$(dirname "$0")/../.."
peers="$PWD/studies/peers"
columns="$PWD/studies/scaling/columns.awk"

out="${1:-out/scaling}"
mkdir -p "$out"
shift $(($# > 0))
sections="${*:-machine hypre cube sphere frames steps before}"

# hypre, and the libraries that it needs beside those of every system. The plain BLAS does: it is hardly called.
build_hypre() {
  mpicc -std=c11 -O3 -march="${MARCH:-native}" -I/usr/include/hypre -o "$BIN/hypre_pfmg" "$peers/hypre_pfmg.c" -lHYPRE -lm || return
  local plain=/usr/lib/x86_64-linux-gnu
  mkdir -p "$BIN/lib"
  LD_LIBRARY_PATH="$plain/blas:$plain/lapack" ldd "$BIN/hypre_pfmg" | awk '$3 ~ /^\// { print $3 }' |
    grep -v 'lib\(c\|m\|pthread\|dl\|rt\)\.so' | xargs cp -Lt "$BIN/lib"
}

if [ -z "${BIN:-}" ]; then
  BIN="$out/bin"
  mkdir -p "$BIN"
  cargo build --release -p unstick-cli && cp "${CARGO_TARGET_DIR:-target}/release/unstick" "$BIN/"
  command -v mpicc >/dev/null && build_hypre
fi
BIN="$(cd "$BIN" && pwd)"
out="$(cd "$out" && pwd)"
cores="$(env -u OMP_NUM_THREADS nproc)"
threads=(${THREADS:-$(printf '%s\n' "$cores" 2 1 | awk '!seen[$1]++')})
list="$(IFS=,; echo "${threads[*]}")"
cells="${CELLS:-128}"
few="${FEW:-3}"
no_files=(--set output.frames=false --set output.view=false --set output.movie=false)

machine() {
  lscpu | grep 'Model name'
  echo "$cores cores"
  uptime
  "$BIN/unstick" doctor --bench
}

hypre() {
  [ -x "$BIN/hypre_pfmg" ] || { echo "hypre_pfmg is not there"; return; }
  "$BIN/unstick" generate cube-lid --size 32 --out "$out/cube" --quiet
  local OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 size
  export OMP_NUM_THREADS OPENBLAS_NUM_THREADS OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
  with_libraries "$BIN/hypre_pfmg" check "$out/cube"
  rm -r "$out/cube"
  for size in ${SIZES:-128 256}; do
    # Two sweeps, and Jacobi's, are slower than what comes first, and a large cube takes long.
    local settings=$((size > 128 ? 1 : 4))
    with_libraries timeout 120 "${MPIRUN:-mpirun}" -n "$cores" "$BIN/hypre_pfmg" "$size" 3 "$settings"
    "$BIN/unstick" bench example:cube-lid --quiet --json --sizes "$size" --threads "$cores" --solvers best --repetitions 5 | short
  done
}

# Those of the machine come first: its mpirun needs its own.
with_libraries() { LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}:$BIN/lib" "$@"; }

# What matters of the lines of `unstick bench --json`.
short() { grep -o '"\(solver\|threads\|unknowns\|cycles\|setup_seconds\|solve_seconds\|total_seconds\)":[^,]*' | paste -sd' '; }

bench() { "$BIN/unstick" bench "$@" --threads "$list" --solvers "${SOLVERS:-best,sticking+cg/multigrid}" 2>/dev/null; }

cube() {
  bench example:cube-lid --sizes 128 --repetitions 5
  bench example:cube-lid --sizes 256 --repetitions 2
}

sphere() { bench example:sphere-half --sizes 256 --repetitions 5; }

frames() { bench sphere-half two-spheres dam-break-3d --sizes 64,128 --repetitions 5; }

# PROGRAM THREADS FRAMES [OPTION…]: runs a scene and says where its time went.
simulate() {
  local folder="$out/run" TIMEFORMAT='%R %U %S'
  rm -rf "$folder"
  { time "$BIN/$1" run sphere-half --quiet --threads "$2" --frames "$3" --out "$folder" \
    --set "grid.cells=[$cells,$cells,$cells]" "${@:4}" >"$out/run.log" 2>&1; } 2>"$out/time.txt" || tail -3 "$out/run.log"
  echo "$1, $2 threads, $3 frames ${*:4}: $(awk -v threads="$2" \
    '{ printf "%.2f s in all, at work %.0f %%", $1, 100 * ($2 + $3) / $1 / threads }' "$out/time.txt")"
  # A frame of this scene takes a hundredth of a second.
  awk -F, -v until="$few" -v frame=0.01 -f "$columns" "$folder/stats.csv"
  rm -rf "$folder"
}

steps() {
  local count
  simulate unstick "$cores" "${FRAMES:-12}" "${no_files[@]}"
  simulate unstick "$cores" "${FRAMES:-12}"
  for count in "${threads[@]}"; do
    [ "$count" = "$cores" ] || simulate unstick "$count" "$few" "${no_files[@]}"
  done
}

before() {
  [ -x "$BIN/unstick-before" ] || { echo "unstick-before is not there"; return; }
  local program
  for program in unstick-before unstick unstick-before unstick; do
    echo "$program, generated sphere-half 256³ on 2 threads:"
    "$BIN/$program" bench example:sphere-half --quiet --json --sizes 256 --threads 2 --solvers best --repetitions 5 | short
  done
  for program in unstick-before unstick; do simulate "$program" 2 "$few" "${no_files[@]}"; done
}

for section in $sections; do
  printf '\n== %s (%d s so far)\n' "$section" "$SECONDS"
  "$section" 2>&1 | tee "$out/$section.txt"
done
printf '\n== done (%d s)\n' "$SECONDS"
