"""One problem, one solver."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _unstick
from ._errors import NotConverged, ProblemError
from ._arrays import host
from ._matrix import Floats, rows, vector


class Cycle(NamedTuple):
    """Where a solve is, as a callback sees it."""

    number: int
    """Cycles so far; 0 at the start."""
    residual: float
    """The measure that the solve stops on, in the units of b."""
    target: float
    """What it has to reach."""
    inner_iterations: int
    """Iterations of the linear solver so far."""


Callback = Callable[[Cycle], Any]
"""Sees every cycle. A true value ends the solve with what it has reached."""


def shown_to(callback: Callback | None) -> Callable[..., Any] | None:
    """The callback as the compiled half calls it."""
    return None if callback is None else lambda *facts: callback(Cycle(*facts))


@dataclass(frozen=True)
class Grid:
    """Where the rows of a matrix lie on a grid, which multigrid and transforms make use of.

    ``shape`` counts cells along x, y (and z), ``cells`` holds the number x + nx (y + ny z) of each
    row's cell. Rows should ascend with their cells. :meth:`of` makes one from a NumPy array.
    """

    shape: tuple[int, ...]
    cells: npt.NDArray[np.int64] = field(repr=False)
    spacing: float = 1.0
    origin: tuple[float, ...] | None = None

    @staticmethod
    def of(where: Any) -> Grid:
        """The grid of the cells where an array is True, or of all cells of an array of that shape.

        Rows are those cells in the order in which NumPy goes through the array (C order), as in
        ``number = np.full(mask.shape, -1); number[mask] = np.arange(mask.sum())``.
        """
        if isinstance(where, Grid):
            return where
        array = np.asarray(where)
        if array.dtype == bool and array.ndim in (2, 3):
            # The last axis runs fastest in NumPy, the first one here.
            return Grid(array.shape[::-1], np.flatnonzero(array))
        if array.ndim == 1 and array.dtype.kind in "iu" and array.size in (2, 3):
            return Grid(tuple(int(count) for count in array[::-1]), np.arange(array.prod()))
        expected = "a shape of 2 or 3 numbers, an array of that many dimensions that is True where rows are, or a Grid"
        raise ProblemError(f"the grid is {type(where).__name__}, expected {expected}")

    def _parts(self) -> tuple[list[int], npt.NDArray[np.int64], float, list[float]]:
        if any(count < 0 for count in self.shape):
            raise ProblemError(f"the shape of the grid is {self.shape}, expected positive numbers")
        origin = self.origin if self.origin is not None else (0.0,) * len(self.shape)
        cells = np.ascontiguousarray(self.cells, dtype=np.int64)
        return list(self.shape), cells, float(self.spacing), list(origin)


@dataclass(frozen=True)
class Pocket:
    """A connected part of the matrix that is singular: liquid that touches no air."""

    first_row: int
    """Its smallest row."""
    rows: int
    """Number of its rows."""
    imbalance: float
    """Mean of b over its rows; an answer needs zero (or more, if it has separating walls)."""
    compatible: bool
    """Whether the imbalance is within the tolerance."""


@dataclass(frozen=True)
class Result:
    """What a solver has reached, and its account of it."""

    x: Floats = field(repr=False)
    """The answer."""
    active: npt.NDArray[np.bool_] = field(repr=False)
    """Wall rows that have let go: held by their bound rather than by their equation."""
    solver: str
    """Full name of the solver, e.g. ``policy+cg/mic0``."""
    outcome: str
    """``converged``, ``iteration limit``, ``stalled``, ``incompatible``, or ``stopped`` by a callback."""
    remark: str | None
    """What the method has to say about a stall or a rescue."""
    residual: float
    """Natural residual of the answer, largest entry, in the units of b."""
    relative_residual: float
    """The same over that at zero."""
    target: float
    """What was to be reached."""
    history: Floats = field(repr=False)
    """The residual at the start and after every cycle."""
    work: npt.NDArray[np.uint64] = field(repr=False)
    """Inner iterations spent when each entry of the history was recorded."""
    cycles: int
    """Outer iterations: sweeps, Newton steps, policies."""
    inner_iterations: int
    """Iterations of the linear solver in all cycles."""
    wall_rows: int
    """Number of complementary rows."""
    active_rows: int
    """Number of those that have let go."""
    setup_time: float
    """Seconds spent on preparation: components, factorisations."""
    solve_time: float
    """Seconds spent on the rest."""
    pockets: tuple[Pocket, ...] = field(repr=False)
    """Singular parts of the problem and what became of them."""

    @property
    def converged(self) -> bool:
        """Whether the answer meets the tolerance."""
        return self.outcome == "converged"

    @property
    def time(self) -> float:
        """Seconds in all."""
        return self.setup_time + self.solve_time

    def __repr__(self) -> str:
        return f"<{self._line()}>"

    def _line(self) -> str:
        walls = f", {self.active_rows} of {self.wall_rows} wall rows let go" if self.wall_rows else ""
        remark = f" ({self.remark})" if self.remark else ""
        return (
            f"{self.solver}: {self.outcome}{remark} after {_count(self.cycles, 'cycle')} "
            f"({_count(self.inner_iterations, 'inner iteration')}), residual {self.residual:.2e} "
            f"({self.relative_residual:.1e} relative), {self._rows()} rows{walls}, {_seconds(self.time)}"
        )

    def _rows(self) -> int:
        return self.x.size


def solve(
    A: Any,
    b: npt.ArrayLike,
    wall: npt.ArrayLike | None = None,
    *,
    lower: npt.ArrayLike | None = None,
    upper: npt.ArrayLike | None = None,
    x0: npt.ArrayLike | None = None,
    solver: str = "best",
    tol: float = 1e-6,
    absolute: bool = False,
    max_iterations: int | None = None,
    grid: Any = None,
    start: str | None = None,
    backend: str = "cpu",
    check: bool = True,
    nearby: Any = None,
    callback: Callback | None = None,
    raise_on_failure: bool = False,
) -> Result:
    """Finds x such that r = A x + b is zero on equation rows and 0 ≤ x − lower ⟂ r ≥ 0 on wall rows.

    For a pressure projection x is the (scaled) pressure, b the net outflow of each cell, r the
    outflow that remains. Mind the sign: a code that solves ``A x = rhs`` passes ``b = -rhs``.

    Parameters
    ----------
    A:
        Symmetric positive (semi-)definite: any ``scipy.sparse`` matrix or array, ``(data, indices,
        indptr)`` of compressed rows, or a dense array. CSR with sorted, 32-bit indices and double
        precision is used where it lies. Or a ``LinearOperator``, with a matrix close to it as ``nearby``.
    b:
        One number per row.
    wall:
        Which rows belong to walls that may let go; by default those with a finite ``lower``, else none.
    lower:
        Bounds of the wall rows, one number or one for each row, by default zero; entries of other rows are ignored.
    upper:
        Bounds from above instead: 0 ≤ upper − x ⟂ −r ≥ 0 on wall rows.
    x0:
        Where to start, by default zero.
    solver:
        A name of the command line: ``best``, ``policy``, ``policy+cg/mic0``; :func:`solvers` lists them.
        Parameters follow their part: ``best:forcing=0.05``, ``psor:relaxation=1.5``,
        ``policy+gmres:restart=20/mic0``.
    tol:
        What counts as solved: the largest entry of the natural residual, as a part of that at x = 0;
        ``absolute=True`` for the number itself.
    max_iterations:
        Outer cycles after which to give up, by default what suits the method.
    grid:
        Where the rows lie, see :meth:`Grid.of`: the boolean array of cells that are rows, or the shape of
        an array all cells of which are. Makes multigrid geometric. ``best`` finds the grid of many matrices itself.
        A grid that cannot be used is a warning.
    start:
        ``psor:K`` or ``gradient:K`` for K steps before the solver begins.
    backend:
        ``cpu``, ``gpu``, or ``auto`` for a GPU where there is one that has the solver: any of its solvers on a grid, ``best``
        for any matrix.
    check:
        Whether the matrix is checked for symmetry, which costs about as much as a few products with it.
    nearby:
        Where A is known by its products alone: a sparse matrix close to it. Its diagonal stands for that of A, and
        preconditioners are made of it.
    callback:
        Called with a :class:`Cycle` at the start and after every cycle. A true value ends the solve with what it has
        reached; an exception ends it and is raised.
    raise_on_failure:
        Raise :class:`NotConverged` instead of returning a result that is short of its tolerance.

    Returns
    -------
    Result
        The answer ``x`` and the account of the solve. Look at ``converged``.

    The interpreter's lock is released, all cores are used (``RAYON_NUM_THREADS`` sets how many, the bits do
    not depend on it), and Ctrl-C ends the solve. The arrays must not be changed by other threads meanwhile.

    Examples
    --------
    Two coupled cells at a wall; the first would be pulled and lets go:

    >>> import numpy as np, unstick
    >>> result = unstick.solve(np.array([[2.0, -1.0], [-1.0, 2.0]]), [2.0, -1.0], wall=[True, True])
    >>> result.x, result.active
    (array([0. , 0.5]), array([ True, False]))
    """
    if x0 is not None and start not in (None, "given"):
        raise ProblemError(f"the start is {start}, expected none beside an x0")
    if x0 is None and start == "given":
        raise ProblemError("the start is given, expected an x0 beside it")
    how = how_to_solve(
        solver, tol, absolute, max_iterations, "given" if x0 is not None else start or "zero", backend, check
    )
    product = None
    if hasattr(A, "matvec") and not hasattr(A, "tocsr"):
        if nearby is None:
            expected = "a sparse matrix close to it as `nearby`"
            raise ProblemError(f"the matrix is {type(A).__name__}, which is known by its products, expected {expected}")
        product = _product(A, vector(b, "b").size)
    elif nearby is not None:
        raise ProblemError("there is a nearby matrix, expected none beside a matrix that is known itself")
    values, columns, starts = rows(A if nearby is None else nearby)
    sides = Sides.of(b, wall, lower, upper, x0)
    where = None if grid is None else Grid.of(grid)._parts()
    account = _unstick.solve(values, columns, starts, *sides.arrays, where, how, shown_to(callback), product)
    return sides.result(account, raise_on_failure)


def how_to_solve(
    solver: str,
    tol: float,
    absolute: bool,
    max_iterations: int | None,
    start: str,
    backend: str,
    check: bool,
) -> dict[str, Any]:
    """What is no array."""
    if max_iterations is not None and max_iterations < 0:
        raise ProblemError(f"max_iterations is {max_iterations}, expected none or a number that is not negative")
    return {
        "solver": solver,
        "tolerance": float(tol),
        "absolute": bool(absolute),
        "max_iterations": max_iterations,
        "start": start,
        "backend": backend,
        "check": bool(check),
    }


@dataclass(frozen=True)
class Sides:
    """A right-hand side with its bounds. Upper bounds are lower bounds of −x."""

    arrays: tuple[Floats, Floats | None, Floats | None, Floats | None]
    """b, wall mask, lower bounds and start, as the compiled half takes them."""
    is_negated: bool

    @staticmethod
    def of(
        b: npt.ArrayLike,
        wall: npt.ArrayLike | None,
        lower: npt.ArrayLike | None,
        upper: npt.ArrayLike | None,
        x0: npt.ArrayLike | None,
    ) -> Sides:
        right = vector(b, "b")
        if lower is not None and upper is not None:
            raise ProblemError("there are lower and upper bounds, expected one of them")
        mask = None if wall is None else vector(wall, "the wall mask")
        start = None if x0 is None else vector(x0, "the iterate")
        if upper is not None:
            above = -_bound(upper, right.size, "the upper bound")
            return Sides((-right, mask, above, None if start is None else -start), True)
        below = None if lower is None else _bound(lower, right.size, "the lower bound")
        return Sides((right, mask, below, start), False)

    def result(self, account: dict[str, Any], raise_on_failure: bool) -> Result:
        """The account as people read it."""
        misfit = account.pop("misfit")
        if misfit is not None:
            warnings.warn(f"the grid is not used: {misfit}", stacklevel=3)
        if self.is_negated:
            account["x"] = -account["x"]
        pockets = tuple(Pocket(**pocket) for pocket in account.pop("pockets"))
        result = Result(**account, pockets=pockets)
        if raise_on_failure and not result.converged:
            raise NotConverged(result._line(), result)
        return result


def _bound(bound: npt.ArrayLike, rows: int, what: str) -> Floats:
    """One number for all rows, or one for each."""
    array = host(bound, what)
    return vector(np.full(rows, array) if array.ndim == 0 else array, what)


def _product(operator: Any, size: int) -> Callable[[Floats], Floats]:
    """How an operator multiplies."""
    if tuple(operator.shape) != (size, size):
        raise ProblemError(f"the operator has the shape {tuple(operator.shape)}, expected {(size, size)}")
    return lambda x: vector(np.ravel(host(operator.matvec(x), "the product")), "the product")


def solvers(all: bool = False) -> Sequence[str]:
    """Names of solvers: one of each method; with ``all`` every composition of the catalogue."""
    return _unstick.solvers(all)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"
