#!/usr/bin/env bash
# Checks and times everything there is on the GPU of this machine: in one call, or section by section.
#
#   studies/gpu/run.sh [FOLDER [SECTION…]]          results go into FOLDER/SECTION.txt [out/gpu, all sections]
#
# section   seconds on an H200 with 16 cores, and what it does
# machine     5  the device's own limits
# steps      55  whole steps: the same bits from run to run, the invariants of the processor, times of the stages
# frame      15  what a frame costs beside its steps
# run        10  dam-break-3d 128³ with 100 frames and pictures on the device; 15 more where no kernels are kept yet
# run-cpu   120  the same on the processor, and both compared
# live       20  the same, served, and a client that fetches every frame
# physics    90  volume and energy of whole runs beside the spread of the processor's own
# exact      15  scenes with known answers
# pressure   60  generated problems and captured frames
# sanitize  170  compute-sanitizer over every kernel
#
# Binaries are built unless they lie in the folder BIN, for machines without Rust: unstick, device, step, frame,
# every_kernel, follow.
#
# SIZES      generated problems, cells along each axis        [128 256]
# FRAMES_OF  cells of the captured frames                     [128,256]
# STEPS_OF   scenes and cells of the steps that are timed     [sphere-half 128 256 512 dam-break-3d 128 256 pulled 128 honey 128 mud 128]
# RUN_CELLS  cells of the runs along each axis                [128]
# RUN_FRAMES their frames; CPU_FRAMES those of the processor  [100]
# CELLS      of the runs whose physics is compared            [64]
# RACES      seconds that the search for races may take       [60]
set -uo pipefail
cd "$(dirname "$0")/../.."
study="$PWD/studies/gpu"

out="${1:-out/gpu}"
mkdir -p "$out"
shift $(($# > 0))
sections="${*:-machine steps frame run run-cpu live physics exact pressure sanitize}"

if [ -z "${BIN:-}" ]; then
  BIN="$out/bin"
  mkdir -p "$BIN"
  release="${CARGO_TARGET_DIR:-target}/release"
  bench() { cargo bench -p "$1" --bench "$2" --no-run 2>&1 | sed -n 's/.*Executable.*(\(.*\))/\1/p'; }
  cargo build --release -p unstick-cli && cp "$release/unstick" "$BIN/"
  cargo build --release -p unstick-gpu --example every_kernel && cp "$release/examples/every_kernel" "$BIN/"
  cargo build --release -p unstick-view --example follow && cp "$release/examples/follow" "$BIN/"
  cp "$(bench unstick-gpu device)" "$BIN/device"
  cp "$(bench unstick-gpu step)" "$BIN/step"
  cp "$(bench unstick-scene frame)" "$BIN/frame"
fi
BIN="$(cd "$BIN" && pwd)"
out="$(cd "$out" && pwd)"
cells="${RUN_CELLS:-128}"
dam=(dam-break-3d --force --set "grid.cells=[$cells,$cells,$cells]")

# Runs a command and says how many seconds it took.
timed() {
  local start="$EPOCHREALTIME"
  "${@:2}" || echo "$1: exit $?"
  awk -v a="$start" -v b="$EPOCHREALTIME" -v what="$1" 'BEGIN { printf "%s: %.2f s in all\n", what, b - a }'
}

# Where the seconds of a run went.
columns() {
  awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^seconds_/) name[i] = $i; next }
    { for (i in name) sum[i] += $i }
    END { printf "%d steps;", FNR - 1; for (i = 1; i <= NF; i++) if (i in name && sum[i] >= 0.005) printf " %s %.2f", substr(name[i], 9), sum[i]; print "" }' "$1"
}

machine() {
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  nproc
  "$BIN/unstick" doctor --bench
}

steps() { "$BIN/step" ${STEPS_OF:-sphere-half 128 256 512 dam-break-3d 128 256 pulled 128 honey 128 mud 128}; }

frame() { "$BIN/frame" dam-break-3d "$cells" 30 gpu; }

run() {
  timed "on the device" "$BIN/unstick" run "${dam[@]}" --backend gpu --frames "${RUN_FRAMES:-100}" --out "$out/runs/gpu"
  columns "$out/runs/gpu/stats.csv"
}

run-cpu() {
  local frames="${CPU_FRAMES:-${RUN_FRAMES:-100}}"
  timed "on the processor" "$BIN/unstick" run "${dam[@]}" --backend cpu --frames "$frames" --out "$out/runs/cpu"
  columns "$out/runs/cpu/stats.csv"
  [ "$frames" = "${RUN_FRAMES:-100}" ] || echo "the processor has computed $frames frames: compare by the step"
  [ -e "$out/runs/gpu/stats.csv" ] && awk -f "$study/compare.awk" "$out/runs/cpu/stats.csv" "$out/runs/gpu/stats.csv"
}

live() {
  local folder="$out/runs/live" port="${PORT:-18642}" server
  mkdir -p "$folder"
  rm -rf "$folder"
  for pictures in false true; do
    "$BIN/unstick" run "${dam[@]}" --backend gpu --frames "${RUN_FRAMES:-100}" --out "$folder" \
      --set output.frames=$pictures --set output.movie=false >"$out/live-run.txt" 2>&1 &
    local simulation=$!
    until [ -e "$folder/view/scene.gz" ] || ! kill -0 "$simulation" 2>/dev/null; do sleep 0.02; done
    "$BIN/unstick" view --no-open --port "$port" "$folder" >"$out/live-view.txt" 2>&1 &
    server=$!
    sleep 0.3
    echo "pictures: $pictures"
    "$BIN/follow" "127.0.0.1:$port" surface particles
    wait "$simulation"
    kill "$server"
    wait "$server" 2>/dev/null
    columns "$folder/stats.csv"
    rm -rf "$folder"
  done
}

physics() {
  local side="${CELLS:-64}" scene run frame
  for scene in dam-break-3d sphere-half; do
    # Steps that differ by 0.2 %: the seed places new particles alone, of which these scenes have none.
    for run in "cpu 1.0" "cpu 1.002" "gpu 1.0"; do
      set -- $run
      "$BIN/unstick" run "$scene" --force --backend "$1" --out "$out/physics/$scene-$1-$2" --set time.cfl="$2" \
        --set "grid.cells=[$side,$side,$side]" --set output.frames=false --set output.view=false >"$out/physics.log" 2>&1 ||
        tail -3 "$out/physics.log"
    done
    echo "$scene, $side cells along each axis"
    frame="$(grep -o '"frame_seconds": [0-9.]*' "$out/physics/$scene-gpu-1.0/run.json" | grep -o '[0-9.]*$')"
    awk -F, -v frame="$frame" -f "$study/spread.awk" "$out/physics/$scene-"{cpu-1.0,cpu-1.002,gpu-1.0}/stats.csv
  done
}

exact() {
  for scene in ceiling-drop rest sealed-full; do
    "$BIN/unstick" run "$scene" --force --backend gpu --out "$out/exact/$scene" --set output.frames=false \
      --set output.view=false >"$out/exact.log" 2>&1 || tail -3 "$out/exact.log"
    awk -F, -v scene="$scene" -f "$study/exact.awk" "$out/exact/$scene/stats.csv"
  done
}

pressure() {
  "$BIN/device" ${SIZES:-128 256}
  "$BIN/unstick" bench sphere-half dam-break-3d --sizes "${FRAMES_OF:-128,256}" --frames 2 --solvers best \
    --backend cpu,gpu --repetitions 3
}

sanitize() {
  local tool part dimension
  tool="$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)"
  [ -n "$tool" ] || { echo "compute-sanitizer is not there"; return; }
  for part in solves steps views; do
    timeout 100 "$tool" --tool memcheck "$BIN/every_kernel" $part >"$out/memcheck-$part.txt" 2>&1
    echo "memcheck $part: exit $?, $(grep -c 'particles\|D .*:' "$out/memcheck-$part.txt") parts, $(tail -n 1 "$out/memcheck-$part.txt")"
  done
  # Slow: each part is given some time. What was found up to then is in its file.
  for part in "steps 2" "steps 3" "solves 2" "solves 3"; do
    set -- $part
    timeout -s INT "${RACES:-60}" "$tool" --tool racecheck --racecheck-report analysis "$BIN/every_kernel" "$1" "$2" \
      >"$out/racecheck-$1-$2.txt" 2>&1
    echo "racecheck $1 in $2 dimensions: exit $?, $(grep -c 'particles\|D .*:' "$out/racecheck-$1-$2.txt") parts, $(grep -c 'hazard' "$out/racecheck-$1-$2.txt") hazards, $(tail -n 1 "$out/racecheck-$1-$2.txt")"
  done
}

for section in $sections; do
  printf '\n== %s (%d s so far)\n' "$section" "$SECONDS"
  "$section" 2>&1 | tee "$out/$section.txt"
done
printf '\n== done (%d s)\n' "$SECONDS"
