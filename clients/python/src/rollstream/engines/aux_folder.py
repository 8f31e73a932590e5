"""Where data beside the tokens is kept: a file a blob, named after its content."""

from __future__ import annotations

import hashlib
import math
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .generated_call import GeneratedCall, RawAux
from .json_fields import Json


class AuxFolder:
    """Routed experts of one trajectory may be tens of megabytes: they are written here, and events name them."""

    def __init__(self, path: str | os.PathLike[str], *, shape: Sequence[int] = ()) -> None:
        """`shape` without its first axis, such as (MoE layers, top k): engines send bytes without it."""
        self._path = Path(path)
        self._inner = tuple(shape)
        self._path.mkdir(parents=True, exist_ok=True)

    def keep(self, aux: RawAux) -> dict[str, Any]:
        sha256 = hashlib.sha256(aux.data).hexdigest()
        kept = self._path / f"{sha256}.{aux.dtype}"
        if not kept.exists():
            # Two processes may write the same content at once: each its own draft.
            draft = kept.with_name(f"{kept.name}.{os.getpid()}.{threading.get_ident()}")
            draft.write_bytes(aux.data)
            draft.replace(kept)
        shape = list(aux.shape or self._shape(len(aux.data) // np.dtype(aux.dtype).itemsize))
        return {"name": aux.name, "uri": kept.absolute().as_uri(), "sha256": sha256, "shape": shape, "dtype": aux.dtype}

    def _shape(self, elements: int) -> tuple[int, ...]:
        row = math.prod(self._inner)
        return (elements // row, *self._inner) if row > 0 and elements % row == 0 else (elements,)


def aux_ref_of(call: GeneratedCall, aux: AuxFolder | Json | None) -> dict[str, Any] | None:
    """The reference that an event has. Without a place for the bytes only what they were is kept."""
    raw = call.aux
    if isinstance(aux, AuxFolder):
        if raw is None:
            return None
        ref = aux.keep(raw)
        if raw.rows is not None and len(ref["shape"]) > 1 and ref["shape"][0] != raw.rows:
            call.disagrees(aux_rows=ref["shape"][0], aux_rows_expected=raw.rows)
        return ref
    if aux is not None:
        return {"name": "routed_experts", "dtype": "int32", **aux}
    if raw is not None:
        sha256 = hashlib.sha256(raw.data).hexdigest()
        call.extra["aux_not_kept"] = {"name": raw.name, "bytes": len(raw.data), "sha256": sha256}
    return None
