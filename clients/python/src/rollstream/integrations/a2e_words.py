"""What messages of A2E mean, where its protocol leaves it open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NOT_EXECUTED = frozenset(
    (
        "unknown_tool",
        "tool_denied",
        "unknown_action",
        "unauthorized",
        "schema_violation",
        "invalid_message",
        "parse_error",
        "version_mismatch",
    )
)
_STATUS = {
    "tool_error": "tool_error",
    "runtime_error": "tool_error",
    "timeout": "timeout",
    "out_of_memory": "sandbox_error",
    "sandbox_crash": "sandbox_error",
}


@dataclass
class Action:
    """An action as a tool call. rest: the action itself, where name and arguments do not say all of it."""

    name: str | None
    arguments: Any
    call_id: str | None
    rest: Any = None


def error_status(code: object) -> str:
    """A code that nobody knows is unknown, never the nearest one."""
    return "not_executed" if code in _NOT_EXECUTED else _STATUS.get(str(code), "unknown")


def tool_status(success: object, code: object) -> str:
    if success is True:
        return "ok"
    if success is not False:
        return "unknown"
    status = error_status(code)
    return "tool_error" if status == "unknown" else status


def action_of(action: Any) -> Action:
    """`{action_type, payload}` is a call of that name, unless payload or action name a tool and its arguments."""
    if not isinstance(action, Mapping):
        return Action(None, action, None)
    payload = action.get("payload")
    inner = _tool_call(payload) if isinstance(payload, Mapping) else None
    found = inner or _tool_call(action)
    if found is None:
        return Action(None, dict(action), None)
    if inner is None and found.rest is None:
        return found
    return Action(found.name, found.arguments, found.call_id, dict(action))


def _tool_call(value: Mapping[str, Any]) -> Action | None:
    names = ("name", "tool_name", "tool", "action_type")
    name_key = next((key for key in names if isinstance(value.get(key), str) and value[key]), None)
    args_key = next((key for key in ("arguments", "args", "input", "parameters", "payload") if key in value), None)
    if name_key is None or args_key is None:
        return None
    ids = ("tool_call_id", "call_id", "id")
    call_id = next((value[key] for key in ids if isinstance(value.get(key), str) and value[key]), None)
    rest = {key: item for key, item in value.items() if key not in (name_key, args_key)}
    return Action(value[name_key], value[args_key], call_id, rest or None)


def label_of(name: str, *places: Any) -> Any:
    """Where the protocol is free: options of the reset, metadata of its observation."""
    found = (place.get(name) for place in places if isinstance(place, Mapping))
    return next((label for label in found if label is not None), None)


def leftover(value: Mapping[str, Any], *said: str) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key not in said}


def number_or_none(value: object) -> float | None:
    """None is not 0, and NaN is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)
