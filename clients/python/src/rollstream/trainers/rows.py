"""A row a segment: what all converters start from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .records import BatchRecord, SegmentRecord, TrajectoryRecord, Unfit


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A segment of a trajectory, as a trainer will see it.

    part: which of the `parts` rows of its rollout it is. reward and advantage: those of its rollout; None is not 0.
    loss_mask: 1 where the trainer learns. padding: it stands where a trainer needs a row, and nothing is learnt from
    it.
    """

    trajectory: TrajectoryRecord
    segment: SegmentRecord
    part: int
    parts: int
    reward: float | None
    advantage: float | None
    loss_mask: npt.NDArray[np.uint8]
    padding: bool = False

    @property
    def unit(self) -> tuple[int, str, str]:
        """What its advantage is relative to: its group, or itself where it has none. A second epoch is another
        group."""
        of = self.trajectory
        return (of.epoch, "rollout", of.rollout_id) if of.group_id is None else (of.epoch, "group", of.group_id)

    @property
    def rollout(self) -> tuple[int, str, int]:
        return (self.trajectory.epoch, self.trajectory.rollout_id, self.trajectory.attempt)

    @property
    def name(self) -> str:
        """For messages."""
        return f"rollout {self.trajectory.rollout_id!r}, attempt {self.trajectory.attempt}, {self.segment.segment_id!r}"

    @property
    def length(self) -> int:
        return len(self.segment.token_ids)

    @property
    def prompt_len(self) -> int:
        """Tokens before the first sampled one."""
        return self.segment.prompt_len

    @property
    def prompt_ids(self) -> list[int]:
        ids: list[int] = self.segment.token_ids[: self.prompt_len].tolist()
        return ids

    @property
    def response_ids(self) -> list[int]:
        """From the first sampled token on: completions, and what tools and users said between them."""
        ids: list[int] = self.segment.token_ids[self.prompt_len :].tolist()
        return ids

    @property
    def response_mask(self) -> list[int]:
        mask: list[int] = self.loss_mask[self.prompt_len :].tolist()
        return mask

    @property
    def loss_tokens(self) -> int:
        return int(np.count_nonzero(self.loss_mask))


def rows_of(source: BatchRecord | Iterable[Row]) -> list[Row]:
    """A row for each segment that has tokens, in order; rows are taken as they are.

    Segments without a token in the loss are left out where the rollout has others that have some: a rewritten history
    or a sub-agent that is not trained would count as a row of the rollout for nothing.
    """
    trajectories: Sequence[TrajectoryRecord] | None = getattr(source, "trajectories", None)
    if trajectories is None:
        return list(source)  # type: ignore[arg-type]
    return [row for trajectory in trajectories for row in _of_trajectory(trajectory)]


def _of_trajectory(of: TrajectoryRecord) -> list[Row]:
    with_tokens = [segment for segment in of.segments if len(segment.token_ids) > 0]
    learnt = [segment for segment in with_tokens if segment.loss_mask.any()]
    kept = learnt or with_tokens[-1:]
    return [
        Row(of, segment, part, len(kept), of.reward, of.advantage, segment.loss_mask)
        for part, segment in enumerate(kept)
    ]


def units_of(rows: Iterable[Row]) -> dict[tuple[int, str, str], list[Row]]:
    """Rows by unit, both in order of arrival."""
    units: dict[tuple[int, str, str], list[Row]] = {}
    for row in rows:
        units.setdefault(row.unit, []).append(row)
    return units


def single_rows(rows: Sequence[Row], trainer: str) -> None:
    """Raises where a rollout has several rows and the trainer's own advantage would count it as often."""
    for row in rows:
        if row.parts > 1:
            raise Unfit(
                f"{row.name}: {row.parts} rows of one rollout would count {row.parts} times in the baseline that "
                f'{trainer} computes; take advantage="rollstream"'
            )


def no_padding(rows: Sequence[Row], trainer: str) -> None:
    """Raises where the trainer's own advantage would count padding as a rollout with reward 0."""
    for row in rows:
        if row.padding:
            raise Unfit(
                f"a row of padding beside {row.name}: the baseline that {trainer} computes would count it; "
                'take advantage="rollstream", or fit="drop"'
            )
