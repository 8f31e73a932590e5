"""A recorder's rollout that only remembers: what would have been recorded, call by call."""

from __future__ import annotations

from typing import Any


class Recorded:
    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def model_call(self, **fields: Any) -> int:
        self.calls.append(fields)
        return len(self.calls) - 1
