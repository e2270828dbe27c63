"""One moment of a simulation."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _export, _unstick
from ._errors import RunError
from ._matrix import Floats
from ._stored import StoredFrame

WIDTHS = range(64, 8193)
"""Widths of pictures in pixels, as in scene files."""


class Surface(NamedTuple):
    """The boundary of the liquid: ``vertices, faces = frame.surface``."""

    vertices: npt.NDArray[np.floating[Any]]
    """Places, one per row."""
    faces: npt.NDArray[np.uint32]
    """Three vertices of a triangle per row, normals outwards; in the plane two of a segment, the liquid to
    the left."""


class Frame:
    """One moment of a simulation. It stays as it is while the simulation goes on.

    Arrays are copied out when they are first asked for. Fields are indexed ``[x, y]`` or ``[x, y, z]``:
    ``frame.pressure[i, j]`` is the cell that is i-th from the left and j-th from below. For
    ``matplotlib``: ``imshow(frame.pressure.T, origin="lower")``. A viscous flow is sampled on equal cells.
    """

    def __init__(self, frame: _unstick.Frame | StoredFrame) -> None:
        self._frame = frame

    @property
    def number(self) -> int:
        """Number of the frame, from 0."""
        return self._frame.number

    @property
    def time(self) -> float:
        """Seconds."""
        return self._frame.time

    @property
    def cells(self) -> tuple[int, ...]:
        """Cells along each axis."""
        return tuple(self._frame.grid()[0])

    @property
    def spacing(self) -> float:
        """Length of a cell, in metres."""
        return self._frame.grid()[1]

    @property
    def origin(self) -> tuple[float, ...]:
        """The lower corner of the grid."""
        return tuple(self._frame.grid()[2])

    @cached_property
    def particles(self) -> Floats:
        """Where the particles are, one per row. Those of a viscous flow are the centres of its bodies."""
        return self._array("particles")

    @cached_property
    def velocities(self) -> Floats:
        """Velocities of the particles, in m/s."""
        return self._array("velocities")

    @cached_property
    def ids(self) -> npt.NDArray[np.int64]:
        """The number of each particle. It stays with its particle, whose row changes from frame to frame."""
        ids: npt.NDArray[np.int64] = self._frame.array("ids")
        return ids

    @cached_property
    def pressure(self) -> Floats:
        """Pressure in every cell, in pascals; zero outside the liquid."""
        return self._array("pressure")

    @cached_property
    def liquid(self) -> Floats:
        """Distance to the liquid at the centres of cells, negative inside."""
        return self._array("liquid")

    @cached_property
    def solid(self) -> Floats:
        """Distance to the solids at the nodes, one more than cells along each axis, negative inside."""
        return self._array("solid")

    @cached_property
    def separated(self) -> npt.NDArray[np.bool_]:
        """Cells whose wall has let go."""
        separated: npt.NDArray[np.bool_] = self._frame.array("separated")
        return separated

    @cached_property
    def velocity(self) -> tuple[Floats, ...]:
        """Velocity across the faces of each axis: ``u, v = frame.velocity``, one more face than cells along it."""
        return self._frame.faces()

    @cached_property
    def surface(self) -> Surface:
        """The boundary of the liquid: triangles in space, segments in the plane. In space, that of a viscous flow is
        the surface of its bodies."""
        return Surface(*self._frame.surface())

    @cached_property
    def bodies(self) -> list[dict[str, Any]]:
        """Rigid bodies: name, position, rotation (a matrix), velocity, spin (radians per second about x, y, z)."""
        return self._frame.bodies()

    @cached_property
    def steps(self) -> list[dict[str, Any]]:
        """The steps since the frame before, under the names of ``stats.csv``; ``history`` is the residual in
        the pressure solve."""
        return self._frame.steps()

    @property
    def stats(self) -> dict[str, Any]:
        """The last of ``steps``: volume, energies, divergence, cycles, seconds of each stage. Before the first
        step: step, time and what else is known by then."""
        return self.steps[-1] if self.steps else self._frame.state()

    @cached_property
    def image(self) -> npt.NDArray[np.uint8]:
        """The picture: rows from top to bottom of red, green and blue."""
        return self.draw()

    def draw(self, width: int | None = None, pressure: bool | None = None) -> npt.NDArray[np.uint8]:
        """The picture in another width in pixels; in the plane, shaded by pressure or speed."""
        return self._frame.image(_checked(width), pressure)

    def save(self, path: str | os.PathLike[str], width: int | None = None, pressure: bool | None = None) -> None:
        """Writes the picture as PNG."""
        Path(path).write_bytes(self._frame.png(_checked(width), pressure))

    def to_xarray(self) -> Any:
        """The fields as an ``xarray.Dataset`` with coordinates in metres. Needs xarray."""
        return _export.dataset(self)

    def to_pyvista(self) -> Any:
        """A ``pyvista.MultiBlock`` of ``grid``, ``particles`` and ``surface``. Needs pyvista."""
        return _export.blocks(self)

    def __reduce__(self) -> tuple[object, ...]:
        return Frame, (StoredFrame.of(self._frame),)

    def _repr_png_(self) -> bytes:
        return self._frame.png(None, None)

    def __repr__(self) -> str:
        particles = self._frame.state().get("particles")
        count = "" if particles is None else f", {particles} particles"
        return f"<frame {self.number} at {self.time:.4g} s{count}>"

    def _array(self, name: str) -> Floats:
        array: Floats = self._frame.array(name)
        return array


def _checked(width: int | None) -> int | None:
    if width is not None and width not in WIDTHS:
        raise RunError(f"the width is {width}, expected a whole number from {WIDTHS[0]} to {WIDTHS[-1]}")
    return width
