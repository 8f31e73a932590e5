"""slime: Samples, and a rollout function that takes its rollouts from rollstream.

Fields: THUDM/slime, slime/utils/types.py (`Sample`) at 624b824a898ab0ec1fcb4d373004c7f3852bf515. The seam is
--rollout-function-path: `generate_rollout(args, rollout_id, data_source, evaluation=False)` (slime/utils/arguments.py);
what becomes of the Samples: slime/ray/rollout.py (`_post_process_rewards`, `_convert_samples_to_train_data`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .choices import RAISE, Advantage, Nulls, fit_groups, known, outcome_of
from .records import BatchRecord, Unfit
from .rows import Row, no_padding, rows_of, single_rows, units_of
from .tokens import logprobs_of, temperature_of, version_names
from .upstream import Foreign, upstream


def fields_of(
    row: Row,
    *,
    advantage: Advantage,
    nulls: Nulls = RAISE,
) -> dict[str, Any]:
    """Arguments of one Sample, without its indices. tokens are all; mask and logprobs are of the response alone.

    advantage="rollstream": `reward` has the advantage, for --disable-rewards-normalization; slime reports the reward
    itself from metadata["raw_reward"]. The text is empty: nothing after generation reads it.
    """
    return {
        "tokens": row.segment.token_ids.tolist(),
        "response_length": row.length - row.prompt_len,
        "loss_mask": row.response_mask,
        "rollout_log_probs": logprobs_of(row, nulls.logprobs)[row.prompt_len :].tolist(),
        "reward": outcome_of(row, advantage, nulls),
        "weight_versions": version_names([row]),
        "status": "truncated" if row.trajectory.finish_reason == "length" else "completed",
        "remove_sample": row.padding,
        "metadata": {
            "raw_reward": 0.0 if row.reward is None else row.reward,
            "reward_known": row.reward is not None,
            "rollout_id": row.trajectory.rollout_id,
            "attempt": row.trajectory.attempt,
            "group_id": row.trajectory.group_id,
            "temperature": temperature_of([row], nulls.temperature),
            "segment_count": row.parts,
            "rollout_loss_tokens": row.trajectory.rollout_loss_tokens,
        },
    }


def to_samples(
    source: BatchRecord | Iterable[Row],
    *,
    advantage: Advantage,
    group_size: int | None = None,
    first_index: int = 0,
    sample_type: Callable[..., Any] | None = None,
    nulls: Nulls = RAISE,
) -> list[list[Any]]:
    """Samples by group. A rollout of several rows is a list of Samples of one rollout_id: slime's loss counts it once.

    advantage="trainer" needs group_size (--n-samples-per-prompt): slime cuts the rewards every so many, and normalises
    all groups as one where their number does not come out. advantage="rollstream" takes groups of any size.
    first_index: of the first rollout; slime wants them distinct within one call of the rollout function.
    """
    known(advantage, ("trainer", "rollstream"), "advantage")
    rows = rows_of(source)
    if advantage == "trainer":
        if group_size is None:
            raise Unfit('advantage="trainer" needs group_size: slime cuts the rewards every n_samples_per_prompt')
        single_rows(rows, "slime")
        no_padding(rows, "slime")
        rows = fit_groups(rows, group_size, "raise")
    make = _sample_of if sample_type is None else sample_type
    index = first_index
    groups: list[list[Any]] = []
    for group_index, members in enumerate(units_of(rows).values()):
        samples: list[Any] = []
        for parts in _rollouts(members):
            of_rollout = [
                make(
                    **fields_of(row, advantage=advantage, nulls=nulls),
                    group_index=group_index,
                    index=index,
                    rollout_id=index,
                )
                for row in parts
            ]
            samples.append(of_rollout if len(of_rollout) > 1 else of_rollout[0])
            index += 1
        groups.append(samples)
    return groups


def _rollouts(members: list[Row]) -> list[list[Row]]:
    """Rows by rollout. Padding is one by itself: it is a copy of another's row, and would weigh in its mean."""
    out: list[list[Row]] = []
    for row in members:
        if row.part == 0:
            out.append([])
        out[-1].append(row)
    return out


def _sample_of(status: str, **fields: Foreign) -> Foreign:
    kind = upstream("slime.utils.types", "Sample")
    return kind(status=kind.Status(status), **fields)


def rollout_function(
    batches: Iterator[BatchRecord], *, advantage: Advantage, group_size: int | None = None, nulls: Nulls = RAISE
) -> Callable[..., list[list[Any]]]:
    """For a module of yours that --rollout-function-path names: one batch a call, of --rollout-batch-size groups.

    Acknowledging is the caller's: slime says nowhere in this call when a step is done.
    """

    def generate_rollout(
        args: Foreign, rollout_id: int, data_source: object, evaluation: bool = False
    ) -> list[list[Any]]:
        if evaluation:
            raise Unfit("rollstream delivers what is to be trained; give slime another --eval-function-path")
        rows = rows_of(next(batches))
        groups = len(units_of(rows))
        if groups != args.rollout_batch_size:
            raise Unfit(f"a batch of {groups} groups, slime wants rollout_batch_size={args.rollout_batch_size}")
        if advantage == "rollstream" and args.rewards_normalization:
            raise Unfit('advantage="rollstream" needs --disable-rewards-normalization, or slime normalises advantages')
        temperature = temperature_of(rows, nulls.temperature)
        if temperature is not None and temperature != args.rollout_temperature:
            raise Unfit(f"sampled at temperature {temperature:g}, slime trains at {args.rollout_temperature:g}")
        return to_samples(rows, advantage=advantage, group_size=group_size, nulls=nulls)

    return generate_rollout
