"""Calls of models that say no tokens (hosted ones): recorded by the messages that they gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..clock import Clock
from ..guarded import guarded

if TYPE_CHECKING:
    from .episode import Episode

_USAGE = {
    "inputTokens": "prompt_tokens",
    "outputTokens": "completion_tokens",
    "cacheReadInputTokens": "cached_tokens",
}


class MessageCalls:
    """Of an episode with a model of SGLang it records nothing: those calls are recorded with their tokens."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._clock: Clock | None = None
        self._stop: str | None = None
        self._took_us: int | None = None

    @guarded
    def asked(self, _: Any) -> None:  # a BeforeModelCallEvent
        self._clock = Clock()

    @guarded
    def answered(self, event: Any) -> None:  # an AfterModelCallEvent
        if self._episode.token_models or self._clock is None:
            return
        self._took_us = self._clock.elapsed_us()
        if event.exception is not None:
            self._record(error=event.exception)
        elif event.stop_response is not None:
            self._stop = event.stop_response.stop_reason

    def added(self, message: Any) -> None:  # a Message
        """Its usage is told only when the message is added."""
        if self._episode.token_models or self._stop is None:
            return
        about = message.get("metadata") or {}
        usage = {name: (about.get("usage") or {}).get(key) for key, name in _USAGE.items()}
        latency = (about.get("metrics") or {}).get("latencyMs")
        calls = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        tool_calls = [
            {"call_id": use["toolUseId"], "name": use["name"], "arguments_parsed": use["input"]} for use in calls
        ]
        # Words of the SDK, not of the engine; and a content that an adapter has put together is no raw text.
        extra = {"stop_reason": self._stop, "content": message["content"]}
        fields = {"usage": usage, "tool_calls": tool_calls, "extra": extra}
        turn = self._record(server_e2e_us=None if latency is None else latency * 1000, **fields)
        self._episode.agent.asked_in(turn, tool_calls)
        self._stop = None

    def _record(self, **fields: Any) -> int:
        clock, self._clock = self._clock, None
        started = None if clock is None else clock.started_at_us
        turn: int = self._episode.r.model_call(started_at_us=started, duration_us=self._took_us, **fields)
        return turn
