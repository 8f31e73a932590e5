"""What became of a tool call, and what the model was shown of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def status_of(event: Any) -> str:  # an AfterToolCallEvent
    """The loop knows success and error; a time-out, a call that was cancelled and an unknown tool are its own."""
    if event.cancel_message is not None:
        return "cancelled"
    if event.selected_tool is None or was_refused(event):
        return "not_executed"
    error = event.exception
    if error is not None:
        timed_out = isinstance(error, TimeoutError) or "timeout" in type(error).__name__.lower()
        return "timeout" if timed_out else "tool_error"
    return {"success": "ok", "error": "tool_error"}.get(event.result.get("status"), "unknown")


def was_refused(event: Any) -> bool:
    """The decorator of a function found arguments that do not fit: the function itself was not called, with none."""
    is_function = getattr(event.selected_tool, "tool_type", None) == "function"
    error = event.exception
    return is_function and isinstance(error, ValueError) and str(error).startswith("Validation failed for input")


def output_of(result: Mapping[str, Any]) -> tuple[str, bool]:
    """The text that the model was shown; where it was more than one text, its JSON, and False: it is not all."""
    content = result.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0].get("text"), str):
        return content[0]["text"], len(content[0]) == 1
    return json.dumps(content, default=repr), False
