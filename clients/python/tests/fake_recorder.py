"""A recorder that only remembers, for what a server cannot be asked: the order of events and their times."""

from __future__ import annotations

from types import TracebackType
from typing import Any


class FakeRollout:
    """Each method call as (name, positional arguments, keywords)."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields
        self.events: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        def remember(*args: Any, **kwargs: Any) -> int:
            self.events.append((name, args, kwargs))
            return sum(event[0] == "model_call" for event in self.events) - 1

        return remember

    def __enter__(self) -> FakeRollout:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.events.append(("closed", (), {}))

    def of(self, name: str) -> list[dict[str, Any]]:
        """Keywords of the calls of a method; what stands before them as a, b, c."""
        return [
            {**dict(zip("abcd", args, strict=False)), **kwargs} for event, args, kwargs in self.events if event == name
        ]


class FakeRecorder:
    def __init__(self) -> None:
        self.rollouts: list[FakeRollout] = []

    def rollout(self, **fields: Any) -> FakeRollout:
        self.rollouts.append(FakeRollout(fields))
        return self.rollouts[-1]
