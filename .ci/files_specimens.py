"""Checks the files of the example `specimens` with the libraries that other programs use to read them.

files_specimens.py vdb FOLDER     with OpenVDB's own Python module (Debian's python3-openvdb)
files_specimens.py usd FOLDER     with usd-core
files_specimens.py vtk FOLDER     with vtk
"""
import json
import math
import sys
from pathlib import Path


def near(found, expected, tolerance, what):
    assert all(abs(f - e) <= tolerance for f, e in zip(found, expected, strict=True)), f"{what}: {found}, expected {expected}"


def check_vdb(folder, expected):
    import numpy
    import pyopenvdb as openvdb

    cells, spacing = expected["cells"], expected["spacing"]
    for name, half in [("ball.vdb", False), ("half.vdb", True)]:
        path = str(folder / name)
        grids = {grid.name: grid for grid in openvdb.readAll(path)[0]}
        assert sorted(grids) == ["pressure", "surface", "velocity"], sorted(grids)
        for grid, kind in [("surface", "level set"), ("velocity", "staggered"), ("pressure", "unknown")]:
            assert grids[grid].gridClass == kind, (grid, grids[grid].gridClass)
            assert grids[grid].saveFloatAsHalf == half
            corner = grids[grid].transform.indexToWorld((0, 0, 0))
            near(corner, [origin + 0.5 * spacing for origin in expected["origin"]], 1e-12, "the centre of cell 0")
            near(grids[grid].transform.voxelSize(), [spacing] * 3, 1e-12, "voxel size")
        surface = grids["surface"]
        rounded = (lambda values: values.astype(numpy.float16).astype(numpy.float32)) if half else (lambda values: values)
        assert surface.background == rounded(numpy.float32([expected["background"]]))[0], surface.background
        for name_of_grid in ["surface", "pressure"]:
            values = numpy.fromfile(folder / f"{name_of_grid}.f32", "<f4").reshape(cells[::-1]).transpose()
            found = numpy.zeros(cells, numpy.float32)
            grids[name_of_grid].copyToArray(found)
            assert numpy.array_equal(found, rounded(values)), f"{name}: {name_of_grid} differs"
        found = numpy.zeros([count + 1 for count in cells] + [3], numpy.float32)
        grids["velocity"].copyToArray(found)
        i, j, k = numpy.meshgrid(*[numpy.arange(count + 1) for count in cells], indexing="ij")
        exact = i / 64 + j / 4096 + k / 262144
        active = 0
        for box in grids["velocity"].iterOnValues():
            active += box.count
        assert active == grids["velocity"].activeVoxelCount() > 10000
        here = found.any(axis=3)
        for axis in range(3):
            face = here & (numpy.arange(cells[axis] + 1).reshape([-1 if along == axis else 1 for along in range(3)]) >= 0)
            for along in range(3):
                if along != axis:
                    face &= (numpy.arange(cells[along] + 1) < cells[along]).reshape([-1 if a == along else 1 for a in range(3)])
            wanted = rounded((exact + axis + 1).astype(numpy.float32))
            assert numpy.array_equal(found[..., axis][face], wanted[face]), f"{name}: velocity {axis} differs"
        lower, upper = surface.evalActiveVoxelBoundingBox()
        for axis in range(3):
            low, high = (surface.transform.indexToWorld(c)[axis] for c in (lower, upper))
            wanted = expected["centre"][axis]
            assert wanted - expected["radius"] - 4 * spacing < low < wanted - expected["radius"] - 2 * spacing
            assert wanted + expected["radius"] + 2 * spacing < high < wanted + expected["radius"] + 4 * spacing
        print(f"{name}: {surface.activeVoxelCount()} voxels of distance, all values as written")
    for grid in openvdb.readAll(str(folder / "empty.vdb"))[0]:
        assert grid.activeVoxelCount() == 0
    meta = openvdb.readGridMetadata(str(folder / "ball.vdb"), "surface").metadata
    assert meta["class"] == "level set" and meta["file_voxel_count"] == surface.activeVoxelCount(), meta
    points, triangles, quads = surface.convertToPolygons(isovalue=0)
    near(points.min(axis=0), [c - expected["radius"] for c in expected["centre"]], 0.2 * spacing, "lower bounds")
    near(points.max(axis=0), [c + expected["radius"] for c in expected["centre"]], 0.2 * spacing, "upper bounds")


def check_usd(folder, expected):
    from pxr import Gf, Usd, UsdGeom

    stage = Usd.Stage.Open(str(folder / "stage.usda"))
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()) == (0, 10, 100)
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    liquid = UsdGeom.Mesh(stage.GetPrimAtPath("/World/Liquid"))
    assert liquid.GetPointsAttr().GetTimeSamples() == [0, 5, 10], liquid.GetPointsAttr().GetTimeSamples()
    counts = []
    for number in [0, 5, 10]:
        points = liquid.GetPointsAttr().Get(number)
        indices = liquid.GetFaceVertexIndicesAttr().Get(number)
        assert len(indices) == sum(liquid.GetFaceVertexCountsAttr().Get(number)) and max(indices) == len(points) - 1
        assert len(liquid.GetVelocitiesAttr().Get(number)) == len(points)
        lower, upper = liquid.GetExtentAttr().Get(number)
        centre = expected["centre"][0] + 0.005 * number
        near([lower[0], upper[0]], [centre - expected["radius"], centre + expected["radius"]], 0.005, f"frame {number}")
        counts.append(len(points))
        body = UsdGeom.Xformable(stage.GetPrimAtPath("/World/rock"))
        matrix = body.ComputeLocalToWorldTransform(number)
        near(matrix.ExtractTranslation(), [0.005 * number, 0, 0], 1e-12, "translation")
        near(matrix.Transform(Gf.Vec3d(1, 0, 0)), [math.cos(0.1 * number) + 0.005 * number, math.sin(0.1 * number), 0], 1e-9, "turn")
    box = UsdGeom.BBoxCache(0, ["default"]).ComputeWorldBound(stage.GetPrimAtPath("/World/crate_")).ComputeAlignedRange()
    near(box.GetMax(), [0.1, 0.2, 0.3], 1e-6, "the box")
    kinds = {prim.GetName(): str(prim.GetTypeName()) for prim in stage.Traverse()}
    assert kinds["Walls"] == "Mesh" and kinds["marble"] == "Xform", kinds
    print(f"stage.usda: frames 0, 5, 10 with {counts} vertices, four parts that move")


def check_vtk(folder, expected):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOLegacy import vtkPolyDataReader, vtkStructuredPointsReader
    from vtkmodules.vtkIOGeometry import vtkGLTFReader, vtkOBJReader
    from vtkmodules.vtkIOPLY import vtkPLYReader
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader

    def read(reader, name):
        reader.SetFileName(str(folder / name))
        reader.Update()
        assert reader.GetErrorCode() == 0, name
        return reader.GetOutput()

    image, legacy = read(vtkXMLImageDataReader(), "fields.vti"), read(vtkStructuredPointsReader(), "fields.vtk")
    assert list(image.GetDimensions()) == [count + 1 for count in expected["cells"]]
    near(image.GetOrigin(), expected["origin"], 1e-12, "origin")
    for kind, names in [("GetCellData", ["liquid", "velocity"]), ("GetPointData", ["solid"])]:
        for name in names:
            new, old = (vtk_to_numpy(getattr(data, kind)().GetArray(name)) for data in (image, legacy))
            assert (new == old).all() and new.std() > 0, name
    assert image.GetFieldData().GetArray("TimeValue").GetValue(0) == 0.07
    mesh = read(vtkXMLPolyDataReader(), "ball.vtp")
    for other in [mesh, read(vtkPLYReader(), "ball.ply"), read(vtkOBJReader(), "ball.obj")]:
        assert (other.GetNumberOfPoints(), other.GetNumberOfPolys()) == (expected["vertices"], expected["triangles"])
        lower, upper = expected["bounds"]
        near(other.GetBounds(), [value for pair in zip(lower, upper) for value in pair], 1e-6, "bounds")
    points = read(vtkXMLPolyDataReader(), "points.vtp")
    old = read(vtkPolyDataReader(), "points.vtk")
    for data in [points, old, read(vtkPLYReader(), "points.ply")]:
        assert data.GetNumberOfPoints() == 101
        near(data.GetPoint(100), [1.0, 0.5, -0.25], 1e-6, "the last particle")
    assert points.GetNumberOfVerts() == 101
    for data in [points, old]:
        assert (vtk_to_numpy(data.GetPointData().GetArray("id")) == range(1000, -1, -10)).all()
        assert data.GetPointData().GetScalars() is None and data.GetPointData().GetVectors().GetName() == "velocity"
    scene = vtkGLTFReader()
    blocks = read(scene, "ball.glb")
    iterator = blocks.NewIterator()
    iterator.InitTraversal()
    leaf = iterator.GetCurrentDataObject()
    assert (leaf.GetNumberOfPoints(), leaf.GetNumberOfCells()) == (expected["vertices"], expected["triangles"])
    print(f"fields, particles and meshes of {leaf.GetNumberOfCells()} triangles in seven formats read by VTK")


if __name__ == "__main__":
    kind, folder = sys.argv[1], Path(sys.argv[2])
    {"vdb": check_vdb, "usd": check_usd, "vtk": check_vtk}[kind](folder, json.loads((folder / "expected.json").read_text()))
