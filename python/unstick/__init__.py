"""Liquids that let go of walls.

A wall can push a liquid but not pull it. Pressure solvers that forget this make water cling to
ceilings; with it, the pressure becomes a complementarity problem. This package solves such problems
and simulates such liquids.

Solve a problem of your own, with a matrix of ``scipy.sparse``::

    import unstick
    result = unstick.solve(A, b, wall=mask)
    pressure = result.x

Simulate::

    for frame in unstick.Scene.load("dam-break").run():
        print(frame.time, frame.particles.shape, frame.stats["volume"])

The guide is ``docs/guide-python.md`` in the sources.
"""

import os

from . import shapes
from ._errors import (
    Error,
    FileError,
    NotConverged,
    ProblemError,
    RunError,
    SceneError,
    SolveError,
    SolverNameError,
)
from ._fields import FieldResult, solve_fields
from ._frame import Frame, Surface
from ._problem import Problem, load_problem, save_problem
from ._run import Run
from ._scene import Scene, Section, scenes
from ._simulation import Simulation
from ._solve import Cycle, Grid, Pocket, Result, solve, solvers
from ._solver import Solver
from ._unstick import __version__, after_fork, threads

if hasattr(os, "register_at_fork"):
    # Threads do not survive a fork: a child starts its own.
    os.register_at_fork(after_in_child=after_fork)

__all__ = [
    "Cycle",
    "Error",
    "FieldResult",
    "FileError",
    "Frame",
    "Grid",
    "NotConverged",
    "Pocket",
    "Problem",
    "ProblemError",
    "Result",
    "Run",
    "RunError",
    "Scene",
    "SceneError",
    "Section",
    "Simulation",
    "SolveError",
    "Solver",
    "SolverNameError",
    "Surface",
    "__version__",
    "load_problem",
    "save_problem",
    "scenes",
    "shapes",
    "solve",
    "solve_fields",
    "solvers",
    "threads",
]
