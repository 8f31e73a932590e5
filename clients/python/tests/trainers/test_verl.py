from __future__ import annotations

import numpy as np
import pytest
from two_groups import both, cut, g0, logprob, plain, split, two_turns
from upstream_fields import VERL_AGENT_LOOP_OUTPUT, VERL_TENSORS

from rollstream import Rows
from rollstream.trainers import verl
from rollstream.trainers.choices import Nulls, fit_rows
from rollstream.trainers.records import Unfit
from rollstream.trainers.rows import rows_of

PAD = 99


def test_prompts_stand_at_the_right_and_responses_at_the_left() -> None:
    tensors, _, _ = verl.fields_of(both(), advantage="rollstream", pad_token_id=PAD)
    assert tensors["prompts"].tolist() == [[11, 12], [11, 12], [PAD, 13], [PAD, 13], [13, 14]]
    assert tensors["responses"].tolist() == [
        [21, 22, 31, 41, 42],
        [51, PAD, PAD, PAD, PAD],
        [61, 62, 63, PAD, PAD],
        [71, PAD, PAD, PAD, PAD],
        [81, 82, PAD, PAD, PAD],
    ]
    assert tensors["input_ids"][2].tolist() == [PAD, 13, 61, 62, 63, PAD, PAD]
    assert tensors["attention_mask"][2].tolist() == [0, 1, 1, 1, 1, 0, 0]
    assert tensors["position_ids"][2].tolist() == [0, 0, 1, 2, 3, 3, 3]
    assert set(VERL_TENSORS) <= set(tensors)


def test_verl_learns_where_the_loss_mask_is_and_has_the_logprobs_of_what_was_sampled() -> None:
    tensors, _, _ = verl.fields_of(g0(), advantage="trainer", pad_token_id=PAD)
    assert tensors["response_mask"].tolist() == [[1, 1, 0, 0, 1], [1, 0, 0, 0, 0]]
    expected = [logprob(21), logprob(22), 0, logprob(41), logprob(42)]
    assert tensors["rollout_log_probs"][0].tobytes() == np.array(expected, np.float32).tobytes()


def test_the_reward_is_at_the_last_token_of_the_response() -> None:
    tensors, _, meta = verl.fields_of(both(), advantage="rollstream", pad_token_id=PAD)
    at = [[0, 0, 0, 0, 1], [0] * 5, [0, 0, 0.25, 0, 0], [0.75, 0, 0, 0, 0], [0, 0.75, 0, 0, 0][:5]]
    assert tensors["rm_scores"].tolist() == at
    assert meta == {"temperature": 0.7, "reward_extra_keys": []}


def test_advantages_that_came_with_the_rollout_are_at_each_token_in_the_loss() -> None:
    tensors, _, _ = verl.fields_of(both(), advantage="rollstream", pad_token_id=PAD)
    assert tensors["advantages"].tolist() == [
        [0.5, 0.5, 0, 0, 0.5],
        [-0.5, 0, 0, 0, 0],
        [-0.25, -0.25, -0.25, 0, 0],
        [0.25, 0, 0, 0, 0],
        [0.25, 0.25, 0, 0, 0],
    ]
    assert "advantages" not in verl.fields_of(g0(), advantage="trainer", pad_token_id=PAD)[0]


def test_grpo_of_verl_would_count_a_split_rollout_twice() -> None:
    with pytest.raises(Unfit, match="2 times in the baseline that verl computes"):
        verl.fields_of(both(), advantage="trainer", pad_token_id=PAD)


def test_groups_have_uids_without_an_underscore_and_splits_their_weights() -> None:
    _, rows, _ = verl.fields_of(both(), advantage="rollstream", pad_token_id=PAD, version_number=int)
    uids = rows["uid"].tolist()
    assert (uids[0], uids[2:4]) == (uids[1], [uids[4]] * 2)
    assert len(set(uids)) == 2 and not any("_" in uid for uid in uids)
    assert rows["segment_count"].tolist() == [1, 1, 1, 2, 2]
    assert rows["rollout_loss_tokens"].tolist() == [3, 1, 3, 3, 3]
    assert rows["min_global_steps"].tolist() == [3, 4, 4, 4, 5]
    assert rows["max_global_steps"].tolist() == [4, 4, 4, 4, 5]


def test_padding_is_a_group_of_its_own_and_is_not_learnt_from() -> None:
    rows = fit_rows(rows_of(g0()), 3, "pad")
    tensors, others, _ = verl.fields_of(rows, advantage="trainer", pad_token_id=PAD)
    assert tensors["response_mask"][2].any() == 0 and tensors["rm_scores"][2].any() == 0
    assert len(set(others["uid"].tolist())) == 2
    assert others["padding"].tolist() == [False, False, True]


def test_what_is_missing_raises() -> None:
    with pytest.raises(Unfit, match="no reward"):
        verl.fields_of(Rows([two_turns(reward=None)]), advantage="trainer", pad_token_id=PAD)
    without = Rows([two_turns(advantage=None)])
    with pytest.raises(Unfit, match="no advantage"):
        verl.fields_of(without, advantage="rollstream", pad_token_id=PAD)
    verl.fields_of(without, advantage="trainer", pad_token_id=PAD)
    zero = verl.fields_of(without, advantage="rollstream", pad_token_id=PAD, nulls=Nulls(advantage=0))[0]
    assert zero["advantages"].any() == 0


def test_nothing_is_cut_to_a_length() -> None:
    with pytest.raises(Unfit, match="row 0 has 5 tokens, there is room for 4"):
        verl.fields_of(g0(), advantage="trainer", pad_token_id=PAD, response_length=4)


def test_arguments_of_an_agent_loop_output_are_its_fields() -> None:
    fields = verl.agent_loop_fields(rows_of(g0())[0])
    assert set(fields) <= set(VERL_AGENT_LOOP_OUTPUT)
    assert (fields["response_mask"], fields["num_turns"]) == ([1, 1, 0, 0, 1], 2)


@pytest.mark.filterwarnings("ignore")
def test_verl_takes_it() -> None:
    protocol = pytest.importorskip("verl.protocol", reason="verl is not installed")
    data = verl.to_data_proto(Rows([two_turns(), cut(), plain(), split()]), advantage="rollstream", pad_token_id=PAD)
    assert isinstance(data, protocol.DataProto)
    assert len(data) == 5
    assert [len(chunk) for chunk in data[:4].chunk(2)] == [2, 2]
    assert data.batch["advantages"][3].tolist() == [0.25, 0, 0, 0, 0]


@pytest.mark.filterwarnings("ignore")
def test_verl_takes_it_for_an_agent_loop_output() -> None:
    loop = pytest.importorskip("verl.experimental.agent_loop.agent_loop", reason="verl is not installed")
    assert set(VERL_AGENT_LOOP_OUTPUT) <= set(loop.AgentLoopOutput.model_fields)
    output = loop.AgentLoopOutput(**verl.agent_loop_fields(rows_of(g0())[0])).as_dict()
    assert output["response_mask"].tolist() == [1, 1, 0, 0, 1]
    assert output["rm_scores"].tolist() == [0, 0, 0, 0, 1]
