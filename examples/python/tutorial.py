# %% [markdown]
# # Sticking against separating, in pictures
#
# A wall can push a liquid, but it cannot pull it. Most pressure solvers forget this: they ask that nothing flows
# through a wall, in either direction, and so the wall holds on to liquid that should leave it. This tutorial
# looks at what that does, first in one solve, then in a simulation.
#
# It is made from `examples/python/tutorial.py`, whose cells VS Code and Jupyter (with jupytext) run one by one.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import unstick

# %% [markdown]
# ## One solve
#
# A tank is half full and jerked to the right: its liquid would stay behind, flowing out of the left wall and into
# the right one. We number the liquid cells, set up the matrix of the pressure, and mark the cells that touch a wall.

# %%
size = 48
liquid = np.zeros((size, size), dtype=bool)  # [y, x]
liquid[: size // 2] = True

line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(size, size)).tolil()
line[0, 0] = line[-1, -1] = 1.0  # no flow through the ends
box = (sparse.kron(line, sparse.eye_array(size)) + sparse.kron(sparse.eye_array(size), line)).tocsr()
A = box[liquid.ravel()][:, liquid.ravel()]  # what is cut off is air, at pressure zero

y, x = np.nonzero(liquid)
b = np.where(x == 0, 1.0, np.where(x == size - 1, -1.0, 0.0))  # net outflow of each cell
wall = (x == 0) | (x == size - 1) | (y == 0)

# %% [markdown]
# Without `wall` every row is an equation: the classic, sticking wall. With it, the pressure at walls may not be
# negative, and where it is zero liquid may leave.

# %%
sticking = unstick.solve(A, b, grid=liquid)
separating = unstick.solve(A, b, wall=wall, grid=liquid)
print(sticking)
print(separating)

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
most = np.abs(sticking.x).max()
for axis, result, title in zip(axes, (sticking, separating), ("sticking walls", "separating walls")):
    pressure = np.full(liquid.shape, np.nan)
    pressure[liquid] = result.x
    shown = axis.imshow(pressure[: size // 2 + 4], origin="lower", cmap="RdBu_r", vmin=-most, vmax=most)
    gone = result.active
    axis.plot(x[gone], y[gone], "o", color="orange", markersize=3, label="wall has let go")
    axis.set_title(title)
    axis.set_axis_off()
axes[1].legend(loc="upper center")
figure.colorbar(shown, ax=axes, label="pressure")
plt.show()

# %% [markdown]
# On the left the pressure is negative (blue) along the whole left wall: the wall pulls. On the right it is
# nowhere negative; the left wall has let go (orange), and the pressure at the right wall is another one too:
# letting go on one side changes the answer everywhere.
#
# How fast the solvers get there:

# %%
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
for solver in ("best", "policy", "newton", "fas", "mprgp", "psor"):
    result = unstick.solve(A, b, wall=wall, grid=liquid, solver=solver)
    axis.loglog(np.arange(result.history.size) + 1, result.history, label=result.solver)
axis.set(xlabel="cycles + 1", ylabel="natural residual")
axis.legend(fontsize="small")
plt.show()

# %% [markdown]
# ## A simulation
#
# The breaking dam: a block of liquid falls over, climbs the far wall and reaches the ceiling. We run it twice and
# keep the frames.

# %%
runs = {}
for walls in ("sealed", "separating"):
    scene = unstick.Scene.load("dam-break")
    scene.grid.cells = [96, 72]
    scene.walls.border = walls
    scene.output.width = 320
    runs[walls] = list(scene.run(frames=90))

# %%
figure, axes = plt.subplots(2, 4, figsize=(12, 5), layout="constrained")
for row, (walls, frames) in zip(axes, runs.items()):
    for axis, number in zip(row, (30, 55, 70, 90)):
        axis.imshow(frames[number].image)
        axis.set_title(f"{walls}, {frames[number].time:.2f} s")
        axis.set_axis_off()
plt.show()

# %% [markdown]
# Sealed walls (above) keep a layer of liquid under the ceiling; separating walls (below) let it fall. The cells whose
# wall has let go are marked in orange. Frames are arrays, so this can be measured: the part of the particles within
# two cells of the ceiling.

# %%
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
for walls, frames in runs.items():
    part = [100.0 * np.mean(frame.particles[:, 1] > 0.75 - 2 / 96) for frame in frames]
    axis.plot([frame.time for frame in frames], part, label=f"{walls} walls")
axis.set(xlabel="time in s", ylabel="liquid at the ceiling in %")
axis.legend()
plt.show()

# %% [markdown]
# ## A scene of your own
#
# Scenes can be written in Python. Here liquid fills half of a tilted square with a round obstacle in it; the contour is
# that of `frame.surface`, the colours are the pressure.

# %%
from unstick import Scene, shapes

tilted = shapes.rotate(shapes.cuboid((0.2, 0.2), (0.8, 0.8)), 20, about=(0.5, 0.5))
scene = Scene(
    title="A tilted box",
    grid={"cells": [80, 80]},
    solid=[{"shape": shapes.complement(tilted)}, {"shape": shapes.sphere((0.55, 0.45), 0.08)}],
    liquid=[{"shape": shapes.half_space((0.4, 0.5), (1, 0))}],
)
frames = list(scene.run(frames=40))

# %%
figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for axis, frame in zip(axes, (frames[0], frames[20], frames[40])):
    axis.imshow(np.where(frame.liquid < 0, frame.pressure, np.nan).T, origin="lower", extent=(0, 1, 0, 1), cmap="viridis")
    vertices, segments = frame.surface
    axis.plot(*vertices[segments].transpose(2, 1, 0), color="navy", linewidth=1)
    nodes = np.linspace(0, 1, frame.solid.shape[0])
    axis.contourf(nodes, nodes, frame.solid.T, levels=[-1, 0], colors="lightgrey")
    axis.set_title(f"{frame.time:.1f} s")
    axis.set_axis_off()
plt.show()

# %% [markdown]
# Where to go from here: [the guide](guide-python.md) for everything that can be called, [scene files](scene-file.md)
# for every key, and `examples/python/their_fluid.py` for our solver in somebody else's fluid loop.
