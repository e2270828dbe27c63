"""Solves that JAX differentiates.

    >>> import jax, unstick.jax                                         # doctest: +SKIP
    >>> solver = unstick.Solver(A)                                      # doctest: +SKIP
    >>> loss = lambda b: unstick.jax.solve(solver, b, wall=mask).sum()  # doctest: +SKIP
    >>> jax.grad(loss)(b)                                               # doctest: +SKIP

Gradients by b and by the bounds come from one linear solve on the rows that have not let go. It works under ``jit``
and ``vmap``; the solve runs on the processor, in double precision. Without ``jax_enable_x64`` JAX rounds to single
precision on the way.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._solver import Solver

__all__ = ["solve"]


def solve(solver: Any, b: Any, wall: Any = None, *, lower: Any = None, **how: Any) -> Any:
    """:meth:`unstick.Solver.solve` as a function of JAX: returns x.

    ``solver`` is an :class:`unstick.Solver`, which keeps what it prepares, or a matrix. ``b`` and ``lower`` are
    differentiated, ``wall`` is a plain mask. Solves that fall short raise :class:`unstick.NotConverged`.
    """
    prepared = solver if isinstance(solver, Solver) else Solver(solver)
    mask = None if wall is None else np.asarray(wall)
    right = jnp.asarray(b)
    if lower is None:
        # Zero on wall rows, nothing elsewhere: the bounds that the mask implies.
        bounds = jnp.where(jnp.asarray(np.zeros(right.shape, bool) if mask is None else mask), 0.0, -jnp.inf)
    else:
        bounds = jnp.broadcast_to(jnp.asarray(lower), right.shape)
        if mask is not None:
            bounds = jnp.where(jnp.asarray(mask), bounds, -jnp.inf)
    kinds = jax.ShapeDtypeStruct(right.shape, right.dtype), jax.ShapeDtypeStruct(right.shape, np.bool_)

    def solved(b: Any, lower: Any) -> Any:
        result = prepared.solve(_floats(b), lower=_floats(lower), raise_on_failure=True, **how)
        return result.x.astype(right.dtype), result.active

    def differentiated(active: Any, gradient: Any) -> Any:
        by_b, by_bounds = prepared._adjoint(np.asarray(active), _floats(gradient))
        return by_b.astype(right.dtype), by_bounds.astype(right.dtype)

    def forward(b: Any, lower: Any) -> Any:
        return jax.pure_callback(solved, kinds, b, lower, vmap_method="sequential")

    def backward(active: Any, gradient: Any) -> Any:
        return jax.pure_callback(differentiated, (kinds[0],) * 2, active, gradient, vmap_method="sequential")

    answer = jax.custom_vjp(lambda b, lower: forward(b, lower)[0])
    answer.defvjp(forward, backward)
    return answer(right, bounds.astype(right.dtype))


def _floats(values: Any) -> Any:
    return np.asarray(values, dtype=np.float64)
