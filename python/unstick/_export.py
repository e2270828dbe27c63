"""Frames as other libraries know them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._frame import Frame

AXES = "xyz"


def dataset(frame: Frame) -> Any:
    """A Dataset of xarray: fields with coordinates in metres."""
    import xarray

    axes, coordinates = AXES[: len(frame.cells)], {}
    for name, count, start in zip(axes, frame.cells, frame.origin):
        coordinates[name] = start + frame.spacing * (np.arange(count) + 0.5)
        coordinates[f"{name}_node"] = start + frame.spacing * np.arange(count + 1)
    fields: dict[str, Any] = {
        "pressure": (list(axes), frame.pressure, {"units": "Pa"}),
        "liquid": (list(axes), frame.liquid, {"units": "m", "long_name": "distance to the liquid, negative inside"}),
        "separated": (list(axes), frame.separated, {"long_name": "the wall of the cell has let go"}),
        "solid": ([f"{name}_node" for name in axes], frame.solid, {"units": "m", "long_name": "distance to solids"}),
    }
    for axis, values in enumerate(frame.velocity):
        places = [f"{name}_node" if other == axis else name for other, name in enumerate(axes)]
        fields[f"velocity_{axes[axis]}"] = (places, values, {"units": "m/s"})
    facts = {"number": frame.number, "time": frame.time, "spacing": frame.spacing}
    return xarray.Dataset(fields, coords={**coordinates, "time": frame.time}, attrs=facts)


def blocks(frame: Frame) -> Any:
    """A MultiBlock of PyVista: ``grid``, ``particles`` and ``surface``."""
    import pyvista

    dimension = len(frame.cells)
    flat = 3 - dimension  # axes that a frame of the plane lacks
    grid = pyvista.ImageData(
        dimensions=[count + 1 for count in frame.cells] + [1] * flat,
        spacing=[frame.spacing] * 3,
        origin=[*frame.origin, *[0.0] * flat],
    )
    for name in ("pressure", "liquid", "separated"):
        grid.cell_data[name] = getattr(frame, name).ravel(order="F")
    grid.point_data["solid"] = frame.solid.ravel(order="F")
    centred = [_between(values, axis).ravel(order="F") for axis, values in enumerate(frame.velocity)]
    grid.cell_data["velocity"] = _in_space(np.stack(centred, axis=1))
    particles = pyvista.PolyData(_in_space(frame.particles))
    particles.point_data["velocity"], particles.point_data["id"] = _in_space(frame.velocities), frame.ids
    vertices, faces = frame.surface
    cells = np.column_stack([np.full(len(faces), faces.shape[1]), faces]).ravel()
    places = _in_space(np.asarray(vertices, dtype=np.float64))
    kind = "lines" if dimension == 2 else "faces"
    surface = pyvista.PolyData(places, **{kind: cells}) if len(faces) else pyvista.PolyData()
    return pyvista.MultiBlock({"grid": grid, "particles": particles, "surface": surface})


def _between(values: Any, axis: int) -> Any:
    """The mean of both faces of every cell."""
    faces = np.moveaxis(values, axis, 0)
    return np.moveaxis(0.5 * (faces[:-1] + faces[1:]), 0, axis)


def _in_space(vectors: Any) -> Any:
    """Points of the plane as points of space."""
    return np.pad(vectors, ((0, 0), (0, 3 - vectors.shape[1]))) if vectors.size else np.zeros((0, 3))
