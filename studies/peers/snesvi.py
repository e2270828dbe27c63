#!/usr/bin/env python3
"""Solve a problem folder with PETSc's SNESVI, as an independent check.

The folder holds A.mtx, b.npy and wall.npy. With w = A x + b, wall rows ask for
x >= 0, w >= 0 and x w = 0; the other rows ask for w = 0. PETSc takes this as a
variational inequality: F(x) = w, with a lower bound of 0 on the wall rows.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

try:
    import petsc4py
except ImportError:
    sys.exit("snesvi.py: petsc4py not found; the README says how to point PYTHONPATH at Debian's")

petsc4py.init(["snesvi"])
from petsc4py import PETSc  # noqa: E402  (init comes first)


# Full Newton steps, and BoomerAMG as is usual for Poisson problems in 3-D. With
# PETSc's own defaults a 32^3 cube took 1.5 (ICC) to 3 times (hypre) as long.
DEFAULTS = {
    "snes_linesearch_type": "basic",
    "pc_hypre_type": "boomeramg",
    "pc_hypre_boomeramg_strong_threshold": 0.5,
    "pc_hypre_boomeramg_coarsen_type": "HMIS",
    "pc_hypre_boomeramg_interp_type": "ext+i",
    "pc_hypre_boomeramg_agg_nl": 1,
    "pc_hypre_boomeramg_P_max": 4,
}


def read_folder(folder):
    """A as CSR, b, and the mask of complementary rows."""
    matrix = scipy.sparse.csr_matrix(scipy.io.mmread(folder / "A.mtx"))
    matrix.sort_indices()
    b = np.load(folder / "b.npy").astype(np.float64)
    wall = np.load(folder / "wall.npy").astype(bool)
    if not matrix.shape[0] == matrix.shape[1] == b.size == wall.size:
        sys.exit(f"snesvi.py: the sizes in {folder} disagree")
    return matrix, b, wall


def solve(matrix, b, wall, preconditioner, tol):
    """Reduced-space active-set Newton from x = 0; returns x and the SNES."""
    index = PETSc.IntType
    mat = PETSc.Mat().createAIJ(
        matrix.shape,
        csr=(matrix.indptr.astype(index), matrix.indices.astype(index), matrix.data),
        comm=PETSc.COMM_SELF,
    )
    mat.setOption(PETSc.Mat.Option.SPD, True)
    offset = PETSc.Vec().createWithArray(b, comm=PETSc.COMM_SELF)
    lower, upper, x = (offset.duplicate() for _ in range(3))
    lower.setArray(np.where(wall, 0.0, PETSc.NINFINITY))
    upper.set(PETSc.INFINITY)
    x.set(0.0)

    snes = PETSc.SNES().create(PETSc.COMM_SELF)
    snes.setType("vinewtonrsls")
    snes.setFunction(lambda _snes, at, out: mat.multAdd(at, offset, out), offset.duplicate())
    snes.setJacobian(lambda *_: None, mat, mat)  # the matrix never changes
    snes.setVariableBounds(lower, upper)
    # Only the absolute test counts. Its 2-norm bounds the maximum norm.
    snes.setTolerances(rtol=0.0, atol=tol * np.abs(b).max(), stol=0.0, max_it=200)
    ksp = snes.getKSP()
    ksp.setType("cg")
    ksp.setTolerances(rtol=1e-5, max_it=10000)
    ksp.getPC().setType(preconditioner)
    options = PETSc.Options()  # filled from PETSC_OPTIONS, which has the last word
    for name, value in DEFAULTS.items():
        if not options.hasName(name):
            options[name] = value
    snes.setFromOptions()
    snes.solve(None, x)
    return x.getArray().copy(), snes


def main():
    cli = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cli.add_argument("folder", type=Path)
    cli.add_argument("out", type=Path, help="where x goes (.npy)")
    cli.add_argument("--pc", choices=["hypre", "icc"], default="hypre", help="preconditioner of CG")
    cli.add_argument("--tol", type=float, default=1e-10, help="residual relative to max|b|")
    cli.add_argument("--compare", type=Path, metavar="X.npy", help="another solution of the same folder")
    args = cli.parse_args()

    matrix, b, wall = read_folder(args.folder)
    start = time.perf_counter()
    x, snes = solve(matrix, b, wall, args.pc, args.tol)
    seconds = time.perf_counter() - start
    np.save(args.out, x)

    # Measured here, not taken from PETSc: the minimum map on walls, w elsewhere.
    w = matrix @ x + b
    residual = np.where(wall, np.minimum(matrix.diagonal() * x, w), w)
    report = {
        "peer": f"petsc-snesvi-{args.pc}",
        "rows": b.size,
        "newton": snes.getIterationNumber(),
        "cg_iterations": snes.getLinearSolveIterations(),
        "seconds": round(seconds, 6),
        "relative_residual": float(np.abs(residual).max() / np.abs(b).max()),
        "reason": int(snes.getConvergedReason()),
    }
    if args.compare:
        other = np.load(args.compare).astype(np.float64).ravel()
        report["max_difference"] = float(np.abs(x - other).max() / np.abs(x).max())
    print(json.dumps(report))
    return 0 if report["reason"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
