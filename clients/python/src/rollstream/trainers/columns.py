"""Arrays of several rows, padded to one shape."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .records import Unfit
from .rows import Row


def padded(
    parts: Sequence[npt.NDArray[Any]],
    dtype: npt.DTypeLike,
    *,
    width: int,
    side: Literal["left", "right"],
    fill: float = 0,
) -> npt.NDArray[Any]:
    """A row a part. side: where the padding stands. A part that is longer than `width` raises: nothing is cut."""
    out = np.full((len(parts), width), fill, dtype)
    for at, part in enumerate(parts):
        if len(part) > width:
            raise Unfit(f"row {at} has {len(part)} tokens, there is room for {width}")
        if side == "right":
            out[at, : len(part)] = part
        else:
            out[at, width - len(part) :] = part
    return out


def widest(parts: Sequence[npt.NDArray[Any]]) -> int:
    return max((len(part) for part in parts), default=0)


def objects(values: Sequence[object]) -> npt.NDArray[np.object_]:
    """One object a row, also where they are sequences of one length."""
    out = np.empty(len(values), dtype=object)
    out[:] = list(values)
    return out


def uid_of(row: Row, at: int) -> str:
    """Name of its unit, without a character that a trainer splits names at. Padding is a unit of its own."""
    key = repr(("padding", at) if row.padding else row.unit)
    return hashlib.sha256(key.encode()).hexdigest()[:32]
