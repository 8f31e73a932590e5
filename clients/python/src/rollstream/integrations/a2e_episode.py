"""What is held of an episode of A2E while it goes on."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]


@dataclass
class Episode:
    rollout: Any
    episode_id: str
    rewards: list[float | None] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    pushed: list[dict[str, Any]] = field(default_factory=list)
    failed: Json | None = None
    has_ended: bool = False


@dataclass
class Asked:
    verb: str
    message: Json
    episode: Episode | None
    began_ns: int = field(default_factory=time.monotonic_ns)

    def took_us(self) -> int:
        return (time.monotonic_ns() - self.began_ns) // 1000
