"""A prepared solver: the same answers, prepared once."""

from __future__ import annotations

import multiprocessing
import os
import pickle

import numpy as np
import pytest

import unstick


@pytest.mark.parametrize("gridded", [False, True])
def test_answers_are_those_of_a_single_solve_bit_for_bit(tank, gridded):
    grid = tank.mask if gridded else None
    solver = unstick.Solver(tank.A, grid=grid)
    for factor in (1.0, -0.5, 2.0):
        result = solver.solve(factor * tank.b, tank.wall)
        expected = unstick.solve(tank.A, factor * tank.b, tank.wall, grid=grid)
        assert result.converged and np.array_equal(result.x, expected.x)
        assert np.array_equal(result.active, expected.active)


@pytest.mark.parametrize("gridded", [False, True])
def test_a_solver_is_pickled_with_its_matrix(tank, gridded):
    solver = unstick.Solver(tank.A, grid=tank.mask if gridded else None, tol=1e-9, solver="policy")
    again = pickle.loads(pickle.dumps(solver))
    result, expected = (one.solve(tank.b, tank.wall) for one in (again, solver))
    assert result.converged and result.relative_residual <= 1e-9 and result.solver == expected.solver
    assert np.array_equal(result.x, expected.x)


def test_many_right_hand_sides_begin_where_the_last_ended(tank):
    solver = unstick.Solver(tank.A)
    results = solver.solve_many([tank.b, 1.001 * tank.b], wall=tank.wall)
    assert all(result.converged for result in results)
    assert results[1].history[0] < 0.1 * results[0].history[0]


def test_bounds_may_be_numbers_and_from_above(tank):
    below = unstick.solve(tank.A, tank.b, tank.wall, lower=-0.25, tol=1e-10)
    assert below.x[tank.wall].min() == -0.25 and below.active.any()
    above = unstick.Solver(tank.A, tol=1e-10).solve(-tank.b, tank.wall, upper=0.25)
    assert np.array_equal(above.x, -below.x) and np.array_equal(above.active, below.active)
    with pytest.raises(unstick.ProblemError, match="lower and upper"):
        unstick.solve(tank.A, tank.b, lower=0.0, upper=1.0)


def test_what_does_not_fit_is_refused(tank):
    solver = unstick.Solver(tank.A)
    with pytest.raises(unstick.ProblemError, match="b has 2 entries"):
        solver.solve([1.0, 2.0])
    with pytest.raises(unstick.ProblemError, match="symmetric"):
        unstick.Solver(np.array([[1.0, 0.5], [0.0, 1.0]]))
    with pytest.raises(unstick.ProblemError, match="gradient has 1"):
        solver.adjoint(solver.solve(tank.b), [1.0])


def test_a_grid_that_cannot_be_used_is_a_warning(tank):
    reversed_cells = unstick.Grid((24, 24), np.flatnonzero(tank.mask)[::-1].copy())
    with pytest.warns(UserWarning, match="the grid is not used: row 1 lies in an earlier cell"):
        assert unstick.solve(tank.A, tank.b, tank.wall, grid=reversed_cells).converged


def test_the_adjoint_agrees_with_differences(tank):
    solver = unstick.Solver(tank.A, tol=1e-12)
    weights = np.cos(np.arange(tank.b.size))
    lower = np.where(tank.wall, 0.01 * np.sin(np.arange(tank.b.size)), -np.inf)

    def loss(b, lower):
        x = solver.solve(b, lower=lower).x
        return weights @ x + 0.5 * (x @ x)

    result = solver.solve(tank.b, lower=lower)
    by_b, by_bound = solver.adjoint(result, weights + result.x)
    assert result.active.any() and not by_b[result.active].any() and not by_bound[~result.active].any()
    step = 1e-5
    for row in [*np.flatnonzero(result.active)[:3], *np.flatnonzero(~result.active)[:3]]:
        unit = np.zeros_like(tank.b)
        unit[row] = step
        difference = (loss(tank.b + unit, lower) - loss(tank.b - unit, lower)) / (2 * step)
        assert difference == pytest.approx(by_b[row], abs=1e-5, rel=1e-5)
        if result.active[row]:
            difference = (loss(tank.b, lower + unit) - loss(tank.b, lower - unit)) / (2 * step)
            assert difference == pytest.approx(by_bound[row], abs=1e-5, rel=1e-5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_threads_of_its_own(tank):
    expected = unstick.solve(tank.A, tank.b, tank.wall)  # starts the threads of this process
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def work():
        answers.put(unstick.solve(tank.A, tank.b, tank.wall).x)

    child = context.Process(target=work)
    child.start()
    assert np.array_equal(answers.get(timeout=60), expected.x)
    child.join(60)
    assert child.exitcode == 0
