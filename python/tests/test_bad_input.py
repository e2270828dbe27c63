"""What is refused, in which words: those of the command line."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import unstick
from unstick import ProblemError

GOOD = np.array([[2.0, -1.0], [-1.0, 2.0]])


def refusal(A=GOOD, b=(1.0, -1.0), **how):
    with pytest.raises(ProblemError) as error:
        unstick.solve(A, b, **how)
    return error.value.message


def test_a_matrix_that_cannot_be_solved_is_refused():
    skew = np.array([[1.0, -0.5], [0.0, 1.0]])
    assert refusal(skew) == "the matrix is not symmetric: entry (0, 1) is -0.5, entry (1, 0) is 0"
    assert refusal(np.diag([1.0, -1.0])) == "the diagonal of row 1 is -1, expected a positive number"
    assert refusal(np.array([[1.0, np.nan], [np.nan, 1.0]])) == "entry (0, 1) is NaN, expected a finite number"
    assert refusal(np.ones((2, 3))) == "the matrix has 2 rows and 3 columns, expected a square matrix"
    assert refusal(GOOD.astype(complex)) == "the array of values holds complex128, expected real numbers"
    assert "expected a scipy.sparse matrix" in refusal("a matrix")


def test_index_arrays_that_lie_are_refused():
    data = np.ones(2)
    assert "column 7, the matrix has 2 rows" in refusal((data, np.array([0, 7]), np.array([0, 1, 2])))
    assert "column 4294967295, the matrix" in refusal((data, np.array([0, -1], np.int32), np.array([0, 1, 2])))
    assert "expected what fits 32 bits" in refusal((data, np.array([0, -1]), np.array([0, 1, 2])))
    assert "row 0 ends before it starts" in refusal((data, np.array([0, 1]), np.array([0, 9, 2])))
    assert "do not make a matrix" in refusal((data, np.array([0, 1]), np.array([0, 1, 9])))
    assert "0 row starts" in refusal((np.ones(0), np.zeros(0, int), np.zeros(0, int)), b=())
    assert "expected whole numbers" in refusal((data, np.array([0.0, 1.0]), np.array([0, 1, 2])))
    assert "a tuple of 2" in refusal((data, data))


def test_arrays_of_the_wrong_shape_are_refused():
    assert refusal(b=[1.0]) == "b has 1 entries, the problem has 2 rows"
    assert refusal(b=[[1.0, 2.0]]) == "b has 2 dimensions, expected 1"
    assert refusal(wall=[True]) == "the wall mask has 1 entries, the problem has 2 rows"
    assert refusal(wall=[True, False], lower=[0.0]) == "the lower bound has 1 entries, the problem has 2 rows"
    assert refusal(lower=[0.0]) == "the lower bound has 1 entries, the problem has 2 rows"
    assert refusal(x0=[0.0] * 3) == "the iterate has 3 entries, the problem has 2 rows"


def test_values_that_make_no_sense_are_refused():
    assert refusal(b=[np.nan, 0.0]) == "b is NaN in row 0, expected a finite number"
    assert refusal(b=["a", "b"]) == "b holds <U1, expected real numbers"
    assert refusal(wall=[0, 2]) == "the wall mask is 2 in row 1, expected 0 or 1"
    assert refusal(wall=[1, 0], lower=[np.inf, 0.0]) == (
        "the lower bound is inf in row 0, expected a finite number on a wall row"
    )
    assert refusal(x0=[np.inf, 0.0]) == "the iterate is inf in row 0, expected a finite number"
    for tol in (0.0, -1.0, np.nan, np.inf):
        assert "the tolerance is" in refusal(tol=tol) and "expected a positive number" in refusal(tol=tol)
    assert "`soon` is not a starting iterate" in refusal(start="soon")
    assert "`tpu` is no backend" in refusal(backend="tpu")
    assert refusal(max_iterations=-1) == "max_iterations is -1, expected none or a number that is not negative"


def test_a_grid_that_does_not_fit_is_refused():
    assert refusal(grid=(2, 2)) == "grid: expected a cell for each of 2 rows, found 4 cells"
    assert refusal(grid=unstick.Grid((2, 2), np.array([0, 9]))) == "grid: expected cells below 4, found cell 9 in row 1"
    assert "every cell once" in refusal(grid=unstick.Grid((2, 2), np.array([1, 1])))
    assert "the grid is int" in refusal(grid=5)
    assert "the shape of the grid is (-1, -2)" in refusal(grid=(-2, -1))


def test_a_method_that_does_not_fit_says_so():
    with pytest.raises(unstick.SolverNameError, match="`iop` works on the velocities of a step"):
        unstick.solve(GOOD, [1.0, -1.0], solver="iop")
    with pytest.raises(unstick.SolveError, match="`fft` solves boxes of liquid only"):
        unstick.solve(sparse.csr_array(GOOD), [1.0, -1.0], solver="sticking+fft")


def test_errors_are_also_what_python_people_catch():
    assert issubclass(unstick.ProblemError, ValueError) and issubclass(unstick.SceneError, ValueError)
    assert issubclass(unstick.FileError, OSError) and issubclass(unstick.NotConverged, RuntimeError)
    assert all(issubclass(kind, unstick.Error) for kind in (unstick.FileError, unstick.SolverNameError))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_of_numpy_is_a_dense_array():
    assert unstick.solve(np.matrix(GOOD), [1.0, -1.0]).converged
