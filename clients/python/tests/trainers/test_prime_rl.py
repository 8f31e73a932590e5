from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from two_groups import both, call, cut, g0, logprob, split, two_turns
from upstream_fields import PRIME_RL_MICRO_BATCH, PRIME_RL_SAMPLE

from rollstream import Rows
from rollstream.trainers import prime_rl
from rollstream.trainers.choices import Nulls
from rollstream.trainers.records import Unfit
from rollstream.trainers.upstream import Foreign

msgspec = pytest.importorskip("msgspec", reason="msgspec, prime-rl's codec, is not installed")


def struct(name: str, fields: dict[str, Any]) -> Foreign:
    """As prime-rl declares it: an array on the wire, the fields with a default at the end."""
    optional = {"ref_logprobs", "routed_experts", "mm_kwargs", "mm_token_type_ids"} | {
        n for n in fields if "weights" in n
    }
    optional |= {"advantages"} if "token_ids" in fields else set()
    declared = [(each, kind, None) if each in optional else (each, kind) for each, kind in fields.items()]
    return msgspec.defstruct(name, declared, array_like=True, omit_defaults=True)


TrainingSample: Foreign = struct("TrainingSample", PRIME_RL_SAMPLE)
MicroBatch: Foreign = struct("MicroBatch", PRIME_RL_MICRO_BATCH)


def through_the_wire(kind: Foreign, value: Foreign) -> Foreign:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=kind)


def test_a_sample_is_full_length_and_learnt_where_the_loss_mask_is() -> None:
    made = prime_rl.to_training_samples(g0(), weigh="token", sample_type=TrainingSample)[0]
    sample = through_the_wire(TrainingSample, made)
    assert sample.token_ids == [11, 12, 21, 22, 31, 41, 42]
    assert sample.mask == [False, False, True, True, False, False, True]
    assert sample.logprobs == [0, 0, logprob(21), logprob(22), 0, logprob(41), logprob(42)]
    assert sample.temperatures == [1, 1, 0.7, 0.7, 1, 0.7, 0.7]
    assert sample.advantages == [0, 0, 0.5, 0.5, 0, 0, 0.5]
    assert (sample.env_name, sample.rl_weights) == ("calculator", None)


def test_a_split_rollout_weighs_as_its_tokens_or_as_so_many_as_said() -> None:
    made = prime_rl.fields_of(Rows([cut(), split()]), weigh=2)
    # cut() has 1 token in the loss, split() 1 + 2
    assert made[0]["rl_weights"] == [0, 0, 2.0]
    assert made[1]["rl_weights"] == [0, 2 / 3]
    assert made[2]["rl_weights"] == [0, 0, 2 / 3, 2 / 3]


def test_what_is_missing_raises_unless_nothing_is_learnt_there() -> None:
    with pytest.raises(Unfit, match="no advantage"):
        prime_rl.fields_of(Rows([cut(advantage=None)]), weigh="token")
    with pytest.raises(Unfit, match="unknown temperature"):
        prime_rl.fields_of(Rows([cut(turns=[call(0, 2, 3, temperature=None)])]), weigh="token")
    said = prime_rl.fields_of(Rows([cut(advantage=None)]), weigh="token", nulls=Nulls(advantage=-1))
    assert said[0]["advantages"] == [0, 0, -1]
    with pytest.raises(Unfit, match="keeps env_name 'all' for itself"):
        prime_rl.fields_of(Rows([cut(env_name="all")]), weigh="token")


def test_a_step_is_read_as_prime_rl_reads_it(tmp_path: Path) -> None:
    a, b, c, d, e = prime_rl.fields_of(both(), weigh="token")
    grid = [
        [prime_rl.micro_batch([a]), prime_rl.micro_batch([b, c])],
        [prime_rl.micro_batch([d]), prime_rl.micro_batch([e])],
    ]
    step = prime_rl.write_step(tmp_path, 7, grid)
    assert sorted(str(path.relative_to(tmp_path)) for path in step.iterdir()) == [
        "rollouts/step_7/rank_0.bin",
        "rollouts/step_7/rank_1.bin",
    ]
    written = msgspec.msgpack.decode((step / "rank_0.bin").read_bytes())
    first, packed = (through_the_wire(MicroBatch, each) for each in written)
    assert first.input_ids == [11, 12, 21, 22, 31, 41, 42]
    assert packed.input_ids == [11, 12, 51, 13, 61, 62, 63]
    assert packed.position_ids == [0, 1, 2, 0, 1, 2, 3]
    assert packed.sequence_lengths == packed.seq_lens == [3, 4]
    assert packed.loss_mask == [False, False, True, False, True, True, True]
    assert packed.advantages == [0, 0, -0.5, 0, -0.25, -0.25, -0.25]
    assert packed.env_names == ["calculator"] * 7
    assert packed.rl_weights is None


def test_weights_are_at_their_place_in_the_array() -> None:
    weighed = prime_rl.fields_of(Rows([cut(), split()]), weigh=2)
    batch = through_the_wire(MicroBatch, prime_rl.micro_batch(weighed))
    assert batch.rl_weights == [0, 0, 2.0, 0, 2 / 3, 0, 0, 2 / 3, 2 / 3]
    assert (batch.mm_token_type_ids, batch.ce_weights) == (None, None)


def test_ranks_without_equally_many_micro_batches_are_refused(tmp_path: Path) -> None:
    batch = prime_rl.micro_batch(prime_rl.fields_of(Rows([two_turns()]), weigh="token"))
    with pytest.raises(Unfit, match=r"ranks with \[1, 2\] micro-batches: a collective would hang"):
        prime_rl.write_step(tmp_path, 0, [[batch], [batch, batch]])
    assert not (tmp_path / "rollouts").exists()


def test_a_micro_batch_is_not_cut_to_the_length_of_the_trainer() -> None:
    with pytest.raises(Unfit, match="a micro-batch of 7 tokens; the trainer takes 1 to 6"):
        prime_rl.micro_batch(prime_rl.fields_of(Rows([two_turns()]), weigh="token"), max_tokens=6)
