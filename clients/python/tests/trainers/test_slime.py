from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from two_groups import both, cut, g0, logprob, plain, two_turns
from upstream_fields import SLIME_SAMPLE, SLIME_STATUS

from rollstream import Rows
from rollstream.trainers import slime
from rollstream.trainers.records import Unfit
from rollstream.trainers.upstream import Foreign


def sample(**fields: Foreign) -> SimpleNamespace:
    """Takes what slime's Sample takes."""
    assert set(fields) <= set(SLIME_SAMPLE)
    assert fields["status"] in SLIME_STATUS
    return SimpleNamespace(**fields)


def test_tokens_are_all_and_masks_of_the_response() -> None:
    first, second = slime.to_samples(g0(), advantage="trainer", group_size=2, sample_type=sample)[0]
    assert first.tokens == [11, 12, 21, 22, 31, 41, 42]
    assert (first.response_length, first.loss_mask) == (5, [1, 1, 0, 0, 1])
    assert first.rollout_log_probs == [logprob(21), logprob(22), 0, logprob(41), logprob(42)]
    assert first.weight_versions == ["3", "4"]
    assert (first.reward, second.reward) == (1, 0)
    assert (first.status, second.status) == ("completed", "truncated")
    assert first.metadata["temperature"] == 0.7


def test_rows_of_a_rollout_share_its_id_so_that_the_loss_counts_it_once() -> None:
    groups = slime.to_samples(both(), advantage="rollstream", sample_type=sample, first_index=10)
    third, parts = groups[1]
    assert [(part.rollout_id, part.index, part.group_index) for part in parts] == [(13, 13, 1)] * 2
    assert (third.rollout_id, groups[0][0].rollout_id) == (12, 10)
    assert [sum(part.loss_mask) for part in parts] == [1, 2]
    assert [part.metadata["rollout_loss_tokens"] for part in parts] == [3, 3]


def test_an_advantage_that_came_with_it_is_the_reward_and_the_reward_is_beside_it() -> None:
    first = slime.to_samples(g0(), advantage="rollstream", sample_type=sample)[0][0]
    assert (first.reward, first.metadata["raw_reward"]) == (0.5, 1.0)


def test_groups_that_slime_would_mix_up_are_refused() -> None:
    with pytest.raises(Unfit, match="needs group_size"):
        slime.to_samples(g0(), advantage="trainer", sample_type=sample)
    with pytest.raises(Unfit, match="'g1' has 1 rollouts in this batch, the trainer cuts it every 2"):
        slime.to_samples(Rows([two_turns(), cut(), plain()]), advantage="trainer", group_size=2, sample_type=sample)
    with pytest.raises(Unfit, match="2 times in the baseline that slime computes"):
        slime.to_samples(both(), advantage="trainer", group_size=2, sample_type=sample)


ARGS = SimpleNamespace(rollout_batch_size=2, rewards_normalization=False, rollout_temperature=0.7)


def test_the_rollout_function_answers_with_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slime, "_sample_of", sample)
    generate = slime.rollout_function(iter([both()]), advantage="rollstream")
    assert [len(group) for group in generate(ARGS, 0, None)] == [2, 2]


@pytest.mark.parametrize(
    ("args", "evaluation", "said"),
    [
        ({}, True, "eval-function-path"),
        ({"rollout_batch_size": 3}, False, "a batch of 2 groups, slime wants rollout_batch_size=3"),
        ({"rewards_normalization": True}, False, "disable-rewards-normalization"),
        ({"rollout_temperature": 1.0}, False, "sampled at temperature 0.7, slime trains at 1"),
    ],
)
def test_a_rollout_function_that_would_train_something_else_raises(
    args: dict[str, Any], evaluation: bool, said: str
) -> None:
    generate = slime.rollout_function(iter([both()]), advantage="rollstream")
    with pytest.raises(Unfit, match=said):
        generate(SimpleNamespace(**{**vars(ARGS), **args}), 0, None, evaluation)
