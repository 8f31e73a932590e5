"""A batch as converters meet it: two groups of two, out of the wire. Tests work out from here what they expect.

g0  r0: prompt 11 12, sampled 21 22, a tool said 31, sampled 41 42, of which 41 is not in the loss
    r1: prompt 11 12, sampled 51, cut by the token limit
g1  r2: prompt 13, sampled 61 62 63
    r3: prompt 13, sampled 71; its history was rewritten into a second segment: prompt 13 14, sampled 81 82
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from rollstream import Rows, Trajectory

from trajectories import segment, trajectory

F32 = np.float32
Fields: TypeAlias = Any
"""Of the record, by name."""


def logprob(token: int) -> float:
    """As `segment` writes that of a sampled token."""
    return float(F32(-token / 1000))


def part(ids: Sequence[int], prompt_len: int, **more: Fields) -> dict[str, Any]:
    more.setdefault("sampled", [int(at >= prompt_len) for at in range(len(ids))])
    return {**segment(ids, **more), "prompt_len": prompt_len}


def call(turn: int, start: int, end: int, name: str = "main", temperature: float | None = 0.7) -> dict[str, Any]:
    where = {"turn": turn, "segment_id": name, "start": start, "end": end}
    return {**where, "call_id": f"c{turn}", "temperature": temperature}


def two_turns(**more: Fields) -> Trajectory:
    tokens = part(
        [11, 12, 21, 22, 31, 41, 42],
        2,
        sampled=[0, 0, 1, 1, 0, 1, 1],
        loss=[0, 0, 1, 1, 0, 0, 1],
        spans=[(2, "3"), (5, "4")],
    )
    facts: dict[str, Any] = {"reward": 1.0, "advantage": 0.5, "rollout_loss_tokens": 3, "finish_reason": "stop"}
    facts |= {"turns": [call(0, 2, 4), call(1, 5, 7)], "weights_version_min": "3", "weights_version_max": "4"}
    return _member(tokens, **{"rollout": "r0", "group_id": "g0", **facts, **more})


def cut(**more: Fields) -> Trajectory:
    facts: dict[str, Any] = {"reward": 0.0, "advantage": -0.5, "rollout_loss_tokens": 1, "finish_reason": "length"}
    facts |= {"turns": [call(0, 2, 3)], "weights_version_min": "4", "weights_version_max": "4"}
    tokens = part([11, 12, 51], 2, spans=[(0, "4")])
    return _member(tokens, **{"rollout": "r1", "group_id": "g0", **facts, **more})


def plain(**more: Fields) -> Trajectory:
    facts: dict[str, Any] = {"reward": 0.25, "advantage": -0.25, "rollout_loss_tokens": 3, "turns": [call(0, 1, 4)]}
    return _member(part([13, 61, 62, 63], 1, spans=[(0, "4")]), **{"rollout": "r2", "group_id": "g1", **facts, **more})


def split(**more: Fields) -> Trajectory:
    facts: dict[str, Any] = {"reward": 0.75, "advantage": 0.25, "rollout_loss_tokens": 3, "segment_count": 2}
    facts |= {"turns": [call(0, 1, 2), call(1, 2, 4, "main~1")]}
    first = part([13, 71], 1, spans=[(0, "4")])
    second = part([13, 14, 81, 82], 2, name="main~1", spans=[(0, "5")])
    return _member(first, second, **{"rollout": "r3", "group_id": "g1", **facts, **more})


def _member(*segments: dict[str, Any], **more: Fields) -> Trajectory:
    return trajectory(*segments, **{"group_size_actual": 2, **more})


def g0() -> Rows:
    """Two rollouts of one row each."""
    return Rows([two_turns(), cut()])


def both() -> Rows:
    """Four rollouts, the last of two rows."""
    return Rows([two_turns(), cut(), plain(), split()])
