#!/usr/bin/env bash
# Reads exported files with the libraries that other programs use: OpenVDB, USD, VTK, NumPy. They come from Debian's
# packages and from a virtual environment in the target folder. docs/guide-files.md describes a check with Blender.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-target}"
tools="$target/files-tools"
work="$target/files-check"

echo "-- tools"
if ! command -v vdb_print >/dev/null || ! /usr/bin/python3 -c 'import pyopenvdb' 2>/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libopenvdb-tools python3-openvdb python3-numpy
fi
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
"$tools/bin/python" -c 'import pxr, vtkmodules, numpy' 2>/dev/null || "$tools/bin/pip" install --quiet usd-core vtk numpy
vdb() { /usr/bin/python3 "$@"; }
other() { "$tools/bin/python" "$@"; }
rm -rf "$work"
mkdir -p "$work"

echo "-- one file of every format, from known values"
cargo run --release --quiet -p unstick-files --example specimens -- "$work/specimens"
vdb_print -l "$work/specimens/ball.vdb" >"$work/ball.txt"
for line in 'VDB version: 10.0/224' 'Type: Tree_float_5_4_3' 'Type: Tree_vec3s_5_4_3' 'class: level set' 'class: staggered' \
  'Background value: 0.075' 'voxel size: 0.025'; do
  grep -qF "$line" "$work/ball.txt" || { echo "vdb_print does not say: $line" >&2; exit 1; }
done
echo "vdb_print: three grids, their classes, background and voxel size"
vdb .ci/files_specimens.py vdb "$work/specimens"
other .ci/files_specimens.py usd "$work/specimens"
other .ci/files_specimens.py vtk "$work/specimens"
other -c "import numpy, sys; a = numpy.load(sys.argv[1]); assert a['position'].shape == (101, 3) and a['time'] == 0.07 and (a['id'] == range(1000, -1, -10)).all(); print('points.npz: read by NumPy')" \
  "$work/specimens/points.npz"

echo "-- a run in every format: half a sphere of liquid"
run() { cargo run --release --quiet -p unstick-cli -- "$@"; }
run run sphere-half --out "$work/sphere" --frames 8 --set 'grid.cells=[32,32,32]' \
  --set 'output={frames=false,every=4,surface=["usd","vtp","glb","ply","obj"],volume=["vdb","vti"],particles=["vtp","npz"],thin=3}'
vdb .ci/files_run.py vdb "$work/sphere" 8
other .ci/files_run.py usd "$work/sphere"
other .ci/files_run.py vtk "$work/sphere"

echo "-- bodies, exported after the run"
run run float --out "$work/float" --frames 4 --set 'grid.cells=[40,20,20]' --set 'output={frames=false,states={every=2}}'
run export "$work/float" --format usd,vdb
other .ci/files_run.py usd "$work/float"
vdb .ci/files_run.py vdb "$work/float" 4
