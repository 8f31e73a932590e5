from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from two_groups import both, call, cut, g0, logprob, plain, two_turns
from upstream_fields import TRL_REQUIRED

from rollstream import Rows, Trajectory
from rollstream.trainers.choices import Nulls
from rollstream.trainers.records import Unfit
from rollstream.trainers.trl import ReadyRollouts, columns_of, ready_reward, ready_trainer
from rollstream.trainers.upstream import Foreign


class Taken(Rows):
    """A batch that remembers its ack."""

    def __init__(self, trajectories: list[Trajectory]) -> None:
        super().__init__(trajectories)
        self.acks: list[tuple[int, str | None]] = []

    def ack(self, *, step: int, version: str | None = None) -> None:
        self.acks.append((step, version))


def trainer(**facts: Foreign) -> SimpleNamespace:
    """What rollout_func reads of a GRPOTrainer."""
    training = SimpleNamespace(training=facts.pop("training", True))
    return SimpleNamespace(**{"model": training, "num_generations": 2, "temperature": 0.7, **facts})


def test_columns_are_what_rollout_func_returns() -> None:
    columns = columns_of(g0())
    assert set(TRL_REQUIRED) <= set(columns)
    assert columns["prompt_ids"] == [[11, 12], [11, 12]]
    assert columns["completion_ids"] == [[21, 22, 31, 41, 42], [51]]
    assert columns["env_mask"] == [[1, 1, 0, 0, 1], [1]]
    assert columns["logprobs"] == [[logprob(21), logprob(22), 0, logprob(41), logprob(42)], [logprob(51)]]
    assert columns["ready_reward"] == [1, 0]
    assert columns["weights_versions"] == [["3", "4"], ["4"]]
    assert columns["temperature"] == [0.7, 0.7]


def test_a_short_group_is_padded_only_when_that_is_said() -> None:
    three = [two_turns(), cut(), plain()]
    with pytest.raises(Unfit, match="the trainer cuts it every 2"):
        ReadyRollouts(iter([Taken(three)]), advantage="trainer", fit="raise")(["p"] * 4, trainer())
    columns = ReadyRollouts(iter([Taken(three)]), advantage="trainer", fit="pad")(["p"] * 4, trainer())
    assert columns["env_mask"][3] == [0, 0, 0]
    # None: TRL leaves it out of the baseline
    assert ready_reward(None, None, columns["ready_reward"]) == [1, 0, 0.25, None]


@pytest.mark.parametrize(
    ("batch", "of_trainer", "said"),
    [
        ([two_turns(), cut()], {"training": False}, "eval_strategy"),
        ([two_turns(), cut()], {"temperature": 1.0}, "sampled at temperature 0.7, TRL trains at 1"),
        ([two_turns(), cut(turns=[call(0, 2, 3, temperature=None)])], {}, "unknown temperature"),
        ([two_turns(), cut(reward=None)], {}, "no reward"),
        (list(both()), {}, "it has 2 rows, and the trainer counts rows"),
        (
            [two_turns(), cut(), plain(), plain(rollout="r9")],
            {},
            r"has 2 groups of 2, TRL asked for 1: take batches\(groups=1\)",
        ),
    ],
)
def test_what_trl_would_train_wrongly_is_refused(
    batch: list[Trajectory], of_trainer: dict[str, Any], said: str
) -> None:
    ready = ReadyRollouts(iter([Taken(batch)]), advantage="trainer", fit="pad")
    with pytest.raises(Unfit, match=said):
        ready(["p"] * 2, trainer(**of_trainer))


def test_an_unscored_rollout_goes_to_trl_as_such_when_that_is_said() -> None:
    batch = Taken([two_turns(), cut(reward=None)])
    ready = ReadyRollouts(iter([batch]), advantage="trainer", fit="raise", null_reward="unscored")
    assert ready(["p"] * 2, trainer())["ready_reward"] == [1, None]


def test_the_end_of_the_batches_is_said() -> None:
    with pytest.raises(Unfit, match="no more batches"):
        ReadyRollouts(iter(()), advantage="trainer", fit="raise")(["p"] * 2, trainer())


def test_advantages_that_came_with_rollouts_need_the_trainer_that_reads_them() -> None:
    with pytest.raises(Unfit, match="made by ready_trainer"):
        ReadyRollouts(iter([Taken(list(g0()))]), advantage="rollstream", fit="raise")(["p"] * 2, trainer())
    with pytest.raises(Unfit, match="no advantage"):
        ReadyRollouts(iter([Taken([two_turns(), cut(advantage=None)])]), advantage="rollstream", fit="raise")(
            ["p"] * 2, trainer(takes_ready_advantages=True)
        )
    said = ReadyRollouts(iter(()), advantage="rollstream", fit="raise", nulls=Nulls(advantage=-1))
    assert said.advantages([0.5, None]) == [0.5, -1]


def test_a_trl_that_is_not_known_is_refused() -> None:
    with pytest.raises(Unfit, match="this TRL is not known here"):
        ready_trainer(object)


def endless() -> Iterator[Taken]:
    """Small ids, for a vocabulary of 128: what tokens mean does not matter here."""
    while True:
        yield Taken([two_turns(), cut()])


@pytest.fixture
def grpo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Foreign:
    """A GRPOTrainer on a two-layer model with random weights."""
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    trl = pytest.importorskip("trl", reason="trl is not installed")
    datasets, tokenizers, transformers = map(pytest.importorskip, ("datasets", "tokenizers", "transformers"))

    words = {"<pad>": 0, "<eos>": 1, **{f"w{at}": at for at in range(2, 128)}}
    of_words = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<pad>"))
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=of_words, pad_token="<pad>", eos_token="<eos>")
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=128, **sizes))

    def make(ready: ReadyRollouts, **more: Foreign) -> Foreign:
        config = {
            "per_device_train_batch_size": 2,
            "num_generations": 2,
            "temperature": 0.7,
            "learning_rate": 1e-2,
            **more,
        }
        args = trl.GRPOConfig(
            output_dir=str(tmp_path),
            use_cpu=True,
            bf16=False,
            report_to=[],
            save_strategy="no",
            disable_tqdm=True,
            **config,
        )
        return ready_trainer(trl.GRPOTrainer)(
            model=model,
            args=args,
            train_dataset=datasets.Dataset.from_dict({"prompt": ["w2"] * 64}),
            processing_class=tokenizer,
            reward_funcs=[ready_reward],
            rollout_func=ready,
            callbacks=[ready.acknowledge(lambda step: f"0.{step}")],
        )

    return make


@pytest.mark.filterwarnings("ignore")
def test_trl_has_the_rollouts_as_they_were_sampled(grpo: Foreign) -> None:
    made = grpo(ReadyRollouts(endless(), advantage="rollstream", fit="raise"), max_steps=1)
    made.model.train()
    scored = made._generate_and_score_completions([{"prompt": "w2"}, {"prompt": "w2"}])
    assert scored["prompt_ids"].tolist() == [[11, 12], [11, 12]]
    assert scored["completion_ids"].tolist() == [[21, 22, 31, 41, 42], [51, 0, 0, 0, 0]]
    learnt = scored["completion_mask"] * scored["tool_mask"]
    assert learnt.tolist() == [[1, 1, 0, 0, 1], [1, 0, 0, 0, 0]]
    assert scored["old_per_token_logps"][0].tolist() == [logprob(21), logprob(22), 0, logprob(41), logprob(42)]
    assert scored["advantages"].tolist() == [0.5, -0.5]


@pytest.mark.filterwarnings("ignore")
def test_trl_computes_its_own_advantages_from_the_rewards(grpo: Foreign) -> None:
    made = grpo(ReadyRollouts(endless(), advantage="trainer", fit="raise"), max_steps=1, scale_rewards="none")
    made.model.train()
    scored = made._generate_and_score_completions([{"prompt": "w2"}, {"prompt": "w2"}])
    # rewards 1 and 0 against their mean
    assert scored["advantages"].tolist() == [0.5, -0.5]


@pytest.mark.filterwarnings("ignore")
def test_a_padded_member_does_not_move_the_baseline_of_trl(grpo: Foreign) -> None:
    alone = ReadyRollouts(iter([Taken([two_turns()])]), advantage="trainer", fit="pad")
    made = grpo(alone, max_steps=1, scale_rewards="none")
    made.model.train()
    scored = made._generate_and_score_completions([{"prompt": "w2"}, {"prompt": "w2"}])
    assert scored["advantages"].tolist() == [0, 0]
    assert (scored["completion_mask"] * scored["tool_mask"])[1].tolist() == [0] * 5


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("config", "acks"),
    [
        # a batch a step
        ({}, [[(1, "0.1")], [(2, "0.2")]]),
        # a batch for two steps: acked after the second
        ({"num_iterations": 2}, [[(2, "0.2")]]),
        # two batches for a step
        (
            {"gradient_accumulation_steps": 2, "steps_per_generation": 1},
            [[(1, "0.1")], [(1, "0.1")], [(2, "0.2")], [(2, "0.2")]],
        ),
    ],
)
def test_a_batch_is_acknowledged_after_the_step_that_used_it_last(
    grpo: Foreign, config: dict[str, int], acks: list[list[tuple[int, str]]]
) -> None:
    taken: list[Taken] = []

    def remembered() -> Iterator[Taken]:
        for batch in endless():
            taken.append(batch)
            yield batch

    ready = ReadyRollouts(remembered(), advantage="rollstream", fit="raise")
    made = grpo(ready, max_steps=2, **config)
    before = [each.detach().clone() for each in made.model.parameters()]
    made.train()
    assert [batch.acks for batch in taken] == acks
    assert len(ready.taken) == 0
    assert any((one != other).any() for one, other in zip(before, made.model.parameters(), strict=True))
