"""Solving: answers, accounts, the command line bit for bit."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from scipy import sparse

import unstick


def violation(tank, x):
    """The natural residual, computed here."""
    r = tank.A @ x + tank.b
    return np.abs(np.where(tank.wall, np.minimum(x, r), r)).max()


def test_the_answer_solves_the_problem(tank):
    result = unstick.solve(tank.A, tank.b, wall=tank.wall)
    assert result.converged and result.outcome == "converged"
    assert violation(tank, result.x) <= 1e-6 * np.abs(tank.b).max()
    assert result.residual == pytest.approx(violation(tank, result.x), rel=1e-6)
    assert 0 < result.active_rows < result.wall_rows == tank.wall.sum()
    assert result.active.sum() == result.active_rows and not result.active[~tank.wall].any()
    assert np.all(result.x[result.active] == 0.0)


def test_a_wall_that_may_not_let_go_pulls(tank):
    sealed = unstick.solve(tank.A, tank.b)
    assert sealed.converged and sealed.wall_rows == 0 and sealed.x[tank.wall].min() < -0.1
    assert np.abs(tank.A @ sealed.x + tank.b).max() <= 1e-6 * np.abs(tank.b).max()


@pytest.mark.parametrize("solver", unstick.solvers())
def test_every_method_finds_the_same_answer(tank, solver):
    wall = None if solver.startswith("sticking") else tank.wall
    expected = unstick.solve(tank.A, tank.b, wall, tol=1e-10).x
    for grid in (None, tank.mask):
        result = unstick.solve(tank.A, tank.b, wall, solver=solver, tol=1e-8, grid=grid, max_iterations=100_000)
        assert result.converged, result
        assert np.abs(result.x - expected).max() < 1e-5


def test_names_are_those_of_the_command_line(command):
    listed = unstick.solvers()
    assert listed[0] == "best" and "policy+cg/mic0" in listed and len(unstick.solvers(all=True)) > 100
    refused = command("solve", "nowhere", "--solver", "polcy")
    with pytest.raises(unstick.SolverNameError) as error:
        unstick.solve(np.eye(1), [1.0], solver="polcy")
    message, nearest = error.value.message, "did you mean `policy`?"
    assert message in refused.stderr and nearest in refused.stderr and nearest in str(error.value)


@pytest.mark.parametrize("solver", ["best", "policy+cg/mic0", "mprgp/jacobi", "psor", "newton+gmres/ainv", "fas"])
@pytest.mark.parametrize("gridded", [False, True])
def test_the_answer_is_that_of_the_command_line_bit_for_bit(tank, command, tmp_path, solver, gridded):
    grid = tank.mask if gridded else None
    unstick.save_problem(tmp_path / "tank", tank.A, tank.b, tank.wall, grid=grid)
    done = command("solve", tmp_path / "tank", "--solver", solver, "--write-x", tmp_path / "x.npy", "--tol", "1e-8")
    assert done.returncode == 0, done.stderr
    result = unstick.solve(tank.A, tank.b, tank.wall, solver=solver, grid=grid, tol=1e-8)
    assert np.array_equal(result.x.view(np.uint64), np.load(tmp_path / "x.npy").view(np.uint64))


def test_formats_and_types_of_a_matrix_do_not_matter(tank):
    expected = unstick.solve(tank.A, tank.b, tank.wall).x
    shuffled = tank.A.tocoo()
    wide = (tank.A.data, tank.A.indices.astype(np.int64), tank.A.indptr.astype(np.int64))
    forms = [
        sparse.csr_matrix(tank.A),
        tank.A.tocsc(),
        shuffled,
        tank.A.tolil(),
        (tank.A.data, tank.A.indices, tank.A.indptr),
        wide,
        tank.A.toarray(),
        tank.A.astype(np.float32),
    ]
    for form in forms:
        assert np.array_equal(unstick.solve(form, tank.b, tank.wall).x, expected), type(form)


def test_rows_that_are_not_sorted_are_sorted_in_a_copy(tank):
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(tank.A.indptr, tank.A.indptr[1:])])
    unsorted = sparse.csr_array((tank.A.data[order], tank.A.indices[order], tank.A.indptr), shape=tank.A.shape)
    before = unsorted.indices.copy()
    expected = unstick.solve(tank.A, tank.b, tank.wall).x
    assert np.array_equal(unstick.solve(unsorted, tank.b, tank.wall).x, expected)
    assert np.array_equal(unsorted.indices, before)


def test_arrays_that_fit_are_not_copied_and_not_changed(tank):
    from unstick._matrix import rows, vector

    parts = rows(tank.A)
    assert np.shares_memory(parts.values, tank.A.data)
    assert np.shares_memory(parts.columns, tank.A.indices) and np.shares_memory(parts.starts, tank.A.indptr)
    assert vector(tank.b, "b") is tank.b
    given = [array.copy() for array in (tank.A.data, tank.A.indices, tank.b, tank.wall)]
    x0 = np.full(tank.b.size, 0.5)
    unstick.solve(tank.A, tank.b, tank.wall, x0=x0)
    for now, then in zip((tank.A.data, tank.A.indices, tank.b, tank.wall), given):
        assert np.array_equal(now, then)
    assert np.all(x0 == 0.5)


def test_read_only_arrays_are_taken(tank):
    b = tank.b.copy()
    b.flags.writeable = False
    assert unstick.solve(tank.A, b, tank.wall).converged


def test_bounds_other_than_zero_hold(tank):
    lower = np.where(tank.wall, -0.25, np.nan)  # what stands on equation rows is ignored
    result = unstick.solve(tank.A, tank.b, tank.wall, lower=lower)
    assert result.converged and result.x[tank.wall].min() == -0.25
    implied = unstick.solve(tank.A, tank.b, lower=np.where(tank.wall, -0.25, -np.inf))
    assert np.array_equal(implied.x, result.x) and implied.wall_rows == result.wall_rows


def test_a_start_at_the_answer_needs_no_cycle(tank):
    first = unstick.solve(tank.A, tank.b, tank.wall, tol=1e-8, solver="policy")
    again = unstick.solve(tank.A, tank.b, tank.wall, x0=first.x, solver="policy")
    assert again.converged and again.cycles == 0
    assert unstick.solve(tank.A, tank.b, tank.wall, start="psor:5", solver="policy").converged


def test_falling_short_is_said_or_raised(tank):
    short = unstick.solve(tank.A, tank.b, tank.wall, solver="psor", max_iterations=3)
    assert not short.converged and short.outcome == "iteration limit" and short.cycles == 3
    assert short.history.size == 4 and short.history[-1] == pytest.approx(short.residual)
    with pytest.raises(unstick.NotConverged, match="iteration limit after 3 cycles") as error:
        unstick.solve(tank.A, tank.b, tank.wall, solver="psor", max_iterations=3, raise_on_failure=True)
    assert np.array_equal(error.value.result.x, short.x)
    assert pickle.loads(pickle.dumps(error.value)).message == error.value.message


def test_a_tolerance_may_be_absolute(tank):
    assert unstick.solve(tank.A, tank.b, tank.wall, tol=1e-9, absolute=True).residual <= 1e-9


def test_closed_pockets_are_reported():
    ring = sparse.csr_array(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    solved = unstick.solve(ring, [1.0, -1.0])
    assert solved.converged and solved.pockets[0].compatible and solved.pockets[0].rows == 2
    torn = unstick.solve(ring, [1.0, 0.0])
    assert torn.outcome == "incompatible" and torn.pockets[0].imbalance == pytest.approx(0.5)


def test_a_result_reads_well(tank):
    text = repr(unstick.solve(tank.A, tank.b, tank.wall, solver="policy"))
    assert text.startswith("<policy+cg/mic0: converged after ") and "wall rows let go" in text and "\n" not in text


def test_threads_do_not_disturb_each_other(tank):
    expected = unstick.solve(tank.A, tank.b, tank.wall, solver="policy").x
    answers = [None] * 8

    def work(place):
        answers[place] = unstick.solve(tank.A, tank.b, tank.wall, solver="policy").x

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(answers))]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(np.array_equal(answer, expected) for answer in answers)


def test_the_lock_is_released(tank):
    """Another thread must get to run while a solve is under way."""
    counted, is_done = [0], threading.Event()

    def count():
        while not is_done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    unstick.solve(tank.A, tank.b, tank.wall, solver="psor", tol=1e-300, max_iterations=20_000)
    during = counted[0] - before
    is_done.set()
    thread.join()
    assert during > 1000


def test_a_problem_without_rows_is_solved():
    nothing = unstick.solve(sparse.csr_array((0, 0)), np.zeros(0))
    assert nothing.converged and nothing.x.size == 0


def test_the_device_is_taken_where_it_can_be(tank):
    # Without a grid there is nothing for a device to do.
    on_cpu = unstick.solve(tank.A, tank.b, tank.wall)
    assert np.array_equal(unstick.solve(tank.A, tank.b, tank.wall, backend="auto").x, on_cpu.x)
    try:
        on_gpu = unstick.solve(tank.A, tank.b, tank.wall, grid=tank.mask, backend="gpu")
    except unstick.SolveError as error:
        assert 'backend="auto"' in str(error)
    else:
        assert on_gpu.converged and np.abs(on_gpu.x - on_cpu.x).max() < 1e-4
