"""Shapes of scenes as plain values, for scenes written in Python.

    >>> from unstick import shapes
    >>> shapes.union(shapes.sphere((0.5, 0.5), 0.2), shapes.cuboid((0, 0), (1, 0.1)))
    {'union': [{'sphere': {'centre': [0.5, 0.5], 'radius': 0.2}}, {'cuboid': {'lower': [0.0, 0.0], 'upper': [1.0, 0.1]}}]}

Any dictionary that follows ``docs/scene-file.md`` does as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import SceneError

Shape = dict[str, Any]
Point = Iterable[float]


def sphere(centre: Point, radius: float) -> Shape:
    """A ball; a disc in the plane."""
    return {"sphere": {"centre": _point(centre), "radius": float(radius)}}


def cuboid(lower: Point, upper: Point) -> Shape:
    """A box from its lower corner to its upper one."""
    return {"cuboid": {"lower": _point(lower), "upper": _point(upper)}}


def capsule(start: Point, end: Point, radius: float) -> Shape:
    """Everything within ``radius`` of a line from ``start`` to ``end``."""
    return {"capsule": {"from": _point(start), "to": _point(end), "radius": float(radius)}}


def half_space(point: Point, normal: Point) -> Shape:
    """What lies behind the plane through ``point``; ``normal`` points out of the shape."""
    return {"half_space": {"point": _point(point), "normal": _point(normal)}}


def union(*shapes: Shape) -> Shape:
    """What is in any of them."""
    return {"union": list(shapes)}


def intersection(*shapes: Shape) -> Shape:
    """What is in all of them."""
    return {"intersection": list(shapes)}


def complement(shape: Shape) -> Shape:
    """What is not in it: the complement of a container is its wall."""
    return {"complement": shape}


def dilate(shape: Shape, by: float) -> Shape:
    """Grown by a length, or shrunk by a negative one."""
    return {"dilate": {"shape": shape, "by": float(by)}}


def rotate(shape: Shape, angle: float, *, axis: Point | None = None, about: Point | None = None) -> Shape:
    """Turned by an angle in degrees, in space about the direction of ``axis``, about the point ``about``."""
    turned: dict[str, Any] = {"shape": shape, "angle": float(angle)}
    if axis is not None:
        turned["axis"] = _point(axis)
    if about is not None:
        turned["about"] = _point(about)
    return {"rotate": turned}


def move(shape: Shape, by: Point) -> Shape:
    """Moved."""
    return {"move": {"shape": shape, "by": _point(by)}}


def mesh(
    file: str | os.PathLike[str] | tuple[npt.ArrayLike, npt.ArrayLike],
    *,
    scale: float | None = None,
    move: Point | None = None,
) -> Shape:
    """The inside of a closed mesh: in a file, or ``(vertices, triangles)`` as arrays, normals outwards."""
    read: dict[str, Any] = {"obj": _obj(*file)} if isinstance(file, tuple) else {"file": os.fspath(file)}
    if scale is not None:
        read["scale"] = float(scale)
    if move is not None:
        read["move"] = _point(move)
    return {"mesh": read}


def fill(
    distance: npt.ArrayLike,
    spacing: float,
    origin: Point | None = None,
    *,
    per_axis: int = 2,
    jitter: float = 0.5,
    seed: int = 0,
) -> npt.NDArray[np.float64]:
    """Particles of the liquid where an array of distances at the centres of cells, ``[x, y(, z)]``, is negative.

    ``per_axis`` particles along each axis of a cell, each moved by a random part of its place; between centres the
    distance is linear. For :meth:`unstick.Scene.simulate`.
    """
    values = np.asarray(distance, dtype=np.float64)
    fine = [np.repeat(np.arange(count), per_axis) for count in values.shape]
    corner = np.stack(np.meshgrid(*(np.arange(axis.size) for axis in fine), indexing="ij"), axis=-1)
    random = np.random.default_rng(seed).uniform(-0.5, 0.5, corner.shape)
    place = (corner + 0.5 + jitter * random).reshape(-1, values.ndim) / per_axis  # in cells
    inside = _between_centres(values, place - 0.5) < 0.0
    start = np.zeros(values.ndim) if origin is None else np.asarray(_point(origin))
    return start + spacing * place[inside]


def _between_centres(values: npt.NDArray[np.float64], place: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Multilinear; beyond the outermost centres as there."""
    last = np.array(values.shape) - 1
    base = np.clip(np.floor(place).astype(int), 0, np.maximum(last - 1, 0))
    part = np.clip(place - base, 0.0, 1.0)
    total = np.zeros(len(place))
    for number in range(2**values.ndim):
        side = np.array([number >> axis & 1 for axis in range(values.ndim)])
        weight = np.where(side, part, 1.0 - part).prod(axis=1)
        total += weight * values[tuple(np.minimum(base + side, last).T)]
    return total


def _obj(vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> str:
    """The text of an OBJ file, every digit kept."""
    places, corners = np.asarray(vertices, dtype=np.float64), np.asarray(triangles)
    if places.ndim != 2 or places.shape[1] != 3 or corners.ndim != 2 or corners.shape[1] != 3:
        raise SceneError(f"the mesh has arrays of shape {places.shape} and {corners.shape}, expected (n, 3) and (m, 3)")
    points = [f"v {x!r} {y!r} {z!r}" for x, y, z in places.tolist()]
    return "\n".join(points + [f"f {a} {b} {c}" for a, b, c in (corners + 1).tolist()]) + "\n"


def _point(point: Point) -> list[float]:
    return [float(value) for value in point]
