"""AReaL: dicts of padded tensors, one a group.

Fields: areal-project/AReaL, areal/workflow/rlvr.py (`arun_episode`) and areal/experimental/openai/types.py
(`to_tensor_dict`) at cbff54d645d2cd8ee1f1c358a82f3f473588433d; checked by areal/infra/workflow_executor.py
(`check_trajectory_format`) of the same commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from .choices import RAISE, Advantage, Nulls, known, outcome_of
from .columns import padded, widest
from .records import BatchRecord
from .rows import Row, no_padding, rows_of, single_rows, units_of
from .tokens import NOT_SAMPLED, logprobs_of, temperatures_of, turns_of, version_numbers
from .upstream import Foreign, upstream

Tensors = dict[str, npt.NDArray[Any]]


def fields_of(
    source: BatchRecord | Iterable[Row],
    *,
    advantage: Advantage,
    version_number: Callable[[str], int] = int,
    nulls: Nulls = RAISE,
) -> list[Tensors]:
    """One dict a group, rows padded on the right: what a grouped workflow returns, as numpy.

    AReaL normalises rewards by the sizes of these dicts, so groups may differ in size. advantage="rollstream":
    `rewards` has the advantage and `original_rewards` the reward; switch off reward_norm, adv_norm, the KL reward and
    the critic, with discount and GAE lambda at 1, reward_scaling 1 and reward_clip beyond them: what is left is the
    advantage at each token. advantage="trainer": `rewards` has the reward; a rollout of several rows raises, since it
    would count as often.

    versions and turn_ids are -1 where the policy did not sample. Version names must be numbers, or version_number
    makes them so. Split rollouts: `rollout_loss_tokens`, `segment_count`. temperatures is per token; AReaL has one in
    its gconfig.
    """
    known(advantage, ("trainer", "rollstream"), "advantage")
    rows = rows_of(source)
    if advantage == "trainer":
        single_rows(rows, "AReaL")
        no_padding(rows, "AReaL")
    return [_group(members, advantage, version_number, nulls) for members in units_of(rows).values()]


def _group(
    rows: list[Row],
    advantage: Advantage,
    number: Callable[[str], int],
    nulls: Nulls,
) -> Tensors:
    ids = [row.segment.token_ids for row in rows]
    width = widest(ids)

    def of_tokens(parts: list[npt.NDArray[Any]], dtype: npt.DTypeLike, fill: float = 0) -> npt.NDArray[Any]:
        return padded(parts, dtype, width=width, side="right", fill=fill)

    raw = [np.nan if row.reward is None else row.reward for row in rows]
    outcomes = [outcome_of(row, advantage, nulls) for row in rows]
    return {
        "input_ids": of_tokens(ids, np.int32),
        "loss_mask": of_tokens([row.loss_mask for row in rows], np.int32),
        "logprobs": of_tokens([logprobs_of(row, nulls.logprobs) for row in rows], np.float32),
        "versions": of_tokens([version_numbers(row, number) for row in rows], np.int32, NOT_SAMPLED),
        "turn_ids": of_tokens([turns_of(row) for row in rows], np.int32, NOT_SAMPLED),
        "attention_mask": of_tokens([np.ones(len(own), bool) for own in ids], np.bool_),
        "temperatures": of_tokens([temperatures_of(row, nulls.temperature) for row in rows], np.float32, 1),
        "rewards": np.array(outcomes, np.float32),
        "original_rewards": np.array(raw, np.float32),
        "segment_count": np.array([row.parts for row in rows], np.int32),
        "rollout_loss_tokens": np.array([row.trajectory.rollout_loss_tokens for row in rows], np.int64),
    }


def to_trajectories(
    source: BatchRecord | Iterable[Row], *, advantage: Advantage, **choices: Foreign
) -> list[dict[str, Any]]:
    """Dicts of torch tensors; the choices are those of `fields_of`."""
    torch_of = upstream("torch", "from_numpy")
    groups = fields_of(source, advantage=advantage, **choices)
    return [{name: torch_of(array) for name, array in group.items()} for group in groups]
