"""What a lease was answered with, and what another process needs to hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from .errors import BadAnswer, BadRequest
from .records import Entry


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
