"""Trainable trajectories from rollstream: in ready order, acknowledged after the step, rewound with the checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .async_batch import AsyncBatch
from .async_ready import AsyncReady
from .batch import Batch, Rows
from .checkpoints import State, merge_states
from .errors import (
    BadAnswer,
    BadRecord,
    BadRequest,
    Closed,
    LeaseLost,
    LineageDiscarded,
    NotFound,
    Refused,
    RollstreamError,
    ServerFailed,
    ServerUnreachable,
    Unauthorized,
)
from .padding import pad
from .ready import Ready
from .recording.recorder import Recorder
from .recording.rollout import Rollout
from .records import Aux, Entry, Group, GroupStats, Reason, Segment, Trajectory, Turn, Verdict, WeightSpan

if TYPE_CHECKING:
    # Not in __all__: `import *` would need torch.
    from .torch_dataset import ReadyDataset as ReadyDataset

__all__ = [
    "AsyncBatch",
    "AsyncReady",
    "Aux",
    "BadAnswer",
    "BadRecord",
    "BadRequest",
    "Batch",
    "Closed",
    "Entry",
    "Group",
    "GroupStats",
    "LeaseLost",
    "LineageDiscarded",
    "NotFound",
    "Ready",
    "Reason",
    "Recorder",
    "Refused",
    "Rollout",
    "RollstreamError",
    "Rows",
    "Segment",
    "ServerFailed",
    "ServerUnreachable",
    "State",
    "Trajectory",
    "Turn",
    "Unauthorized",
    "Verdict",
    "WeightSpan",
    "merge_states",
    "pad",
]


def __getattr__(name: str) -> object:
    """ReadyDataset needs torch, which is imported when it is first asked for."""
    if name == "ReadyDataset":
        from .torch_dataset import ReadyDataset

        return ReadyDataset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
