"""A batch: what was leased, its trajectories, and how the lease ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .errors import BadAnswer, BadRequest, RollstreamError
from .padding import Framework, Missing, Padded, pad
from .records import Entry, Group, Trajectory

if TYPE_CHECKING:
    from types import TracebackType

    from .leases import Leases


@dataclass(frozen=True, slots=True)
class Grant:
    """The head of a lease's answer. offsets: of all that the lease holds, which for a step lease is more than this
    rank's shard. lease_s: how long it is good without being extended; asked_s: as it was asked for, None: the server's
    choice."""

    lease: str
    run: str
    lineage: int
    index: int
    attempt: int
    unit: str
    deadline: str
    version: str | None
    rank: int | None
    dp_size: int | None
    entries: tuple[Entry, ...]
    micro_batches: tuple[tuple[int, ...], ...]
    offsets: tuple[int, ...]
    lease_s: float
    asked_s: float | None


def grant_of(head: Mapping[str, Any], lease_s: float, asked_s: float | None) -> Grant:
    """Facts that a newer server adds are passed over."""
    try:
        entries = tuple(
            Entry(**{name: entry[name] for name in Entry.__dataclass_fields__}) for entry in head["entries"]
        )
        shard = head["shard"] or {"rank": None, "dp_size": None}
        return Grant(
            lease=head["lease"],
            run=head["run"],
            lineage=head["lineage"],
            index=head["batch_index"],
            attempt=head["try"],
            unit=head["unit"],
            deadline=head["deadline"],
            version=head["version"],
            rank=shard["rank"],
            dp_size=shard["dp_size"],
            entries=entries,
            micro_batches=tuple(tuple(micro) for micro in head["micro_batches"]),
            offsets=tuple(head.get("offsets") or (entry.offset for entry in entries)),
            lease_s=lease_s,
            asked_s=asked_s,
        )
    except (KeyError, TypeError) as error:
        raise BadAnswer(f"the head of a lease lacks something: {error!r}") from error


class Handle(TypedDict):
    """A lease that is held elsewhere."""

    lease: str
    run: str
    lineage: int
    index: int
    unit: str
    dp_size: int | None
    offsets: list[int]
    lease_s: float
    asked_s: float | None


def grant_of_handle(handle: Handle) -> Grant:
    try:
        return Grant(
            lease=handle["lease"],
            run=handle["run"],
            lineage=handle["lineage"],
            index=handle["index"],
            attempt=0,
            unit=handle["unit"],
            deadline="",
            version=None,
            rank=None,
            dp_size=handle["dp_size"],
            entries=(),
            micro_batches=(),
            offsets=tuple(handle["offsets"]),
            lease_s=handle["lease_s"],
            asked_s=handle["asked_s"],
        )
    except (KeyError, TypeError) as error:
        raise BadRequest(f"adopt: not a handle of a batch: {error!r}") from error


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


class AsyncBatch(Delivered):
    """A lease that is held: it is extended in the background until it ends, or nothing refers to the batch any more.
    Then it runs out at its deadline, and its trajectories come again at their place.

    As a context manager it is released when the block raises, unless it was trained.
    """

    def __init__(self, leases: Leases, grant: Grant, trajectories: Sequence[Trajectory]) -> None:
        super().__init__(grant, trajectories)
        self._leases = leases
        # How it ended: trained, queued, trainer_rejected; None: it is held.
        self.ended: str | None = None
        # Why it is held no more though it did not end: known from an attempt to extend or ack it.
        self.lost: RollstreamError | None = None
        # The step that trained it into the weights; None: none did.
        self.step: int | None = None

    def trained(self, step: int) -> None:
        """The weights hold it from this step on: from here to the answer of the ack it is among the tokens of a
        checkpoint, and is never released. ack() says it too; call it first where a checkpoint may be saved between the
        step and the ack."""
        self._leases.trained(self, step)

    async def ack(
        self, step: int | None = None, *, version: str | None = None, stats: Mapping[str, float | None] | None = None
    ) -> None:
        """After the optimizer step: its trajectories are never delivered again in this history. Asked twice it has one
        effect.

        step: of the trainer (default: as trained() said; for a step lease its index). version: weights that the step
        made. stats: kl, max_logprob_diff, clipped_share. One ack of a step lease is enough for all ranks.
        """
        await self._leases.ack(self, step, version, stats)

    async def release(self) -> None:
        """Back to its place at the head."""
        await self._leases.release(self)

    async def reject(self, reason: str) -> None:
        """It is never delivered again, and counts as trainer_rejected for this reason."""
        await self._leases.reject(self, reason)

    async def extend(self, lease_s: float | None = None) -> str:
        """Good for so long from now on (default: as at the grant). The new deadline, ISO. Done in the background as
        well."""
        return await self._leases.extend(self, lease_s)

    async def __aenter__(self) -> AsyncBatch:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            await self._leases.give_back(self)
