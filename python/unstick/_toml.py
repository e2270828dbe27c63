"""Python values as TOML, which is what scenes are made of."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._errors import SceneError


def value(given: Any, path: str) -> str:
    """A value on one line, tables included: ``{ sphere = { … } }``."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    elif isinstance(given, np.generic):
        given = given.item()
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, int):
        return str(given)
    if isinstance(given, float):
        return _number(given)
    if isinstance(given, str):
        return _text(given)
    if isinstance(given, os.PathLike):
        return _text(os.fspath(given))
    if isinstance(given, Mapping):
        entries = [f"{_key(key)} = {value(inner, f'{path}.{key}')}" for key, inner in given.items()]
        return "{ " + ", ".join(entries) + " }" if entries else "{}"
    if isinstance(given, (list, tuple)):
        return "[" + ", ".join(value(inner, f"{path}[{index}]") for index, inner in enumerate(given)) + "]"
    expected = "a number, a text, a truth value, a list or a dictionary"
    raise SceneError(f"`{path}` is {type(given).__name__}, expected {expected}")


def document(scene: Mapping[str, Any]) -> str:
    """A whole scene, a key a line."""
    return "".join(f"{_key(key)} = {value(inner, str(key))}\n" for key, inner in scene.items())


def _number(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return repr(number)


def _text(text: str) -> str:
    # Strings of JSON are strings of TOML, but for characters that JSON leaves as they are.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: object) -> str:
    text = str(key)
    is_bare = text != "" and all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in text)
    return text if is_bare else _text(text)
