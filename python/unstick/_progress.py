"""How far a run is: a bar on a terminal and in a notebook, nothing anywhere else."""

from __future__ import annotations

import sys
import time
from typing import Any, Protocol, TextIO

WIDTH = 30
"""Letters of our own bar."""

PAUSE = 0.1
"""Seconds between two pictures of it."""


class Bar(Protocol):
    """Whatever shows progress."""

    def reached(self, frame: int) -> None:
        """That frame is there."""

    def close(self) -> None:
        """No more will come."""


def bar(shown: bool, title: str, done: int, frames: int) -> Bar:
    """A bar of ``frames``, of which some are done: that of tqdm where it is installed, else our own."""
    if not shown or frames <= done:
        return Silent()
    notebook = _is_notebook()
    if not notebook and not sys.stderr.isatty():
        return Silent()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Notebook(title, done, frames) if notebook else Terminal(title, done, frames, sys.stderr)
    return Tqdm(tqdm(total=frames, initial=done, desc=title, unit="frame", leave=False))


class Silent:
    """Shows nothing."""

    def reached(self, frame: int) -> None:
        pass

    def close(self) -> None:
        pass


class Tqdm:
    """A bar of tqdm."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def reached(self, frame: int) -> None:
        self._bar.update(frame - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class Line:
    """Progress as a line of text, with the time left."""

    def __init__(self, title: str, done: int, frames: int) -> None:
        self._title, self._first, self._frames = title, done, frames
        self._start, self._drawn = time.monotonic(), 0.0
        self.reached(done)

    def reached(self, frame: int) -> None:
        now = time.monotonic()
        if now - self._drawn >= PAUSE or frame >= self._frames:
            self._drawn = now
            self._draw(self.text(frame, now - self._start))

    def close(self) -> None:
        raise NotImplementedError

    def _draw(self, text: str) -> None:
        raise NotImplementedError

    def text(self, frame: int, elapsed: float) -> str:
        """The line: ``Breaking dam  [=====>     ]  frame 12 of 50, 0:31 left``."""
        filled = WIDTH * frame // self._frames
        drawn = "=" * filled + (">" if filled < WIDTH else "") + " " * (WIDTH - filled - 1)
        done = frame - self._first
        left = ""
        if done > 0:
            seconds = round(elapsed / done * (self._frames - frame))
            left = f", {seconds // 60}:{seconds % 60:02} left"
        return f"{self._title}  [{drawn}]  frame {frame} of {self._frames}{left}"


class Terminal(Line):
    """Our own bar on a terminal; taken away at the end."""

    def __init__(self, title: str, done: int, frames: int, stream: TextIO) -> None:
        self._stream, self._length = stream, 0
        super().__init__(title, done, frames)

    def _draw(self, text: str) -> None:
        self._stream.write("\r" + text.ljust(self._length))
        self._stream.flush()
        self._length = len(text)

    def close(self) -> None:
        self._stream.write("\r" + " " * self._length + "\r")
        self._stream.flush()


class Notebook(Line):
    """Our own bar in a notebook: one output that changes."""

    def __init__(self, title: str, done: int, frames: int) -> None:
        from IPython.display import display

        self._handle = display({"text/plain": ""}, raw=True, display_id=True)
        super().__init__(title, done, frames)

    def _draw(self, text: str) -> None:
        self._handle.update({"text/plain": text}, raw=True)

    def close(self) -> None:
        self._handle.update({"text/plain": ""}, raw=True)


def _is_notebook() -> bool:
    """Whether this runs under a kernel, whose output goes to a page."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")
