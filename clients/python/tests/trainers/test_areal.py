from __future__ import annotations

import pytest
from two_groups import both, call, cut, g0, logprob, plain, two_turns
from upstream_fields import AREAL

from rollstream import Rows
from rollstream.trainers import areal
from rollstream.trainers.choices import fit_groups
from rollstream.trainers.records import Unfit
from rollstream.trainers.rows import rows_of


def test_a_group_is_one_dict_of_full_length_rows() -> None:
    group = areal.fields_of(g0(), advantage="trainer")[0]
    assert group["input_ids"].tolist() == [[11, 12, 21, 22, 31, 41, 42], [11, 12, 51, 0, 0, 0, 0]]
    assert group["attention_mask"].tolist() == [[True] * 7, [True] * 3 + [False] * 4]
    assert group["loss_mask"].tolist() == [[0, 0, 1, 1, 0, 0, 1], [0, 0, 1, 0, 0, 0, 0]]
    assert group["logprobs"][0].tolist() == [0, 0, logprob(21), logprob(22), 0, logprob(41), logprob(42)]
    assert group["versions"].tolist() == [[-1, -1, 3, 3, -1, 4, 4], [-1, -1, 4, -1, -1, -1, -1]]
    assert group["turn_ids"].tolist() == [[-1, -1, 0, 0, -1, 1, 1], [-1, -1, 0, -1, -1, -1, -1]]
    assert group["rewards"].tolist() == [1, 0]
    assert {name: str(group[name].dtype) for name in AREAL} == AREAL


def test_temperatures_are_those_of_the_calls() -> None:
    warm = Rows([two_turns(turns=[call(0, 2, 4), call(1, 5, 7, temperature=0.5)])])
    assert areal.fields_of(warm, advantage="trainer")[0]["temperatures"][0, 5:].tolist() == [0.5, 0.5]


def test_groups_differ_in_size_and_split_rollouts_carry_their_weight() -> None:
    groups = areal.fields_of(both(), advantage="rollstream")
    assert [len(group["input_ids"]) for group in groups] == [2, 3]
    assert groups[1]["rewards"].tolist() == [-0.25, 0.25, 0.25]
    assert groups[1]["original_rewards"].tolist() == [0.25, 0.75, 0.75]
    assert groups[1]["segment_count"].tolist() == [1, 2, 2]
    assert groups[1]["rollout_loss_tokens"].tolist() == [3, 3, 3]


def test_what_areal_would_count_wrongly_is_refused() -> None:
    with pytest.raises(Unfit, match="2 times in the baseline that AReaL computes"):
        areal.fields_of(both(), advantage="trainer")
    padded = fit_groups(rows_of(Rows([plain()])), 2, "pad")
    with pytest.raises(Unfit, match="the baseline that AReaL computes would count it"):
        areal.fields_of(padded, advantage="trainer")
    with pytest.raises(Unfit, match="no reward"):
        areal.fields_of(Rows([cut(reward=None)]), advantage="trainer")


@pytest.mark.filterwarnings("ignore")
def test_areal_takes_it() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    executor = pytest.importorskip("areal.infra.workflow_executor", reason="areal is not installed")
    data = pytest.importorskip("areal.utils.data")
    groups = areal.to_trajectories(both(), advantage="rollstream")
    for group in groups:
        assert executor.check_trajectory_format(group)
    whole = data.concat_padded_tensors(groups)
    assert whole["input_ids"].shape == (5, 7)
    assert whole["loss_mask"].sum().item() == 3 + 1 + 3 + 3
