#!/usr/bin/env bash
# Solves and simulations that many processes share, with 1, 2, 3, 4 and 8 of them: the same bits for any number, and a
# clear end for all when one of them is gone. Open MPI and libclang come from Debian's packages.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-target}"
work="$target/mpi-check"

echo "-- tools"
if ! command -v mpicc >/dev/null || ! command -v mpirun >/dev/null || ! ls /usr/lib/llvm-*/lib/libclang*.so* >/dev/null 2>&1; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libopenmpi-dev openmpi-bin libclang-dev
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Containers may forbid the kernel's copy between processes; ranks may be more than cores.
ranks() {
  local count="$1"
  shift
  timeout 120 mpirun -q --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none -n "$count" "$@"
}
rm -rf "$work"
mkdir -p "$work"

echo "-- lints and the command"
cargo clippy --release -p unstick-mpi --features mpi --all-targets -- -D warnings
cargo build --release -p unstick-mpi --features mpi
cargo build --release -p unstick-cli
command="$target/release/unstick-mpi"
unstick="$target/release/unstick"

# What does not depend on the number of ranks.
answer() { grep -E '^(best|[0-9]+ unknowns|bits)'; }
same() {
  local name="$1"
  shift
  ranks 1 "$command" solve "$@" | answer >"$work/one.txt"
  grep -q 'converged' "$work/one.txt" || { echo "$name does not converge" >&2; cat "$work/one.txt" >&2; exit 1; }
  for count in 2 3 4 8; do
    ranks "$count" "$command" solve "$@" | answer >"$work/many.txt"
    cmp -s "$work/one.txt" "$work/many.txt" || { echo "$name: $count ranks differ" >&2; diff "$work/one.txt" "$work/many.txt" >&2; exit 1; }
  done
  echo "$name: $(sed -n 's/^bits //p' "$work/one.txt") on 1, 2, 3, 4 and 8 ranks"
}

echo "-- every example in the plane and in space"
for example in cube-lid sphere-half thin-plates sealed-pocket open-box closed-box; do
  same "$example 2D" "$example" --dimension 2 --size 96
  same "$example 3D" "$example" --size 40
done
same "cube-lid 80, two threads a rank" cube-lid --size 80 --threads 2

echo "-- captured frames, against the answer of one machine"
"$unstick" capture dam-break --frame 12 --out "$work/dam-break" >/dev/null
"$unstick" capture stairs-hard --frame 12 --out "$work/stairs-hard" >/dev/null
"$unstick" capture dam-break-3d --frame 4 --set 'grid.cells=[64,48,32]' --out "$work/dam-break-3d" >/dev/null
for scene in dam-break stairs-hard dam-break-3d; do
  same "$scene" "$work/$scene"
  "$unstick" solve "$work/$scene" --solver best --write-x "$work/$scene-one.npy" >/dev/null
  ranks 4 "$command" solve "$work/$scene" --write-x "$work/$scene-four.npy" >/dev/null
  cmp "$work/$scene-one.npy" "$work/$scene-four.npy"
  echo "$scene: four ranks write the file that unstick writes"
done

echo "-- whole simulations, against those of one machine"
# stats.csv without the times, then the newest checkpoint.
outcome() {
  awk -F, 'NR==1 { for (i = 1; i <= NF; i++) kept[i] = $i !~ /^seconds/ } { for (i = 1; i <= NF; i++) if (kept[i]) printf "%s,", $i; print "" }' "$1/stats.csv"
  cat "$(ls "$1"/checkpoint/*.checkpoint | sort | tail -1)"
}
same_run() {
  local name="$1" frames="$2"
  shift 2
  "$unstick" run "$@" --quiet --frames "$frames" --out "$work/run-one"
  outcome "$work/run-one" >"$work/one.txt"
  for count in 2 3 8; do
    # Ranks write checkpoints in parts, one process writes them in one file: the last frame is that of one process.
    ranks "$count" "$command" run "$@" --quiet --frames "$((frames - 1))" --force --out "$work/run-many"
    [ "$(ls "$work"/run-many/checkpoint/*.parts/*.part | wc -l)" -ge "$count" ] || { echo "$name: no parts" >&2; exit 1; }
    "$unstick" run --resume --quiet --frames "$frames" --out "$work/run-many"
    outcome "$work/run-many" >"$work/many.txt"
    cmp "$work/one.txt" "$work/many.txt" || { echo "$name: $count ranks differ" >&2; exit 1; }
  done
  rm -rf "$work/run-many"
  ranks 2 "$command" run "$@" --quiet --frames 2 --out "$work/run-many"
  ranks 4 "$command" run --resume --quiet --frames 3 --out "$work/run-many"
  "$unstick" run --resume --quiet --frames 4 --out "$work/run-many"
  ranks 3 "$command" run --resume --quiet --frames "$((frames - 1))" --out "$work/run-many"
  "$unstick" run --resume --quiet --frames "$frames" --out "$work/run-many"
  outcome "$work/run-many" >"$work/many.txt"
  cmp "$work/one.txt" "$work/many.txt" || { echo "$name: a run that was resumed differs" >&2; exit 1; }
  rm -rf "$work/run-one" "$work/run-many"
  echo "$name: the same on 2, 3 and 8 ranks, and resumed on 4, 1 and 3"
}
bare=(--set output.frames=false --set output.movie=false --set output.view=false)
same_run "dam-break" 12 dam-break "${bare[@]}" --set 'grid.cells=[48,48]'
same_run "dam-break-3d" 40 dam-break-3d "${bare[@]}" --set 'grid.cells=[32,24,16]'

echo "-- ends"
# Each must end within seconds, with a status that is not zero and a word that says why.
ends() {
  local name="$1" word="$2" start=$SECONDS
  shift 2
  if "$@" >"$work/end.txt" 2>&1; then echo "$name: ended as if all were well" >&2; exit 1; fi
  grep -q "$word" "$work/end.txt" || { echo "$name: no word of it" >&2; cat "$work/end.txt" >&2; exit 1; }
  [ $((SECONDS - start)) -le 30 ] || { echo "$name: took $((SECONDS - start)) s" >&2; exit 1; }
  echo "$name: ends within $((SECONDS - start)) s"
}
killed() {
  mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none -n 4 "$command" "$@" &
  local run=$!
  sleep 6
  kill -9 "$(pgrep -P "$run" -f unstick-mpi | tail -1)"
  wait "$run"
}
ends "a rank is killed" "signal 9" killed solve cube-lid --size 96 --repeat 1000
long=(dam-break "${bare[@]}" --set 'grid.cells=[48,48]' --set output.checkpoint_every=1)
ends "a rank of a run is killed" "signal 9" killed run "${long[@]}" --frames 100000 --out "$work/killed"
reached="$(ls "$work"/killed/checkpoint/*.checkpoint | wc -l)"
[ "$reached" -ge 1 ] || { echo "a killed run left no checkpoint" >&2; exit 1; }
frames=$(("$(wc -l <"$work/killed/stats.csv")" + 2))
"$unstick" run --resume --quiet --frames "$frames" --out "$work/killed"
"$unstick" run "${long[@]}" --quiet --frames "$frames" --out "$work/straight"
[ "$(outcome "$work/killed" | cksum)" = "$(outcome "$work/straight" | cksum)" ] || { echo "a killed run goes on with other bits" >&2; exit 1; }
echo "a run whose rank was killed goes on from its last checkpoint with the same bits"
ends "a rank of a run has no memory" "memory" ranks 2 bash -c 'ulimit -v 900000; exec "$0" "$@"' "$command" run dam-break-3d "${bare[@]}" --set 'grid.cells=[320,240,160]' --out "$work/none"
ends "a rank has no memory" "memory allocation" ranks 2 bash -c 'ulimit -v 800000; exec "$0" solve cube-lid --size 320' "$command"
mkdir -p "$work/small"
if mount -t tmpfs -o size=64k tmpfs "$work/small" 2>/dev/null; then
  trap 'umount "$work/small"' EXIT
  ends "a full disk" "No space left" ranks 2 "$command" solve cube-lid --size 32 --write-x "$work/small/x.npy"
  [ -z "$(ls "$work/small")" ] || { echo "a part of an answer was left behind" >&2; exit 1; }
  ends "a full disk in a run" "No space left" ranks 2 "$command" run "${long[@]}" --frames 100000 --out "$work/small/run"
else
  ends "a folder that is not there" "No such file" ranks 2 "$command" solve cube-lid --size 32 --write-x "$work/none/x.npy"
fi
ends "too many ranks" "cannot be shared" ranks 8 "$command" solve cube-lid --dimension 2 --size 12
ends "what is not shared" "cannot be shared" ranks 2 "$command" run dam-break "${bare[@]}" --set viscosity=0.1 --out "$work/refused"
[ ! -e "$work/refused" ] || { echo "a refused run left a folder" >&2; exit 1; }
