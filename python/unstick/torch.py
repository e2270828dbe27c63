"""Solves that PyTorch differentiates.

    >>> import torch, unstick.torch                                     # doctest: +SKIP
    >>> solver = unstick.Solver(A)                                      # doctest: +SKIP
    >>> x = unstick.torch.solve(solver, b, wall=mask)                   # doctest: +SKIP
    >>> x.sum().backward()                                              # doctest: +SKIP

Gradients by b and by the bounds come from one linear solve on the rows that have not let go. Tensors are of the
processor, in any precision; the solve is in double precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ._arrays import host
from ._solver import Solver

__all__ = ["solve"]


def solve(solver: Any, b: Any, wall: Any = None, *, lower: Any = None, **how: Any) -> Any:
    """:meth:`unstick.Solver.solve` as a function of tensors: returns x.

    ``solver`` is an :class:`unstick.Solver`, which keeps what it prepares, or a matrix. ``b`` and ``lower`` may ask for
    gradients. ``wall`` is a mask without one. Solves that fall short raise :class:`unstick.NotConverged`.
    """
    prepared = solver if isinstance(solver, Solver) else Solver(solver)
    bounds = None if lower is None else torch.broadcast_to(torch.as_tensor(lower, dtype=b.dtype), b.shape)
    return _Solve.apply(prepared, b, wall, bounds, how)


class _Solve(torch.autograd.Function):
    """The solve and its adjoint."""

    @staticmethod
    def forward(ctx: Any, solver: Solver, b: Any, wall: Any, lower: Any, how: dict[str, Any]) -> Any:
        bounds = None if lower is None else host(lower.detach(), "the lower bound")
        result = solver.solve(b.detach(), wall, lower=bounds, raise_on_failure=True, **how)
        ctx.solver, ctx.active, ctx.has_bounds = solver, result.active, lower is not None
        return _tensor(result.x, b.dtype)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        slope = np.ascontiguousarray(host(gradient.detach(), "the gradient"), dtype=np.float64)
        by_b, by_bounds = ctx.solver._adjoint(ctx.active, slope)
        bounds = _tensor(by_bounds, gradient.dtype) if ctx.has_bounds else None
        return None, _tensor(by_b, gradient.dtype), None, bounds, None


def _tensor(values: Any, dtype: Any) -> Any:
    """A tensor of an array, by DLPack: whatever versions of the two libraries meet here."""
    return torch.from_dlpack(values).to(dtype)
