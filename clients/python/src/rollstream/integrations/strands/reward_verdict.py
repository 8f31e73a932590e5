"""What a reward function of strands-env said, or that it did not."""

from __future__ import annotations

import math
from typing import Any

_FAULTS = {"invalid_ground_truth": "crash", "gold_parse_failed": "parse_error"}


def reward_verdict(result: Any, error: BaseException | None) -> dict[str, Any]:  # a RewardResult
    """
    Reward functions catch their errors and return 0.0, so that a broken verifier looks like a wrong answer. Two
    conventions in `info` tell them apart: `status: error` (judges) and `reason` (math). An answer that could not be
    read, or none at all, is judged: 0.
    """
    if error is not None:
        timed_out = isinstance(error, TimeoutError) or "timeout" in type(error).__name__.lower()
        raised = {"error": {"type": type(error).__name__, "message": str(error)}}
        return {"status": "timeout" if timed_out else "crash", "rewards": {"reward": None}, "report": raised}
    if result is None:
        return {"status": "missing", "rewards": {"reward": None}}
    reward, info = getattr(result, "reward", None), getattr(result, "info", None)
    report: object = result.model_dump() if hasattr(result, "model_dump") else {"reward": reward, "info": info}
    fault = _fault(info)
    if fault is not None:
        return {"status": fault, "rewards": {"reward": None}, "report": report}
    if reward is None:
        return {"status": "missing", "rewards": {"reward": None}, "report": report}
    known = isinstance(reward, int | float) and math.isfinite(reward)
    return {"status": "scored", "rewards": {"reward": float(reward) if known else None}, "report": report}


def _fault(info: object) -> str | None:
    if not isinstance(info, dict):
        return None
    return "crash" if info.get("status") == "error" else _FAULTS.get(str(info.get("reason")))
