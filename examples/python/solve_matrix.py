"""Solve a matrix of your own: the pressure in a tank that is pulled to the right.

    python solve_matrix.py
"""

import numpy as np
from scipy import sparse

import unstick

SIZE = 64


def tank():
    """Liquid in the lower half of a box with air above: matrix, net outflow of each cell, cells at walls."""
    liquid = np.zeros((SIZE, SIZE), dtype=bool)  # [y, x]
    liquid[: SIZE // 2] = True
    line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(SIZE, SIZE)).tolil()
    line[0, 0] = line[-1, -1] = 1.0  # no flow through the ends: they are walls
    identity = sparse.eye_array(SIZE)
    everywhere = sparse.kron(line, identity) + sparse.kron(identity, line)
    matrix = everywhere.tocsr()[liquid.ravel()][:, liquid.ravel()]  # what is cut off is air, at pressure zero
    y, x = np.nonzero(liquid)
    outflow = np.where(x == 0, 1.0, np.where(x == SIZE - 1, -1.0, 0.0))
    at_wall = (x == 0) | (x == SIZE - 1) | (y == 0)
    return matrix, outflow, at_wall, liquid


def main():
    A, b, wall, liquid = tank()

    sticking = unstick.solve(A, b, grid=liquid)
    print("walls that pull:      ", sticking)
    print(f"   the left wall pulls with a pressure down to {sticking.x[wall].min():.3f}")

    result = unstick.solve(A, b, wall=wall, grid=liquid)
    print("walls that only push: ", result)
    r = A @ result.x + b
    print(f"   lowest pressure at a wall {result.x[wall].min():.3f}")
    print(f"   where the liquid leaves the wall it flows out with up to {r[wall].max():.3f}")
    print(f"   elsewhere the flow is in balance to {np.abs(r[~wall]).max():.1e}")
    return sticking, result


if __name__ == "__main__":
    main()
