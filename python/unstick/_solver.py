"""A solver that is prepared for one matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _unstick
from ._errors import ProblemError
from ._matrix import Floats, rows, vector
from ._solve import Grid, Result, Sides, how_to_solve, solve


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
        self._prepared = _unstick.Prepared(*self._rows, None if grid is None else Grid.of(grid)._parts(), how)

    def solve(
        self,
        b: npt.ArrayLike,
        wall: npt.ArrayLike | None = None,
        *,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        x0: npt.ArrayLike | None = None,
        raise_on_failure: bool = False,
    ) -> Result:
        """:func:`unstick.solve` for one right-hand side."""
        sides = Sides.of(b, wall, lower, upper, x0)
        return sides.result(self._prepared.solve(*sides.arrays), raise_on_failure)

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
        let go.
        """
        from scipy.sparse import csr_array

        values, columns, starts = self._rows
        slope = vector(gradient, "the gradient")
        if slope.size != result.x.size:
            raise ProblemError(f"the gradient has {slope.size} entries, the problem has {result.x.size} rows")
        matrix = csr_array((values, columns.astype(np.int64), starts.astype(np.int64)), shape=2 * (slope.size,))
        free = np.flatnonzero(~result.active)
        by_b, by_bound = np.zeros_like(slope), np.zeros_like(slope)
        if free.size:
            inner = matrix[free][:, free]
            by_b[free] = solve(inner, slope[free], check=False, raise_on_failure=True, **self._how).x
        by_bound[result.active] = (slope + matrix @ by_b)[result.active]
        return by_b, by_bound
