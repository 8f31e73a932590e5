"""SkyRL: the columns of GeneratorOutput.

Fields: NovaSky-AI/SkyRL, skyrl/train/generators/base.py (`GeneratorOutput`, `TrajectoryID`) at
a9564572eb8e91076be43c1bd5e4615e3de17265; what holds between them: `validate_generator_output` in
skyrl/train/utils/trainer_utils.py, and skyrl/train/trainer.py (`compute_advantages_and_returns`) of the same commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .choices import RAISE, Advantage, Nulls, known, outcome_of
from .columns import uid_of
from .records import BatchRecord, Unfit
from .rows import Row, no_padding, rows_of
from .tokens import logprobs_of, temperature_of, version_names
from .upstream import Foreign, upstream


def to_generator_output(
    source: BatchRecord | Iterable[Row],
    *,
    advantage: Advantage,
    step_wise: bool = False,
    nulls: Nulls = RAISE,
    trajectory_id: Callable[[str, int], Any] | None = None,
) -> dict[str, Any]:
    """Columns, one entry a row.

    A rollout of several rows needs step_wise=True (generator.step_wise_trajectories): SkyRL then takes the reward of
    the row with is_last_step and gives its advantage to all rows of the rollout. Without it such a rollout raises.

    advantage="rollstream": `rewards` has the advantages; register `pass_through` as advantage estimator
    (docs/trainers.md). SkyRL wants n_samples_per_prompt rows a prompt where rollouts have one row each:
    `choices.fit_groups` first. trajectory_id: makes SkyRL's TrajectoryID(instance_id, repetition_id); instance_id is
    the uid of the group.
    """
    known(advantage, ("trainer", "rollstream"), "advantage")
    rows = rows_of(source)
    split = next((row for row in rows if row.parts > 1), None)
    if split is not None and not step_wise:
        raise Unfit(f"{split.name}: {split.parts} rows of one rollout need step_wise=True")
    if advantage == "trainer":
        no_padding(rows, "SkyRL")
    make = upstream("skyrl.train.generators.base", "TrajectoryID") if trajectory_id is None else trajectory_id
    outcomes = [outcome_of(row, advantage, nulls) for row in rows]
    last = [row.part == row.parts - 1 for row in rows]
    return {
        "prompt_token_ids": [row.prompt_ids for row in rows],
        "response_ids": [row.response_ids for row in rows],
        "rewards": [outcome if end else 0.0 for outcome, end in zip(outcomes, last, strict=True)],
        "loss_masks": [row.response_mask for row in rows],
        "stop_reasons": [row.trajectory.finish_reason or "unknown" for row in rows],
        "rollout_metrics": None,
        "rollout_logprobs": [logprobs_of(row, nulls.logprobs)[row.prompt_len :].tolist() for row in rows],
        "trajectory_ids": _trajectory_ids(rows, make),
        "trajectory_generation_times": None,
        "trajectory_time_splits": None,
        "rollout_expert_indices": None,
        "is_last_step": last if step_wise else None,
        "env_metrics": _carried(rows, temperature_of(rows, nulls.temperature)),
        "pixel_values": None,
        "image_grid_thw": None,
    }


def _trajectory_ids(rows: list[Row], make: Callable[[str, int], Any]) -> list[Any]:
    """repetition_id counts the rollouts of a group in this batch: all rows of a rollout have the same."""
    seen: dict[str, dict[object, int]] = {}
    out: list[Any] = []
    for at, row in enumerate(rows):
        uid = uid_of(row, at)
        of_unit = seen.setdefault(uid, {})
        out.append(make(uid, of_unit.setdefault(row.rollout, len(of_unit))))
    return out


def _carried(rows: list[Row], temperature: float | None) -> list[dict[str, Any]]:
    """What SkyRL has no column for; it writes env_metrics beside its results and does not train on them."""
    return [
        {
            "rollout_id": row.trajectory.rollout_id,
            "attempt": row.trajectory.attempt,
            "reward": row.reward,
            "advantage": row.advantage,
            "weights_versions": version_names([row]),
            "temperature": temperature,
            "segment_count": row.parts,
            "rollout_loss_tokens": row.trajectory.rollout_loss_tokens,
            "padding": row.padding,
        }
        for row in rows
    ]


def pass_through(token_level_rewards: Foreign, response_mask: Foreign, **_: Foreign) -> tuple[Foreign, Foreign]:
    """An advantage estimator that hands on what rollstream computed: the row's outcome at each token of the
    response."""
    advantages = token_level_rewards.sum(dim=-1, keepdim=True) * response_mask
    return advantages, advantages
