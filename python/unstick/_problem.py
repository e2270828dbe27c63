"""Problem folders: ``A.mtx``, ``b.npy``, ``wall.npy`` and what may lie beside them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _unstick
from ._matrix import Floats, rows, vector
from ._solve import Grid, Result, solve


@dataclass(frozen=True)
class Problem:
    """A problem as it lies in a folder."""

    A: Any = field(repr=False)
    """The matrix: ``scipy.sparse.csr_array``, or (data, indices, indptr) where there is no scipy."""
    b: Floats = field(repr=False)
    """The right-hand side."""
    wall: npt.NDArray[np.bool_] = field(repr=False)
    """Which rows belong to walls that may let go."""
    lower: Floats = field(repr=False)
    """The bound of every row, −∞ on equation rows."""
    x: Floats | None = field(repr=False)
    """A starting iterate or a known answer."""
    grid: Grid | None = field(repr=False)
    """Where the rows lie."""

    def solve(self, **how: Any) -> Result:
        """:func:`unstick.solve` of this problem; takes the same keywords."""
        return solve(self.A, self.b, self.wall, lower=self.lower, grid=self.grid, **how)

    def __repr__(self) -> str:
        where = "" if self.grid is None else f" on a grid of {' × '.join(map(str, self.grid.shape))}"
        return f"<problem of {self.b.size} rows, {int(self.wall.sum())} of them walls{where}>"


def load_problem(folder: str | os.PathLike[str]) -> Problem:
    """Reads a problem folder, as ``unstick capture`` and ``unstick generate`` write them, and checks it."""
    files = _unstick.load_problem(os.fspath(folder))
    data, indices, indptr = files["data"], files["indices"], files["indptr"]
    matrix: Any = (data, indices, indptr)
    try:
        from scipy.sparse import csr_array
    except ImportError:
        pass
    else:
        # SciPy has signed indices: the same bits where 32 of them do.
        is_short = max(data.size, indptr.size) <= np.iinfo(np.int32).max
        parts = (part.view(np.int32) if is_short else part.astype(np.int64) for part in (indices, indptr))
        matrix = csr_array((data, *parts), shape=2 * (indptr.size - 1,))
    lower = files["lower"]
    grid = files["grid"]
    if grid is not None:
        shape, cells, spacing, origin = grid
        grid = Grid(tuple(shape), np.asarray(cells, dtype=np.int64), spacing, tuple(origin))
    return Problem(A=matrix, b=files["b"], wall=lower > -np.inf, lower=lower, x=files["x"], grid=grid)


def save_problem(
    folder: str | os.PathLike[str],
    A: Any,
    b: npt.ArrayLike,
    wall: npt.ArrayLike | None = None,
    *,
    lower: npt.ArrayLike | None = None,
    x: npt.ArrayLike | None = None,
    grid: Any = None,
) -> None:
    """Writes a new problem folder for ``unstick solve``: all of it, or nothing if something is wrong.

    The arguments are those of :func:`unstick.solve`; ``x`` is a starting iterate or a known answer.
    """
    _unstick.save_problem(
        os.fspath(folder),
        *rows(A),
        vector(b, "b"),
        None if wall is None else vector(wall, "the wall mask"),
        None if lower is None else vector(lower, "the lower bound"),
        None if x is None else vector(x, "the iterate"),
        None if grid is None else Grid.of(grid)._parts(),
    )
