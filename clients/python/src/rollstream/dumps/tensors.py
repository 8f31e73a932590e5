"""Tensors as the pickle of `torch.save` describes them, read from the storages beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rollstream.dumps.refused import DumpRefused

# What a number of a storage is: its type in numpy, little-endian unless the file says otherwise.
_TYPES = {
    "DoubleStorage": "f8",
    "FloatStorage": "f4",
    "HalfStorage": "f2",
    "BFloat16Storage": "bf16",
    "LongStorage": "i8",
    "IntStorage": "i4",
    "ShortStorage": "i2",
    "CharStorage": "i1",
    "ByteStorage": "u1",
    "BoolStorage": "?",
}
STORAGE_NAMES = frozenset(_TYPES)

# A view may repeat numbers (stride 0): so many are taken for a tensor, or as many as its storage has.
MOST_REPEATED = 1 << 24


@dataclass(frozen=True)
class StorageType:
    """A storage class of torch, by name: it is never imported."""

    name: str

    @property
    def item_bytes(self) -> int:
        kind = _TYPES[self.name]
        return 2 if kind == "bf16" else np.dtype(kind).itemsize


@dataclass(frozen=True)
class Storage:
    """The numbers of a storage, flat."""

    values: np.ndarray[Any, Any]


def storage_of(kind: StorageType, data: bytes, byte_order: str) -> Storage:
    """Bit for bit: bfloat16, which numpy has not, is the upper half of a float32; half and bool are numpy's own."""
    name = _TYPES[kind.name]
    order: Literal["<", ">"] = ">" if byte_order == "big" else "<"
    if name != "bf16":
        return Storage(np.frombuffer(data, dtype=np.dtype(name).newbyteorder(order)))
    upper = np.frombuffer(data, dtype=np.dtype("u2").newbyteorder(order)).astype(np.uint32)
    return Storage((upper << np.uint32(16)).view(np.float32))


def rebuild_tensor(storage: object, offset: object, size: object, stride: object, *_: object) -> np.ndarray[Any, Any]:
    """What `torch._utils._rebuild_tensor_v2` does, with every number checked against the storage."""
    if not isinstance(storage, Storage):
        raise DumpRefused("a tensor without a storage")
    sizes, strides = _naturals(size, "size"), _naturals(stride, "stride")
    if len(sizes) != len(strides) or not isinstance(offset, int) or offset < 0:
        raise DumpRefused(f"a tensor of size {size} with stride {stride} and offset {offset}")
    held = len(storage.values)
    count = 1
    for length in sizes:
        count *= length
    if count == 0:
        return np.zeros(sizes, dtype=storage.values.dtype)
    last = offset + sum((length - 1) * step for length, step in zip(sizes, strides, strict=True))
    if last >= held:
        raise DumpRefused(f"a tensor that reaches to {last} in a storage of {held} numbers")
    if count > max(held, MOST_REPEATED):
        raise DumpRefused(f"a tensor of {count} numbers on a storage of {held}")
    item = storage.values.dtype.itemsize
    steps = tuple(step * item for step in strides)
    return np.lib.stride_tricks.as_strided(storage.values[offset:], sizes, steps, writeable=False)


def _naturals(value: object, what: str) -> tuple[int, ...]:
    if not isinstance(value, Sequence) or not all(isinstance(item, int) and item >= 0 for item in value):
        raise DumpRefused(f"a tensor whose {what} is {value!r}")
    return tuple(value)
