"""A solver that is prepared for one matrix."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _unstick
from ._errors import ProblemError
from ._matrix import Floats, rows, vector
from ._solve import Callback, Grid, Result, Sides, how_to_solve, shown_to


class Solver:
    """Solves for one matrix and many right-hand sides; what it prepares for the matrix it keeps.

    The first solve finds the grid of the matrix or gathers its rows; the others begin with that. Bounds may be other
    ones in every solve.

    >>> import numpy as np, unstick
    >>> solver = unstick.Solver(np.array([[2.0, -1.0], [-1.0, 2.0]]))
    >>> solver.solve([2.0, -1.0], wall=[True, True]).x
    array([0. , 0.5])
    >>> solver.solve([-3.0, 0.0], upper=1.0).x
    array([1. , 0.5])

    The keywords are those of :func:`unstick.solve`. The matrix is copied. Threads may share a solver; it serves one
    after the other.
    """

    def __init__(
        self,
        A: Any,
        *,
        solver: str = "best",
        tol: float = 1e-6,
        absolute: bool = False,
        max_iterations: int | None = None,
        grid: Any = None,
        backend: str = "cpu",
        check: bool = True,
    ) -> None:
        self._rows = rows(A)
        how = how_to_solve(solver, tol, absolute, max_iterations, "given", backend, check)
        self._how: dict[str, Any] = dict(solver=solver, tol=tol, absolute=absolute, max_iterations=max_iterations)
        self._where: dict[str, Any] = dict(grid=grid, backend=backend)
        self._free: Free | None = None
        self._prepared = _unstick.Prepared(*self._rows, None if grid is None else Grid.of(grid)._parts(), how)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets the matrix, and prepares for it anew."""
        return _solver_of, (tuple(self._rows), {**self._how, **self._where, "check": False})

    def solve(
        self,
        b: npt.ArrayLike,
        wall: npt.ArrayLike | None = None,
        *,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        x0: npt.ArrayLike | None = None,
        callback: Callback | None = None,
        raise_on_failure: bool = False,
    ) -> Result:
        """:func:`unstick.solve` for one right-hand side."""
        sides = Sides.of(b, wall, lower, upper, x0)
        return sides.result(self._prepared.solve(*sides.arrays, shown_to(callback)), raise_on_failure)

    def solve_many(self, right_hand_sides: Iterable[npt.ArrayLike], **how: Any) -> list[Result]:
        """One solve after the other, each from the answer before it."""
        results: list[Result] = []
        for b in right_hand_sides:
            results.append(self.solve(b, **{"x0": results[-1].x if results else None, **how}))
        return results

    def adjoint(self, result: Result, gradient: npt.ArrayLike) -> tuple[Floats, Floats]:
        """The gradients of a number by b and by the bounds, from its gradient by the answer of :meth:`solve`.

        Where rows do not change sides, x is linear in both: one linear solve on the rows that have not let go. Needs
        scipy. Rows at their bound with nothing left of their equation are where the answer has a kink; they count as
        let go. :mod:`unstick.torch` and :mod:`unstick.jax` call this for you.
        """
        slope = vector(gradient, "the gradient")
        if slope.size != self.rows:
            raise ProblemError(f"the gradient has {slope.size} entries, the problem has {self.rows} rows")
        return self._adjoint(result.active, slope)

    def _adjoint(self, active: npt.NDArray[np.bool_], slope: Floats) -> tuple[Floats, Floats]:
        by_b, by_bound = -self._inverse(active, slope), np.zeros_like(slope)
        if active.any():
            by_bound[active] = (slope + self._matrix @ by_b)[active]
        return by_b, by_bound

    def aslinearoperator(self, result: Result | None = None) -> Any:
        """A⁻¹ as a ``LinearOperator`` of SciPy, each product a solve to the tolerance of this solver.

        With a result, the inverse on the rows that have not let go, and zero on the others. As a preconditioner of a
        method that needs the same matrix in every iteration, such as ``scipy.sparse.linalg.cg``, ask for a ``tol`` well
        below the one of that method.
        """
        from scipy.sparse.linalg import LinearOperator

        active = np.zeros(self.rows, dtype=bool) if result is None else result.active

        def matvec(right: Any) -> Floats:
            return self._inverse(active, vector(np.ravel(right), "the vector"))

        return LinearOperator((self.rows, self.rows), matvec=matvec, rmatvec=matvec, dtype=np.float64)

    @property
    def rows(self) -> int:
        """Rows of the matrix."""
        return self._rows.starts.size - 1

    @cached_property
    def _matrix(self) -> Any:
        from scipy.sparse import csr_array

        values, columns, starts = self._rows
        return csr_array((values, columns.view(np.int32), starts.view(np.int32)), shape=2 * (self.rows,))

    def _inverse(self, active: npt.NDArray[np.bool_], right: Floats) -> Floats:
        """A⁻¹ on the rows that are not active, zero on the others."""
        if not active.any():
            return self.solve(-right, raise_on_failure=True).x
        answer = np.zeros_like(right)
        kept = self._free  # what was prepared for other rows
        if kept is None or not np.array_equal(kept.active, active):
            free = np.flatnonzero(~active)
            inner = Solver(self._matrix[free][:, free], check=False, **self._how) if free.size else None
            kept = self._free = Free(active.copy(), free, inner)
        if kept.solver is not None:
            answer[kept.rows] = kept.solver.solve(-right[kept.rows], raise_on_failure=True).x
        return answer


def _solver_of(matrix: tuple[Any, ...], how: dict[str, Any]) -> Solver:
    return Solver(matrix, **how)


class Free(NamedTuple):
    """The rows that have not let go, with a solver for them."""

    active: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.intp]
    solver: Solver | None
