"""Imports a run of unstick into Blender: the liquid as an animated mesh, with walls and bodies.

In Blender: Scripting > Open > this file, set RUN below, press Run Script.
Without a window:

    blender --background --python import_unstick.py -- RUN [--from vdb|ply|obj|usd] [--frame K] [--render FILE.png]
                                                            [--save FILE.blend] [--check]

`vdb` reads volume/NNNN.vdb with the modifier Volume to Mesh, `ply` and `obj` read surface/NNNN.*, `usd` reads
stage.usda. In unstick y points upwards, in Blender z does, so everything is rotated by 90 degrees about x.
"""

import argparse
import csv
import json
import math
import sys
from pathlib import Path

import bpy

RUN = "out/sphere-half"


def numbered(folder, extension):
    """The files of a folder by frame number, in ascending order."""
    found = {int(path.stem): path for path in folder.glob(f"*.{extension}") if path.stem.isdigit()}
    return dict(sorted(found.items()))


def material(name, colour, alpha=1.0):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = 0.15
    shader.inputs["Alpha"].default_value = alpha
    made.diffuse_color = (*colour, alpha)
    made.blend_method = "BLEND" if alpha < 1 else "OPAQUE"
    return made


def link(name, data, parent):
    made = bpy.data.objects.new(name, data)
    made.parent = parent
    bpy.context.collection.objects.link(made)
    return made


def import_vdb(run, upright, spacing):
    """The sequence of volumes, and a mesh of their level set."""
    files = numbered(run / "volume", "vdb")
    if not files:
        raise SystemExit(f"{run}/volume holds no .vdb: add `volume = \"vdb\"` to [output], or use `unstick export`")
    first, last = min(files), max(files)
    volume = bpy.data.volumes.new("unstick volume")
    volume.filepath = str(files[first])
    volume.is_sequence = len(files) > 1
    volume.frame_start, volume.frame_duration = first, last - first + 1
    volume.frame_offset = first - 1  # Blender counts the frames of a sequence from 1
    source = link("unstick volume", volume, upright)
    source.hide_render = True
    liquid = link("liquid", bpy.data.meshes.new("liquid"), upright)
    modifier = liquid.modifiers.new("level set", "VOLUME_TO_MESH")
    modifier.object, modifier.grid_name = source, "surface"
    modifier.threshold, modifier.resolution_mode = 0.0, "GRID"
    # Volume to Mesh shifts its mesh by half a voxel along each axis (measured with Blender 3.4). The mesh follows the
    # volume, so moving the volume back corrects it.
    source.location = [-0.5 * spacing] * 3
    liquid.data.materials.append(material("liquid", (0.02, 0.2, 0.6)))
    return liquid, files


def read_ply(path):
    """Vertices and triangles of a PLY file from unstick."""
    import numpy

    data = path.read_bytes()
    head, _, body = data.partition(b"end_header\n")
    lines = head.decode().split("\n")
    count = {line.split()[1]: int(line.split()[2]) for line in lines if line.startswith("element")}
    columns = sum(line.startswith("property float") for line in lines)
    vertices = numpy.frombuffer(body, "<f4", count["vertex"] * columns).reshape(-1, columns)[:, :3]
    faces = numpy.frombuffer(body, [("n", "u1"), ("i", "<i4", 3)], count["face"], count["vertex"] * columns * 4)["i"]
    return vertices.tolist(), faces.tolist()


def read_obj(path):
    vertices, faces = [], []
    for line in path.read_text().splitlines():
        if line.startswith("v "):
            vertices.append([float(word) for word in line.split()[1:]])
        elif line.startswith("f "):
            faces.append([int(word.split("/")[0]) - 1 for word in line.split()[1:]])
    return vertices, faces


def import_meshes(run, extension, upright):
    """A mesh that is replaced at every change of the frame."""
    files = numbered(run / "surface", extension)
    if not files:
        raise SystemExit(f"{run}/surface holds no .{extension}: add it to [output], or use `unstick export`")
    liquid = link("liquid", bpy.data.meshes.new("liquid"), upright)
    surface = material("liquid", (0.02, 0.2, 0.6))
    read = {"ply": read_ply, "obj": read_obj}[extension]

    def show(scene, *_):
        number = max((frame for frame in files if frame <= scene.frame_current), default=min(files))
        before, mesh = liquid.data, bpy.data.meshes.new(f"liquid {number}")
        vertices, faces = read(files[number])
        mesh.from_pydata(vertices, [], faces)
        mesh.materials.append(surface)
        mesh.polygons.foreach_set("use_smooth", [True] * len(faces))
        liquid.data = mesh
        bpy.data.meshes.remove(before)

    bpy.app.handlers.frame_change_pre.append(show)
    show(bpy.context.scene)
    return liquid, files


def import_usd(run):
    """The stage: liquid, walls, bodies."""
    stage = run / "stage.usda"
    if not stage.exists():
        raise SystemExit(f"{run} holds no stage.usda: add `surface = \"usd\"` to [output], or use `unstick export`")
    if not bpy.app.build_options.usd:
        raise SystemExit("this Blender was built without USD; use --from vdb or --from ply")
    bpy.ops.wm.usd_import(filepath=str(stage), scale=1.0, set_frame_range=True)
    return bpy.data.objects["Liquid"], numbered(run / "surface", "usda")


def add_camera_and_light(record, upright):
    """A box around the domain, a camera and a light that fit the scene."""
    size = [count * record["spacing"] for count in record["cells"]]
    centre = [start + 0.5 * length for start, length in zip(record["origin"], size)]
    bpy.ops.mesh.primitive_cube_add(size=1)
    box = bpy.context.active_object
    box.name, box.parent, box.display_type = "domain", upright, "WIRE"
    box.scale, box.location, box.hide_render = size, centre, True
    camera = link("camera", bpy.data.cameras.new("camera"), None)
    target = link("target", None, upright)
    target.location = centre
    reach = max(size)
    camera.location = (centre[0] + 1.3 * reach, -centre[2] - 1.6 * reach, centre[1] + 0.6 * reach)
    aim = camera.constraints.new("TRACK_TO")
    aim.target = target
    bpy.context.scene.camera = camera
    sun = link("sun", bpy.data.lights.new("sun", "SUN"), None)
    sun.data.energy, sun.rotation_euler = 4.0, (0.7, 0.2, 0.5)


def measured(liquid):
    """Volume and bounds of the liquid in Blender now, in the axes of the run."""
    import bmesh

    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = liquid.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    shape = bmesh.new()
    shape.from_mesh(mesh)
    volume = abs(shape.calc_volume(signed=True))
    corners = [liquid.matrix_local @ vertex.co for vertex in shape.verts]
    bounds = [[round(choose(corner[axis] for corner in corners), 4) for axis in range(3)] for choose in (min, max)]
    count = len(shape.verts)
    shape.free()
    evaluated.to_mesh_clear()
    return volume, bounds, count


def reported(run, time):
    """The volume that the run reports at a time."""
    with open(run / "stats.csv") as file:
        rows = [(float(row["time"]), float(row["volume"])) for row in csv.DictReader(file)]
    return min(rows, key=lambda row: abs(row[0] - time))[1]


def main(words):
    parser = argparse.ArgumentParser(prog="import_unstick.py")
    parser.add_argument("run", nargs="?", default=RUN)
    parser.add_argument("--from", dest="source", choices=["vdb", "ply", "obj", "usd"], default="vdb")
    parser.add_argument("--frame", type=int)
    parser.add_argument("--render")
    parser.add_argument("--save")
    parser.add_argument("--check", action="store_true", help="volume against what the run reports, within 1 %%")
    args = parser.parse_args(words)
    run = Path(args.run).resolve()
    record = json.loads((run / "run.json").read_text())
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 30
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (0.8, 0.85, 0.9, 1.0)
    scene.world = world
    upright = link("unstick", None, None)
    upright.rotation_euler = (math.radians(90), 0, 0)
    if args.source == "usd":
        liquid, files = import_usd(run)
    elif args.source == "vdb":
        liquid, files = import_vdb(run, upright, record["spacing"])
    else:
        liquid, files = import_meshes(run, args.source, upright)
    scene.frame_start, scene.frame_end = min(files), max(files)
    number = max(files) if args.frame is None else args.frame
    scene.frame_set(number)
    add_camera_and_light(record, upright)
    bpy.context.view_layer.update()
    volume, bounds, count = measured(liquid)
    print(f"unstick: frame {number} of {len(files)} from .{args.source}: {count} vertices, volume {volume:.6f}, bounds {bounds}")
    if args.check:
        wanted = reported(run, number * record["frame_seconds"])
        off = volume / wanted - 1
        print(f"unstick: the run reports {wanted:.6f}, Blender's mesh is {100 * off:+.2f} % off")
        if abs(off) > 0.01:
            raise SystemExit("the volume is off by more than 1 %")
    if args.render:
        scene.render.engine = "CYCLES"
        scene.cycles.samples, scene.cycles.use_denoising = 32, False
        scene.render.resolution_x, scene.render.resolution_y = 640, 480
        scene.render.filepath = str(Path(args.render).resolve())
        bpy.ops.render.render(write_still=True)
    if args.save:
        bpy.ops.wm.save_as_mainfile(filepath=str(Path(args.save).resolve()))


main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else [])
