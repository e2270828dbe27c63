"""Simulations that a loop of one's own steps, looks into and changes."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import unstick
from unstick import shapes


def tank(**keys):
    return unstick.Scene(
        grid={"cells": [16, 16]},
        liquid=[{"shape": shapes.cuboid((0, 0), (1, 0.5))}],
        **keys,
    )


def test_steps_are_those_of_a_run():
    scene = unstick.Scene.load("dam-break")
    scene.grid.cells = [24, 18]
    simulation = scene.simulate()
    lines = simulation.advance(scene.check()["frame"])
    *_, last = scene.run(frames=1)
    assert np.array_equal(simulation.particles, last.particles)
    assert [line["dt"] for line in lines] == [step["dt"] for step in last.steps]
    assert simulation.steps == len(lines) and simulation.time == pytest.approx(last.time)
    assert np.array_equal(simulation.frame.pressure, last.pressure)


def test_forces_are_changes_of_velocities():
    simulation = tank().simulate()
    before = simulation.particles[:, 0].mean()
    for _ in range(10):
        velocities = simulation.velocities
        velocities[:, 0] += 0.01 * 2.0
        simulation.velocities = velocities
        stats = simulation.step(0.01)
    assert stats["converged"] and simulation.steps == 10
    # The walls hold the water: it leans to the right, and no further.
    assert before < simulation.particles[:, 0].mean() < before + 0.5 * 2.0 * 0.1**2


def test_gravity_may_turn():
    simulation = tank().simulate()
    simulation.set_gravity([0.0, 0.0])
    simulation.step(0.01)
    assert np.abs(simulation.velocities).max() < 1e-9
    simulation.set_gravity([0.0, 9.81])
    simulation.advance(0.1)
    # Free fall upwards, away from the floor.
    assert simulation.velocities[:, 1].mean() == pytest.approx(9.81 * 0.1, rel=0.1)
    with pytest.raises(unstick.RunError, match="gravity is"):
        simulation.set_gravity([0.0, np.nan])


def test_particles_are_the_liquid():
    simulation = tank().simulate()
    count = len(simulation.particles)
    simulation.particles = simulation.particles + [0.0, 0.25]
    assert np.array_equal(np.sort(simulation.ids), np.arange(count))
    simulation.particles = simulation.particles[::2]
    assert len(simulation.particles) == count // 2 and simulation.ids.min() >= count
    simulation.step()
    with pytest.raises(unstick.RunError, match="outside of the grid"):
        simulation.particles = simulation.particles + [2.0, 0.0]
    with pytest.raises(unstick.RunError, match="another dimension"):
        simulation.set_particles(np.zeros((3, 3)), np.zeros((3, 3)))
    with pytest.raises(unstick.RunError, match="velocities of particles"):
        simulation.set_particles(np.full((3, 2), 0.5), np.zeros((2, 2)))


def test_liquid_comes_from_an_array_of_distances():
    centres = (np.arange(32) + 0.5) / 32
    x, y = np.meshgrid(centres, centres, indexing="ij")
    distance = np.hypot(x - 0.5, y - 0.6) - 0.25
    particles = shapes.fill(distance, 1 / 32)
    assert np.hypot(*(particles - [0.5, 0.6]).T).max() < 0.25 + 1e-3
    assert len(particles) * (1 / 64) ** 2 == pytest.approx(np.pi * 0.25**2, rel=0.02)
    scene = unstick.Scene(grid={"cells": [32, 32]})
    simulation = scene.simulate(particles, np.tile([1.0, 0.0], (len(particles), 1)))
    simulation.advance(0.05)
    assert simulation.particles.mean(axis=0) == pytest.approx([0.55, 0.6 - 0.5 * 9.81 * 0.05**2], abs=5e-3)


def test_a_simulation_is_pickled_and_goes_on_bit_for_bit():
    simulation = tank().simulate()
    simulation.advance(0.05)
    again = pickle.loads(pickle.dumps(simulation))
    twin = copy.deepcopy(simulation)
    for one in (simulation, again, twin):
        one.advance(0.05)
    assert np.array_equal(simulation.particles, again.particles) and simulation.time == again.time
    assert np.array_equal(simulation.particles, twin.particles)


def test_bodies_have_forces_and_may_be_pushed():
    scene = tank(body=[{"shape": {"cuboid": {"size": [0.25, 0.25]}}, "centre": [0.5, 0.7], "density": 500.0}])
    simulation = scene.simulate()
    simulation.set_body(0, [1.0, 0.0], 0.5)
    simulation.step(0.005)
    (body,) = simulation.bodies
    assert body["velocity_x"] == pytest.approx(1.0, abs=0.2) and "liquid_force_y" in body
    with pytest.raises(unstick.RunError, match="the body is 3, expected one of 1"):
        simulation.set_body(3, [0.0, 0.0])


def test_a_viscous_flow_is_stepped_and_stirred():
    assert "settling-disk" in unstick.scenes()
    scene = unstick.Scene.load("settling-disk")
    simulation = scene.simulate()
    fields = simulation.velocity
    simulation.velocity = fields
    assert all(np.array_equal(before, after) for before, after in zip(fields, simulation.velocity))
    stats = simulation.step()
    assert stats["dt"] > 0.0 and simulation.steps == 1
    with pytest.raises(unstick.RunError, match="no particles"):
        simulation.particles = np.full((2, fields[0].ndim), 0.5)
    again = pickle.loads(pickle.dumps(simulation))
    for one in (simulation, again):
        one.set_body(0, [0.01, 0.0])
        one.step()
    assert simulation.bodies[0]["velocity_x"] > 0.0
    assert all(np.array_equal(one, other) for one, other in zip(simulation.velocity, again.velocity))


def test_a_mesh_comes_from_arrays():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float) * 0.5 + 0.2
    triangles = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    scene = unstick.Scene(
        grid={"cells": [12, 12, 12]},
        solid=[{"shape": shapes.mesh((vertices, triangles))}],
        liquid=[{"shape": shapes.cuboid((0, 0, 0), (1, 0.5, 1))}],
    )
    frame = scene.simulate().frame
    inside, outside = frame.solid[3, 3, 3], frame.solid[11, 11, 11]
    assert inside < 0.0 < outside
    assert pickle.loads(pickle.dumps(scene)).to_toml() == scene.to_toml()
    with pytest.raises(unstick.SceneError, match="expected"):
        shapes.mesh((vertices[:, :2], triangles))


def test_scenes_and_frames_are_pickled(tmp_path):
    scene = unstick.Scene.load("dam-break")
    scene.grid.cells = [24, 18]
    again = pickle.loads(pickle.dumps(scene))
    assert again.to_toml() == scene.to_toml() and again.name == "dam-break" and copy.copy(scene).name == "dam-break"
    *_, frame = scene.run(frames=1)
    stored = pickle.loads(pickle.dumps(frame))
    assert (stored.number, stored.time, stored.cells) == (1, frame.time, (24, 18))
    for name in ("particles", "velocities", "ids", "pressure", "liquid", "solid", "separated", "image"):
        assert np.array_equal(getattr(stored, name), getattr(frame, name)), name
    assert all(np.array_equal(one, other) for one, other in zip(stored.velocity, frame.velocity))
    assert np.array_equal(stored.surface.vertices, frame.surface.vertices)
    assert stored.stats["volume"] == frame.stats["volume"]
    assert pickle.loads(pickle.dumps(stored)).number == 1
    with pytest.raises(unstick.RunError, match="pickled"):
        stored.draw(width=200)


def test_a_frame_is_a_dataset_of_xarray():
    pytest.importorskip("xarray")
    frame = tank().simulate().frame
    data = frame.to_xarray()
    assert data.pressure.dims == ("x", "y") and data.velocity_x.dims == ("x_node", "y")
    assert float(data.x[0]) == pytest.approx(1 / 32) and float(data.liquid.sel(y=0.1, method="nearest").max()) < 0.0
    assert np.array_equal(data.solid.values, frame.solid)


@pytest.mark.parametrize("cells", [[16, 16], [8, 8, 8]])
def test_a_frame_is_blocks_of_pyvista(cells):
    pytest.importorskip("pyvista")
    upper = [1.0, 0.5, 1.0][: len(cells)]
    scene = unstick.Scene(grid={"cells": cells}, liquid=[{"shape": shapes.cuboid([0.0] * len(cells), upper)}])
    simulation = scene.simulate()
    simulation.step(0.01)
    blocks = simulation.frame.to_pyvista()
    assert blocks["grid"].n_cells == np.prod(cells) and blocks["particles"].n_points == len(simulation.particles)
    assert blocks["grid"].cell_data["velocity"].shape == (np.prod(cells), 3)
    assert blocks["surface"].n_cells == len(simulation.frame.surface.faces)
    centre = blocks["grid"].find_containing_cell([0.3, 0.2, 0.3 if len(cells) == 3 else 0.0])
    assert blocks["grid"].cell_data["liquid"][centre] < 0.0
