"""What the agent's own hooks tell: its messages, and what became of its tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..clock import Clock
from ..guarded import guarded
from .message_calls import MessageCalls
from .tool_outcome import output_of, status_of

if TYPE_CHECKING:
    from .episode import Episode


class Hooks:
    """A hook provider of strands-agents."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._running: dict[str, Clock] = {}
        self._answered: set[str] = set()
        self._messages = MessageCalls(episode)

    def register_hooks(self, registry: Any, **_: Any) -> None:  # a HookRegistry
        from strands.hooks import events

        callbacks = {
            "AgentInitializedEvent": self._agent_made,
            "MessageAddedEvent": self._message_added,
            "BeforeModelCallEvent": self._messages.asked,
            "AfterModelCallEvent": self._messages.answered,
            "BeforeToolCallEvent": self._tool_begins,
            "AfterToolCallEvent": self._tool_ended,
        }
        for name, callback in callbacks.items():
            # A release without one of them still rolls out; what it does not tell is not recorded.
            if hasattr(events, name):
                registry.add_callback(getattr(events, name), callback)

    @guarded
    def _agent_made(self, event: Any) -> None:
        self._episode.agent_made(event.agent)

    @guarded
    def _message_added(self, event: Any) -> None:
        message = event.message
        if message["role"] == "assistant":
            self._messages.added(message)
            self._answered.clear()
            return
        others = []
        for block in message["content"]:
            if "toolResult" not in block:
                others.append(block)
            elif block["toolResult"]["toolUseId"] not in self._answered:
                # A name that no tool can have never reaches the hooks of a call.
                self._record(block["toolResult"], status="not_executed")
        if others:
            self._episode.r.message(message["role"], others)

    @guarded
    def _tool_begins(self, event: Any) -> None:
        self._running[event.tool_use["toolUseId"]] = Clock()

    @guarded
    def _tool_ended(self, event: Any) -> None:
        use = event.tool_use
        clock = self._running.pop(use["toolUseId"], None)
        if event.retry:
            # Another hook has it run again: what this try gave is never shown to the model.
            return
        self._answered.add(use["toolUseId"])
        status = status_of(event)
        ran = status not in ("cancelled", "not_executed")
        duration = event.duration
        self._record(
            event.result,
            status=status,
            name=use["name"],
            executed_arguments=use["input"] if ran else None,
            exec_us=round(duration * 1e6) if ran and duration is not None else None,
            error=event.exception,
            started_at_us=None if clock is None else clock.started_at_us,
            duration_us=None if clock is None else clock.elapsed_us(),
        )

    def _record(self, result: Any, **fields: Any) -> None:  # a ToolResult
        output, whole = output_of(result)
        asked = self._episode.agent.asked_by(result["toolUseId"])
        told = {"turn": asked.turn, "name": asked.name} if asked is not None else {}
        self._episode.r.tool_result(
            result["toolUseId"], output, **{**told, **fields}, extra=None if whole else {"tool_result": result}
        )
