"""Routed experts of a mixture, as engines send them."""

from __future__ import annotations

import base64
import binascii

import numpy as np

from .generated_call import GeneratedCall, RawAux
from .json_fields import items


def set_routed_experts(call: GeneratedCall, value: object, rows: int | None) -> None:
    """Base64 of int32 (SGLang), or nested arrays (tokens, layers, top k)."""
    if value is None:
        return
    if isinstance(value, str):
        try:
            data = base64.b64decode(value, validate=True)
        except binascii.Error:
            data = b""
        if len(data) % 4 == 0 and (data or value == ""):
            call.aux = RawAux("routed_experts", data, "int32", rows=rows)
            return
    elif items(value) is not None:
        try:
            array = np.ascontiguousarray(value, dtype="<i4")
        except (ValueError, TypeError, OverflowError):
            array = np.empty(0, dtype="<i4")
        if array.size:
            call.aux = RawAux("routed_experts", array.tobytes(), "int32", array.shape, rows)
            return
    call.disagrees(routed_experts="is neither base64 of int32 nor an array of it")
