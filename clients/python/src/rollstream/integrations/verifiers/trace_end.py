"""Why a trace of verifiers ended, and what its rewards say."""

from __future__ import annotations

import math
from typing import Any


def end_of(trace: Any) -> dict[str, Any]:
    error = trace.last_error if trace.stop_condition is None or trace.stop_condition.endswith("error") else None
    return {
        "reason": trace.stop_condition or "",
        "system": "verifiers",
        "final_response": trace.last_reply or None,
        "exception": None if error is None else {"type": error.type, "message": error.message},
        "extra": {"is_timeout": trace.is_timeout, "is_truncated": trace.is_truncated},
    }


def verdict_of(trace: Any) -> dict[str, Any]:
    """Rewards by name, each times its weight. Those of a trace that failed are a part of what scoring would say."""
    values = {name: None if one is None else _finite(one.value) for name, one in trace.rewards.items()}
    status = _status(trace, values)
    report = {
        "rewards": {name: None if one is None else one.model_dump() for name, one in trace.rewards.items()},
        "metrics": trace.metrics,
        "errors": [{"type": error.type, "message": error.message} for error in trace.errors] or None,
    }
    rewards = values if status == "scored" else dict.fromkeys(values)
    return {"status": status, "rewards": rewards, "report": report}


def _status(trace: Any, values: dict[str, float | None]) -> str:
    if trace.stop_condition == "scoring_timeout":
        return "timeout"
    if not trace.ok:
        return "crash" if trace.timing.scoring.start else "not_run"
    if any(value is not None for value in values.values()):
        return "scored"
    return "missing" if values else "not_run"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
