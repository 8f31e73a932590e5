"""Trajectories as rectangular arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .arguments import one_of, whole, whole_or_none
from .records import Segment, Trajectory

Framework = Literal["numpy", "torch"]
Missing = Literal["error", "nan", "zero"]
Padded = dict[str, Any]


def pad(
    trajectories: Sequence[Trajectory],
    to: int | None = None,
    *,
    pad_id: int = 0,
    side: Literal["right", "left"] = "right",
    framework: Framework = "numpy",
    multiple_of: int = 1,
    segments: Literal["all", "last"] = "all",
    logprobs: Missing = "error",
    advantages: Missing = "error",
) -> Padded:
    """A row a segment, in order; R rows of L tokens (the longest row, or `to`; rounded up to `multiple_of`).

    ===================  ===============  ===========================================================================
    token_ids            int64   [R, L]   `pad_id` where there is no token
    attention_mask       bool    [R, L]   True where there is a token
    loss_mask            bool    [R, L]   True where the trainer may learn from it
    sampled_mask         bool    [R, L]   True where the policy sampled it
    logprobs             float32 [R, L]   0 where not sampled
    version_index        int32   [R, L]   index into `versions`: weights that sampled it; -1: not sampled or unknown
    advantages           float32 [R]      of its trajectory; 0 where there is none and none of the row is in the loss
    rewards              float32 [R]      of its trajectory; NaN where there is none (None is not 0)
    lengths              int64   [R]      tokens
    trajectory           int64   [R]      index into `trajectories`
    segment              int64   [R]      index into the trajectory's segments
    rollout_loss_tokens  int64   [R]      of its trajectory, over all segments: weighs split rollouts
    versions             tuple of str     names of the weights that sampled any of them
    ===================  ===============  ===========================================================================

    With framework='torch' arrays are tensors of the same types, on the CPU. segments='last' takes the last segment of
    each trajectory alone. A trajectory without tokens has no row. What is missing is an error unless the caller
    chooses: a sampled token without logprob (logprobs='nan' or 'zero'), a trajectory in the loss without
    advantage (advantages='nan' or 'zero').
    """
    one_of("logprobs", logprobs, ("error", "nan", "zero"))
    one_of("advantages", advantages, ("error", "nan", "zero"))
    one_of("side", side, ("right", "left"))
    one_of("segments", segments, ("all", "last"))
    one_of("framework", framework, ("numpy", "torch"))
    pad_id = whole("pad_id", pad_id, -(2**63), 2**63 - 1)
    to = whole_or_none("to", to)
    multiple_of = whole("multiple_of", multiple_of, 1)
    rows = [
        (index, at, segment)
        for index, trajectory in enumerate(trajectories)
        for at, segment in _taken(trajectory, segments)
        if len(segment) > 0
    ]
    owners = [trajectories[index] for index, _, _ in rows]
    length = _length((len(segment) for _, _, segment in rows), to, multiple_of)
    lengths = np.fromiter((len(segment) for _, _, segment in rows), np.int64, len(rows))
    starts = length - lengths if side == "left" else np.zeros_like(lengths)
    versions: dict[str, int] = {}
    places = [(int(start), segment) for start, (_, _, segment) in zip(starts, rows, strict=True)]
    sampled = _filled(places, length, bool, False, lambda segment: segment.sampled_mask)
    padded: Padded = {
        "token_ids": _filled(places, length, np.int64, pad_id, lambda segment: segment.token_ids),
        "attention_mask": _filled(places, length, bool, False, lambda _: True),
        "loss_mask": _filled(places, length, bool, False, lambda segment: segment.loss_mask),
        "sampled_mask": sampled,
        "logprobs": _filled(places, length, np.float32, 0, lambda segment: _logprobs(segment, logprobs)),
        "version_index": _version_index(places, sampled, versions),
        "advantages": np.array(
            [_advantage(trajectories[index], segment, advantages) for index, _, segment in rows], np.float32
        ),
        "rewards": np.array([np.nan if owner.reward is None else owner.reward for owner in owners], np.float32),
        "lengths": lengths,
        "trajectory": np.array([index for index, _, _ in rows], np.int64),
        "segment": np.array([at for _, at, _ in rows], np.int64),
        "rollout_loss_tokens": np.array([owner.rollout_loss_tokens for owner in owners], np.int64),
    }
    if framework == "torch":
        import torch

        padded = {name: torch.from_numpy(array) for name, array in padded.items()}
    padded["versions"] = tuple(versions)
    return padded


def _taken(trajectory: Trajectory, segments: str) -> Iterable[tuple[int, Segment]]:
    numbered = list(enumerate(trajectory.segments))
    return numbered if segments == "all" else numbered[-1:]


def _length(lengths: Iterable[int], to: int | None, multiple_of: int) -> int:
    longest = max(lengths, default=0)
    if to is not None and longest > to:
        raise ValueError(f"to={to}: a row has {longest} tokens; nothing is cut off silently")
    wanted = longest if to is None else to
    return -(-wanted // multiple_of) * multiple_of


def _filled(
    places: Sequence[tuple[int, Segment]],
    length: int,
    dtype: npt.DTypeLike,
    empty: float,
    of: Any,  # noqa: ANN401  (Segment) -> an array of its length, or one value
) -> npt.NDArray[Any]:
    """One copy a row, of the row's own length: quicker than a mask over the whole rectangle, and it converts on the
    way."""
    array = np.full((len(places), length), empty, dtype) if empty else np.zeros((len(places), length), dtype)
    for row, (start, segment) in zip(array, places, strict=True):
        row[start : start + len(segment)] = of(segment)
    return array


def _logprobs(segment: Segment, missing: Missing) -> npt.NDArray[np.float32] | float:
    if segment.logprobs is not None:
        return segment.logprobs
    sampled = segment.sampled_mask != 0
    if missing == "error" and sampled.any():
        raise ValueError(
            f"segment {segment.segment_id!r} has sampled tokens without logprobs: logprobs='nan' or 'zero' takes it"
        )
    if missing == "nan":
        gaps: npt.NDArray[np.float32] = np.where(sampled, np.nan, 0).astype(np.float32)
        return gaps
    return 0.0


def _advantage(trajectory: Trajectory, segment: Segment, missing: Missing) -> float:
    if trajectory.advantage is not None:
        return trajectory.advantage
    if not segment.loss_mask.any():
        return 0.0
    if missing == "error":
        raise ValueError(
            f"rollout {trajectory.rollout_id!r} has no advantage (no group of known size): compute it yourself and pass"
            " advantages='nan', or 'zero' to take it as 0"
        )
    return float("nan") if missing == "nan" else 0.0


def _version_index(
    places: Sequence[tuple[int, Segment]], sampled: npt.NDArray[np.bool_], versions: dict[str, int]
) -> npt.NDArray[np.int32]:
    index = np.full(sampled.shape, -1, np.int32)
    for row, (start, segment) in zip(index, places, strict=True):
        spans = segment.weight_spans
        for at, span in enumerate(spans):
            end = spans[at + 1].start if at + 1 < len(spans) else len(segment)
            if span.version != "" and segment.sampled_mask[span.start : end].any():
                row[start + span.start : start + end] = versions.setdefault(span.version, len(versions))
    index[~sampled] = -1
    return index
