"""Running: frames as arrays, run folders, the bar."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import unstick
from unstick import Scene, shapes


@pytest.fixture(name="scene")
def fixture_scene():
    scene = Scene.load("dam-break")
    scene.grid.cells = [32, 24]
    scene.output.width = 64
    return scene


def drop():
    """A ball of liquid in free fall, in space."""
    return Scene(grid={"cells": [12, 12, 12]}, liquid=[{"shape": shapes.sphere((0.5, 0.5, 0.5), 0.25)}])


def test_frames_come_with_their_arrays(scene):
    frames = list(scene.run(frames=3))
    assert [frame.number for frame in frames] == [0, 1, 2, 3]
    assert [frame.time for frame in frames] == pytest.approx([0.0, 0.01, 0.02, 0.03])
    frame = frames[-1]
    count = frame.stats["particles"]
    assert frame.particles.shape == frame.velocities.shape == (count, 2)
    assert frame.pressure.shape == frame.liquid.shape == frame.separated.shape == (32, 24)
    assert frame.solid.shape == (33, 25)
    assert [field.shape for field in frame.velocity] == [(33, 24), (32, 25)]
    assert frame.pressure[2, 1] > frame.pressure[2, 10] > 0.0 == frame.pressure[30, 20], "deeper is higher"
    assert frame.liquid[2, 2] < 0.0 < frame.liquid[30, 20]
    assert frame.velocities[:, 1].mean() < 0.0 and frames[0].velocities.max() == 0.0
    assert frame.particles is frame.particles, "copied once"
    assert frames[0].stats["step"] == 0 and "residual" not in frames[0].stats
    assert frame.stats == frame.steps[-1] and frame.stats["converged"] is True
    assert frame.stats["history"][-1] == pytest.approx(frame.stats["residual"])
    steps = [step["step"] for frame in frames for step in frame.steps]
    assert steps == list(range(1, len(steps) + 1))
    assert "frame 3 at 0.03 s" in repr(frame)


def test_a_frame_stays_as_it_is_while_the_run_goes_on(scene):
    run = scene.run(frames=3)
    first = next(run)
    list(run)
    expected = next(scene.run(frames=1))
    assert np.array_equal(first.particles, expected.particles) and np.array_equal(first.liquid, expected.liquid)


def test_the_contour_of_plane_liquid_encloses_its_area(scene):
    frame = next(scene.run())
    vertices, segments = frame.surface
    start, end = vertices[segments[:, 0]], vertices[segments[:, 1]]
    area = 0.5 * np.sum(start[:, 0] * end[:, 1] - end[:, 0] * start[:, 1])
    assert area == pytest.approx(0.25 * 0.5, rel=0.05)


def test_the_surface_of_liquid_in_space_is_closed_and_encloses_its_volume():
    frame = next(drop().run())
    vertices, faces = frame.surface
    assert vertices.shape[1] == faces.shape[1] == 3 and frame.pressure.shape == (12, 12, 12)
    a, b, c = (vertices[faces[:, corner]].astype(float) for corner in range(3))
    volume = np.sum(a * np.cross(b, c)) / 6.0
    assert volume == pytest.approx(frame.stats["surface_volume"], rel=0.1) and volume > 0.0
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    assert np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2)


def test_liquid_in_free_fall_falls_freely():
    *_, frame = drop().run(frames=10)
    drop_so_far = 0.5 - frame.particles[:, 1].mean()
    assert drop_so_far == pytest.approx(0.5 * 9.81 * 0.1**2, rel=0.02)


def test_pictures_are_arrays_and_files(scene, tmp_path):
    frame = next(scene.run())
    assert frame.image.shape[1:] == (64, 3) and frame.image.dtype == np.uint8 and frame.image.std() > 1
    assert frame.draw(width=128).shape[1] == 128
    assert not np.array_equal(frame.draw(pressure=True), frame.image)
    frame.save(tmp_path / "frame.png")
    assert (tmp_path / "frame.png").read_bytes() == frame._repr_png_()
    for width in (0, -5, 10**9):
        with pytest.raises(unstick.RunError, match="from 64 to 8192"):
            frame.draw(width=width)


def test_bodies_are_shown():
    body = {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "density": 500, "centre": [0.5, 0.7]}
    scene = Scene(grid={"cells": [24, 24]}, liquid=[{"shape": shapes.cuboid((0, 0), (1, 0.4))}], body=[body])
    first, *_, last = scene.run(frames=5)
    before, after = first.bodies[0], last.bodies[0]
    assert before["name"] == "ball" and np.array_equal(before["position"], [0.5, 0.7])
    assert after["position"][1] == pytest.approx(0.7 - 0.5 * 9.81 * 0.05**2) and after["velocity"][1] < -0.4
    assert np.allclose(after["rotation"], np.eye(2)) and after["spin"].shape == (3,)


def test_a_run_folder_is_that_of_the_command_line(scene, command, tmp_path):
    run = scene.run_to(tmp_path / "mine", frames=3)
    sets = [f"--set={key}" for key in ("grid.cells=[32,24]", "output.width=64")]
    done = command("run", "dam-break", *sets, "--frames", 3, "--out", tmp_path / "theirs")
    assert done.returncode == 0, done.stderr
    names = [sorted(path.name for path in (tmp_path / side).iterdir()) for side in ("mine", "theirs")]
    assert names[0] == names[1]
    assert run.report == tmp_path / "mine" / "report.html" and run.movie is not None and run.movie.exists()
    for name in (f"frames/{number:04}.png" for number in range(4)):
        assert (tmp_path / "mine" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    lines = [(tmp_path / side / "stats.csv").read_text().splitlines() for side in ("mine", "theirs")]
    without_times = [[line.split(",")[:18] for line in side] for side in lines]
    assert without_times[0] == without_times[1]


def test_data_files_are_written_where_a_scene_asks_for_them(scene, tmp_path):
    scene.output.particles = "npz"
    for frame in scene.run(frames=1, out=tmp_path / "run", progress=False):
        stored = np.load(tmp_path / "run" / "particles" / f"{frame.number:04}.npz")
        assert np.array_equal(stored["position"], frame.particles)
        assert np.array_equal(stored["velocity"], frame.velocities)
        assert np.array_equal(stored["id"], frame.ids) and stored["id"].dtype == frame.ids.dtype == np.int64


def test_particles_are_found_again_by_their_numbers(scene):
    first, *_, last = scene.run(frames=3)
    assert sorted(first.ids) == sorted(last.ids) == list(range(len(first.particles)))
    assert not np.array_equal(first.ids, last.ids), "their order has changed"
    moved = last.particles[np.argsort(last.ids)] - first.particles[np.argsort(first.ids)]
    assert np.abs(moved).max() < 0.05 and moved[:, 1].mean() < 0.0


def test_a_run_is_resumed_bit_for_bit(scene, tmp_path):
    *_, expected = scene.run(frames=4)
    scene.run_to(tmp_path / "run", frames=2)
    resumed = list(scene.run(frames=4, out=tmp_path / "run", resume=True))
    assert [frame.number for frame in resumed] == [3, 4]
    assert np.array_equal(resumed[-1].particles, expected.particles)
    assert np.array_equal(resumed[-1].ids, expected.ids)
    with pytest.raises(unstick.FileError, match="exists already and is not empty") as error:
        scene.run(out=tmp_path / "run")
    assert "resume=True" in str(error.value)
    scene.run_to(tmp_path / "run", frames=1, force=True)
    assert not (tmp_path / "run" / "frames" / "0002.png").exists()


def test_a_loop_that_is_left_early_leaves_a_report(scene, tmp_path):
    with scene.run(out=tmp_path / "run") as run:
        for frame in run:
            if frame.number == 1:
                break
    assert run.report is not None and run.report.exists()
    assert repr(run) == f"<run of Breaking dam in {tmp_path / 'run'}, frame 1 of 150>"


def test_a_viscous_flow_comes_with_its_arrays_and_bodies(tmp_path):
    scene = Scene.load("settling-disk")
    scene.grid.refine = 0.34
    frames = list(scene.run(frames=2))
    assert [frame.number for frame in frames] == [0, 1, 2]
    frame, cells = frames[-1], tuple(frames[-1].pressure.shape)
    assert len(frame.bodies) == 1 and frame.bodies[0]["velocity"][1] < 0.0
    assert frame.particles.shape == frame.velocities.shape == (1, 2) and frame.ids.tolist() == [0]
    assert frame.solid.shape == tuple(count + 1 for count in cells)
    assert np.array_equal(frame.particles[0], frame.bodies[0]["position"])
    assert frame.stats["pressure_converged"] is True and frame.stats["viscous_iterations"] >= 0
    assert "kinetic_energy" in frames[0].stats and frame.image.ndim == 3
    run = scene.run_to(tmp_path / "run", frames=1)
    assert run.report is not None and run.report.exists()
    resumed = list(scene.run(frames=2, out=tmp_path / "run", resume=True))
    assert np.array_equal(resumed[-1].particles, frame.particles)


def test_a_scene_that_makes_no_sense_writes_nothing(scene, tmp_path):
    scene.liquid[0].shape = shapes.cuboid((2, 2), (3, 3))
    with pytest.raises(unstick.SceneError):
        scene.run(out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    scene = Scene.load("sphere-half")
    scene.grid.cells = [1200, 1200, 1200]
    with pytest.raises(unstick.SceneError, match="GiB of memory"):
        scene.run()


def test_a_solve_that_falls_short_stops_the_run_if_the_scene_says_so(scene):
    scene.pressure.solver = "psor"
    scene.pressure.tolerance = 1e-30
    scene.pressure.on_unconverged = "error"
    with pytest.raises(unstick.RunError) as error:
        list(scene.run(frames=2))
    assert "on_unconverged" in str(error.value)


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_a_bar_and_a_pipe_none(scene, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr("unstick._progress.PAUSE", 0.0)
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    list(scene.run(frames=2))
    shown = screen.getvalue()
    assert "Breaking dam  [>" in shown and "frame 1 of 2, 0:0" in shown and shown.endswith("\r")
    quiet = Screen()
    monkeypatch.setattr(sys, "stderr", quiet)
    list(scene.run(frames=1, progress=False))
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    list(scene.run(frames=1))
    assert quiet.getvalue() == pipe.getvalue() == ""


def test_a_notebook_gets_a_bar(scene, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr("unstick._progress.PAUSE", 0.0)
    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append(data["text/plain"])

    class IPython:
        class display:
            @staticmethod
            def display(data, raw, display_id):
                return Handle()

        @staticmethod
        def get_ipython():
            return type("Shell", (), {"kernel": object()})()

    monkeypatch.setitem(sys.modules, "IPython", IPython)
    monkeypatch.setitem(sys.modules, "IPython.display", IPython.display)
    list(scene.run(frames=2))
    assert any("frame 2 of 2" in text for text in shown) and shown[-1] == ""


def test_the_bar_of_tqdm_is_taken_where_it_is(scene, monkeypatch):
    made = []

    class Tqdm:
        def __init__(self, total, initial, **_):
            self.total, self.n, self.is_closed = total, initial, False
            made.append(self)

        def update(self, by):
            self.n += by

        def close(self):
            self.is_closed = True

    module = type(sys)("tqdm.auto")
    module.tqdm = Tqdm
    monkeypatch.setitem(sys.modules, "tqdm", type(sys)("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setattr(sys, "stderr", Screen())
    list(scene.run(frames=2))
    assert [(bar.total, bar.n, bar.is_closed) for bar in made] == [(2, 2, True)]


def test_two_runs_at_once_do_not_disturb_each_other(scene):
    import threading

    *_, expected = scene.run(frames=3)
    last = {}

    def work(name):
        *_, last[name] = scene.run(frames=3)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(np.array_equal(frame.particles, expected.particles) for frame in last.values()) and len(last) == 3
