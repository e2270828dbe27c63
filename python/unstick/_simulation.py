"""A simulation that your own loop steps, looks into and changes."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _unstick
from ._arrays import host
from ._errors import RunError
from ._frame import Frame
from ._matrix import Floats

if TYPE_CHECKING:
    from ._scene import Scene


class Simulation:
    """A simulation between two steps: ``scene.simulate()``.

    What it shows is copied out; what you set is checked and taken over at once::

        simulation = scene.simulate()
        while simulation.time < 1.0:
            simulation.velocities += 0.01 * wind(simulation.particles)   # a force of your own, times Δt
            stats = simulation.step(0.01)

    It pickles, and goes on bit for bit.
    """

    def __init__(self, scene: Scene, stepper: _unstick.Stepper) -> None:
        self._scene, self._stepper = scene, stepper
        self._shown: Frame | None = None

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self._stepper.time

    @property
    def steps(self) -> int:
        """Steps taken."""
        return self._stepper.step

    def step(self, dt: float | None = None) -> dict[str, Any]:
        """Takes a step; returns its line of ``stats.csv``, with the residual of the pressure solve as ``history``.

        Without a length it takes the longest step on the way to a frame later in which nothing crosses more cells than
        the scene allows. Ctrl-C is heeded after the step.
        """
        length = self._stepper.next_step(self.time + self._stepper.frame_seconds) if dt is None else float(dt)
        if length is None:
            raise RunError("no step is due")
        self._shown = None
        return self._stepper.advance(length)

    def advance(self, seconds: float) -> list[dict[str, Any]]:
        """Takes as many steps as it needs to be exactly so much later; returns their lines of ``stats.csv``."""
        until, lines = self.time + seconds, []
        while (length := self._stepper.next_step(until)) is not None:
            lines.append(self.step(length))
        return lines

    @property
    def frame(self) -> Frame:
        """What there is to see now. Its number is that of the step."""
        if self._shown is None:
            self._shown = Frame(self._stepper.frame())
        return self._shown

    @property
    def particles(self) -> Floats:
        """Where the particles are, one per row. Set it to move them; another number of them is another liquid."""
        return self.frame.particles.copy()

    @particles.setter
    def particles(self, positions: npt.ArrayLike) -> None:
        before = self.frame
        places = _vectors(positions, "the particles")
        same = places.shape == before.particles.shape
        self.set_particles(places, before.velocities if same else np.zeros_like(places))

    @property
    def velocities(self) -> Floats:
        """Velocities of the particles, in m/s. A force is a change of them: acceleration times Δt."""
        return self.frame.velocities.copy()

    @velocities.setter
    def velocities(self, velocities: npt.ArrayLike) -> None:
        self.set_particles(self.frame.particles, velocities)

    @property
    def ids(self) -> npt.NDArray[np.int64]:
        """The number of each particle, which it keeps: rows change places in a step."""
        return self.frame.ids.copy()

    def set_particles(self, positions: npt.ArrayLike, velocities: npt.ArrayLike) -> None:
        """Other particles with their velocities. As many as before keep their numbers, others get new ones."""
        self._stepper.set_particles(_vectors(positions, "the particles"), _vectors(velocities, "the velocities"))
        self._shown = None

    @property
    def velocity(self) -> tuple[Floats, ...]:
        """Velocity across the faces of each axis, on the simulation's own grid, which may be stretched.

        Where particles carry the velocity (``flip``, ``apic``), set theirs instead: the faces follow in every step.
        """
        return tuple(field.copy() for field in self.frame._frame.own_faces())

    @velocity.setter
    def velocity(self, fields: Sequence[npt.ArrayLike]) -> None:
        flat = [np.asarray(host(field, "the velocity"), dtype=np.float64).ravel(order="F") for field in fields]
        self._stepper.set_faces(flat)
        self._shown = None

    def set_gravity(self, gravity: npt.ArrayLike) -> None:
        """Acceleration of everything from now on, in m/s²."""
        self._stepper.set_gravity([float(value) for value in host(gravity, "gravity")])

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """Bodies with the columns of ``bodies.csv``: place, motion, and the forces of the last step."""
        header, lines = self._stepper.bodies()
        return [{name: _value(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(header + "\n" + lines))]

    def set_body(self, number: int, velocity: npt.ArrayLike, spin: float | npt.ArrayLike = 0.0) -> None:
        """How a body moves: m/s, and radians per second, in space about x, y and z."""
        turn = np.atleast_1d(host(spin, "the spin")).astype(np.float64)
        about = [0.0, 0.0, float(turn[0])] if turn.size == 1 else [float(value) for value in turn]
        self._stepper.set_body(number, [float(value) for value in host(velocity, "the velocity")], about)
        self._shown = None

    def __reduce__(self) -> tuple[object, ...]:
        return _resumed, (self._scene, self._stepper.store())

    def __repr__(self) -> str:
        return f"<simulation of {self._scene.name} at {self.time:.4g} s, {self.steps} steps>"


def _resumed(scene: Scene, state: bytes) -> Simulation:
    return Simulation(scene, scene._file.begin(None, state))


def _vectors(values: npt.ArrayLike, what: str) -> Floats:
    array = np.ascontiguousarray(host(values, what), dtype=np.float64)
    if array.ndim != 2:
        raise RunError(f"{what} have {array.ndim} dimensions, expected one row per particle")
    return array


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
