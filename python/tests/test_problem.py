"""Problem folders."""

from __future__ import annotations

import numpy as np
import pytest

import unstick


def test_a_folder_comes_back_as_it_was_written(tank, tmp_path):
    x = np.linspace(0.0, 1.0, tank.b.size)
    lower = np.where(tank.wall, 0.125, -np.inf)
    unstick.save_problem(tmp_path / "tank", tank.A, tank.b, tank.wall, lower=lower, x=x, grid=tank.mask)
    read = unstick.load_problem(tmp_path / "tank")
    assert (read.A != tank.A).nnz == 0 and read.A.indices.dtype == np.int32
    for mine, theirs in ((read.b, tank.b), (read.wall, tank.wall), (read.lower, lower), (read.x, x)):
        assert np.array_equal(mine, theirs)
    assert read.grid.shape == tank.mask.shape[::-1]
    assert repr(read) == "<problem of 288 rows, 46 of them walls on a grid of 24 × 24>"
    direct = unstick.solve(tank.A, tank.b, tank.wall, lower=lower, grid=tank.mask)
    assert np.array_equal(read.solve().x, direct.x)


def test_a_folder_of_the_command_is_read(command, tmp_path):
    made = command("generate", "sphere-half", "--size", "12", "--out", tmp_path / "sphere")
    assert made.returncode == 0, made.stderr
    problem = unstick.load_problem(tmp_path / "sphere")
    solved = command("solve", tmp_path / "sphere", "--write-x", tmp_path / "x.npy")
    assert solved.returncode == 0, solved.stderr
    assert np.array_equal(problem.solve().x, np.load(tmp_path / "x.npy"))


def test_a_missing_folder_is_named_with_what_belongs_there(command, tmp_path):
    with pytest.raises(unstick.FileError) as error:
        unstick.load_problem(tmp_path / "nowhere")
    assert error.value.message.endswith("and may hold lower.npy, x.npy and grid.json")
    assert error.value.message in command("solve", tmp_path / "nowhere").stderr


def test_a_folder_with_content_is_not_replaced(tank, tmp_path):
    unstick.save_problem(tmp_path / "tank", tank.A, tank.b)
    with pytest.raises(unstick.FileError, match="exists already and is not empty"):
        unstick.save_problem(tmp_path / "tank", tank.A, tank.b)


def test_a_problem_that_could_not_be_read_is_not_written(tank, tmp_path):
    with pytest.raises(unstick.ProblemError, match="b has 3 entries"):
        unstick.save_problem(tmp_path / "tank", tank.A, np.zeros(3))
    assert not (tmp_path / "tank").exists()


def test_damaged_files_are_named(tank, tmp_path, command):
    unstick.save_problem(tmp_path / "tank", tank.A, tank.b, tank.wall)
    (tmp_path / "tank" / "A.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n")
    with pytest.raises(unstick.ProblemError) as error:
        unstick.load_problem(tmp_path / "tank")
    assert error.value.message.endswith("A.mtx:2: expected a square matrix, found 2 rows and 3 columns")
    assert error.value.message in command("solve", tmp_path / "tank").stderr
