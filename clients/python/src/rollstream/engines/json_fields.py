"""Reads fields of an answer that may hold anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]


def mapping(value: object) -> Json:
    """Empty where it is no object."""
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> Sequence[Any] | None:
    """None where it is no array."""
    return value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else None


def text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def token_ids(value: object) -> Sequence[int] | None:
    """None where any of them is no token id: ids are taken whole or not at all."""
    ids = items(value)
    if ids is None or not all(type(one) is int and 0 <= one < 2**32 for one in ids):
        return None
    return ids


def logprob(value: object) -> float | None:
    """An integer is one too: JSON writes the logprob of a certain token as 0."""
    found = number(value)
    return None if found is None else float(found)


def microseconds(seconds: object) -> int | None:
    found = number(seconds)
    return round(found * 1e6) if found is not None and 0 <= found < 1e9 else None


def without(value: Json, *names: str) -> dict[str, Any]:
    """What no field holds. None says nothing."""
    return {name: entry for name, entry in value.items() if name not in names and entry is not None}
