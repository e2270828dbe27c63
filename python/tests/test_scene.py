"""Scenes: loaded, written, changed, refused."""

from __future__ import annotations

import numpy as np
import pytest

import unstick
from unstick import Scene, SceneError, shapes

SMALL = {
    "grid": {"cells": [16, 16]},
    "liquid": [{"shape": shapes.cuboid((0, 0), (0.5, 0.5))}],
}


def test_the_catalogue_is_that_of_the_command_line(command):
    listed = command("scenes").stdout
    assert len(unstick.scenes()) > 20 and all(name in listed for name in unstick.scenes())
    for name in unstick.scenes():
        assert Scene.load(name).check()["frames"] >= 1


def test_a_scene_is_read_and_changed_by_attribute():
    scene = Scene.load("dam-break")
    assert scene.name == "dam-break" and scene.title == "Breaking dam"
    assert scene.grid.cells == [128, 96] and scene.time.frames == 150
    scene.grid.cells = (32, 24)
    scene.walls.border = "sealed"
    scene.pressure.solver = "policy"
    scene.gravity = np.array([0.0, -1.62])
    scene.liquid[0].shape.cuboid.upper = [0.5, 0.25]
    scene.liquid[0]["velocity"] = [1.0, 0.0]
    values = scene.to_dict()
    assert values["grid"]["cells"] == [32, 24] and values["walls"] == {"border": "sealed"}
    assert values["liquid"] == [
        {"shape": {"cuboid": {"lower": [0.0, 0.0], "upper": [0.5, 0.25]}}, "velocity": [1.0, 0.0]}
    ]
    assert values["gravity"] == [0.0, -1.62] and scene.check()["cells"] == [32, 24]
    assert repr(scene) == "<scene dam-break, 32 × 24 cells>"
    assert [str(part.shape.cuboid.upper) for part in scene.liquid] == ["[0.5, 0.25]"]


def test_a_copy_is_another_scene():
    scene = Scene(SMALL)
    other = scene.copy()
    other.grid.cells = [8, 8]
    assert scene.grid.cells == [16, 16] and other.grid.cells == [8, 8]


def test_a_scene_is_written_in_python_alone(tmp_path):
    container = shapes.complement(shapes.sphere((0.5, 0.5), 0.4))
    scene = Scene(SMALL, name="bowl", title="A “bowl”", solid=[{"shape": container, "wall": "sealed"}])
    assert scene.name == "bowl" and scene.title == "A “bowl”" and scene.check()["dimension"] == 2
    scene.save(tmp_path / "bowl.toml")
    again = Scene.load(tmp_path / "bowl.toml")
    assert again.to_dict() == scene.to_dict() and again.name == "bowl"
    assert Scene.from_toml(scene.to_toml()).to_dict() == scene.to_dict()


def test_every_shape_is_understood():
    disc = shapes.sphere((0.5, 0.5), 0.2)
    made = [
        disc,
        shapes.cuboid((0.1, 0.1), (0.2, 0.2)),
        shapes.capsule((0.2, 0.2), (0.8, 0.8), 0.1),
        shapes.half_space((0.5, 0.2), (0, 1)),
        shapes.union(disc, disc),
        shapes.intersection(disc, disc),
        shapes.dilate(disc, -0.01),
        shapes.rotate(shapes.cuboid((0.4, 0.4), (0.6, 0.5)), 30, about=(0.5, 0.5)),
        shapes.move(disc, (0.1, 0)),
    ]
    for shape in made:
        Scene(SMALL, solid=[{"shape": shape}]).check()
    turned = shapes.rotate(shapes.cuboid((0.4,) * 3, (0.6,) * 3), 30, axis=(0, 0, 1))
    Scene(grid={"cells": [8, 8, 8]}, liquid=[{"shape": turned}]).check()
    with pytest.raises(SceneError, match="there is no such file|cannot be used"):
        Scene(grid={"cells": [8, 8, 8]}, liquid=[{"shape": shapes.mesh("nowhere.obj", scale=2)}]).check()


def test_wrong_values_are_refused_at_once_with_the_words_of_the_command(command, tmp_path):
    def refused(key, value, text):
        scene = Scene.load("dam-break")
        before = scene.to_toml()
        with pytest.raises(SceneError) as error:
            scene.set(key, value)
        assert scene.to_toml() == before
        said = command("run", "dam-break", "--set", f"{key}={text}", "--out", tmp_path / "out").stderr
        assert error.value.message in said, said
        assert error.value.help is None or error.value.help in said
        return str(error.value)

    assert "`density` is -3" in refused("density", -3, "-3")
    assert "did you mean `policy`?" in refused("pressure.solver", "polcy", "polcy")
    assert "did you mean `border`?" in refused("walls.boarder", "sealed", "sealed")
    assert "did you mean `frames`?" in refused("time.frmes", 3, "3")
    assert "expected 2 numbers" in refused("gravity", [0, 0, -9.81], "[0, 0, -9.81]")
    assert "there is no `7`" in refused("liquid.7.shape", {}, "{}")


def test_changes_may_lead_through_scenes_that_make_no_sense():
    scene = Scene(SMALL)
    scene.grid.cells = [8, 8, 8]  # the liquid is still one of the plane
    with pytest.raises(SceneError, match="expected 3 numbers, one per axis"):
        scene.check()
    scene.liquid[0].shape = shapes.cuboid((0, 0, 0), (0.5, 0.5, 0.5))
    assert scene.check()["dimension"] == 3


def test_unknown_names_get_the_nearest_one(command):
    with pytest.raises(SceneError) as error:
        Scene.load("dam-brake")
    said = command("run", "dam-brake").stderr
    assert error.value.message in said and "did you mean `dam-break`?" in str(error.value)
    with pytest.raises(AttributeError, match="did you mean `grid`?"):
        Scene(SMALL).grdi
    with pytest.raises(SceneError, match="unknown key `grdi`"):
        Scene(SMALL).grdi = 3
    with pytest.raises(AttributeError, match="default holds"):
        Scene(SMALL).density
    with pytest.raises(AttributeError, match="`output.width` is not set in this scene"):
        Scene(SMALL).output.width


def test_errors_in_files_name_the_place(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text("[grid]\ncells = [16, 16]\n[[liquid]]\nshap = 3\n")
    with pytest.raises(SceneError) as error:
        Scene.load(file).check()
    assert str(error.value).startswith(f"{file}:4:1: unknown key `shap` in `liquid[0]`")
    with pytest.raises(SceneError, match="there is no such file"):
        Scene.load(tmp_path / "none.toml")
    with pytest.raises(SceneError, match="not valid TOML"):
        Scene.from_toml("grid = [")


def test_values_that_toml_does_not_know_are_refused():
    with pytest.raises(SceneError, match=r"`liquid\[0\].shape` is set, expected a number, a text"):
        Scene(SMALL, liquid=[{"shape": {1, 2}}])
    with pytest.raises(SceneError, match="expected a positive number"):
        Scene(SMALL).density = float("nan")


def test_odd_texts_survive():
    odd = 'quotes " and \\ and\nlines, \x7f, 水'
    assert Scene(SMALL, title=odd).title == odd
