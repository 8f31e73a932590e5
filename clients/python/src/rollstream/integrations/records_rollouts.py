"""A Recorder, as far as an integration needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class RecordsRollouts(Protocol):
    @property
    def rollout(self) -> Callable[..., Any]: ...
