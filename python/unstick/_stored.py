"""Frames without their simulation: what is left of one that was pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _unstick
from ._errors import RunError

ARRAYS = ("particles", "velocities", "ids", "pressure", "liquid", "solid", "separated")


@dataclass(frozen=True)
class StoredFrame:
    """All that a frame shows, as data; the compiled one has the same methods."""

    number: int
    time: float
    data: dict[str, Any]

    @staticmethod
    def of(frame: _unstick.Frame | StoredFrame) -> StoredFrame:
        if isinstance(frame, StoredFrame):
            return frame
        data: dict[str, Any] = {name: frame.array(name) for name in ARRAYS}
        for name in ("grid", "faces", "own_faces", "surface", "bodies", "steps", "state"):
            data[name] = getattr(frame, name)()
        return StoredFrame(frame.number, frame.time, {**data, "png": frame.png(None, None), "image": frame.image(None, None)})

    def array(self, name: str) -> Any:
        return self.data.get(name)

    def grid(self) -> Any:
        return self.data["grid"]

    def faces(self) -> Any:
        return self.data["faces"]

    def own_faces(self) -> Any:
        return self.data["own_faces"]

    def surface(self) -> Any:
        return self.data["surface"]

    def bodies(self) -> Any:
        return self.data["bodies"]

    def steps(self) -> Any:
        return self.data["steps"]

    def state(self) -> Any:
        return self.data["state"]

    def image(self, width: int | None, pressure: bool | None) -> Any:
        return self._picture("image", width, pressure)

    def png(self, width: int | None, pressure: bool | None) -> Any:
        return self._picture("png", width, pressure)

    def _picture(self, name: str, width: int | None, pressure: bool | None) -> Any:
        if width is not None or pressure is not None:
            raise RunError("a frame that was pickled keeps its picture alone, expected no other width or colours")
        return self.data[name]
