"""Pressure problems as fields."""

from __future__ import annotations

import numpy as np
import pytest

import unstick


def outflow(velocity, open_, flow=None):
    """What leaves every cell."""
    total = 0.0
    for axis, (speed, part) in enumerate(zip(velocity, open_)):
        across = speed * part + (0.0 if flow is None else flow[axis])
        total = total + np.diff(across, axis=axis)
    return total


def splash(shape, seed=0):
    """A blob of liquid in a box with a slanted obstacle; velocities are noise."""
    random = np.random.default_rng(seed)
    centres = np.stack(np.meshgrid(*(np.arange(count) + 0.5 for count in shape), indexing="ij"), axis=-1)
    liquid = np.linalg.norm(centres - 0.4 * np.array(shape), axis=-1) - 0.45 * shape[0]
    velocity, open_ = [], []
    for axis in range(len(shape)):
        faces = tuple(count + (other == axis) for other, count in enumerate(shape))
        velocity.append(random.standard_normal(faces))
        part = np.clip(random.uniform(-0.3, 2.0, faces), 0.0, 1.0)
        np.moveaxis(part, axis, 0)[[0, -1]] = 0.0
        open_.append(part)
    return velocity, liquid, open_


@pytest.mark.parametrize("shape", [(24, 20), (12, 10, 9)])
def test_what_leaves_a_cell_is_nothing_or_leaves_its_wall(shape):
    velocity, liquid, open_ = splash(shape)
    result = unstick.solve_fields(velocity, liquid, open=open_, tol=1e-10)
    assert result.converged and result.active.any() and result.q.shape == shape
    left = outflow(result.velocity, open_)
    inside = liquid < 0.0
    scale = np.abs(outflow(velocity, open_)[inside]).max()
    assert np.abs(left[inside & ~result.active]).max() < 1e-8 * scale
    assert left[result.active].min() > -1e-8 * scale and (result.q[result.active] == 0.0).all()
    sides = (np.moveaxis(part, axis, 0) for axis, part in enumerate(open_))
    least = np.minimum.reduce([np.moveaxis(np.minimum(part[1:], part[:-1]), 0, axis) for axis, part in enumerate(sides)])
    assert result.q[inside & (least < 1.0)].min() >= 0.0
    assert (result.q[liquid >= 0.0] == 0.0).all()


def test_the_same_problem_as_rows_has_the_same_answer(tank):
    size = 24
    liquid = np.where(tank.mask, -0.5, 0.5).T  # [x, y]; the surface lies half a cell above the upper cells
    velocity = [np.zeros((size + 1, size)), np.zeros((size, size + 1))]
    # The outflow of each cell as that of its right face.
    b = np.zeros((size, size))
    b[tank.mask.T] = np.random.default_rng(1).standard_normal(tank.b.size)
    velocity[0][1:-1] = np.cumsum(b, axis=0)[:-1]
    outward = outflow(velocity, [np.ones_like(part) for part in velocity])
    rows = tank.mask.T
    A = tank.A.copy().tolil()
    y, x = np.nonzero(tank.mask)
    top = y == y.max()
    for row in np.flatnonzero(top):
        A[row, row] += 1.0  # θ is a half at the surface, one in the matrix
    expected = unstick.solve(A.tocsr(), outward.T[tank.mask], tank.wall, tol=1e-10)
    result = unstick.solve_fields(velocity, liquid, tol=1e-10)
    assert result.unknowns == rows.sum()
    assert np.abs(result.q.T[tank.mask] - expected.x).max() < 1e-7 * np.abs(expected.x).max()
    assert np.array_equal(result.active.T[tank.mask], expected.active)


def test_fields_in_either_order_and_warm_starts():
    velocity, liquid, open_ = splash((20, 16))
    plain = unstick.solve_fields(velocity, liquid, open=open_)
    turned = unstick.solve_fields(
        [np.asfortranarray(speed) for speed in velocity], np.asfortranarray(liquid), open=open_
    )
    assert np.array_equal(plain.q, turned.q)
    warm = unstick.solve_fields(velocity, liquid, open=open_, q0=plain.q)
    assert warm.history[0] < 1e-5 * plain.history[0]
    assert np.allclose(plain.pressure(0.01, 1000.0), plain.q * 1e5)
    sealed = unstick.solve_fields(velocity, liquid, open=open_, separating=False)
    assert not sealed.active.any() and sealed.wall_rows == 0


def test_what_does_not_fit_is_refused():
    velocity, liquid, open_ = splash((8, 8))
    with pytest.raises(unstick.ProblemError, match="the velocity has 1 axes, expected 2"):
        unstick.solve_fields(velocity[:1], liquid)
    with pytest.raises(unstick.ProblemError, match=r"along axis 1 has the shape \(9, 8\), expected \(8, 9\)"):
        unstick.solve_fields([velocity[0], velocity[0]], liquid)
    with pytest.raises(unstick.ProblemError, match="1 dimensions, expected 2 or 3"):
        unstick.solve_fields(velocity, liquid.ravel())
    velocity[0][3, 2] = np.nan
    liquid[:] = -1.0
    with pytest.raises(unstick.Error, match="NaN"):
        unstick.solve_fields(velocity, liquid)
