"""One model call as an engine answered it, before it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = Mapping[str, Any]


class CallSink(Protocol):
    """What model calls are recorded into: a rollout of a Recorder."""

    @property
    def model_call(self) -> Callable[..., int]:
        """Returns the index of the call in the attempt."""


@dataclass
class RawAux:
    """Bytes beside the tokens: kept by reference, never in an event."""

    name: str
    data: bytes
    dtype: str
    shape: tuple[int, ...] = ()
    rows: int | None = None
    """How many the engine should have sent: one a token of what was asked for, but the last."""


@dataclass
class GeneratedCall:
    """Fields as Recorder's model_call takes them. What the engine did not say is None, never a guess."""

    call_id: str | None = None
    model: str | None = None
    prompt_ids: Sequence[int] | None = None
    completion_ids: Sequence[int] | None = None
    completion_logprobs: Sequence[float | None] | None = None
    weight_spans: Sequence[Json] = ()
    raw_text: str | None = None
    finish_reason: str | Json | None = None
    sampling: Json | None = None
    usage: Json | None = None
    queue_us: int | None = None
    server_e2e_us: int | None = None
    tool_calls: Sequence[Json] = ()
    error: Json | None = None
    aux: RawAux | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def disagrees(self, **facts: object) -> None:
        """Keeps two sides of a contradiction in `extra`, where whoever doubts the call finds them."""
        self.extra.setdefault("disagreement", {}).update(facts)
