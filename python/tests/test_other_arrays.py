"""Arrays of other libraries, operators, callbacks and gradients."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, cg

import unstick


class OnDevice:
    """What an array on a GPU says of itself."""

    def __dlpack_device__(self):
        return 2, 0

    def __array__(self, *_, **__):
        raise AssertionError("an array on a GPU is copied by DLPack alone")


class CopiedByDLPack(OnDevice):
    """An array on a GPU whose library makes copies in the memory of the processor."""

    def __init__(self, values):
        self.values, self.copies = values, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        assert tuple(dl_device) == (1, 0) and copy
        self.copies += 1
        return self.values.__dlpack__(max_version=max_version, copy=True)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="older ones ask for no copy")
def test_arrays_on_a_gpu_are_copied_by_their_library(tank):
    b = CopiedByDLPack(tank.b)
    assert np.array_equal(unstick.solve(tank.A, b, tank.wall).x, unstick.solve(tank.A, tank.b, tank.wall).x)
    assert b.copies == 1


def test_arrays_on_a_gpu_that_nobody_copies_are_refused_with_help(tank):
    with pytest.raises(unstick.ProblemError, match="b lies on a CUDA GPU") as caught:
        unstick.solve(tank.A, OnDevice())
    assert ".cpu()" in caught.value.help


def test_a_callback_sees_every_cycle_and_may_end_the_solve(tank):
    seen = []
    result = unstick.solve(tank.A, tank.b, tank.wall, callback=seen.append, solver="policy", tol=1e-10)
    assert [cycle.number for cycle in seen] == list(range(result.cycles + 1))
    assert np.array_equal([cycle.residual for cycle in seen], result.history) and seen[0].target == result.target
    for solve in (unstick.Solver(tank.A, solver="psor").solve, lambda *a, **k: unstick.solve(tank.A, *a, solver="psor", **k)):
        stopped = solve(tank.b, tank.wall, callback=lambda cycle: cycle.number >= 3)
        assert stopped.outcome == "stopped" and stopped.cycles == 3 and not stopped.converged


def test_what_a_callback_raises_is_raised(tank):
    def fail(cycle):
        raise LookupError(f"at {cycle.number}")

    with pytest.raises(LookupError, match="at 0"):
        unstick.solve(tank.A, tank.b, tank.wall, callback=fail)
    with pytest.raises(TypeError):
        unstick.solve(tank.A, tank.b, tank.wall, callback=lambda: None)
    assert unstick.solve(tank.A, tank.b, tank.wall).converged


def test_an_operator_is_solved_with_a_matrix_nearby(tank):
    expected = unstick.solve(tank.A, tank.b, tank.wall, tol=1e-9)
    calls = []

    def matvec(x):
        calls.append(1)
        return tank.A @ x

    operator = LinearOperator(tank.A.shape, matvec=matvec, dtype=float)
    result = unstick.solve(operator, tank.b, tank.wall, nearby=tank.A, tol=1e-9)
    assert calls and result.converged and np.array_equal(result.active, expected.active)
    assert np.abs(result.x - expected.x).max() < 1e-6
    with pytest.raises(unstick.ProblemError, match="expected a sparse matrix close to it as `nearby`"):
        unstick.solve(operator, tank.b)
    with pytest.raises(unstick.ProblemError, match="expected none beside"):
        unstick.solve(tank.A, tank.b, nearby=tank.A)


def test_what_an_operator_raises_is_raised(tank):
    def matvec(x):
        raise LookupError("no product")

    with pytest.raises(LookupError, match="no product"):
        unstick.solve(LinearOperator(tank.A.shape, matvec=matvec, dtype=float), tank.b, nearby=tank.A)


def test_a_solver_is_an_inverse_for_scipy(tank):
    solver = unstick.Solver(tank.A, tol=1e-8)
    inverse = solver.aslinearoperator()
    right = np.sin(np.arange(tank.b.size))
    assert np.abs(tank.A @ (inverse @ right) - right).max() < 1e-6
    result = solver.solve(tank.b, tank.wall)
    partial = solver.aslinearoperator(result) @ right
    free = ~result.active
    assert result.active.any() and not partial[result.active].any()
    assert np.abs((tank.A @ partial - right)[free]).max() < 1e-6
    # A neighbour of the matrix in a few iterations of somebody else's method.
    shifted = tank.A + 0.01 * unstick_identity(tank.b.size)
    steps = []
    answer, failed = cg(shifted, right, M=inverse, rtol=1e-8, callback=lambda _: steps.append(1))
    assert failed == 0 and len(steps) < 15 and np.abs(shifted @ answer - right).max() < 1e-5


def unstick_identity(size):
    from scipy.sparse import eye_array

    return eye_array(size, format="csr")


def loss_by_differences(solver, b, lower, wall, weights, row, step=1e-5, of="b"):
    def loss(sign):
        unit = np.zeros_like(b)
        unit[row] = sign * step
        moved = (b + unit, lower) if of == "b" else (b, lower + unit)
        return weights @ solver.solve(moved[0], wall, lower=moved[1]).x

    return (loss(1) - loss(-1)) / (2 * step)


def some_rows(result):
    return [*np.flatnonzero(result.active)[:3], *np.flatnonzero(~result.active)[:3]]


def test_torch_differentiates(tank):
    torch = pytest.importorskip("torch")
    import unstick.torch

    solver = unstick.Solver(tank.A, tol=1e-12)
    weights = np.cos(np.arange(tank.b.size))
    lower = np.where(tank.wall, 0.01 * np.sin(np.arange(tank.b.size)), 0.0)
    b = torch.tensor(tank.b.tolist(), dtype=torch.float64, requires_grad=True)
    bounds = torch.tensor(lower.tolist(), dtype=torch.float64, requires_grad=True)
    x = unstick.torch.solve(solver, b, tank.wall, lower=bounds)
    result = solver.solve(tank.b, tank.wall, lower=lower)
    assert np.array_equal(np.array(x.tolist()), result.x)
    (x * torch.tensor(weights.tolist(), dtype=torch.float64)).sum().backward()
    for row in some_rows(result):
        expected = loss_by_differences(solver, tank.b, lower, tank.wall, weights, row)
        assert float(b.grad[row]) == pytest.approx(expected, abs=1e-6, rel=1e-6)
        if result.active[row]:
            expected = loss_by_differences(solver, tank.b, lower, tank.wall, weights, row, of="lower")
            assert float(bounds.grad[row]) == pytest.approx(expected, abs=1e-6, rel=1e-6)
    plain = torch.tensor(tank.b.tolist(), dtype=torch.float64)
    assert np.array_equal(unstick.solve(tank.A, plain, tank.wall).x, unstick.solve(tank.A, tank.b, tank.wall).x)
    single = unstick.torch.solve(tank.A, plain.to(torch.float32), tank.wall)
    assert single.dtype == torch.float32
    with pytest.raises(unstick.ProblemError, match="automatic differentiation"):
        unstick.solve(tank.A, b)


def test_jax_differentiates(tank):
    jax = pytest.importorskip("jax")
    import unstick.jax

    jax.config.update("jax_enable_x64", True)
    solver = unstick.Solver(tank.A, tol=1e-12)
    weights = np.cos(np.arange(tank.b.size))
    lower = np.where(tank.wall, 0.01 * np.sin(np.arange(tank.b.size)), 0.0)
    result = solver.solve(tank.b, tank.wall, lower=lower)

    def loss(b, bounds):
        return weights @ unstick.jax.solve(solver, b, tank.wall, lower=bounds)

    by_b, by_bounds = jax.jit(jax.grad(loss, argnums=(0, 1)))(tank.b, lower)
    for row in some_rows(result):
        expected = loss_by_differences(solver, tank.b, lower, tank.wall, weights, row)
        assert float(by_b[row]) == pytest.approx(expected, abs=1e-6, rel=1e-6)
        if result.active[row]:
            expected = loss_by_differences(solver, tank.b, lower, tank.wall, weights, row, of="lower")
            assert float(by_bounds[row]) == pytest.approx(expected, abs=1e-6, rel=1e-6)
    several = jax.vmap(lambda b: unstick.jax.solve(solver, b, tank.wall))(np.stack([tank.b, -tank.b]))
    assert np.array_equal(several[1], solver.solve(-tank.b, tank.wall).x)
    given = jax.numpy.asarray(tank.b)
    assert np.array_equal(unstick.solve(tank.A, given, tank.wall).x, unstick.solve(tank.A, tank.b, tank.wall).x)
