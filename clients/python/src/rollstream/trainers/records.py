"""What a converter reads of a batch. `rollstream.Batch` and its trajectories have it; so may anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import RollstreamError


class Unfit(RollstreamError, ValueError):
    """The batch has not what the trainer needs, and the caller did not say what to do about it."""


class SpanRecord(Protocol):
    """From token `start` on, `version` of the weights sampled, until the next span. '': unknown."""

    @property
    def start(self) -> int: ...
    @property
    def version(self) -> str: ...


class TurnRecord(Protocol):
    """One model call: tokens [start, end) of a segment were sampled by it."""

    @property
    def turn(self) -> int: ...
    @property
    def segment_id(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def temperature(self) -> float | None: ...


class SegmentRecord(Protocol):
    """One flat token sequence; every array has one element a token. logprobs: 0 where not sampled."""

    @property
    def segment_id(self) -> str: ...
    @property
    def prompt_len(self) -> int: ...
    @property
    def token_ids(self) -> npt.NDArray[np.uint32]: ...
    @property
    def sampled_mask(self) -> npt.NDArray[np.uint8]: ...
    @property
    def loss_mask(self) -> npt.NDArray[np.uint8]: ...
    @property
    def logprobs(self) -> npt.NDArray[np.float32] | None: ...
    @property
    def weight_spans(self) -> Sequence[SpanRecord]: ...


class TrajectoryRecord(Protocol):
    """One attempt of a rollout. group_size: members that left together, None where they pass one by one."""

    @property
    def env_name(self) -> str: ...
    @property
    def epoch(self) -> int: ...
    @property
    def group_id(self) -> str | None: ...
    @property
    def group_size(self) -> int | None: ...
    @property
    def group_index(self) -> int | None: ...
    @property
    def rollout_id(self) -> str: ...
    @property
    def attempt(self) -> int: ...
    @property
    def finish_reason(self) -> str | None: ...
    @property
    def reward(self) -> float | None: ...
    @property
    def advantage(self) -> float | None: ...
    @property
    def rollout_loss_tokens(self) -> int: ...
    @property
    def weights_version_min(self) -> str | None: ...
    @property
    def weights_version_max(self) -> str | None: ...
    @property
    def segments(self) -> Sequence[SegmentRecord]: ...
    @property
    def turns(self) -> Sequence[TurnRecord]: ...


class BatchRecord(Protocol):
    """Trajectories in ready order."""

    @property
    def trajectories(self) -> Sequence[TrajectoryRecord]: ...
