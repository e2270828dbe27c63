"""Scenes: loaded, written in Python, changed key by key, run."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _toml, _unstick
from ._errors import SceneError
from ._run import Run
from ._simulation import Simulation


def scenes() -> Sequence[str]:
    """Names of the scenes that come with the package."""
    return _unstick.scenes()


class Section:
    """A part of a scene: ``scene.grid``, ``scene.liquid[0]``. Reads and sets values by attribute or index."""

    _scene: Scene
    _path: str

    def __init__(self, scene: Scene, path: str) -> None:
        object.__setattr__(self, "_scene", scene)
        object.__setattr__(self, "_path", path)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self[key]
        except (KeyError, TypeError):
            raise AttributeError(
                f"`{self._path}.{key}` is not set in this scene: its default holds, see docs/scene-file.md"
            ) from None

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __getitem__(self, key: str | int) -> Any:
        return self._scene._read(f"{self._path}.{key}", self._value()[key])

    def __setitem__(self, key: str | int, value: Any) -> None:
        self._scene.set(f"{self._path}.{key}", value)

    def __len__(self) -> int:
        return len(self._value())

    def __iter__(self) -> Iterator[Any]:
        value = self._value()
        return (self[key] for key in range(len(value))) if isinstance(value, list) else iter(value)

    def __dir__(self) -> list[str]:
        value = self._value()
        return sorted(value) if isinstance(value, dict) else []

    def __eq__(self, other: object) -> bool:
        return bool(self._value() == (other._value() if isinstance(other, Section) else other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._path}: {self._value()!r}>"

    def _value(self) -> Any:
        """What the scene holds at this path now."""
        value: Any = self._scene.to_dict()
        for key in self._path.split("."):
            value = value[int(key)] if isinstance(value, list) else value.get(key, {})
        return value


class Scene:
    """A scene: what there is at the beginning, what happens, what is written.

    From the catalogue or a file, :meth:`load`; from text, :meth:`from_toml`; or written in Python, with the keys
    of ``docs/scene-file.md``::

        from unstick import Scene, shapes
        scene = Scene(
            grid={"cells": [64, 48]},
            liquid=[{"shape": shapes.cuboid((0, 0), (0.25, 0.5))}],
        )

    Any key can be changed afterwards, ``scene.walls.border = "sealed"``. A value that makes no sense is refused at
    once; whether all of them fit together is checked by :meth:`check` and by :meth:`run`.
    """

    _file: _unstick.SceneFile

    def __init__(self, scene: Mapping[str, Any] | None = None, *, name: str = "scene", **keys: Any) -> None:
        text = _toml.document({**(scene or {}), **keys})
        object.__setattr__(self, "_file", _unstick.SceneFile.parse(name, "<python>", text, "."))

    @classmethod
    def load(cls, name: str | os.PathLike[str]) -> Scene:
        """A scene of the catalogue by its bare name (:func:`scenes` lists them), or a file by its path."""
        return cls._of(_unstick.SceneFile.find(os.fspath(name)))

    @classmethod
    def from_toml(cls, text: str, *, name: str = "scene", folder: str | os.PathLike[str] = ".") -> Scene:
        """A scene as text; meshes are looked for in ``folder``."""
        return cls._of(_unstick.SceneFile.parse(name, "<text>", text, os.fspath(folder)))

    @classmethod
    def _of(cls, file: _unstick.SceneFile) -> Scene:
        scene = cls.__new__(cls)
        object.__setattr__(scene, "_file", file)
        return scene

    def copy(self) -> Scene:
        """Another one with the same values."""
        return self._of(self._file.copy())

    @property
    def name(self) -> str:
        """Bare name: of the file, or in the catalogue."""
        return self._file.name

    def to_toml(self) -> str:
        """The whole scene as TOML, with everything that was set, without comments."""
        return self._file.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The whole scene as plain values."""
        return tomllib.loads(self.to_toml())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a scene file."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")

    def set(self, path: str, value: Any) -> None:
        """Changes one value by its path, as ``--set`` does: ``scene.set("solid.0.wall", "sealed")``."""
        self._file.set(f"{path}={_toml.value(value, path)}")

    def check(self) -> dict[str, Any]:
        """Checks everything; returns dimension, title, description, cells, spacing, origin, frames and the
        seconds of a frame."""
        return self._file.check()

    def run(
        self,
        frames: int | None = None,
        *,
        out: str | os.PathLike[str] | None = None,
        progress: bool = True,
        resume: bool = False,
        force: bool = False,
    ) -> Run:
        """Simulates: an iterator over the frames, the first one included.

        Parameters
        ----------
        frames:
            Frames after the first, by default what the scene says.
        out:
            A run folder to be written, as ``unstick run --out`` does.
        progress:
            Whether a bar is shown, on a terminal or in a notebook.
        resume:
            Go on with what is in the folder, bit for bit as if it had never stopped.
        force:
            Replace an older run in the folder.
        """
        scene = self.copy()
        if frames is not None:
            scene.set("time.frames", frames)
        facts = scene.check()
        folder = None if out is None else Path(out)
        player = scene._file.play(_available_memory(), None if out is None else os.fspath(out), resume, force)
        return Run(player, facts["title"], facts["frames"], folder, progress)

    def run_to(
        self,
        out: str | os.PathLike[str],
        frames: int | None = None,
        *,
        progress: bool = True,
        resume: bool = False,
        force: bool = False,
    ) -> Run:
        """Simulates to the end into a run folder; returns the run, which knows ``movie`` and ``report``."""
        with self.run(frames, out=out, progress=progress, resume=resume, force=force) as run:
            for _ in run:
                pass
        return run

    def simulate(self, particles: npt.ArrayLike | None = None, velocities: npt.ArrayLike | None = None) -> Simulation:
        """A simulation that your own loop steps, looks into and changes.

        With ``particles``, one per row, these are the liquid, at rest or with ``velocities``;
        :func:`unstick.shapes.fill` makes them of an array of distances.
        """
        scene = self.copy()
        if particles is not None and "flow" not in scene.to_dict() and not scene.to_dict().get("liquid"):
            # A liquid to be replaced: all of the grid.
            facts = scene.check()
            upper = [start + count * facts["spacing"] for start, count in zip(facts["origin"], facts["cells"])]
            scene.set("liquid", [{"shape": {"cuboid": {"lower": facts["origin"], "upper": upper}}}])
        simulation = Simulation(scene, scene._file.begin(_available_memory(), None))
        if particles is not None:
            places = np.asarray(particles, dtype=np.float64)
            simulation.set_particles(places, np.zeros_like(places) if velocities is None else velocities)
        return simulation

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.name, self.to_toml(), os.path.abspath(self._file.folder))

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        values = self.to_dict()
        if key in values:
            return self._read(key, values[key])
        try:
            self._file.copy().set(f"{key}={{}}")
        except SceneError as error:
            if error.message.startswith("unknown key"):
                raise AttributeError(str(error)) from None
            if f"`{key}` is a table" in error.message:
                # A key that takes a plain value, or a list of tables.
                raise AttributeError(f"`{key}` is not set in this scene: its default holds") from None
        return Section(self, key)

    def __setattr__(self, key: str, value: Any) -> None:
        self.set(key, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.to_dict()})

    def __repr__(self) -> str:
        cells = self.to_dict().get("grid", {}).get("cells", [])
        return f"<scene {self.name}, {' × '.join(map(str, cells))} cells>"

    def _read(self, path: str, value: Any) -> Any:
        """Tables, and lists of them, as sections that can be changed; all else as it is."""
        is_tables = isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value)
        return Section(self, path) if isinstance(value, dict) or is_tables else value


def _restored(name: str, text: str, folder: str) -> Scene:
    return Scene.from_toml(text, name=name, folder=folder)


def _available_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return None
