#!/usr/bin/env bash
# Checks and times everything there is on the GPU of this machine, in one call; about five minutes on an H200.
#
#   studies/gpu/run.sh [FOLDER]                 results go there [out/gpu]
#
# Binaries are built unless they are handed over, for machines without Rust:
#
#   UNSTICK=…/unstick DEVICE_BENCH=…/device-… STAGE_BENCH=…/pressure_stage-… STEP_BENCH=…/step-… studies/gpu/run.sh
#
# SIZES      cube-lid and its like, cells along each axis     [128 256 512]
# FRAMES_OF  cells of the captured frames                     [128,256]
# FRAME      the frame they are taken after                   [2]
# STEPS_OF   scenes and cells of the steps that are timed, with the views of each
#            [sphere-half 128 256 dam-break-3d 256 stirred 128 256 stirred-by-host 128 poured 128 256]
# RUN_CELLS  cells of the run with both backends              [128]
# RUN_FRAMES its frames                                       [10]
set -euo pipefail
cd "$(dirname "$0")/../.."

out="${1:-out/gpu}"
mkdir -p "$out"
step() { printf '\n== %s (%d s so far)\n' "$1" "$SECONDS"; }

if [ -z "${UNSTICK:-}" ] || [ -z "${DEVICE_BENCH:-}" ] || [ -z "${STAGE_BENCH:-}" ] || [ -z "${STEP_BENCH:-}" ]; then
  cargo build --release -p unstick-cli
  UNSTICK="${CARGO_TARGET_DIR:-target}/release/unstick"
  built="$(cargo bench -p unstick-gpu --bench device --no-run 2>&1)"
  DEVICE_BENCH="$(sed -n 's/.*Executable.*(\(.*\))/\1/p' <<<"$built")"
  built="$(cargo bench -p unstick-gpu --bench step --no-run 2>&1)"
  STEP_BENCH="$(sed -n 's/.*Executable.*(\(.*\))/\1/p' <<<"$built")"
  built="$(cargo bench -p unstick-scene --bench pressure_stage --no-run 2>&1)"
  STAGE_BENCH="$(sed -n 's/.*Executable.*(\(.*\))/\1/p' <<<"$built")"
fi

{
  date -u +%F
  step "the machine"
  "$UNSTICK" doctor --bench

  step "generated problems: the same bits from run to run, the answer of the processor, times"
  "$DEVICE_BENCH" ${SIZES:-128 256 512}

  step "captured frames"
  "$UNSTICK" bench sphere-half dam-break-3d --sizes "${FRAMES_OF:-128,256}" --frames "${FRAME:-2}" \
    --solvers best --backend cpu,gpu --repetitions 3

  step "whole steps: the same bits from run to run, the invariants of the processor, times of the stages"
  "$STEP_BENCH" ${STEPS_OF:-sphere-half 128 256 dam-break-3d 256 stirred 128 256 stirred-by-host 128 poured 128 256}

  step "a run with both backends"
  cells="${RUN_CELLS:-128}"
  for backend in cpu gpu; do
    "$UNSTICK" run dam-break-3d --backend "$backend" --frames "${RUN_FRAMES:-10}" --out "$out/$backend" --force \
      --set "grid.cells=[$cells,$cells,$cells]"
  done
  awk -f studies/gpu/compare.awk "$out/cpu/stats.csv" "$out/gpu/stats.csv"

  step "where the time of the pressure stage goes"
  "$STAGE_BENCH" dam-break-3d "$cells" "${RUN_FRAMES:-10}"
  step "done"
} 2>&1 | tee "$out/results.txt"
