from __future__ import annotations

import numpy as np
import pytest
from two_groups import both, call, cut, g0, logprob, part, plain, split, two_turns

from rollstream import Batch, Rows, Segment, Trajectory
from rollstream.trainers.choices import Nulls, advantage_of, fit_groups, fit_rows, reward_of
from rollstream.trainers.records import BatchRecord, SegmentRecord, TrajectoryRecord, Unfit
from rollstream.trainers.rows import rows_of, units_of
from rollstream.trainers.tokens import (
    logprobs_of,
    temperature_of,
    temperatures_of,
    turns_of,
    version_names,
    version_numbers,
    versions_of,
)
from rollstream.trainers.trl import TakenBatch

from trajectories import trajectory


def test_batches_of_the_client_are_what_converters_read() -> None:
    """mypy is the judge: a field that is renamed fails there."""

    def read(
        a: Trajectory, b: Segment, c: Rows, d: Batch
    ) -> tuple[TrajectoryRecord, SegmentRecord, BatchRecord, TakenBatch]:
        return a, b, c, d

    assert read is not None


def test_a_rollout_has_a_row_a_segment() -> None:
    assert [(row.trajectory.rollout_id, row.part, row.parts) for row in rows_of(both())] == [
        ("r0", 0, 1),
        ("r1", 0, 1),
        ("r2", 0, 1),
        ("r3", 0, 2),
        ("r3", 1, 2),
    ]


def test_a_segment_without_loss_is_no_row_beside_one_that_has_some() -> None:
    silent = part([1, 2], 1, loss=[0, 0], name="sub-agent")
    assert [row.segment.segment_id for row in rows_of(Rows([trajectory(silent, part([1, 3], 1))]))] == ["main"]


def test_a_masked_rollout_keeps_its_last_segment_as_a_member_of_its_group() -> None:
    masked = trajectory(part([1, 2], 1, loss=[0, 0], name="a"), part([1, 3], 1, loss=[0, 0], name="b"))
    assert [row.segment.segment_id for row in rows_of(Rows([masked]))] == ["b"]


def test_a_rollout_without_tokens_has_no_row() -> None:
    assert rows_of(Rows([trajectory(part([], 0))])) == []


def test_a_second_epoch_of_a_group_is_another_group() -> None:
    first, second = two_turns(), two_turns(epoch=1)
    assert [len(rows) for rows in units_of(rows_of(Rows([first, second]))).values()] == [1, 1]


def test_rollouts_without_a_group_are_units_of_their_own() -> None:
    alone = Rows([two_turns(group_id=None), cut(group_id=None)])
    assert [len(rows) for rows in units_of(rows_of(alone)).values()] == [1, 1]


def test_logprobs_are_those_of_the_wire_bit_for_bit() -> None:
    exact = [0.0, float(np.float32(-1e-45)), float(np.float32(-0.1)), -float(np.finfo(np.float32).max)]
    row = rows_of(Rows([trajectory(part([1, 2, 3, 4], 1, logprobs=exact))]))[0]
    assert logprobs_of(row).tobytes() == np.array(exact, "<f4").tobytes()


def test_missing_logprobs_raise_unless_the_caller_says_what_they_are() -> None:
    row = rows_of(Rows([trajectory(part([1, 2, 3], 1, logprobs=None))]))[0]
    with pytest.raises(Unfit, match="no logprob"):
        logprobs_of(row)
    assert logprobs_of(row, -0.5).tolist() == [0.0, -0.5, -0.5]


def test_a_missing_reward_or_advantage_is_not_zero() -> None:
    row = rows_of(Rows([cut(reward=None, advantage=None)]))[0]
    with pytest.raises(Unfit, match="which is not reward 0"):
        reward_of(row)
    with pytest.raises(Unfit, match="which is not advantage 0"):
        advantage_of(row)
    assert (reward_of(row, Nulls(reward=-1)), advantage_of(row, Nulls(advantage=0))) == (-1, 0)


def test_an_advantage_is_not_missed_where_nothing_is_learnt() -> None:
    masked = trajectory(part([1, 2], 1, loss=[0, 0]), advantage=None)
    assert advantage_of(rows_of(Rows([masked]))[0]) == 0


def test_versions_are_those_of_sampled_tokens() -> None:
    row = rows_of(g0())[0]
    assert versions_of(row) == [None, None, "3", "3", None, "4", "4"]
    assert version_names([row]) == ["3", "4"]
    assert version_numbers(row, int).tolist() == [-1, -1, 3, 3, -1, 4, 4]


def test_a_version_that_is_no_number_raises_where_a_trainer_needs_one() -> None:
    row = rows_of(Rows([trajectory(part([1, 2], 1, spans=[(0, "0.12")]))]))[0]
    with pytest.raises(Unfit, match=r"'0\.12' is no number"):
        version_numbers(row, int)
    assert version_numbers(row, lambda name: int(name.split(".")[1])).tolist() == [-1, 12]


@pytest.mark.parametrize("spans", [[], [(0, "")]])
def test_unknown_weights_have_no_number(spans: list[tuple[int, str]]) -> None:
    row = rows_of(Rows([trajectory(part([1, 2], 1, spans=spans))]))[0]
    assert version_names([row]) == [""]
    with pytest.raises(Unfit, match="not known which weights"):
        version_numbers(row, int)


def test_turns_are_of_the_segment_they_sampled() -> None:
    assert [turns_of(row).tolist() for row in rows_of(both())[3:]] == [[-1, 0], [-1, -1, 1, 1]]


def test_each_token_has_the_temperature_of_its_call() -> None:
    row = rows_of(Rows([two_turns(turns=[call(0, 2, 4), call(1, 5, 7, temperature=0.25)])]))[0]
    assert temperatures_of(row).tolist() == [1, 1, 0.7, 0.7, 1, 0.25, 0.25]


def test_two_temperatures_are_refused_where_a_trainer_has_one() -> None:
    mixed = rows_of(Rows([cut(), plain(turns=[call(0, 1, 4, temperature=1.0)])]))
    with pytest.raises(Unfit, match="this one has 2"):
        temperature_of(mixed)
    assert temperature_of(rows_of(both())) == 0.7


def test_an_unknown_temperature_raises_unless_nothing_is_learnt_there() -> None:
    unknown = [call(0, 2, 4), call(1, 5, 7, temperature=None)]
    row = rows_of(Rows([two_turns(turns=unknown)]))[0]
    with pytest.raises(Unfit, match="token 6 was sampled at an unknown temperature"):
        temperatures_of(row)
    assert temperatures_of(row, 0.9).tolist() == [1, 1, 0.7, 0.7, 1, 1, 0.9]
    silent = rows_of(Rows([cut(turns=[call(0, 2, 3, temperature=None)])]))[0]
    with pytest.raises(Unfit):
        temperature_of([silent])


def test_a_short_group_is_refused_padded_or_dropped_as_said() -> None:
    rows = rows_of(Rows([two_turns(), cut(), plain()]))
    with pytest.raises(Unfit, match="group 'g1' has 1 rollouts in this batch, the trainer cuts it every 2"):
        fit_groups(rows, 2, "raise")
    padded = fit_groups(rows, 2, "pad")
    assert [(row.trajectory.rollout_id, row.padding, row.loss_tokens) for row in padded] == [
        ("r0", False, 3),
        ("r1", False, 1),
        ("r2", False, 3),
        ("r2", True, 0),
    ]
    assert (padded[3].reward, padded[3].advantage) == (None, 0.0)
    assert [row.trajectory.rollout_id for row in fit_groups(rows, 2, "drop")] == ["r0", "r1"]


def test_a_group_that_is_too_long_is_never_cut() -> None:
    rows = rows_of(Rows([two_turns(), cut(), two_turns(rollout="r9")]))
    for fit in ("raise", "pad"):
        with pytest.raises(Unfit, match="has 3 rollouts"):
            fit_groups(rows, 2, fit)
    assert fit_groups(rows, 2, "drop") == []


def test_members_of_a_group_stand_together_however_they_came() -> None:
    mixed = rows_of(Rows([two_turns(), plain(), cut(), plain(rollout="r9")]))
    assert [row.trajectory.rollout_id for row in fit_groups(mixed, 2, "raise")] == ["r0", "r1", "r2", "r9"]


def test_a_rollout_of_several_rows_is_no_member_of_a_group_of_rows() -> None:
    with pytest.raises(Unfit, match="it has 2 rows, and the trainer counts rows"):
        fit_groups(rows_of(both()), 2, "pad")


def test_rows_are_made_a_multiple_as_said_and_rollouts_leave_whole() -> None:
    rows = rows_of(both())
    with pytest.raises(Unfit, match="5 rows, and the trainer needs a multiple of 4"):
        fit_rows(rows, 4, "raise")
    assert [row.padding for row in fit_rows(rows, 4, "pad")] == [False] * 5 + [True] * 3
    assert [row.trajectory.rollout_id for row in fit_rows(rows, 3, "drop")] == ["r0", "r1", "r2"]
    assert fit_rows(rows_of(Rows([split(), split(rollout="r4")])), 3, "drop") == []
    assert fit_rows(rows, 5, "raise") == rows


def test_a_choice_misspelt_is_refused() -> None:
    with pytest.raises(Unfit, match="fit='padd': it is one of raise, pad, drop"):
        fit_rows(rows_of(g0()), 4, "padd")  # type: ignore[arg-type]


def test_padding_leaves_the_batch_as_it_was() -> None:
    batch = g0()
    fit_rows(rows_of(batch), 4, "pad")
    assert batch.trajectories[1].segments[0].loss_mask.tolist() == [0, 0, 1]
    assert logprobs_of(rows_of(batch)[1]).tolist() == [0, 0, logprob(51)]
