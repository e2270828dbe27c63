"""Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

FOLDER = Path(__file__).parent

BEGIN = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background are born deaf to Ctrl-C
sys.path.insert(0, {str(FOLDER)!r})
import numpy as np
import unstick
from conftest import tank
problem = tank(48)
"""


def interrupted(work: str) -> str:
    """Sends Ctrl-C to a script that has said `ready`; returns what it says after that."""
    script = BEGIN + textwrap.dedent(work)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        assert said == "ready\n", said + process.stdout.read()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    return said


def test_a_solve_ends_and_the_next_one_works():
    # Without Ctrl-C this would take days: no residual is ever that small.
    said = interrupted("""
        try:
            print("ready", flush=True)
            unstick.solve(problem.A, problem.b, problem.wall, solver="psor", tol=1e-300, max_iterations=10**12)
        except KeyboardInterrupt:
            print("interrupted")
        print(unstick.solve(problem.A, problem.b, problem.wall).converged)
    """)
    assert said == "interrupted\nTrue\n"


def test_a_long_linear_solve_ends_too():
    said = interrupted("""
        # Long linear solves, one after another: the signal is met inside of one.
        try:
            print("ready", flush=True)
            while True:
                unstick.solve(problem.A, problem.b, problem.wall, solver="policy+cg/none", tol=1e-14)
        except KeyboardInterrupt:
            print("interrupted")
    """)
    assert said == "interrupted\n"


def test_a_run_ends_between_steps_and_goes_on_where_it_was():
    said = interrupted("""
        scene = unstick.Scene.load("dam-break")
        scene.grid.cells = [48, 36]
        run = scene.run(frames=20)
        next(run)
        # One frame that would take for ever, so that the signal is met within it.
        slow = scene.copy()
        slow.set("time.frame", 1e6)
        try:
            print("ready", flush=True)
            for frame in slow.run(frames=1):
                pass
        except KeyboardInterrupt:
            print("interrupted")
        last = None
        for last in run:
            pass
        print(last.number, last.time)
    """)
    assert said == "interrupted\n20 0.2\n"


def test_the_same_run_goes_on_bit_for_bit():
    said = interrupted("""
        scene = unstick.Scene.load("dam-break")
        scene.grid.cells = [96, 72]
        scene.set("time.frame", 0.3)
        whole = scene.run(frames=1)
        next(whole), (expected := next(whole))
        run = scene.run(frames=1)
        next(run)
        try:
            print("ready", flush=True)
            while run.number < 1:
                next(run)
            print("too fast")
        except KeyboardInterrupt:
            print("interrupted", run.number)
        frame = next(run)
        print(np.array_equal(frame.particles, expected.particles), len(frame.steps) == len(expected.steps))
    """)
    assert said == "interrupted 0\nTrue True\n"
