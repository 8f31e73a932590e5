"""What is asked for: the bodies of lease requests, and how often they are asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .arguments import idle_seconds, one_of, whole, whole_or_none
from .errors import BadRequest

Unit = Literal["group", "rollout"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Batches to iterate over: the name of their turns, the request, the first index (None: where the turns are), and
    how it is asked."""

    name: str
    what: Mapping[str, object]
    first: int | None
    asked_s: float | None
    poll_s: float
    tries: int | None
    prefetch: int


def batches_of(replica: str, *, groups: int | None, rollouts: int | None, at_least: int | None) -> dict[str, object]:
    if (groups is None) == (rollouts is None):
        raise BadRequest("batches: either groups= or rollouts= is needed", field="count")
    count = whole("rollouts", rollouts, 1) if rollouts is not None else whole_or_none("groups", groups, 1)
    least = count if at_least is None else whole("at_least", at_least, 1)
    return {"replica": replica, "count": count, "least": least, "unit": "rollout" if groups is None else "group"}


def steps_of(
    dp_size: int,
    rank: int,
    *,
    groups: int | None,
    rollouts: int | None,
    tokens: int | None,
    unit: Unit | None,
    micro_tokens: int | None,
) -> dict[str, object]:
    if sum(each is not None for each in (groups, rollouts, tokens)) != 1:
        raise BadRequest("steps: one of groups=, rollouts= and tokens= is needed", field="groups")
    if unit is not None:
        one_of("unit", unit, ("group", "rollout"))
    ranks = whole("dp_size", dp_size, 1)
    sizes = {
        "groups": whole_or_none("groups", groups, 1) if rollouts is None else whole("rollouts", rollouts, 1),
        "tokens": whole_or_none("tokens", tokens, 1),
        "micro_tokens": whole_or_none("micro_tokens", micro_tokens, 1),
    }
    by = unit or ("group" if rollouts is None else "rollout")
    named = {name: size for name, size in sizes.items() if size is not None}
    return {"dp_size": ranks, "rank": whole("rank", rank, 0, ranks - 1), "unit": by, **named}


def tries_of(idle_s: float | None, poll_s: float) -> tuple[int | None, float]:
    """How often "not enough" is heard before it ends (None: for ever), and how long each try waits. Tries, not time:
    ranks that share a name hear the same answers, and must stop at the same one."""
    idle_s = idle_seconds(idle_s)
    if idle_s is None:
        return None, poll_s
    tries = max(1, math.ceil(idle_s / poll_s) if poll_s > 0 else 1)
    return tries, min(poll_s, idle_s / tries)


def waiting_text(run: str, what: Mapping[str, object], status: Mapping[str, Any]) -> str:
    """What is waited for, and how the run stands. status: of GET /v1/runs/:run/delivery."""
    least = f"{what['least']} {what['unit']}(s)" if "least" in what else "the next step"
    states = status.get("ready_states", {})
    counts = ", ".join(f"{states[name]} {name}" for name in ("queued", "leased", "trained") if name in states)
    return (
        f"run {run!r}: not enough is ready for {least}, waiting for more (its trajectories: {counts or 'none'});"
        " idle_s= ends the wait"
    )
