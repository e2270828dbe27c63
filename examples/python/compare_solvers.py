"""Every solver on the pressure problems of a scene, on finer and finer grids.

    python compare_solvers.py

The problems are those of a few frames of the breaking dam, taken by `unstick capture` or, here, built
from what a frame shows: cells, walls, velocities.
"""

import sys

import numpy as np
from scipy import sparse

import unstick


def problem(frame, cells):
    """The pressure problem of a frame: liquid cells, air around them, the border a wall."""
    liquid = (frame.liquid < 0.0).T  # [y, x], the order in which NumPy counts rows
    number = np.full(liquid.shape, -1)
    number[liquid] = np.arange(liquid.sum())
    entries, diagonal = [], np.zeros(liquid.sum())
    for axis in (0, 1):
        for step in (1, -1):
            inside = np.ones(liquid.shape, dtype=bool)
            inside[(-1 if step == 1 else 0,) if axis == 0 else (slice(None), -1 if step == 1 else 0)] = False
            near = np.roll(number, -step, axis)
            diagonal += inside[liquid]
            pairs = liquid & inside & (near >= 0)
            entries.append((number[pairs], near[pairs]))
    rows, columns = (np.concatenate(part) for part in zip(*entries))
    matrix = sparse.csr_array((-np.ones(rows.size), (rows, columns)), shape=(diagonal.size,) * 2)
    matrix = (matrix + sparse.diags_array(diagonal)).tocsr()
    u, v = (field.T for field in frame.velocity)
    gravity = -9.81 * 0.01
    v = v + gravity
    v[[0, -1]], u[:, [0, -1]] = 0.0, 0.0
    outflow = (u[:, 1:] - u[:, :-1] + v[1:] - v[:-1])[liquid]
    y, x = np.nonzero(liquid)
    wall = (x == 0) | (x == cells[0] - 1) | (y == 0) | (y == cells[1] - 1)
    return matrix, outflow, wall, liquid


def main(sizes=(32, 64, 128), solvers=None, at=0.6):
    table = {}
    for size in sizes:
        scene = unstick.Scene.load("dam-break")
        scene.grid.cells = cells = [size, 3 * size // 4]
        *_, frame = scene.run(frames=round(at / scene.time.frame))
        A, b, wall, liquid = problem(frame, cells)
        print(f"\n{size} × {3 * size // 4} cells, {b.size} rows, {wall.sum()} of them walls")
        for solver in solvers or unstick.solvers():
            result = unstick.solve(A, b, wall, solver=solver, grid=liquid, check=False)
            table[size, solver] = result
            counts = f"{result.cycles:6} cycles {result.inner_iterations:6} inner"
            print(f"  {result.solver:22} {result.outcome:16} {counts} {1e3 * result.time:9.2f} ms")
    return table


if __name__ == "__main__":
    main(tuple(int(size) for size in sys.argv[1:]) or (32, 64, 128))
