"""A small water simulation in NumPy and SciPy, of the kind that many people have.

Particles carry the water, a staggered grid makes it incompressible (FLIP). This is `their_fluid.py`
with walls that push and do not pull; compare the two with `diff`. Arrays are indexed [x, y].
"""

import numpy as np
from scipy import sparse
from unstick import solve

CELLS = 40
STEP = 0.005
GRAVITY = -9.81
FLIP = 0.95


class Water:
    """Water that fills the upper part of a box of 1 × 1 and is at rest, with air below it."""

    def __init__(self):
        h = 1.0 / CELLS
        x, y = np.meshgrid(np.arange(0.0, 1.0, h / 2) + h / 4, np.arange(0.6, 1.0, h / 2) + h / 4)
        self.position = np.stack([x.ravel(), y.ravel()], axis=1)
        self.velocity = np.zeros_like(self.position)

    def step(self):
        u, v, liquid = self.particles_to_grid()
        before = u.copy(), v.copy()
        v += STEP * GRAVITY
        u[[0, -1], :] = 0.0
        v[:, [0, -1]] = 0.0
        self.project(u, v, liquid)
        self.grid_to_particles(u, v, before)

    def particles_to_grid(self):
        place = self.position * CELLS
        u = splat(place - [0.0, 0.5], self.velocity[:, 0], (CELLS + 1, CELLS))
        v = splat(place - [0.5, 0.0], self.velocity[:, 1], (CELLS, CELLS + 1))
        liquid = np.zeros((CELLS, CELLS), dtype=bool)
        liquid[tuple(np.clip(place.astype(int), 0, CELLS - 1).T)] = True
        return u, v, liquid

    def project(self, u, v, liquid):
        """Takes the divergence out of the water; the pressure is zero in the air."""
        number = np.full(liquid.shape, -1)
        number[liquid] = np.arange(liquid.sum())
        divergence = (u[1:] - u[:-1] + v[:, 1:] - v[:, :-1])[liquid]
        matrix = laplacian(liquid, number)
        pressure = np.zeros(liquid.shape)
        at_wall = np.pad(np.zeros((CELLS - 2, CELLS - 2), dtype=bool), 1, constant_values=True)
        result = solve(matrix, divergence, wall=at_wall[liquid], grid=liquid)
        pressure[liquid] = result.x
        free = np.zeros(liquid.shape, dtype=bool)
        free[liquid] = result.active
        u[1:-1] -= pressure[1:] - pressure[:-1]
        v[:, 1:-1] -= pressure[:, 1:] - pressure[:, :-1]
        extend(u, np.pad(liquid, ((0, 1), (0, 0))) | np.pad(liquid, ((1, 0), (0, 0))))
        extend(v, np.pad(liquid, ((0, 0), (0, 1))) | np.pad(liquid, ((0, 0), (1, 0))))
        # Water may leave a wall that has let go of it, never enter one.
        u[0], u[-1] = np.where(free[0], u[1].clip(0), 0), np.where(free[-1], u[-2].clip(None, 0), 0)
        v[:, 0], v[:, -1] = np.where(free[:, 0], v[:, 1].clip(0), 0), np.where(free[:, -1], v[:, -2].clip(None, 0), 0)

    def grid_to_particles(self, u, v, before):
        place = self.position * CELLS
        new = np.stack([gather(place - [0.0, 0.5], u), gather(place - [0.5, 0.0], v)], axis=1)
        old = np.stack([gather(place - [0.0, 0.5], before[0]), gather(place - [0.5, 0.0], before[1])], axis=1)
        self.velocity = FLIP * (self.velocity + new - old) + (1.0 - FLIP) * new
        self.position = np.clip(self.position + STEP * new, 1e-4, 1.0 - 1e-4)


def laplacian(liquid, number):
    """Cells that are liquid, coupled with their neighbours; walls leave no trace in it."""
    count, matrix = number.max() + 1, []
    for axis in (0, 1):
        one, other = (slice(None, -1), slice(1, None))
        pair = [(one, slice(None)), (other, slice(None))] if axis == 0 else [(slice(None), one), (slice(None), other)]
        for here, there in (pair, pair[::-1]):
            rows = number[here][liquid[here]]
            matrix.append(sparse.coo_array((np.ones(rows.size), (rows, rows)), shape=(count, count)))
            both = liquid[here] & liquid[there]
            rows, columns = number[here][both], number[there][both]
            matrix.append(sparse.coo_array((-np.ones(rows.size), (rows, columns)), shape=(count, count)))
    return sum(matrix[1:], matrix[0].tocsr()).tocsr()


def corners(place, shape):
    """The four values around a place and their weights."""
    base = np.clip(np.floor(place).astype(int), 0, np.array(shape) - 2)
    part = np.clip(place - base, 0.0, 1.0)
    for dx in (0, 1):
        for dy in (0, 1):
            weight = (part[:, 0] if dx else 1 - part[:, 0]) * (part[:, 1] if dy else 1 - part[:, 1])
            yield (base[:, 0] + dx, base[:, 1] + dy), weight


def splat(place, values, shape):
    total, weights = np.zeros(shape), np.full(shape, 1e-12)
    for corner, weight in corners(place, shape):
        np.add.at(total, corner, weight * values)
        np.add.at(weights, corner, weight)
    return total / weights


def gather(place, field):
    return sum(weight * field[corner] for corner, weight in corners(place, field.shape))


def extend(field, known, layers=3):
    """Copies what is known outwards, a layer at a time."""
    for _ in range(layers):
        total, count = np.zeros(field.shape), np.zeros(field.shape)
        for axis in (0, 1):
            for shift in (1, -1):
                near = np.roll(known, shift, axis)
                border = [slice(None)] * 2
                border[axis] = 0 if shift == 1 else -1
                near[tuple(border)] = False
                total += np.where(near, np.roll(field, shift, axis), 0.0)
                count += near
        new = ~known & (count > 0)
        field[new] = total[new] / count[new]
        known = known | new


def main(seconds=0.2):
    water = Water()
    start = water.position[:, 1].mean()
    for _ in range(round(seconds / STEP)):
        water.step()
    fallen = start - water.position[:, 1].mean()
    left = np.mean(water.position[:, 1] > 1.0 - 1.5 / CELLS)
    free = -0.5 * GRAVITY * seconds**2
    print(f"after {seconds} s: fallen {fallen:.3f} m of {free:.3f} m; {left:.0%} of the water is at the ceiling")
    return water


if __name__ == "__main__":
    main()
