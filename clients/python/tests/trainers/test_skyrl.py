from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from two_groups import both, cut, g0, logprob, plain, two_turns
from upstream_fields import SKYRL_GENERATOR_OUTPUT

from rollstream import Rows
from rollstream.trainers import skyrl
from rollstream.trainers.choices import fit_groups
from rollstream.trainers.records import Unfit
from rollstream.trainers.rows import rows_of


class TrajectoryID(NamedTuple):
    """skyrl/train/generators/base.py has a dataclass of these two."""

    instance_id: str
    repetition_id: int


def test_columns_are_those_of_the_response() -> None:
    output = skyrl.to_generator_output(g0(), advantage="trainer", trajectory_id=TrajectoryID)
    assert tuple(output) == SKYRL_GENERATOR_OUTPUT
    assert output["prompt_token_ids"] == [[11, 12], [11, 12]]
    assert output["response_ids"] == [[21, 22, 31, 41, 42], [51]]
    assert output["loss_masks"] == [[1, 1, 0, 0, 1], [1]]
    assert output["rollout_logprobs"] == [[logprob(21), logprob(22), 0, logprob(41), logprob(42)], [logprob(51)]]
    assert output["rewards"] == [1, 0]
    assert output["stop_reasons"] == ["stop", "length"]
    assert output["is_last_step"] is None


def test_a_split_rollout_needs_step_wise_training() -> None:
    with pytest.raises(Unfit, match="2 rows of one rollout need step_wise=True"):
        skyrl.to_generator_output(both(), advantage="trainer", trajectory_id=TrajectoryID)


def test_the_last_row_of_a_rollout_has_its_reward() -> None:
    output = skyrl.to_generator_output(both(), advantage="rollstream", step_wise=True, trajectory_id=TrajectoryID)
    assert output["is_last_step"] == [True, True, True, False, True]
    assert output["rewards"] == [0.5, -0.5, -0.25, 0.0, 0.25]
    ids = output["trajectory_ids"]
    assert [each.repetition_id for each in ids] == [0, 1, 0, 1, 1]
    assert len({each.instance_id for each in ids}) == 2
    assert [each["rollout_loss_tokens"] for each in output["env_metrics"]] == [3, 1, 3, 3, 3]
    assert [each["weights_versions"] for each in output["env_metrics"]] == [["3", "4"], ["4"], ["4"], ["4"], ["5"]]


def test_what_skyrl_would_count_wrongly_is_refused() -> None:
    padded = fit_groups(rows_of(Rows([plain()])), 2, "pad")
    with pytest.raises(Unfit, match="the baseline that SkyRL computes would count it"):
        skyrl.to_generator_output(padded, advantage="trainer", trajectory_id=TrajectoryID)
    precomputed = skyrl.to_generator_output(padded, advantage="rollstream", trajectory_id=TrajectoryID)
    assert (precomputed["rewards"], precomputed["loss_masks"][1]) == ([-0.25, 0.0], [0, 0, 0])
    with pytest.raises(Unfit, match="no reward"):
        skyrl.to_generator_output(Rows([cut(reward=None)]), advantage="trainer", trajectory_id=TrajectoryID)


def test_advantages_pass_through_the_estimator() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rewards = torch.tensor([[0.0, 0.0, 0.5], [0.0, -0.25, 0.0]])
    mask = torch.tensor([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
    advantages, returns = skyrl.pass_through(token_level_rewards=rewards, response_mask=mask, index=np.array([0, 0]))
    assert advantages.tolist() == [[0.5, 0.5, 0.5], [-0.25, -0.25, 0.0]]
    assert returns.tolist() == advantages.tolist()


def test_without_skyrl_it_says_what_is_needed() -> None:
    with pytest.raises(Unfit, match=r"skyrl\.train\.generators\.base\.TrajectoryID is needed"):
        skyrl.to_generator_output(Rows([two_turns()]), advantage="trainer")
