"""What the recorder's methods take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

# list, array, numpy or torch; bytes are little-endian uint32 each.
TokenIds: TypeAlias = "Sequence[int] | np.ndarray[Any, Any] | bytes | bytearray | memoryview"
# None among a list: the source has no value for that token. bytes are little-endian float32 each.
Logprobs: TypeAlias = "Sequence[float | None] | np.ndarray[Any, Any] | bytes | bytearray | memoryview"
Json: TypeAlias = "Mapping[str, Any]"
WeightSpans: TypeAlias = "Iterable[tuple[int, str] | Mapping[str, Any]]"
