"""What a caller says where a trainer and a batch do not meet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .records import Unfit
from .rows import Row, units_of

Advantage = Literal["trainer", "rollstream"]
"""Who computes it. trainer: from the rewards of the batch. rollstream: it came with the trajectory, computed when the
group closed, over all that counted in its baseline; also over those that are not in this batch."""

Fit = Literal["raise", "pad", "drop"]
"""raise: the batch is refused. pad: rows that nothing is learnt from are added. drop: what does not fit is left out
whole."""


@dataclass(frozen=True, slots=True)
class Nulls:
    """What stands for what a trajectory lacks. None: its absence raises, so that nothing unknown is trained as a 0."""

    reward: float | None = None
    advantage: float | None = None
    logprobs: float | None = None
    temperature: float | None = None


RAISE = Nulls()


def reward_of(row: Row, nulls: Nulls = RAISE) -> float:
    return _given(row, row.reward, nulls.reward, "reward")


def advantage_of(row: Row, nulls: Nulls = RAISE) -> float:
    """0 where nothing is learnt from the row: no advantage is used there."""
    if row.advantage is None and row.loss_tokens == 0:
        return 0.0
    return _given(row, row.advantage, nulls.advantage, "advantage")


def _given(row: Row, value: float | None, null: float | None, what: str) -> float:
    if value is not None:
        return value
    if row.padding:
        return 0.0
    if null is None:
        raise Unfit(f"{row.name}: it has no {what}, which is not {what} 0; say Nulls({what}=…) or leave it out")
    return null


def outcome_of(row: Row, advantage: Advantage, nulls: Nulls) -> float:
    """What the trainer gets for a reward: where the advantage came with the trajectory, that."""
    if known(advantage, ("trainer", "rollstream"), "advantage") == "rollstream":
        return advantage_of(row, nulls)
    return reward_of(row, nulls)


def known(value: str, among: tuple[str, ...], name: str) -> str:
    """A choice misspelt is refused, not taken for another."""
    if value not in among:
        raise Unfit(f"{name}={value!r}: it is one of {', '.join(among)}")
    return value


def padding_like(row: Row) -> Row:
    """Same tokens, nothing learnt: no reward, advantage 0, and a loss mask of zeros."""
    return replace(
        row, reward=None, advantage=0.0, loss_mask=np.zeros(row.length, np.uint8), padding=True, part=0, parts=1
    )


def fit_groups(rows: Iterable[Row], size: int, fit: Fit) -> list[Row]:
    """Groups of `size` rollouts, for trainers that cut a batch every `size` rows; members of a group stand together.

    A group that is longer cannot be padded and raises there, too. Rollouts of several rows raise: no row of them is
    one.
    """
    known(fit, ("raise", "pad", "drop"), "fit")
    out: list[Row] = []
    for (_, kind, name), members in units_of(rows).items():
        split = next((row for row in members if row.parts > 1), None)
        if split is not None:
            raise Unfit(f"{split.name}: it has {split.parts} rows, and the trainer counts rows")
        if len(members) == size:
            out += members
        elif fit == "pad" and len(members) < size:
            out += [*members, *[padding_like(members[-1])] * (size - len(members))]
        elif fit != "drop":
            raise Unfit(f"{kind} {name!r} has {len(members)} rollouts in this batch, the trainer cuts it every {size}")
    return out


def fit_rows(rows: Sequence[Row], multiple_of: int, fit: Fit) -> list[Row]:
    """As many rows as ranks can share evenly. drop: the last rollouts go, whole, until the rest is a multiple."""
    known(fit, ("raise", "pad", "drop"), "fit")
    over = len(rows) % multiple_of
    if over == 0:
        return list(rows)
    if fit == "pad":
        return [*rows, *[padding_like(rows[-1])] * (multiple_of - over)]
    if fit == "drop":
        kept = list(rows)
        while kept and len(kept) % multiple_of != 0:
            last = kept[-1].rollout
            while kept and kept[-1].rollout == last:
                kept.pop()
        return kept
    raise Unfit(f"{len(rows)} rows, and the trainer needs a multiple of {multiple_of}")
