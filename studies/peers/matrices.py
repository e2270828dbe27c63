#!/usr/bin/env python3
"""Matrices without a grid: `unstick` beside PETSc, AMGCL and pyamg, in one run.

    python3 matrices.py cube 64 128      cube with half a lid: in order, shuffled, with its grid
    python3 matrices.py tetrahedra 83    P1 Laplacian on a Delaunay mesh of N³ points, obstacle on a third of the rows

Needs the Python package and, for each peer that is to take part, petsc4py, pyamg, or a program `amgcl` (see README.md)
named by AMGCL. Every solve has a process of its own; processes take turns, and each prints a line of JSON: seconds of
set-up and solve (the least of --repeat), cycles, the largest residual over that at zero, and bytes of memory per row
that were taken beside the problem, at their most. Ratios within one call mean something, times alone do not. On a busy
machine compare `cpu`, seconds of the processor, with `--threads 1`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

TOLERANCE = 1e-6


# Problems


def cube(size: int, folder: Path) -> None:
    """`unstick generate cube-lid` in its own order and with its rows shuffled."""
    import unstick

    plain = folder / f"cube-{size}"
    subprocess.run([command(), "generate", "cube-lid", "--size", str(size), "--out", plain], check=True, stdout=subprocess.DEVNULL)
    problem = unstick.load_problem(plain)
    order = np.random.default_rng(0).permutation(problem.b.size)
    A = sparse.csr_array(problem.A)
    write(folder / f"cube-{size}-shuffled", A[order][:, order].tocsr(), problem.b[order], problem.lower[order])
    write(plain, A, problem.b, problem.lower, np.array(problem.grid.shape))


def tetrahedra(size: int, folder: Path) -> None:
    """−Δu = f on a mesh of points that are spread unevenly, u ≥ ψ in a layer that is a third of them."""
    from scipy.spatial import Delaunay

    random = np.random.default_rng(0)
    lattice = np.stack(np.meshgrid(*[np.arange(size)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    points = (lattice + 0.5 + random.uniform(-0.45, 0.45, lattice.shape)) / size
    mesh = Delaunay(points).simplices
    edges = points[mesh[:, 1:]] - points[mesh[:, :1]]
    volume = np.abs(np.linalg.det(edges)) / 6.0
    good = volume > 1e-10 / size**3  # flat ones of the hull carry nothing
    mesh, edges, volume = mesh[good], edges[good], volume[good]
    slopes = np.linalg.inv(edges).transpose(0, 2, 1)  # gradients of the last three of the four functions
    slopes = np.concatenate([-slopes.sum(axis=1, keepdims=True), slopes], axis=1)
    local = np.einsum("tia,tja,t->tij", slopes, slopes, volume)
    rows, columns = np.repeat(mesh, 4, axis=1).ravel(), np.tile(mesh, (1, 4)).ravel()
    A = sparse.coo_array((local.ravel(), (rows, columns)), shape=2 * (len(points),)).tocsr()
    load = np.zeros(len(points))
    np.add.at(load, mesh.ravel(), np.repeat(volume / 4.0, 4))
    held = ((points < 0.75 / size) | (points > 1.0 - 0.75 / size)).any(axis=1)
    free = np.flatnonzero(~held)
    free = free[random.permutation(free.size)]
    A, where = A[free][:, free].tocsr(), points[free]
    A = (0.5 * (A + A.T)).tocsr()
    A.sum_duplicates()
    hill = 0.02 * np.sin(5.0 * where[:, 0]) * np.sin(4.0 * where[:, 1])
    lower = np.where(np.abs(where[:, 2] - 0.5) < 1.0 / 6.0, hill - 0.02, -np.inf)
    write(folder / f"tetrahedra-{size}", A, 0.5 * load[free], lower)


def write(folder: Path, A, b, lower, grid=None) -> None:
    folder.mkdir(exist_ok=True)
    A.sort_indices()
    for name, array, kind in (("starts", A.indptr, np.int32), ("columns", A.indices, np.int32), ("values", A.data, float)):
        array.astype(kind).tofile(folder / f"{name}.bin")
    (-b).tofile(folder / "rhs.bin")
    lower.tofile(folder / "lower.bin")
    if grid is not None:
        grid.astype(np.int64).tofile(folder / "grid.bin")


def read(folder: Path):
    parts = [np.fromfile(folder / f"{name}.bin", kind) for name, kind in (("values", float), ("columns", np.int32), ("starts", np.int32))]
    A = sparse.csr_array(tuple(parts), shape=2 * (parts[2].size - 1,))
    return A, -np.fromfile(folder / "rhs.bin"), np.fromfile(folder / "lower.bin")


def residual(A, b, lower, x) -> float:
    w = A @ x + b
    at = np.where(lower > -np.inf, np.minimum(A.diagonal() * (x - lower), w), w)
    return float(np.abs(at).max() / np.abs(b).max())


# Solvers


def ours(folder: Path, gridded: bool, repeat: int) -> dict:
    import unstick

    A, b, lower = read(folder)
    grid = tuple(int(count) for count in np.fromfile(folder / "grid.bin", np.int64)[::-1]) if gridded else None
    unstick.solve(np.array([[2.0]]), [1.0])
    start = forget_peak()
    best = None
    for _ in range(repeat):
        begin, begin_cpu, result = time.perf_counter(), time.process_time(), None
        result = unstick.solve(A, b, lower=lower, tol=TOLERANCE, grid=grid, check=False)
        seconds, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
        if best is None or seconds < best[0]:
            best = seconds, cpu, result
    seconds, cpu, result = best
    facts = {"setup": result.setup_time, "solve": result.solve_time, "outside": seconds - result.time, "cpu": cpu, "cycles": result.inner_iterations}
    facts |= {"policies": result.cycles, "let_go": result.active_rows, "walls": result.wall_rows, "remark": result.remark}
    bytes_a_row = (memory("VmHWM:") - start) / b.size
    return {**facts, "bytes_a_row": round(bytes_a_row), "residual": residual(A, b, lower, result.x)}


def many(folder: Path, repeat: int) -> dict:
    """Ten right-hand sides with other active sets, set up once."""
    import unstick

    A, b, lower = read(folder)
    solver = unstick.Solver(A, tol=TOLERANCE, check=False)
    random = np.random.default_rng(0)
    sides = [b * (1.0 + 0.5 * random.standard_normal()) + 0.3 * np.abs(b).mean() * np.roll(b / np.abs(b).max(), number) for number in range(10)]
    results = [solver.solve(side, lower=lower) for side in sides]
    return {
        "setup": [round(result.setup_time, 3) for result in results],
        "solve": [round(result.solve_time, 3) for result in results],
        "cycles": [result.inner_iterations for result in results],
        "let_go": [result.active_rows for result in results],
        "residual": max(residual(A, side, lower, result.x) for side, result in zip(sides, results)),
    }


BOOMERAMG = {
    "pc_type": "hypre",
    "pc_hypre_type": "boomeramg",
    "pc_hypre_boomeramg_strong_threshold": 0.5,
    "pc_hypre_boomeramg_coarsen_type": "HMIS",
    "pc_hypre_boomeramg_interp_type": "ext+i",
    "pc_hypre_boomeramg_agg_nl": 1,
    "pc_hypre_boomeramg_P_max": 4,
}


def snesvi(folder: Path, inner: float) -> dict:
    """PETSc's reduced-space active set, with the settings of snesvi.py and an inner tolerance."""
    import petsc4py

    petsc4py.init(["matrices"])
    from petsc4py import PETSc

    A, b, lower = read(folder)
    options = PETSc.Options()
    for name, value in {**BOOMERAMG, "snes_linesearch_type": "basic"}.items():
        options[name] = value
    begin, begin_cpu = time.perf_counter(), time.process_time()
    matrix = PETSc.Mat().createAIJ(A.shape, csr=(A.indptr, A.indices, A.data), comm=PETSc.COMM_SELF)
    matrix.setOption(PETSc.Mat.Option.SPD, True)
    offset = PETSc.Vec().createWithArray(b.copy(), comm=PETSc.COMM_SELF)
    x, below, above = (offset.duplicate() for _ in range(3))
    below.setArray(np.where(lower > -np.inf, lower, PETSc.NINFINITY))
    above.set(PETSc.INFINITY)
    x.set(0.0)
    snes = PETSc.SNES().create(PETSc.COMM_SELF)
    snes.setType("vinewtonrsls")
    snes.setFunction(lambda _, at, out: matrix.multAdd(at, offset, out), offset.duplicate())
    snes.setJacobian(lambda *_: None, matrix, matrix)
    snes.setVariableBounds(below, above)

    def is_done(snes, _number, _norms):
        left = residual(A, b, lower, snes.getSolution().getArray())
        reason = PETSc.SNES.ConvergedReason
        return reason.CONVERGED_FNORM_ABS if left <= TOLERANCE else reason.ITERATING

    snes.setConvergenceTest(is_done)
    snes.setTolerances(max_it=200)
    snes.getKSP().setType("cg")
    snes.getKSP().setTolerances(rtol=inner, max_it=5000)
    snes.setFromOptions()
    snes.solve(None, x)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
    answer = x.getArray()
    return {"setup": 0.0, "solve": seconds, "cpu": cpu, "cycles": snes.getLinearSolveIterations(), "policies": snes.getIterationNumber(), "residual": residual(A, b, lower, answer)}


def pyamg_linear(folder: Path) -> dict:
    import pyamg

    A, b, _ = read(folder)
    begin, begin_cpu = time.perf_counter(), time.process_time()
    levels = pyamg.smoothed_aggregation_solver(sparse.csr_matrix(A), symmetry="symmetric", max_coarse=500)
    ready = time.perf_counter()
    history: list = []
    x = levels.solve(-b, tol=1e-8, maxiter=500, accel="cg", residuals=history)
    end, cpu = time.perf_counter(), time.process_time() - begin_cpu
    return {"setup": ready - begin, "solve": end - ready, "cpu": cpu, "cycles": len(history) - 1, "residual": float(np.abs(A @ x + b).max() / np.abs(b).max())}


def memory(kind: str) -> int:
    """Bytes that the process takes, or has taken at its most."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(kind))


def forget_peak() -> int:
    """Bytes that it takes now, from which the most is counted again."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return memory("VmRSS:")


SOLVERS = {
    "unstick": lambda folder, repeat: ours(folder, False, repeat),
    "unstick, grid given": lambda folder, repeat: ours(folder, True, repeat),
    "unstick, ten right-hand sides": many,
    "petsc snesvi + boomeramg": lambda folder, _: snesvi(folder, 1e-5),
    "petsc snesvi + boomeramg, inner 1e-2": lambda folder, _: snesvi(folder, 1e-2),
    "pyamg, linear": lambda folder, _: pyamg_linear(folder),
}


def command() -> str:
    return os.environ.get("UNSTICK", "unstick")


def run(folder: Path, names: list[str], threads: int, repeat: int, limit: float) -> None:
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    for name in names:
        if name == "amgcl, linear":
            line = [os.environ.get("AMGCL", "amgcl"), str(folder)]
        else:
            line = [sys.executable, __file__, "one", str(folder), name, "--repeat", str(repeat)]
        try:
            done = subprocess.run(line, capture_output=True, text=True, env=environment, timeout=limit, check=False)
            found = [text for text in done.stdout.splitlines() if text.startswith("{")]
            facts = json.loads(found[-1]) if found else {"failed": (done.stderr or done.stdout)[-300:]}
        except (OSError, subprocess.TimeoutExpired) as error:
            facts = {"failed": str(error)[:200]}
        facts.pop("peer", None)
        print(json.dumps({"problem": folder.name, "solver": name, **facts}), flush=True)


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("what", choices=["cube", "tetrahedra", "one"])
    cli.add_argument("arguments", nargs="*")
    cli.add_argument("--threads", type=int, default=2)
    cli.add_argument("--repeat", type=int, default=3)
    cli.add_argument("--limit", type=float, default=600.0, help="seconds for each solver")
    cli.add_argument("--folder", type=Path, help="where problems are kept; those that are there are not made again")
    cli.add_argument("--solvers", help="some of them, with semicolons between")
    args = cli.parse_args()
    if args.what == "one":
        folder, name = args.arguments
        print(json.dumps(SOLVERS[name](Path(folder), args.repeat)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        asked = args.solvers.split(";") if args.solvers else [*SOLVERS, "amgcl, linear"]
        for size in map(int, args.arguments):
            if not (folder / f"{args.what}-{size}").exists():
                (cube if args.what == "cube" else tetrahedra)(size, folder)
            for name in [f"cube-{size}", f"cube-{size}-shuffled"] if args.what == "cube" else [f"tetrahedra-{size}"]:
                known = [solver for solver in asked if solver != "unstick, grid given" or name == f"cube-{size}"]
                run(folder / name, known, args.threads, args.repeat, args.limit)


if __name__ == "__main__":
    main()
