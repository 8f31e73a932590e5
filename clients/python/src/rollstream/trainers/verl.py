"""verl: a DataProto as its agent loops make it, and AgentLoopOutput.

Fields: verl-project/verl, verl/experimental/agent_loop/agent_loop.py (`AgentLoopOutput`, `_postprocess`) at
1dda039b9c6311889a9c9a26040677e1254814f9; `advantages` and `returns` as verl/trainer/ppo/ray_trainer.py
(`compute_advantage`) of the same commit writes them. DataProto: verl/protocol.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from .choices import RAISE, Advantage, Nulls, advantage_of, known, reward_of
from .columns import objects, padded, uid_of, widest
from .records import BatchRecord
from .rows import Row, rows_of, single_rows
from .tokens import logprobs_of, temperature_of, version_numbers
from .upstream import Foreign, upstream

Tensors = dict[str, npt.NDArray[Any]]


def fields_of(
    source: BatchRecord | Iterable[Row],
    *,
    advantage: Advantage,
    pad_token_id: int,
    prompt_length: int | None = None,
    response_length: int | None = None,
    nulls: Nulls = RAISE,
    version_number: Callable[[str], int] | None = None,
) -> tuple[Tensors, Tensors, dict[str, Any]]:
    """Tensors, non-tensors and meta_info of a DataProto, as numpy.

    Prompts are padded on the left, responses on the right, to the given lengths or the longest row. response_mask is
    the loss mask: verl learns where it is 1. rm_scores has the reward at the last token of the response.

    advantage="rollstream" adds `advantages` and `returns` ([rows, response_length], the trajectory's at each token in
    the loss): leave out `compute_advantage`. advantage="trainer": rewards alone; a rollout of several rows then
    raises, since GRPO counts the rows of a `uid`. Rows without a reward raise in both unless Nulls(reward=…) says what
    rm_scores has for them.

    Split rollouts: `rollout_id`, `segment_count` and `rollout_loss_tokens` are in the non-tensors; loss_agg_mode
    `token-mean` counts each token once, the `seq-mean` modes count a row once. version_number: name of weights ->
    global step, for min_global_steps and max_global_steps; without it those are None, and the names are in the
    non-tensors.
    """
    known(advantage, ("trainer", "rollstream"), "advantage")
    rows = rows_of(source)
    if advantage == "trainer":
        single_rows(rows, "verl")
    ids = [row.segment.token_ids for row in rows]
    prompts = [own[: row.prompt_len] for row, own in zip(rows, ids, strict=True)]
    responses = [own[row.prompt_len :] for row, own in zip(rows, ids, strict=True)]
    left = widest(prompts) if prompt_length is None else prompt_length
    right = widest(responses) if response_length is None else response_length

    def of_response(parts: list[npt.NDArray[Any]], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        cut = [part[row.prompt_len :] for row, part in zip(rows, parts, strict=True)]
        return padded(cut, dtype, width=right, side="right")

    tensors: Tensors = {
        "prompts": padded(prompts, np.int64, width=left, side="left", fill=pad_token_id),
        "responses": padded(responses, np.int64, width=right, side="right", fill=pad_token_id),
        "response_mask": of_response([row.loss_mask for row in rows], np.int64),
        "rollout_log_probs": of_response([logprobs_of(row, nulls.logprobs) for row in rows], np.float32),
    }
    tensors["input_ids"] = np.concatenate([tensors["prompts"], tensors["responses"]], axis=1)
    tensors["attention_mask"] = np.concatenate(
        [
            padded([np.ones(len(part)) for part in prompts], np.int64, width=left, side="left"),
            padded([np.ones(len(part)) for part in responses], np.int64, width=right, side="right"),
        ],
        axis=1,
    )
    tensors["position_ids"] = np.clip(np.cumsum(tensors["attention_mask"], axis=1) - 1, 0, None)
    tensors["rm_scores"] = _at_end(responses, [reward_of(row, nulls) for row in rows], right)
    if advantage == "rollstream":
        values = np.array([advantage_of(row, nulls) for row in rows], np.float32)
        tensors["advantages"] = values[:, None] * tensors["response_mask"].astype(np.float32)
        tensors["returns"] = tensors["advantages"].copy()
    meta: dict[str, Any] = {"temperature": temperature_of(rows, nulls.temperature), "reward_extra_keys": []}
    return tensors, _non_tensors(rows, version_number), meta


def _at_end(responses: list[npt.NDArray[Any]], scores: list[float], width: int) -> npt.NDArray[np.float32]:
    out = np.zeros((len(responses), width), np.float32)
    for at, (response, score) in enumerate(zip(responses, scores, strict=True)):
        if len(response) > 0:
            out[at, len(response) - 1] = score
    return out


def _non_tensors(rows: list[Row], number: Callable[[str], int] | None) -> Tensors:
    steps = [None if number is None else _sampled(row, number) for row in rows]
    return {
        "uid": objects([uid_of(row, at) for at, row in enumerate(rows)]),
        "__num_turns__": np.array([len(row.trajectory.turns) for row in rows], np.int32),
        "min_global_steps": objects([None if step is None or len(step) == 0 else int(step.min()) for step in steps]),
        "max_global_steps": objects([None if step is None or len(step) == 0 else int(step.max()) for step in steps]),
        "weights_version_min": objects([row.trajectory.weights_version_min for row in rows]),
        "weights_version_max": objects([row.trajectory.weights_version_max for row in rows]),
        "group_id": objects([row.trajectory.group_id for row in rows]),
        "rollout_id": objects([row.trajectory.rollout_id for row in rows]),
        "attempt": np.array([row.trajectory.attempt for row in rows], np.int32),
        "segment_count": np.array([row.parts for row in rows], np.int32),
        "rollout_loss_tokens": np.array([row.trajectory.rollout_loss_tokens for row in rows], np.int64),
        "padding": np.array([row.padding for row in rows], bool),
    }


def _sampled(row: Row, number: Callable[[str], int]) -> npt.NDArray[np.int32]:
    sampled: npt.NDArray[np.int32] = version_numbers(row, number)[row.segment.sampled_mask == 1]
    return sampled


def to_data_proto(
    source: BatchRecord | Iterable[Row], *, advantage: Advantage, pad_token_id: int, **choices: Foreign
) -> Foreign:
    """verl.DataProto; the choices are those of `fields_of`."""
    torch_of = upstream("torch", "from_numpy")
    tensors, non_tensors, meta = fields_of(source, advantage=advantage, pad_token_id=pad_token_id, **choices)
    return upstream("verl.protocol", "DataProto").from_dict(
        tensors={name: torch_of(array) for name, array in tensors.items()}, non_tensors=non_tensors, meta_info=meta
    )


def agent_loop_fields(row: Row, *, nulls: Nulls = RAISE) -> dict[str, Any]:
    """Arguments of AgentLoopOutput, for an agent loop that takes its answers from rollstream. Advantages are verl's
    then."""
    logprobs: list[float] = logprobs_of(row, nulls.logprobs)[row.prompt_len :].tolist()
    return {
        "prompt_ids": row.prompt_ids,
        "response_ids": row.response_ids,
        "response_mask": row.response_mask,
        "response_logprobs": logprobs,
        "reward_score": reward_of(row, nulls),
        "num_turns": len(row.trajectory.turns),
        "metrics": {},
        "extra_fields": {"rollout_id": row.trajectory.rollout_id, "attempt": row.trajectory.attempt},
    }
