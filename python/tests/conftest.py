"""What the tests share: a small pressure problem, and the command line to compare with."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse


@dataclass
class Tank:
    """A tank of liquid whose left half is pulled to the right: its left wall must let go."""

    A: Any
    b: np.ndarray
    wall: np.ndarray
    mask: np.ndarray


def tank(size: int = 24) -> Tank:
    """Liquid in a box with air above; the border is a wall."""
    mask = np.zeros((size, size), dtype=bool)  # [y, x]
    mask[: size // 2] = True
    number = np.full(mask.shape, -1)
    number[mask] = np.arange(mask.sum())
    entries, diagonal = [], np.zeros(mask.sum())
    for y, x in np.argwhere(mask):
        row = number[y, x]
        for near_y, near_x in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if 0 <= near_y < size and 0 <= near_x < size:
                diagonal[row] += 1.0
                if mask[near_y, near_x]:
                    entries.append((row, number[near_y, near_x], -1.0))
    rows, columns, values = (np.array(part) for part in zip(*entries))
    A = sparse.csr_array((values, (rows, columns)), shape=2 * (diagonal.size,)) + sparse.diags_array(diagonal)
    A = sparse.csr_array((A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32)), shape=A.shape)
    y, x = np.nonzero(mask)
    wall = (x == 0) | (x == size - 1) | (y == 0)
    b = np.where(x == 0, 1.0, np.where(x == size - 1, -1.0, 0.1 * np.sin(x + 2.0 * y)))
    return Tank(A, b, wall, mask)


@pytest.fixture(name="tank", scope="session")
def fixture_tank() -> Tank:
    return tank()


@pytest.fixture(scope="session")
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `unstick` with arguments. CI says where it is; elsewhere it may be on the PATH."""
    found = os.environ.get("UNSTICK_COMMAND") or shutil.which("unstick")
    if found is None:
        pytest.skip("the command is not at hand: set UNSTICK_COMMAND")

    def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        line = [os.path.abspath(found) if os.sep in found else found, *map(str, arguments)]
        return subprocess.run(line, cwd=cwd, capture_output=True, text=True, check=False)

    return run
