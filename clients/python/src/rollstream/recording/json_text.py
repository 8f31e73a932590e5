"""JSON text of whatever a loop holds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypeAlias

Given: TypeAlias = Any


class JsonText(str):
    """Text that is JSON already; `null` among it, where a field without a value would say less."""

    __slots__ = ()


def _plain(value: Given) -> object:
    """Of what JSON has no form for: numpy's and torch's as numbers, bytes as text, models by their fields."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "surrogateescape")
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    for name in ("model_dump", "tolist", "to_dict", "_asdict"):
        made = getattr(value, name, None)
        if callable(made) and not isinstance(value, type):
            return made()
    return repr(value)


# Lone surrogates stay escaped.
_exact = json.JSONEncoder(default=_plain, allow_nan=False, separators=(",", ":")).encode


def json_text(value: object) -> str:
    """NaN and infinities become {"$number": "NaN"}, as the importers write them; keys that are no text become it."""
    try:
        return _exact(value)
    except (ValueError, TypeError):
        return _exact(_named_numbers(_keyed(value, 0)))


def _keyed(value: object, depth: int) -> object:
    if depth > 200:
        raise ValueError("it is nested too deep, or holds itself")
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): _keyed(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_keyed(item, depth + 1) for item in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return _keyed(_plain(value), depth + 1)


def _named_numbers(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return {"$number": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, dict):
        return {key: _named_numbers(item) for key, item in value.items()}
    return [_named_numbers(item) for item in value] if isinstance(value, list) else value
