"""NeMo-RL: message logs, and the flat train data of GRPO.

Fields: NVIDIA-NeMo/RL, nemo_rl/algorithms/grpo.py (`add_grpo_token_loss_masks_and_generation_logprobs`,
`_build_async_grpo_train_data`) and nemo_rl/data_plane/schema.py (`DP_TRAIN_FIELDS`) at
7ea279abfbeb698b092856d0dab61e7cf39bc909; `DatumSpec` in nemo_rl/data/interfaces.py of the same commit.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .choices import RAISE, Advantage, Nulls, advantage_of, known, reward_of
from .columns import objects, padded, uid_of, widest
from .records import BatchRecord, Unfit
from .rows import Row, no_padding, rows_of, single_rows
from .tokens import logprobs_of, temperature_of, version_names
from .upstream import Foreign, upstream

Fields = dict[str, npt.NDArray[Any]]
Message = dict[str, Any]


def fields_of(
    source: BatchRecord | Iterable[Row],
    *,
    advantage: Advantage,
    pad_token_id: int,
    nulls: Nulls = RAISE,
) -> Fields:
    """The train data before `prev_logprobs` and `reference_policy_logprobs`, as numpy: full length, padded on the
    right.

    token_mask is the loss mask. sample_mask is 0 for rows that were added as padding. advantage="rollstream":
    `advantages` ([rows, length]) has the trajectory's at each token in the loss. advantage="trainer": `total_reward`
    and `prompt_ids_for_adv`, by which NeMo-RL finds the members of a group: it raises where the prompts of a group
    differ, where two groups have the same, and where a rollout has several rows.
    """
    known(advantage, ("trainer", "rollstream"), "advantage")
    rows = rows_of(source)
    ids = [row.segment.token_ids for row in rows]
    width = widest(ids)
    fields: Fields = {
        "input_ids": padded(ids, np.int64, width=width, side="right", fill=pad_token_id),
        "input_lengths": np.array([len(own) for own in ids], np.int64),
        "generation_logprobs": _of_tokens([logprobs_of(row, nulls.logprobs) for row in rows], np.float32, width),
        "token_mask": _of_tokens([row.loss_mask for row in rows], np.int64, width),
        "sample_mask": np.array([0 if row.padding else 1 for row in rows], np.float32),
        "total_reward": np.array([reward_of(row, nulls) for row in rows], np.float32),
        "temperature": objects([temperature_of([row], nulls.temperature) for row in rows]),
        "weights_versions": objects([version_names([row]) for row in rows]),
        "rollout_id": objects([row.trajectory.rollout_id for row in rows]),
        "segment_count": np.array([row.parts for row in rows], np.int32),
        "rollout_loss_tokens": np.array([row.trajectory.rollout_loss_tokens for row in rows], np.int64),
    }
    if advantage == "rollstream":
        values = np.array([advantage_of(row, nulls) for row in rows], np.float32)
        fields["advantages"] = values[:, None] * fields["token_mask"].astype(np.float32)
    else:
        single_rows(rows, "NeMo-RL")
        no_padding(rows, "NeMo-RL")
        _by_prompt(rows)
        prompts = [own[: row.prompt_len] for row, own in zip(rows, ids, strict=True)]
        fields["prompt_ids_for_adv"] = padded(prompts, np.int64, width=widest(prompts), side="right", fill=pad_token_id)
    return fields


def _of_tokens(parts: list[npt.NDArray[Any]], dtype: npt.DTypeLike, width: int) -> npt.NDArray[Any]:
    return padded(parts, dtype, width=width, side="right")


def _by_prompt(rows: list[Row]) -> None:
    """Groups and prompts are one to one, or NeMo-RL would take other baselines than those of the groups."""
    of_prompt: dict[bytes, str] = {}
    of_unit: dict[str, bytes] = {}
    for row in rows:
        unit, prompt = uid_of(row, 0), row.segment.token_ids[: row.prompt_len].tobytes()
        if of_prompt.setdefault(prompt, unit) != unit:
            raise Unfit(f"{row.name}: another group has the same prompt, and NeMo-RL knows groups by their prompts")
        if of_unit.setdefault(unit, prompt) != prompt:
            raise Unfit(f"{row.name}: its prompt is not that of its group, and NeMo-RL knows groups by their prompts")


def message_log(row: Row, *, nulls: Nulls = RAISE) -> list[Message]:
    """Messages of one row, cut where what is learnt begins and ends; token_ids and logprobs as numpy.

    NeMo-RL learns from messages of an assistant that have generation_logprobs, and from no others. So a run of tokens
    outside the loss has none, also where the policy sampled it; `fields_of` keeps those. content is empty: rollstream
    has tokens.
    """
    logprobs = logprobs_of(row, nulls.logprobs)
    cuts = [0, *(np.flatnonzero(np.diff(row.loss_mask)) + 1).tolist(), row.length]
    log: list[Message] = []
    for start, end in pairwise(cuts):
        message: Message = {
            "role": _role(row, start),
            "content": "",
            "token_ids": row.segment.token_ids[start:end].astype(np.int64),
        }
        if row.loss_mask[start] == 1:
            message["generation_logprobs"] = logprobs[start:end]
        log.append(message)
    return log


def _role(row: Row, start: int) -> str:
    if row.loss_mask[start] == 1 or row.segment.sampled_mask[start] == 1:
        return "assistant"
    return "user" if start < row.prompt_len else "environment"


def to_train_data(
    source: BatchRecord | Iterable[Row], *, advantage: Advantage, pad_token_id: int, **choices: Foreign
) -> Foreign:
    """NeMo-RL's BatchedDataDict; what is no number stays a list. The choices are those of `fields_of`."""
    torch_of = upstream("torch", "from_numpy")
    fields = fields_of(source, advantage=advantage, pad_token_id=pad_token_id, **choices)
    return upstream("nemo_rl.distributed.batched_data_dict", "BatchedDataDict")(
        {name: array.tolist() if array.dtype == object else torch_of(array) for name, array in fields.items()}
    )
