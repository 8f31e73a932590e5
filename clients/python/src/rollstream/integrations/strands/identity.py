"""Which attempt a rollout of an environment is, and what is known of it before it begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Identity:
    """Mapped as an import of strands-env's results is, so that a rollout is the same one whichever way it comes."""

    prompt_id: str | Callable[[Any], str | None] | None
    rollout_id: str | Callable[[Any], str | None] | None
    group_size: int | None
    attempt: int
    env_name: str
    weights_version: str | Callable[[], str | None] | None
    _attempts: dict[str, int] = field(default_factory=dict)

    def of(self, task: Any, env: Any) -> dict[str, Any]:
        rollout_id = _named(self.rollout_id, task) or str(task.id)
        prompt_id = _named(self.prompt_id, task)
        attempt = self._attempts.get(rollout_id, self.attempt)
        self._attempts[rollout_id] = attempt + 1
        version = self.weights_version
        return {
            "task_id": prompt_id or rollout_id,
            "group_id": prompt_id,
            "group_size": None if prompt_id is None else self.group_size,
            "rollout_id": rollout_id,
            "attempt": attempt,
            "env_name": self.env_name,
            "prompt": prompt_of(task.message),
            "task_metadata": metadata_of(task),
            "limits": {"max_tool_calls": getattr(env, "max_tool_calls", None)},
            "weights_version": version() if callable(version) else version,
        }


def _named(name: str | Callable[[Any], str | None] | None, task: object) -> str | None:
    return name(task) if callable(name) else name


def prompt_of(message: object) -> str | None:
    if isinstance(message, str):
        return message
    content = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(content, list):
        return None
    return "".join(block["text"] for block in content if isinstance(block, Mapping) and "text" in block)


def metadata_of(task: Any) -> dict[str, Any]:
    """Ground truth and what else the task says besides its message and its history. Releases have them in `context`."""
    fields = dict(task.model_dump())
    context = fields.pop("context", None)
    for name in ("id", "message", "conversation_history"):
        fields.pop(name, None)
    if not isinstance(context, Mapping):
        return fields
    beside = {name: value for name, value in context.items() if name != "conversation_history"}
    # A name in both would lose one of them.
    return {**fields, "context": beside} if fields.keys() & beside.keys() else {**beside, **fields}


def history_of(task: Any) -> list[Any]:
    context = getattr(task, "context", None)
    return list(getattr(context if context is not None else task, "conversation_history", None) or ())
