#!/usr/bin/env bash
# Measures what many ranks on one machine with 16 cores do together: in one call, or section by section.
#
#   studies/scale/run.sh [FOLDER [SECTION…]]        results go into FOLDER/SECTION.txt [out/scale, all sections]
#
# section   seconds it may take, and what it does
# machine     5  the machine and its MPI
# weak       30  cube-lid with 128³ cells a rank on 1, 8 and 16 ranks beside what these ranks copy together
# large      60  cube-lid 512³ on 16 ranks, and hypre's PFMG-CG for the linear problem on the same ranks
# messages   10  the share of messages and the memory on 16 ranks at 256³
# dam        60  dam-break-3d on 1 rank × 16 threads, 8 × 2 and 16 × 1: times, memory, one answer
# talk       20  latency, bandwidth and sums between 16 ranks, the price of exact sums, and the model
# cycles     60  cycles for 128³, 256³ and 512³
# same       60  every example and a captured frame on 1, 8 and 16 ranks: one answer
#
# A section ends when its seconds are over: what runs then is stopped, what would follow is left out, and both are said.
#
# Binaries are built unless they lie in the folder BIN, for machines without Rust or hypre: unstick, unstick-mpi,
# hypre_cube, and in BIN/lib the shared libraries that they need, of which those are taken that the machine does not have.
# BUILD=only builds them into BIN and measures nothing.
#
# SLOWER     times the seconds that sections may take         [1]
# TOTAL      seconds that the whole call may take             [the sum of all]
# RANKS      ranks, or ranks × threads, of the whole machine  [16]
# REPEAT     solves, of which the fastest counts              [3]
# WEAK_SIDE  cells of a rank along each axis in `weak`        [128]
# LARGE      cells along each axis in `large`                 [512]
# TOLERANCES of hypre in `large`                              [1e-6 1e-8]
# MESSAGES   cells along each axis in `messages`              [256]
# DAM_CELLS  cells of the dam                                 [256,192,128]
# DAM_FRAMES its frames                                       [12]
# DAM_WAYS   its ranks × threads                              [1x16 8x2 16x1]
set -uo pipefail
cd "$(dirname "$0")/../.."
study="$PWD/studies/scale"

out="${1:-out/scale}"
mkdir -p "$out"
shift $(($# > 0))
sections="${*:-machine weak large messages dam talk cycles same}"
all="${RANKS:-16}"
declare -A seconds=([machine]=5 [weak]=30 [large]=60 [messages]=10 [dam]=60 [talk]=20 [cycles]=60 [same]=60)
for section in $sections; do
  [ -n "${seconds[$section]:-}" ] || { echo "there is no section $section" >&2; exit 2; }
done

if [ -z "${BIN:-}" ] || [ "${BUILD:-}" = only ]; then
  BIN="${BIN:-$out/bin}"
  mkdir -p "$BIN/lib"
  release="${CARGO_TARGET_DIR:-target}/release"
  cargo build --release -p unstick-cli && cp "$release/unstick" "$BIN/"
  cargo build --release -p unstick-mpi --features mpi && cp "$release/unstick-mpi" "$BIN/"
  # Of hypre's own libraries nothing is needed but its structured solvers.
  mpicc -std=c11 -O3 -I/usr/include/hypre -o "$BIN/hypre_cube" "$study/hypre_cube.c" -Wl,-Bstatic -lHYPRE -Wl,-Bdynamic -lm
  strip "$BIN/unstick" "$BIN/unstick-mpi" "$BIN/hypre_cube"
  ldd "$BIN/unstick-mpi" "$BIN/hypre_cube" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt)\./ { print $3 }' |
    sort -u | xargs -r -I{} cp -L {} "$BIN/lib/"
fi
BIN="$(cd "$BIN" && pwd)"
[ "${BUILD:-}" != only ] || exit 0
out="$(cd "$out" && pwd)"

# A library that is missing may need others.
mkdir -p "$out/lib"
export LD_LIBRARY_PATH="$out/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
while missing="$(ldd "$BIN/unstick-mpi" "$BIN/hypre_cube" 2>/dev/null | awk '/not found/ { print $1 }' | sort -u)" && [ -n "$missing" ]; do
  for library in $missing; do
    ln -sf "$BIN/lib/$library" "$out/lib/" && [ -e "$out/lib/$library" ] || { echo "there is no $library" >&2; exit 2; }
  done
done

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
bound=(--oversubscribe)
if mpirun -q --bind-to core --map-by slot:pe=1 -n "$(nproc --all)" true 2>/dev/null; then bound=(); fi
# A command on so many ranks with so many threads each, as long as its section has time. Containers may forbid the kernel's
# copy between processes.
ranks() {
  local count="$1" threads="$2" where=("${bound[@]}") left=$((end - SECONDS)) code
  shift 2
  [ ${#where[@]} -gt 0 ] && where+=(--bind-to none) || where=(--bind-to core --map-by "slot:pe=$threads")
  [ "$left" -gt 0 ] || { echo "left out, no time: $count ranks, $*" >&2; return; }
  timeout -k 5 "$left" mpirun -q "${where[@]}" --mca btl_vader_single_copy_mechanism none -n "$count" "$@"
  code=$?
  case $code in 0) ;; 124 | 137) echo "stopped, no time: $count ranks, $*" >&2 ;; *) echo "exit $code: $count ranks, $*" >&2 ;; esac
}
solve() { ranks "$1" 1 "$BIN/unstick-mpi" solve "${@:2}"; }

# The value of a key in a line of JSON.
value() { grep -o "\"$1\":[^,}]*" <<<"$2" | head -n 1 | cut -d: -f2- | tr -d '"'; }

# Prints some values of a line of JSON.
values() {
  local line="$1" key
  shift
  for key in "$@"; do printf '%s %s  ' "$key" "$(value "$key" "$line")"; done
  echo
}

# Cube-lid of a size on all ranks, as JSON; kept for the sections behind.
rm -f "$out"/cube-*.json
cube() {
  [ -s "$out/cube-$1.json" ] || solve "$all" cube-lid --size "$1" --repeat "$2" --json >"$out/cube-$1.json"
  cat "$out/cube-$1.json"
}

machine() {
  nproc --all
  grep -m 1 'model name' /proc/cpuinfo
  grep MemTotal /proc/meminfo
  lscpu | grep -E 'Socket|NUMA node\(s\)|L3|L2'
  mpirun --version | head -n 1
  echo "bound: ${bound[*]:-one rank a core}"
}

talk() { ranks "$all" 1 "$BIN/unstick-mpi" predict --size 256 --ranks "1,8,$all"; }

weak() {
  local count size line
  rm -f "$out/weak-lines.txt"
  for count in 1 $((all / 2)) "$all"; do
    size="$(awk -v n="$count" -v s="${WEAK_SIDE:-128}" 'BEGIN { printf "%d", 16 * int(s * n ^ (1 / 3) / 16 + 0.5) }')"
    line="$(solve "$count" cube-lid --size "$size" --repeat "${REPEAT:-3}" --bandwidth --json)"
    [ -n "$line" ] || continue
    echo "$line" >"$out/weak-$count.json"
    echo "$line" | awk -v n="$count" -v s="$size" -v setup="$(value setup_seconds "$line")" -v all="$(value solve_seconds "$line")" \
      -v cycles="$(value cycles "$line")" -v copies="$(value copied_bytes_per_second "$line")" -v talk="$(value talk_share "$line")" '
      { cycle = (all - setup) / cycles
        printf "%2d ranks, %d^3: %.4f s, set-up %.4f s, %d cycles, %.2f ms a cycle, %.2f ns a cell and cycle on a rank, copies %.1f GB/s, messages %.1f %%\n",
          n, s, all, setup, cycles, 1e3 * cycle, 1e9 * cycle * n / s ^ 3, copies / 1e9, 100 * talk }' | tee -a "$out/weak-lines.txt"
  done
  # Time a cell and cycle against the first row; then against the bandwidth that a rank has.
  sed 's/^ *\([0-9]*\) ranks.*, \([0-9.]*\) ns a cell.*copies \([0-9.]*\) GB.*/\1 \2 \3/' "$out/weak-lines.txt" |
    awk 'NR == 1 { t = $2; b = $3 / $1 }
      { printf "%2d ranks: efficiency %.0f %%, of the bandwidth that a rank has left %.0f %%, so %.0f %% of what memory allows\n",
          $1, 100 * t / $2, 100 * $3 / $1 / b, 100 * (t / $2) / ($3 / $1 / b) }'
}

large() {
  local line tolerances
  line="$(cube "${LARGE:-512}" 1)"
  [ -z "$line" ] || values "$line" outcome policies cycles setup_seconds solve_seconds prepare_seconds memory_bytes memory_imbalance talk_share
  read -ra tolerances <<<"${TOLERANCES:-1e-6 1e-8}"
  ranks "$all" 1 "$BIN/hypre_cube" "${LARGE:-512}" "${tolerances[@]}"
}

# What a solve of a size says beside its time.
of_cube() {
  local line
  line="$(cube "$1" "$2")"
  [ -n "$line" ] || return 0
  printf '%d^3: ' "$1"
  values "$line" policies cycles setup_seconds solve_seconds talk_share talk_share_least talk_share_most memory_imbalance imbalance
}

messages() { of_cube "${MESSAGES:-256}" "${REPEAT:-3}"; }

cycles() {
  of_cube 128 "${REPEAT:-3}"
  of_cube 256 "${REPEAT:-3}"
  of_cube 512 1
}

same() {
  local answers name count
  answers() { grep -E '^(best|[0-9]+ unknowns|bits)' | tr '\n' ' '; }
  "$BIN/unstick" capture dam-break-3d --frame 20 --set 'grid.cells=[64,48,32]' --out "$out/captured" >/dev/null
  for name in "cube-lid --size 96" "sphere-half --size 96" "thin-plates --size 96" "sealed-pocket --size 64" \
    "open-box --size 64" "closed-box --size 64" "cube-lid --size 256 --dimension 2" "sphere-half --size 256 --dimension 2" \
    "$out/captured"; do
    for count in 1 8 16; do
      # shellcheck disable=SC2086
      solve $count $name | answers >"$out/same-$count.txt"
    done
    if grep -q converged "$out/same-1.txt" && cmp -s "$out/same-1.txt" "$out/same-8.txt" && cmp -s "$out/same-1.txt" "$out/same-16.txt"; then
      echo "$name: the same on 1, 8 and 16 ranks: $(cat "$out/same-1.txt")"
    else
      echo "$name: DIFFERS"
      cat "$out/same-"*.txt
    fi
  done
}

# Where the seconds of a run went.
columns() {
  awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^seconds_/) name[i] = $i; next }
    { for (i in name) { sum[i] += $i; all += $i } }
    END { printf "%d steps, %.2f s:", FNR - 1, all; for (i = 1; i <= NF; i++) if (i in name && sum[i] >= 0.005) printf " %s %.2f", substr(name[i], 9), sum[i]; print "" }' "$1"
}

# What does not depend on the machine.
physics() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) kept[i] = $i !~ /^seconds/ } { for (i = 1; i <= NF; i++) if (kept[i]) printf "%s,", $i; print "" }' "$1" | cksum
}

dam() {
  local way count threads
  for way in ${DAM_WAYS:-1x16 8x2 16x1}; do
    count="${way%x*}" threads="${way#*x}"
    rm -rf "$out/run"
    ranks "$count" "$threads" "$BIN/unstick-mpi" run dam-break-3d --threads "$threads" --frames "${DAM_FRAMES:-12}" --out "$out/run" \
      --set "grid.cells=[${DAM_CELLS:-256,192,128}]" --set output.frames=false --set output.movie=false \
      --set output.view=false --set output.checkpoint_every=0 2>&1 | grep -E 'exit|time|rank'
    [ ! -s "$out/run/stats.csv" ] || echo "$way: $(columns "$out/run/stats.csv") ($(physics "$out/run/stats.csv"))"
  done
  rm -rf "$out/run"
}

for section in $sections; do
  printf '\n== %s (%d s so far)\n' "$section" "$SECONDS"
  end=$((SECONDS + seconds[$section] * ${SLOWER:-1}))
  [ "$end" -le "${TOTAL:-$end}" ] || end="$TOTAL"
  "$section" 2>&1 | tee "$out/$section.txt"
done
rm -rf "$out/captured"
printf '\n== done (%d s)\n' "$SECONDS"
