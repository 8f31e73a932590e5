"""A batch: trajectories that can be padded, what its lease holds, and how the lease ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, SupportsFloat, SupportsIndex

from .errors import RollstreamError
from .grants import Grant, Handle
from .padding import Framework, Missing, Padded, pad
from .records import Group, Trajectory

if TYPE_CHECKING:
    from types import TracebackType

    from .async_batch import AsyncBatch
    from .ready import Ready


class Rows:
    """Trajectories that can be padded: a batch, or a micro-batch of it."""

    def __init__(self, trajectories: Sequence[Trajectory]) -> None:
        self.trajectories = tuple(trajectories)

    def __len__(self) -> int:
        return len(self.trajectories)

    def __iter__(self) -> Iterator[Trajectory]:
        return iter(self.trajectories)

    @property
    def tokens(self) -> int:
        return sum(trajectory.tokens for trajectory in self.trajectories)

    def pad(
        self,
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
        """As arrays: see rollstream.pad, which says each one's shape and type."""
        return pad(
            self.trajectories,
            to,
            pad_id=pad_id,
            side=side,
            framework=framework,
            multiple_of=multiple_of,
            segments=segments,
            logprobs=logprobs,
            advantages=advantages,
        )


class Delivered(Rows):
    """What a batch holds, whichever way it was asked for.

    lease: its id. index: of the batch, or the step of a step lease. version: newest weights of the run when it was
    granted. deadline: ISO time at which it runs out if it is not extended. micro_batches: of this rank of a step lease,
    equally many for every rank; else one with all.
    """

    def __init__(self, grant: Grant, trajectories: Sequence[Trajectory]) -> None:
        self.grant = grant
        self.lease = grant.lease
        self.run = grant.run
        self.lineage = grant.lineage
        self.index = grant.index
        self.unit = grant.unit
        self.version = grant.version
        self.deadline = grant.deadline
        self.rank = grant.rank
        self.dp_size = grant.dp_size
        super().__init__(trajectories)

    @cached_property
    def micro_batches(self) -> tuple[Rows, ...]:
        micro_batches = self.grant.micro_batches or (tuple(range(len(self.trajectories))),)
        return tuple(Rows([self.trajectories[at] for at in micro]) for micro in micro_batches)

    def handle(self) -> Handle:
        """What another process needs to hold and end this lease (Ready.adopt): JSON, without the trajectories."""
        return {
            "lease": self.lease,
            "run": self.run,
            "lineage": self.lineage,
            "index": self.index,
            "unit": self.unit,
            "dp_size": self.dp_size,
            "offsets": list(self.grant.offsets),
            "lease_s": self.grant.lease_s,
            "asked_s": self.grant.asked_s,
        }

    @property
    def groups(self) -> tuple[Group, ...]:
        """In ready order. Of a step lease: the part that is in this shard."""
        members: dict[str, list[Trajectory]] = {}
        for trajectory in self.trajectories:
            # Where the group is not counted each goes alone, though they have one key.
            alone = self.unit == "rollout" or trajectory.entry.size == 1
            key = f"{trajectory.entry.unit}#{trajectory.entry.offset}" if alone else trajectory.entry.unit
            members.setdefault(key, []).append(trajectory)
        return tuple(Group(found[0].entry.unit, found[0].entry.size, tuple(found)) for found in members.values())

    def __repr__(self) -> str:
        return f"{type(self).__name__}(lease={self.lease!r}, index={self.index}, trajectories={len(self)})"


class Batch(Delivered):
    """A lease that is held: it is extended in the background until it ends, or nothing refers to the batch any more.
    Then it runs out at its deadline, and its trajectories come again at their place.

    As a context manager it is released when the block raises, unless it was trained.
    """

    def __init__(self, inner: AsyncBatch, ready: Ready) -> None:
        super().__init__(inner.grant, inner.trajectories)
        self._inner = inner
        self._ready = ready

    @property
    def lost(self) -> RollstreamError | None:
        """Why it is held no more though it did not end: known from an attempt to extend or ack it."""
        return self._inner.lost

    @property
    def ended(self) -> str | None:
        """How it ended: trained, queued, trainer_rejected; None: it did not."""
        return self._inner.ended

    @property
    def step(self) -> int | None:
        """The step that trained it into the weights; None: none did."""
        return self._inner.step

    @property
    def trajectory(self) -> Trajectory:
        """The only one, of Ready.rollouts()."""
        (only,) = self.trajectories
        return only

    @property
    def group(self) -> Group:
        """The only one, of Ready.groups()."""
        (only,) = self.groups
        return only

    def trained(self, step: SupportsIndex) -> None:
        """The weights hold it from this step on: from here to the answer of the ack it is among the tokens of a
        checkpoint, and is never released. ack() says it too; call it first where a checkpoint may be saved between the
        step and the ack."""
        self._inner.trained(step)

    def ack(
        self,
        step: SupportsIndex | None = None,
        *,
        version: str | None = None,
        stats: Mapping[str, SupportsFloat | None] | None = None,
    ) -> None:
        """After the optimizer step: its trajectories are never delivered again in this history. Asked twice it has one
        effect.

        step: of the trainer (default: as trained() said; for a step lease its index). version: weights that the step
        made. stats: kl, max_logprob_diff, clipped_share. One ack of a step lease is enough for all ranks.
        """
        self._ready._run(self._inner.ack(step, version=version, stats=stats))

    def release(self) -> None:
        """Back to its place at the head."""
        self._ready._run(self._inner.release())

    def reject(self, reason: str) -> None:
        """It is never delivered again, and counts as trainer_rejected for this reason."""
        self._ready._run(self._inner.reject(reason))

    def extend(self, lease_s: float | None = None) -> str:
        """Good for so long from now on (default: as at the grant). The new deadline, ISO. Done in the background as
        well."""
        return self._ready._run(self._inner.extend(lease_s))

    def __enter__(self) -> Batch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._ready._give_back(self._inner)
