"""Values of a dump as JSON has them."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import numpy as np

from rollstream.dumps.refused import DumpRefused

MOST_LEVELS = 100
MOST_BITS = 4096
# A line of more is over the limit of the import, too. A pickle can say one list a thousand times in a thousand lists.
MOST_VALUES = 16_000_000


def plain(value: object, where: str) -> object:
    """Exactly the same numbers; tensors as nested lists, bytes as base64. `where` is for messages."""
    return _Plain().of(value, where, 0)


class _Plain:
    def __init__(self) -> None:
        self._values = 0

    def _count(self, values: int, where: str) -> None:
        self._values += values
        if self._values > MOST_VALUES:
            raise DumpRefused(f"{where}: more than {MOST_VALUES} values in one sample")

    def of(self, value: object, where: str, level: int) -> object:
        self._count(1, where)
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            raise DumpRefused(f"{where[:200]}: an integer of {value.bit_length()} bits")
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if level > MOST_LEVELS:
            raise DumpRefused(f"{where[:200]}: nested deeper than {MOST_LEVELS} levels")
        if isinstance(value, np.ndarray):
            self._count(value.size, where)
            # float32 and half are exact in a double, which is what JSON's numbers are read as.
            return value.tolist()
        if isinstance(value, Mapping):
            return {self._key(key, where): self.of(item, f"{where}.{key}", level + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.of(item, f"{where}[{i}]", level + 1) for i, item in enumerate(value)]
        if isinstance(value, (bytes, bytearray)):
            return {"$base64": base64.b64encode(value).decode("ascii")}
        raise DumpRefused(f"{where}: {type(value).__name__} has no place in JSON")

    @staticmethod
    def _key(key: object, where: str) -> str:
        if isinstance(key, str):
            return key
        if isinstance(key, int) and not isinstance(key, bool):
            return str(key)
        raise DumpRefused(f"{where}: a key that is {type(key).__name__}")
