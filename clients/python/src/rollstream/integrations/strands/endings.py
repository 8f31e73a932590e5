"""Why the loop ended, in strands-env's own words, and which limit it met."""

from __future__ import annotations

from typing import Any


def reason_of(result: Any) -> str:  # a RolloutResult
    """An absent reason is empty, which nothing maps: unknown, and never the nearest."""
    reason = getattr(result, "termination_reason", None)
    return str(getattr(reason, "value", reason) or "")


def exception_of(raised: BaseException | None) -> BaseException | None:
    """What began it: the event loop wraps an exception anew at every depth."""
    while raised is not None and type(raised).__name__ == "EventLoopException" and raised.__cause__ is not None:
        raised = raised.__cause__
    return raised


def limit_of(reason: str, result: Any, env: Any, max_tokens: object) -> dict[str, Any] | None:
    metrics = getattr(result, "metrics", None) or {}
    if reason == "max_tool_calls_reached":
        return _limit("tool_calls", getattr(env, "max_tool_calls", None), metrics.get("tool_calls"))
    if reason == "max_tool_iterations_reached":
        return _limit("tool_iterations", getattr(env, "max_tool_iters", None), metrics.get("tool_iters"))
    if reason == "max_tokens_reached":
        return _limit("tokens", max_tokens, None)
    if reason == "context_window_overflow":
        return _limit("context", None, None)
    return None


def _limit(kind: str, limit: object, used: object) -> dict[str, Any]:
    return {"kind": kind, "limit": limit, "used": used}
