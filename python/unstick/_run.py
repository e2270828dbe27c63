"""A simulation, frame by frame."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from . import _unstick
from ._frame import Frame
from ._progress import Bar, Silent, bar


class Run(Iterator[Frame]):
    """The frames of a simulation, computed as they are asked for: frame 0 first, then as many as the scene says.

    Ctrl-C is heeded after every step of the simulation, and nothing is lost: go on with the same loop over the
    same run. With a folder, statistics, pictures and data are written as with ``unstick run``, movie and report
    at the end (also if the loop is left early, by :meth:`finish` or by the end of a ``with``).
    """

    def __init__(self, player: _unstick.Player, title: str, frames: int, folder: Path | None, progress: bool) -> None:
        self._player, self._title, self._progress = player, title, progress
        self._bar: Bar = Silent()
        # Frame 0 of a new run is yet to be shown; a run that is resumed goes on after the last one.
        self._seen = player.number if player.number > 0 else -1
        self._is_finished = folder is None
        self.frames = frames
        """The last frame."""
        self.folder = folder
        """The run folder, if one is written."""
        self.movie: Path | None = None
        """The movie in it, once it is there."""
        self.report: Path | None = None
        """The report in it, once it is there."""

    @property
    def number(self) -> int:
        """The last frame that is there."""
        return self._player.number

    def __iter__(self) -> Run:
        return self

    def __next__(self) -> Frame:
        if isinstance(self._bar, Silent):
            self._bar = bar(self._progress, self._title, self.number, self.frames)
        try:
            frame = self._next()
        except BaseException:
            self._close_bar()
            raise
        if frame is None:
            self.finish()
            raise StopIteration
        self._seen = frame.number
        self._bar.reached(frame.number)
        return frame

    def _next(self) -> Frame | None:
        if self._seen < self.number:
            return Frame(self._player.show())  # the first one, or one that Ctrl-C kept from being seen
        return Frame(self._player.advance()) if self.number < self.frames else None

    def __len__(self) -> int:
        """Frames that are still to come."""
        return self.frames - self._seen

    def finish(self) -> None:
        """Takes the bar away; writes movie and report of a run folder, once."""
        self._close_bar()
        if self._is_finished:
            return
        self._is_finished = True
        finished = self._player.finish()
        if finished is not None:
            movie, report, notes = finished
            self.movie, self.report = None if movie is None else Path(movie), Path(report)
            for note in notes:
                warnings.warn(note, stacklevel=2)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def __del__(self) -> None:
        self._close_bar()

    def __repr__(self) -> str:
        where = "" if self.folder is None else f" in {self.folder}"
        return f"<run of {self._title}{where}, frame {self.number} of {self.frames}>"

    def _close_bar(self) -> None:
        shown, self._bar = getattr(self, "_bar", None), Silent()
        if shown is not None:
            shown.close()
