"""What is printed in documentation works: examples, guide, tutorial, docstrings."""

from __future__ import annotations

import difflib
import doctest
import importlib.util
import re
import sys
from pathlib import Path

import pytest

import unstick

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "python"


def example(name):
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def code(page):
    """The Python of a page, without what is only named in it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("module", ["unstick._solve", "unstick._solver", "unstick._fields", "unstick.shapes"])
def test_docstrings_hold(module):
    results = doctest.testmod(sys.modules[module])
    assert results.attempted > 0 and results.failed == 0


def test_the_guide_works_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = code("docs/guide-python.md")
    assert len(blocks) >= 6
    for block in blocks:
        exec(compile(block, "guide-python.md", "exec"), names)
    said = capsys.readouterr().out
    assert "best: converged" in said and "did you mean `policy`?" in said
    assert (tmp_path / "out" / "bowl" / "report.html").exists()


def test_the_three_lines_of_the_readme_work(tank, capsys):
    (block,) = [block for block in code("README.md") if "import unstick" in block]
    assert len(block.strip().splitlines()) == 3
    names = {"A": tank.A, "b": tank.b, "mask": tank.wall}
    shortened = block.replace(".run()", ".run(frames=1)")
    exec(compile(shortened, "README.md", "exec"), names)
    assert names["result"].converged and len(capsys.readouterr().out.splitlines()) == 2


def test_a_matrix_of_ones_own():
    sticking, separating = example("solve_matrix").main()
    assert sticking.converged and separating.converged
    assert sticking.x.min() < -1.0 and separating.x.min() > -1e-6 and separating.active_rows > 0


def test_a_scene_is_run_and_plotted(tmp_path):
    runs = example("run_and_plot").main(tmp_path / "plot.png", cells=(32, 24))
    assert (tmp_path / "plot.png").stat().st_size > 10_000
    assert all(len(frames) == 4 for frames, _ in runs.values())


def test_solvers_are_compared():
    table = example("compare_solvers").main(sizes=(24, 32), at=0.2)
    assert len(table) == 2 * len(unstick.solvers()) and all(result.converged for result in table.values())


def test_a_fluid_loop_of_somebody_else_takes_our_solver_in_a_few_lines():
    theirs, ours = (
        (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").split('"""', 2)[2].splitlines()
        for name in ("their_fluid", "their_fluid_separating")
    )
    changed = [line for line in difflib.unified_diff(theirs, ours, n=0) if re.match(r"[-+](?![-+])", line)]
    assert len(changed) == 13 < 20
    guide = (ROOT / "docs" / "guide-python.md").read_text(encoding="utf-8")
    assert all(line in guide for line in changed)


def test_water_lets_go_of_the_ceiling_in_that_loop():
    def fallen(name):
        module = example(name)
        water = module.main(0.2)
        return module.Water().position[:, 1].mean() - water.position[:, 1].mean()

    free = 0.5 * 9.81 * 0.2**2
    assert fallen("their_fluid") == pytest.approx(0.0, abs=0.01)
    assert fallen("their_fluid_separating") == pytest.approx(free, rel=0.05)


def test_the_tutorial_runs_and_is_the_one_in_the_documentation(tmp_path):
    pytest.importorskip("matplotlib")
    page = example("render_tutorial").render(tmp_path)
    printed = (ROOT / "docs" / "tutorial-python.md").read_text(encoding="utf-8")
    # Times and threads aside: what is printed holds seconds.
    plain = lambda text: re.sub(r"[\d.]+ (ms|s)\b", "…", text)  # noqa: E731
    assert plain(page) == plain(printed), "run examples/python/render_tutorial.py"
    drawn, shown = (sorted((folder / "images" / "tutorial-python").glob("*.png")) for folder in (tmp_path, ROOT / "docs"))
    assert [path.name for path in drawn] == [path.name for path in shown] and len(drawn) == 5


def test_versions_agree():
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    assert f'version = "{unstick.__version__}"' in manifest
    assert unstick.threads() >= 1
