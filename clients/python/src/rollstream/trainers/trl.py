"""TRL: rollout_func, reward and acknowledgement for GRPOTrainer, with rollouts that come from rollstream.

Checked against trl 1.16.0 and huggingface/trl at f2cd57710ae345ea6428ae95363267fcf38a3dc8, trl/trainer/grpo_trainer.py:
`_generate` (what rollout_func returns, `env_mask`), `_generate_and_score_completions` (other lists go to the reward
functions; the sampler's logprobs are used with vLLM alone), `_calculate_rewards` (None: not in the baseline, advantage
0), `_compute_loss`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, Protocol

from .choices import RAISE, Advantage, Nulls, advantage_of, fit_groups, known
from .records import BatchRecord, Unfit
from .rows import Row, rows_of
from .tokens import logprobs_of, temperature_of, version_names
from .upstream import Foreign, upstream

Columns = dict[str, list[Any]]


class TakenBatch(BatchRecord, Protocol):
    """A batch that is to be acknowledged when a step trained it."""

    def ack(self, *, step: int, version: str | None = None) -> object: ...


def columns_of(
    source: BatchRecord | Iterable[Row],
    *,
    nulls: Nulls = RAISE,
) -> Columns:
    """What rollout_func returns, an entry a row: prompt_ids, completion_ids, logprobs, env_mask, and what TRL hands to
    reward functions by name. env_mask is the loss mask: TRL learns where it is 1. Numbers are exact: a float32 is a
    float."""
    rows = rows_of(source)
    return {
        "prompt_ids": [row.prompt_ids for row in rows],
        "completion_ids": [row.response_ids for row in rows],
        "logprobs": [logprobs_of(row, nulls.logprobs)[row.prompt_len :].tolist() for row in rows],
        "env_mask": [row.response_mask for row in rows],
        "ready_reward": [row.reward for row in rows],
        "ready_advantage": [row.advantage for row in rows],
        "rollout_id": [row.trajectory.rollout_id for row in rows],
        "attempt": [row.trajectory.attempt for row in rows],
        "group_id": [row.trajectory.group_id for row in rows],
        "weights_versions": [version_names([row]) for row in rows],
        "temperature": [temperature_of([row], nulls.temperature) for row in rows],
        "segment_count": [row.parts for row in rows],
        "rollout_loss_tokens": [row.trajectory.rollout_loss_tokens for row in rows],
        "padding": [row.padding for row in rows],
    }


def ready_reward(
    prompts: object, completions: object, ready_reward: list[float | None], **_: object
) -> list[float | None]:
    """A reward function: what the verifiers said. None stays None, and TRL leaves it out of the group's baseline."""
    return ready_reward


class ReadyRollouts:
    """GRPOTrainer(rollout_func=it, reward_funcs=[ready_reward], callbacks=[it.acknowledge()], …).

    batches: one is taken a generation; it needs len(prompts) / num_generations groups of num_generations rollouts of
    one row each. The dataset gives no more than the number of steps: its prompts are not read.
    advantage: "trainer": TRL's, from the rewards. "rollstream": it came with the rollout; the trainer is then made by
    `ready_trainer(GRPOTrainer, …)`. fit: what to do with a group that is short: "raise", or "pad" with rows that TRL
    does not learn from and does not count in the baseline. null_reward="unscored": TRL leaves such a rollout out of the
    baseline and gives it advantage 0; by default it raises, whatever `nulls` says.
    """

    def __init__(
        self,
        batches: Iterator[TakenBatch],
        *,
        advantage: Advantage,
        fit: Literal["raise", "pad"],
        null_reward: Literal["raise", "unscored"] = "raise",
        nulls: Nulls = RAISE,
    ) -> None:
        known(advantage, ("trainer", "rollstream"), "advantage")
        known(fit, ("raise", "pad"), "fit")
        known(null_reward, ("raise", "unscored"), "null_reward")
        self._batches = batches
        self._fit = fit
        self._null_reward = null_reward
        self._nulls = nulls
        self.advantage = advantage
        self.taken: deque[TakenBatch] = deque()
        """Batches that are not acknowledged, oldest first."""
        self.generations = 0
        """Batches that were taken for this trainer."""
        self.acked = 0
        """Of those, how many a step has trained."""

    def __call__(self, prompts: list[Any], trainer: Foreign) -> Columns:
        if not trainer.model.training:
            raise Unfit(
                "rollstream delivers what is to be trained, and TRL asks for an evaluation: set eval_strategy='no'"
            )
        if self.advantage == "rollstream" and not getattr(trainer, "takes_ready_advantages", False):
            raise Unfit('advantage="rollstream" needs a trainer made by ready_trainer(GRPOTrainer)')
        batch = next(self._batches, None)
        if batch is None:
            raise Unfit("there are no more batches, and TRL asks for another: set max_steps")
        self.taken.append(batch)
        self.generations += 1
        rows = self._fitted(rows_of(batch), len(prompts), trainer)
        return columns_of(rows, nulls=self._nulls)

    def _fitted(self, rows: list[Row], wanted: int, trainer: Foreign) -> list[Row]:
        size: int = trainer.num_generations
        fitted = fit_groups(rows, size, self._fit)
        if len(fitted) != wanted:
            raise Unfit(
                f"the batch has {len(fitted) // size} groups of {size}, TRL asked for {wanted // size}: "
                f"take batches(groups={wanted // size})"
            )
        temperature = temperature_of(fitted, self._nulls.temperature)
        if temperature is not None and temperature != trainer.temperature:
            raise Unfit(
                f"sampled at temperature {temperature:g}, TRL trains at {trainer.temperature:g}: "
                "set GRPOConfig.temperature"
            )
        for row in fitted:
            if not row.response_ids:
                raise Unfit(f"{row.name}: it has no completion, TRL needs one token at least")
            if row.reward is None and not row.padding and self._null_reward == "raise":
                raise Unfit(
                    f'{row.name}: it has no reward, which is not reward 0; say null_reward="unscored" or leave it out'
                )
            if self.advantage == "rollstream":
                advantage_of(row, self._nulls)
        return fitted

    def advantages(self, ready: list[float | None]) -> list[float]:
        """Of rows that passed: None stands for what Nulls(advantage=…) says, or is not learnt from."""
        null = self._nulls.advantage or 0.0
        return [null if value is None else value for value in ready]

    def acknowledge(self, version: Callable[[int], str] | None = None) -> Foreign:
        """A TrainerCallback: acks each batch after the optimizer step that used it last.

        version(step): name of the weights that the step made. Announce them in a callback behind this one: the lag
        that the books have for a batch counts what was announced before its ack.
        """
        return _acknowledge(self, version)


def _acknowledge(ready: ReadyRollouts, version: Callable[[int], str] | None) -> Foreign:
    base = upstream("transformers", "TrainerCallback")
    micro_steps = 0

    def on_step_end(_self: object, args: Foreign, state: Foreign, control: Foreign, **_: object) -> None:
        nonlocal micro_steps
        micro_steps += args.gradient_accumulation_steps
        uses = args.steps_per_generation * args.num_iterations
        while ready.taken and (ready.acked + 1) * uses <= micro_steps:
            ready.taken[0].ack(step=state.global_step, version=None if version is None else version(state.global_step))
            ready.taken.popleft()
            ready.acked += 1

    return type("AcknowledgeReady", (base,), {"on_step_end": on_step_end})()


def ready_trainer(trainer_class: type) -> type:
    """trainer_class (GRPOTrainer) that trains on rollouts of older weights as what they are.

    Without vLLM, TRL takes the weights it has for those that sampled (ratio 1) and reads no logprobs. Here the
    sampler's are its old_per_token_logps, so that ratio and clipping are against the policy that sampled. With
    rollouts of advantage="rollstream", the advantages are those that came with them.
    It overrides `_generate_and_score_completions`, which TRL does not promise to keep: a version without it raises.
    """
    inner = getattr(trainer_class, "_generate_and_score_completions", None)
    if inner is None:
        raise Unfit(f"{trainer_class.__name__} has no _generate_and_score_completions: this TRL is not known here")

    def scored(self: Foreign, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        output: dict[str, Any] = inner(self, inputs)
        ready = self.rollout_func
        if not isinstance(ready, ReadyRollouts):
            return output
        if "old_per_token_logps" not in output and output.get("sampling_per_token_logps") is not None:
            output["old_per_token_logps"] = output["sampling_per_token_logps"]
        if ready.advantage == "rollstream":
            values = ready.advantages([row["ready_advantage"] for row in inputs])
            output["advantages"] = output["advantages"].new_tensor(values)
        return output

    members = {"_generate_and_score_completions": scored, "takes_ready_advantages": True}
    return type(f"Ready{trainer_class.__name__}", (trainer_class,), members)
