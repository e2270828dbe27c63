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


def mesh(file: str | os.PathLike[str], *, scale: float | None = None, move: Point | None = None) -> Shape:
    """The inside of a closed mesh in a file."""
    read: dict[str, Any] = {"file": os.fspath(file)}
    if scale is not None:
        read["scale"] = float(scale)
    if move is not None:
        read["move"] = _point(move)
    return {"mesh": read}


def _point(point: Point) -> list[float]:
    return [float(value) for value in point]
