"""Data beside the tokens, as an array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import BadRecord
from .records import Aux

_TYPES = {
    **{name: name for name in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")},
    **{name: name for name in ("float16", "float32", "float64")},
    # numpy has no such type: its bits are the upper half of a float32.
    "bfloat16": "uint16",
}


def aux_array(aux: Aux, data: bytes) -> npt.NDArray[Any]:
    """Little-endian elements in C order, read-only; bfloat16 as the float32 that it is. Raises BadRecord where the
    bytes are no such array."""
    named = _TYPES.get(aux.dtype)
    dtype = None if named is None else np.dtype(named).newbyteorder("<")
    if dtype is None or min(aux.shape, default=0) < 0 or len(data) != math.prod(aux.shape) * dtype.itemsize:
        raise BadRecord(
            f"{len(data)} bytes are no {aux.dtype or '?'} of shape {aux.shape}", field=f"aux[{aux.name}]", offset=-1
        )
    array: npt.NDArray[Any] = np.frombuffer(data, dtype).reshape(aux.shape)
    if aux.dtype != "bfloat16":
        return array
    wide = (array.astype(np.uint32) << 16).view(np.float32)
    wide.flags.writeable = False
    return wide
