from __future__ import annotations

import pytest
from two_groups import both, cut, g0, logprob, part, plain, two_turns
from upstream_fields import NEMO_RL_TRAIN

from rollstream import Rows
from rollstream.trainers import nemo_rl
from rollstream.trainers.choices import fit_groups
from rollstream.trainers.records import Unfit
from rollstream.trainers.rows import rows_of

from trajectories import trajectory

PAD = 99


def test_rows_are_full_length_and_learnt_where_the_loss_mask_is() -> None:
    fields = nemo_rl.fields_of(g0(), advantage="rollstream", pad_token_id=PAD)
    assert fields["input_ids"].tolist() == [[11, 12, 21, 22, 31, 41, 42], [11, 12, 51, PAD, PAD, PAD, PAD]]
    assert fields["input_lengths"].tolist() == [7, 3]
    assert fields["token_mask"].tolist() == [[0, 0, 1, 1, 0, 0, 1], [0, 0, 1, 0, 0, 0, 0]]
    assert fields["generation_logprobs"][0].tolist() == [0, 0, logprob(21), logprob(22), 0, logprob(41), logprob(42)]
    assert fields["advantages"].tolist() == [[0, 0, 0.5, 0.5, 0, 0, 0.5], [0, 0, -0.5, 0, 0, 0, 0]]
    assert fields["sample_mask"].tolist() == [1, 1]
    assert fields["total_reward"].tolist() == [1, 0]
    assert set(NEMO_RL_TRAIN) - set(fields) == {"prev_logprobs", "reference_policy_logprobs"}


def test_split_rollouts_carry_their_weight_versions_and_temperature() -> None:
    fields = nemo_rl.fields_of(both(), advantage="rollstream", pad_token_id=PAD)
    assert fields["segment_count"].tolist() == [1, 1, 1, 2, 2]
    assert fields["rollout_loss_tokens"].tolist() == [3, 1, 3, 3, 3]
    assert fields["weights_versions"].tolist() == [["3", "4"], ["4"], ["4"], ["4"], ["5"]]
    assert fields["temperature"].tolist() == [0.7] * 5


def test_padding_is_out_of_the_loss() -> None:
    padded = fit_groups(rows_of(Rows([plain()])), 2, "pad")
    fields = nemo_rl.fields_of(padded, advantage="rollstream", pad_token_id=PAD)
    assert (fields["sample_mask"].tolist(), fields["token_mask"][1].any()) == ([1, 0], False)
    with pytest.raises(Unfit, match="the baseline that NeMo-RL computes would count it"):
        nemo_rl.fields_of(padded, advantage="trainer", pad_token_id=PAD)


def test_groups_that_nemo_rl_would_mix_up_are_refused() -> None:
    same = Rows([two_turns(), cut(group_id="other")])
    with pytest.raises(Unfit, match="another group has the same prompt"):
        nemo_rl.fields_of(same, advantage="trainer", pad_token_id=PAD)
    own_path = trajectory(part([11, 13, 51], 2), rollout="r1", reward=0.0)
    with pytest.raises(Unfit, match="its prompt is not that of its group"):
        nemo_rl.fields_of(Rows([two_turns(), own_path]), advantage="trainer", pad_token_id=PAD)
    prompts = nemo_rl.fields_of(g0(), advantage="trainer", pad_token_id=PAD)["prompt_ids_for_adv"]
    assert prompts.tolist() == [[11, 12], [11, 12]]


def test_what_is_missing_raises() -> None:
    with pytest.raises(Unfit, match="no reward"):
        nemo_rl.fields_of(Rows([cut(reward=None)]), advantage="trainer", pad_token_id=PAD)
    with pytest.raises(Unfit, match="no advantage"):
        nemo_rl.fields_of(Rows([cut(advantage=None)]), advantage="rollstream", pad_token_id=PAD)


def test_a_message_that_has_logprobs_is_one_that_is_learnt() -> None:
    log = nemo_rl.message_log(rows_of(g0())[0])
    assert [(m["role"], m["token_ids"].tolist(), "generation_logprobs" in m) for m in log] == [
        ("user", [11, 12], False),
        ("assistant", [21, 22], True),
        ("environment", [31, 41], False),
        ("assistant", [42], True),
    ]
    assert log[1]["generation_logprobs"].tolist() == [logprob(21), logprob(22)]
