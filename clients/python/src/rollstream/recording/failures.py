"""Exceptions as the schema's Failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LONGEST_MESSAGE = 4096


def failure_of(error: BaseException | Mapping[str, Any] | str | None) -> Mapping[str, Any] | None:
    """Of whatever a loop has: its class with its module, where that is not Python's own."""
    if error is None or isinstance(error, Mapping):
        return error
    if isinstance(error, str):
        return {"type": None, "message": error}
    return {"type": class_name(error), "message": message_of(error)}


def class_name(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def message_of(error: BaseException) -> str:
    try:
        return str(error)[:_LONGEST_MESSAGE]
    except Exception:
        return ""
