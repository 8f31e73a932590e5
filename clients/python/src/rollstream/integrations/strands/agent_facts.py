"""The agent of a rollout: its tools, which call of the model asked for them, and what its loop raised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Asked:
    turn: int
    name: str | None


class AgentFacts:
    def __init__(self) -> None:
        self.tool_names: frozenset[str] | None = None
        """None: not known yet."""
        self.raised: BaseException | None = None
        """The environment makes a reason of it, and drops it."""
        self._asked: dict[str, Asked] = {}

    def of(self, agent: Any) -> object:  # an Agent
        """Watches its loop; returns its tools as the model is told of them."""
        specs = list(agent.tool_registry.get_all_tool_specs())
        self.tool_names = frozenset(spec["name"] for spec in specs)
        loop = agent.invoke_async

        async def invoke_async(*args: Any, **kwargs: Any) -> Any:
            try:
                return await loop(*args, **kwargs)
            except BaseException as error:
                self.raised = error
                raise

        agent.invoke_async = invoke_async
        told = getattr(agent.model, "format_tool_specs", None)
        return told(specs) if callable(told) else specs

    def asked_in(self, turn: int, tool_calls: Iterable[Mapping[str, Any]]) -> None:
        """Ids of tool calls may repeat between turns: an answer is to the last one that asked."""
        for call in tool_calls:
            self._asked[str(call["call_id"])] = Asked(turn, call["name"])

    def asked_by(self, call_id: str) -> Asked | None:
        return self._asked.get(call_id)
