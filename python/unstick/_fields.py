"""Pressure problems as fluid codes have them: fields on a staggered grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _unstick
from ._arrays import host
from ._errors import NotConverged, ProblemError
from ._matrix import Floats
from ._solve import Callback, Pocket, Result, how_to_solve, shown_to

MIN_THETA = 0.01
"""The surface is kept this far from a cell centre, in cells."""


@dataclass(frozen=True, repr=False)
class FieldResult(Result):
    """What a solver has reached on fields. ``x`` and ``active`` have a value in every cell."""

    velocity: tuple[Floats, ...] = field(repr=False)
    """The velocity across the faces of each axis after the pressure has acted."""
    unknowns: int
    """Cells with liquid and an open face."""
    spacing: float

    @property
    def q(self) -> Floats:
        """The scaled pressure Δt p / (ρ h): ``x`` by its name."""
        return self.x

    def pressure(self, dt: float, density: float) -> Floats:
        """The pressure in pascals, for a step of that many seconds and a density in kg/m³."""
        return self.x * (density * self.spacing / dt)

    def _rows(self) -> int:
        return self.unknowns


def solve_fields(
    velocity: Sequence[npt.ArrayLike],
    liquid: npt.ArrayLike,
    *,
    spacing: float = 1.0,
    open: Sequence[npt.ArrayLike] | None = None,
    separating: npt.ArrayLike = True,
    flow: Sequence[npt.ArrayLike] | None = None,
    divergence: npt.ArrayLike | None = None,
    cell_open: npt.ArrayLike = 1.0,
    control: float = 0.0,
    q0: npt.ArrayLike | None = None,
    solver: str = "best",
    tol: float = 1e-6,
    absolute: bool = False,
    max_iterations: int | None = None,
    backend: str = "cpu",
    callback: Callback | None = None,
    raise_on_failure: bool = False,
) -> FieldResult:
    """Solves for the pressure of a staggered grid whose walls push and never pull.

    Fields are indexed ``[x, y]`` or ``[x, y, z]`` and used in place where x runs fastest in memory. A field that you
    index ``[z, y, x]`` in NumPy's own order is handed over as ``field.T``, without a copy.

    Parameters
    ----------
    velocity:
        Velocity across the faces of each axis, before the pressure acts: one more than cells along it.
    liquid:
        Distance to the surface of the liquid at the centre of every cell, negative inside.
    spacing:
        Length of a cell, in the units of ``liquid``.
    open:
        Part of each face that no solid covers, from 0 to 1; by default the border of the grid is closed.
    separating:
        Cells whose walls may let go: all of them, none, or an array.
    flow:
        What moving walls carry across each face: the part that they cover times their velocity.
    divergence:
        Divergence that is asked for in every cell, in 1/s, and ``cell_open``: the open part of every cell.
    control:
        The least speed at which liquid leaves separating walls.
    q0:
        A scaled pressure to begin from.

    The other keywords are those of :func:`unstick.solve`.

    >>> import numpy as np, unstick
    >>> liquid = np.array([[-0.5, 0.5]])                  # one column, its lower cell full
    >>> falling = (np.zeros((2, 2)), np.array([[0.0, -1.0, 0.0]]))
    >>> result = unstick.solve_fields(falling, liquid)
    >>> float(result.q[0, 0]), bool(result.active.any()), float(result.velocity[1][0, 1])
    (0.5, False, 0.0)
    >>> rising = (np.zeros((2, 2)), np.array([[0.0, 1.0, 0.0]]))
    >>> result = unstick.solve_fields(rising, liquid)    # leaves the floor
    >>> float(result.q[0, 0]), bool(result.active[0, 0]), float(result.velocity[1][0, 1])
    (0.0, True, 1.0)
    """
    distance = _field(liquid, "the distance to the liquid")
    cells = distance.shape
    if len(cells) not in (2, 3):
        raise ProblemError(f"the distance to the liquid has {len(cells)} dimensions, expected 2 or 3")
    faces = [tuple(count + (other == axis) for other, count in enumerate(cells)) for axis in range(len(cells))]
    speeds = _each_axis(velocity, faces, "the velocity")
    parts = [_closed_box(axis, shape) for axis, shape in enumerate(faces)] if open is None else []
    parts = parts or _each_axis(open or (), faces, "the open part of faces")
    mask = np.broadcast_to(host(separating, "the mask of separating walls").astype(bool), cells)
    start = np.zeros(cells) if q0 is None else _field(q0, "q0", cells)
    flows = None if flow is None else _each_axis(flow, faces, "the flow of walls")
    given = {
        "cells": list(cells),
        "spacing": float(spacing),
        "control": float(control),
        "liquid": _flat(distance),
        "velocity": [_flat(speed) for speed in speeds],
        "open": [_flat(part) for part in parts],
        "separating": mask.ravel(order="F"),
        "flow": None if flows is None else [_flat(flow) for flow in flows],
        "divergence": None if divergence is None else _flat(_field(divergence, "the divergence", cells)),
        "cell_open": _flat(np.broadcast_to(_field(cell_open, "the open part of cells"), cells)),
    }
    how = how_to_solve(solver, tol, absolute, max_iterations, "given", backend, check=False)
    account = _unstick.solve_fields(given, _flat(start), how, shown_to(callback))
    q, active = (account.pop(name).reshape(cells, order="F") for name in ("q", "active"))
    pockets = tuple(Pocket(**pocket) for pocket in account.pop("pockets"))
    result = FieldResult(
        **account,
        x=q,
        active=active,
        pockets=pockets,
        velocity=tuple(_pushed(axis, speeds[axis], q, distance, parts[axis], spacing) for axis in range(len(cells))),
        spacing=float(spacing),
    )
    if raise_on_failure and not result.converged:
        raise NotConverged(result._line(), result)
    return result


def _pushed(axis: int, speed: Floats, q: Floats, distance: Floats, part: Floats, spacing: float) -> Floats:
    """The velocity across the faces of an axis, less the difference of q across them, over θ at the surface."""
    border = [(int(other == axis),) * 2 for other in range(q.ndim)]
    around, pressures = np.pad(distance, border, constant_values=np.nan), np.pad(q, border)
    below, above = np.moveaxis(around, axis, 0)[:-1], np.moveaxis(around, axis, 0)[1:]
    jump = np.diff(np.moveaxis(pressures, axis, 0), axis=0)
    is_below, is_above = below < 0.0, above < 0.0
    theta = np.ones_like(jump)
    for inside, outside, here in ((below, above, is_below & ~is_above), (above, below, is_above & ~is_below)):
        # Beyond the border of the grid there is no distance to know.
        far = np.maximum(np.where(np.isnan(outside), inside + spacing, outside), 0.0)
        theta[here] = np.clip(inside[here] / (inside[here] - far[here]), MIN_THETA, 1.0)
    reached = (is_below | is_above) & (np.moveaxis(part, axis, 0) > 0.0)
    pushed: Floats = np.moveaxis(speed, axis, 0) - np.where(reached, jump / theta, 0.0)
    return np.moveaxis(pushed, 0, axis)


def _closed_box(axis: int, shape: tuple[int, ...]) -> Floats:
    part = np.ones(shape, order="F")
    np.moveaxis(part, axis, 0)[[0, -1]] = 0.0
    return part


def _each_axis(fields: Sequence[npt.ArrayLike], shapes: list[tuple[int, ...]], what: str) -> list[Floats]:
    if len(fields) != len(shapes):
        raise ProblemError(f"{what} has {len(fields)} axes, expected {len(shapes)}")
    return [_field(values, f"{what} along axis {axis}", shapes[axis]) for axis, values in enumerate(fields)]


def _field(values: npt.ArrayLike, what: str, shape: tuple[int, ...] | None = None) -> Floats:
    array = host(values, what)
    if array.dtype.kind not in "fiub":
        raise ProblemError(f"{what} holds {array.dtype}, expected real numbers")
    if shape is not None and array.shape != shape:
        raise ProblemError(f"{what} has the shape {array.shape}, expected {shape}")
    return np.asarray(array, dtype=np.float64)


def _flat(values: npt.NDArray[Any]) -> Floats:
    """In the order of memory with x fastest; the array itself if it lies so."""
    return np.ascontiguousarray(values.ravel(order="F"), dtype=np.float64)
