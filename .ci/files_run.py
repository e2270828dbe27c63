"""Checks the files of a run with the libraries that other programs use to read them.

files_run.py vdb RUN FRAME   bounds, and the volume of the level set against the volume that the run reports
files_run.py usd RUN         the stage against the files of its frames, and the bodies against bodies.csv
files_run.py vtk RUN         the .pvd files and the files they list
"""
import csv
import json
import sys
from pathlib import Path


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def level_set_volume(values, spacing, parts=4):
    """Volume where the values are negative, by trilinear interpolation at parts³ points between voxels."""
    import numpy

    total = 0
    steps = (numpy.arange(parts) + 0.5) / parts
    for x in steps:
        plane = (1 - x) * values[:-1] + x * values[1:]
        for y in steps:
            line = (1 - y) * plane[:, :-1] + y * plane[:, 1:]
            for z in steps:
                total += int((((1 - z) * line[:, :, :-1] + z * line[:, :, 1:]) < 0).sum())
    return total * (spacing / parts) ** 3


def check_vdb(run, record, number):
    import numpy
    import pyopenvdb as openvdb

    grid = openvdb.read(str(run / f"volume/{number:04}.vdb"), "surface")
    cells = record["cells"]
    spacing = grid.transform.voxelSize()[0]
    assert grid.gridClass == "level set" and abs(spacing - record["spacing"]) < 1e-12
    assert abs(grid.background - 3 * spacing) < 1e-6
    dense = numpy.zeros([count + 8 for count in cells], numpy.float32)
    grid.copyToArray(dense, ijk=(-4, -4, -4))
    assert abs(numpy.abs(dense).max() - grid.background) < 1e-12
    volume = level_set_volume(dense, spacing)
    row = min(rows(run / "stats.csv"), key=lambda row: abs(float(row["time"]) - number * record["frame_seconds"]))
    surface, reported = float(row["surface_volume"]), float(row["volume"])
    lower, upper = (grid.transform.indexToWorld(corner) for corner in grid.evalActiveVoxelBoundingBox())
    print(f"{number:04}.vdb: volume {volume:.6f}, the run reports {reported:.6f} ({100 * (volume / reported - 1):+.2f} %), "
          f"{surface:.6f} inside the surface ({100 * (volume / surface - 1):+.2f} %); active from {[round(v, 3) for v in lower]} to {[round(v, 3) for v in upper]}")
    assert abs(volume / reported - 1) < 0.01, "more than 1 % off"
    points, _, _ = grid.convertToPolygons(isovalue=0)
    low, high = points.min(axis=0), points.max(axis=0)
    corner = numpy.array(record["origin"])
    assert (low > corner - 0.5 * spacing).all() and (high < corner + (numpy.array(cells) + 0.5) * spacing).all(), (low, high)
    print(f"  its surface lies from {low.round(3).tolist()} to {high.round(3).tolist()}")


def check_usd(run, record):
    from pxr import Usd, UsdGeom

    numbers = sorted(int(path.stem) for path in (run / "surface").glob("*.usda") if path.stem.isdigit())
    stage = Usd.Stage.Open(str(run / "stage.usda"))
    liquid = UsdGeom.Mesh(stage.GetPrimAtPath("/World/Liquid"))
    assert liquid.GetPointsAttr().GetTimeSamples() == numbers, liquid.GetPointsAttr().GetTimeSamples()
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (numbers[0], numbers[-1])
    assert abs(stage.GetTimeCodesPerSecond() * record["frame_seconds"] - 1) < 1e-6
    slack, origin = record["spacing"], record["origin"]
    far = [start + count * slack for start, count in zip(origin, record["cells"])]
    for number in numbers:
        points = liquid.GetPointsAttr().Get(number)
        assert len(points) > 100 and max(liquid.GetFaceVertexIndicesAttr().Get(number)) == len(points) - 1
        lower, upper = liquid.GetExtentAttr().Get(number)
        assert all(lower[a] > origin[a] - slack and upper[a] < far[a] + slack for a in range(3)), (lower, upper)
    names = [prim.GetName() for prim in stage.GetPrimAtPath("/World").GetChildren()]
    assert "Walls" in names
    checked = 0
    if (run / "bodies.csv").exists():
        for row in rows(run / "bodies.csv"):
            number = float(row["time"]) / record["frame_seconds"]
            if abs(number - round(number)) < 1e-6 and round(number) in numbers:
                prim = stage.GetPrimAtPath("/World/" + row["body"].replace(" ", "_"))
                found = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(round(number)).ExtractTranslation()
                assert all(abs(found[a] - float(row["xyz"[a]])) < 1e-9 for a in range(3)), (row, found)
                checked += 1
        assert checked > 0
    print(f"stage.usda: frames {numbers[0]} to {numbers[-1]}, prims {', '.join(names)}; {checked} poses as in bodies.csv")


def check_vtk(run, record):
    import xml.etree.ElementTree as tree

    from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader

    for name, kind in [("volume", "vti"), ("surface", "vtp"), ("particles", "vtp")]:
        listed = [(float(entry.get("timestep")), entry.get("file")) for entry in tree.parse(run / f"{name}.pvd").iter("DataSet")]
        there = sorted(path.name for path in (run / name).glob(f"*.{kind}"))
        assert [f"{name}/{file}" for file in there] == [file for _, file in listed], (there, listed)
        for time, file in listed:
            reader = vtkXMLImageDataReader() if kind == "vti" else vtkXMLPolyDataReader()
            reader.SetFileName(str(run / file))
            reader.Update()
            data = reader.GetOutput()
            assert data.GetNumberOfPoints() > 0 and abs(data.GetFieldData().GetArray("TimeValue").GetValue(0) - time) < 1e-9
        print(f"{name}.pvd: {len(listed)} moments, the last of {data.GetNumberOfPoints()} points and {data.GetNumberOfCells()} cells")


if __name__ == "__main__":
    kind, run = sys.argv[1], Path(sys.argv[2])
    record = json.loads((run / "run.json").read_text())
    {"vdb": check_vdb, "usd": check_usd, "vtk": check_vtk}[kind](run, record, *map(int, sys.argv[3:]))
