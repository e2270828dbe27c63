"""Run a scene with both kinds of wall and plot what comes of it.

    python run_and_plot.py            writes run_and_plot.png

Needs matplotlib.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import unstick

MOMENTS = (0.3, 0.6, 0.75, 0.9)


def simulate(walls, cells):
    """Frames at the moments to be shown, and height and energy of the liquid at all times."""
    scene = unstick.Scene.load("dam-break")
    scene.grid.cells = cells
    scene.walls.border = walls
    shown, history = [], []
    for frame in scene.run(frames=round(MOMENTS[-1] / scene.time.frame)):
        if any(abs(frame.time - moment) < 1e-6 for moment in MOMENTS):
            shown.append(frame)
        if frame.steps:
            at_ceiling = (frame.particles[:, 1] > 0.75 - 2.0 / cells[0]).mean()
            history.append((frame.time, 100.0 * at_ceiling, frame.stats["kinetic_energy"]))
    return shown, history


def main(path="run_and_plot.png", cells=(128, 96)):
    runs = {walls: simulate(walls, cells) for walls in ("sealed", "separating")}
    figure, axes = plt.subplots(3, len(MOMENTS), figsize=(3.2 * len(MOMENTS), 8.4), layout="constrained")
    for row, (walls, (frames, _)) in zip(axes, runs.items()):
        for axis, frame in zip(row, frames):
            axis.imshow(frame.image)
            axis.set_title(f"{walls} walls, {frame.time:.2f} s")
            axis.axis("off")
    grid = axes[0, 0].get_gridspec()
    for axis in axes[2]:
        axis.remove()
    ceiling, energy = (figure.add_subplot(grid[2, 2 * half : 2 * half + 2]) for half in (0, 1))
    for walls, (_, history) in runs.items():
        times, at_ceiling, kinetic = zip(*history)
        ceiling.plot(times, at_ceiling, label=f"{walls} walls")
        energy.plot(times, kinetic, label=f"{walls} walls")
    ceiling.set(xlabel="time in s", ylabel="particles at the ceiling in %")
    energy.set(xlabel="time in s", ylabel="kinetic energy in J")
    ceiling.legend()
    figure.savefig(path, dpi=90)
    plt.close(figure)
    print(f"wrote {Path(path)}")
    return runs


if __name__ == "__main__":
    main(*sys.argv[1:])
