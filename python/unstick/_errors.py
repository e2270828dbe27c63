"""What can go wrong. Every text is that of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._solve import Result


class Error(Exception):
    """Whatever this package refuses or fails at.

    ``message`` says what is wrong, ``help`` what to do about it (or is None).
    """

    message: str
    help: str | None

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message, help)
        self.message = message
        self.help = help

    def __str__(self) -> str:
        return self.message if self.help is None else f"{self.message}\nhelp: {self.help}"


class ProblemError(Error, ValueError):
    """A problem whose parts make no sense or do not fit together."""


class SolverNameError(Error, ValueError):
    """A solver that does not exist."""


class SolveError(Error, RuntimeError):
    """A solve that gave no answer at all."""


class NotConverged(SolveError):
    """A solve that fell short of its tolerance, where that was to be an error.

    ``result`` is what it has reached.
    """

    result: Result

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[object, ...]:
        return NotConverged, (self.message, self.result)


class SceneError(Error, ValueError):
    """A scene that makes no sense; the message says where."""


class RunError(Error, RuntimeError):
    """A simulation that could not go on."""


class FileError(Error, OSError):
    """A file or folder that cannot be read or written."""
