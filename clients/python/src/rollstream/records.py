"""A trajectory as the trainer has it: schemas/trajectory.avsc, with the packed bytes as arrays that share their
memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from .errors import BadRecord

Record = dict[str, Any]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the lease says of a trajectory.

    offset: on trajectories.ready, its name in every run. unit: key of what it is delivered with; size: members of that.
    deliveries: grants so far, this one included. lag: newest weights - oldest that sampled it, in announcements; None:
    unknown.
    """

    offset: int
    unit: str
    rollout_id: str
    attempt: int
    size: int
    tokens: int
    deliveries: int
    lag: int | None
    ready_at: str


@dataclass(frozen=True, slots=True)
class WeightSpan:
    """From token `start` on, `version` of the weights sampled, until the next span. '': unknown."""

    start: int
    version: str


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """One flat token sequence. The arrays are read-only views on the bytes that arrived, one element a token.

    token_ids uint32 (little-endian). sampled_mask uint8: 1 where the policy sampled. loss_mask uint8: 1 where it may be
    learnt from. logprobs float32, 0 where not sampled; None: a sampled token has none. prompt_len: tokens before the
    first sampled one. fork_at: tokens shared with the parent, None where there is none.
    """

    segment_id: str
    parent_segment_id: str | None
    fork_at: int | None
    prompt_len: int
    token_ids: npt.NDArray[np.uint32]
    sampled_mask: npt.NDArray[np.uint8]
    loss_mask: npt.NDArray[np.uint8]
    logprobs: npt.NDArray[np.float32] | None
    weight_spans: tuple[WeightSpan, ...]

    def __len__(self) -> int:
        return len(self.token_ids)


@dataclass(frozen=True, slots=True)
class Turn:
    """One model call: tokens [start, end) of a segment were sampled by it."""

    turn: int
    segment_id: str
    start: int
    end: int
    call_id: str
    finish_reason: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    logprobs_mode: str = "unknown"
    reward: float | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the loop ended."""

    code: str
    category: str
    raw: str
    system: str
    detail: str | None = None
    attribution: str | None = None
    after_end: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verifier said. A reward that is None is not 0. bound_to: the model call it judges; None: the whole
    attempt."""

    scorer: str
    scorer_version: str
    status: str
    rewards: Mapping[str, float | None]
    bound_to: int | None = None


@dataclass(frozen=True, slots=True)
class GroupStats:
    """What the advantage was computed from: n members in the baseline, their mean reward and its standard deviation."""

    baseline: str
    n: int
    mean: float | None = None
    std: float | None = None


@dataclass(frozen=True, slots=True)
class Aux:
    """Data beside the tokens (routed experts …), by reference: `Ready.load(aux)` fetches it as an array."""

    turn: int
    name: str
    uri: str
    sha256: str | None = None
    shape: tuple[int, ...] = ()
    dtype: str = ""


def _build(kind: type[_T], record: Record) -> _T:
    """Fields that a newer server has are left out; those that an older one lacks have defaults."""
    return kind(**{field.name: record[field.name] for field in fields(kind) if field.name in record})  # type: ignore[arg-type]


def _view(kind: str, data: object, count: int, name: str, entry: Entry) -> npt.NDArray[Any]:
    dtype = np.dtype(kind)
    if not isinstance(data, bytes) or len(data) != count * dtype.itemsize:
        raise BadRecord(
            f"{len(data) if isinstance(data, bytes) else 'no'} bytes; {count} tokens have {count * dtype.itemsize}",
            field=name,
            offset=entry.offset,
            rollout_id=entry.rollout_id,
        )
    return np.frombuffer(data, dtype)


def segment_of(record: Record, entry: Entry) -> Segment:
    """Views on the packed bytes; nothing is copied. Raises BadRecord where their lengths do not agree."""
    ids, logprobs = record["token_ids"], record["logprobs"]
    count = len(ids) // 4
    name = f"segments[{record['segment_id']}]"
    return Segment(
        segment_id=record["segment_id"],
        parent_segment_id=record["parent_segment_id"],
        fork_at=record["fork_at"],
        prompt_len=record["prompt_len"],
        token_ids=_view("<u4", ids, count, f"{name}.token_ids", entry),
        sampled_mask=_view("u1", record["sampled_mask"], count, f"{name}.sampled_mask", entry),
        loss_mask=_view("u1", record["loss_mask"], count, f"{name}.loss_mask", entry),
        logprobs=None if logprobs is None else _view("<f4", logprobs, count, f"{name}.logprobs", entry),
        weight_spans=tuple(WeightSpan(span["start"], span["version"]) for span in record["weight_spans"]),
    )


class Trajectory:
    """One attempt of a rollout. None is never 0: a reward, advantage or lag that is None is not known.

    fields: the record as it was decoded, by the names of schemas/trajectory.avsc (times are µs since the epoch). What
    is used most has a typed attribute.
    """

    def __init__(self, record: Record, entry: Entry, segments: Sequence[Segment] | None = None) -> None:
        self.fields = record
        self.entry = entry
        self.segments: tuple[Segment, ...] = tuple(
            [segment_of(segment, entry) for segment in record["segments"]] if segments is None else segments
        )
        self.run_id: str = record["run_id"]
        self.env_name: str = record["env_name"]
        self.task_id: str = record["task_id"]
        self.epoch: int = record["epoch"]
        self.group_id: str | None = record["group_id"]
        self.rollout_id: str = record["rollout_id"]
        self.attempt: int = record["attempt"]
        self.category: str = record["category"]
        self.finish_reason: str | None = record["finish_reason"]
        self.reward: float | None = record["reward"]
        self.reward_valid: bool = record["reward_valid"]
        self.reward_components: Mapping[str, float | None] = record["reward_components"]
        self.advantage: float | None = record["advantage"]
        self.in_loss: bool = record["in_loss"]
        self.in_baseline: bool = record["in_baseline"]
        self.disposition: str = record["disposition"]
        self.why: Sequence[str] = record["why"]
        self.group_size: int | None = record["group_size_actual"]
        self.group_index: int | None = record["group_index"]
        self.rollout_loss_tokens: int = record["rollout_loss_tokens"]
        self.weights_version_min: str | None = record["weights_version_min"]
        self.weights_version_max: str | None = record["weights_version_max"]
        self.task_metadata: str | None = record["task_metadata"]

    @property
    def tokens(self) -> int:
        """Tokens of all its segments."""
        return sum(map(len, self.segments))

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(_build(Turn, turn) for turn in self.fields["turns"])

    @cached_property
    def reasons(self) -> tuple[Reason, ...]:
        return tuple(_build(Reason, reason) for reason in self.fields["reasons"])

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(_build(Verdict, verdict) for verdict in self.fields["verdicts"])

    @cached_property
    def group_stats(self) -> GroupStats | None:
        stats = self.fields["group_stats"]
        return None if stats is None else _build(GroupStats, stats)

    @cached_property
    def aux(self) -> tuple[Aux, ...]:
        return tuple(_build(Aux, {**aux, "shape": tuple(aux["shape"])}) for aux in self.fields["aux"])

    def __repr__(self) -> str:
        return (
            f"Trajectory({self.rollout_id!r}, attempt={self.attempt}, offset={self.entry.offset}, tokens={self.tokens})"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Trajectories that are delivered together, as one batch has them. size: how many there are of it on the topic."""

    unit: str
    size: int
    trajectories: tuple[Trajectory, ...]

    def __len__(self) -> int:
        return len(self.trajectories)
