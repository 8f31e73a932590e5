"""prime-rl: TrainingSamples, and the step directories of its file-system transport.

Fields: PrimeIntellect-ai/prime-rl, src/prime_rl/transports/rollouts/types.py (`TrainingSample`, `MicroBatch`: msgspec
structs that are arrays on the wire, so that their order is the schema), …/filesystem.py
(`FileSystemMicroBatchSender`), and src/prime_rl/trainer/batch.py (`prepare_sample`, `_materialize_bin`) at
559b44772e471d1538537b8805cc77f3824a5e64.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from .choices import RAISE, Nulls, advantage_of, known
from .records import BatchRecord, Unfit
from .rows import Row, rows_of
from .tokens import logprobs_of, temperatures_of
from .upstream import upstream

Weigh: TypeAlias = Literal["token"] | float
"""token: each token in the loss counts once, as prime-rl's mean has it, whatever segment it is in. A number: each
rollout counts as so many tokens, however many it has in how many segments: rl_weights = number /
rollout_loss_tokens."""

MICRO_BATCH = (
    "input_ids", "loss_mask", "advantages", "inference_logprobs", "position_ids", "sequence_lengths", "temperatures",
    "env_names", "seq_lens", "ref_logprobs", "routed_experts", "mm_kwargs", "mm_token_type_ids", "rl_weights",
)  # fmt: skip
"""Order of MicroBatch as far as it is written here: a reader takes the defaults for what is left out at the end."""


def fields_of(
    source: BatchRecord | Iterable[Row],
    *,
    weigh: Weigh,
    nulls: Nulls = RAISE,
) -> list[dict[str, Any]]:
    """Arguments of a TrainingSample, one a row; all of them full length. The advantage is always rollstream's:
    prime-rl's trainer computes none."""
    if isinstance(weigh, str):
        known(weigh, ("token",), "weigh")
    return [_fields(row, weigh, nulls) for row in rows_of(source)]


def _fields(row: Row, weigh: Weigh, nulls: Nulls) -> dict[str, Any]:
    if row.trajectory.env_name == "all":
        raise Unfit(f"{row.name}: prime-rl keeps env_name 'all' for itself")
    learns = row.loss_mask == 1
    weights = None
    if not isinstance(weigh, str) and learns.any():
        weights = np.where(learns, weigh / row.trajectory.rollout_loss_tokens, 0.0).tolist()
    return {
        "token_ids": row.segment.token_ids.tolist(),
        "mask": learns.tolist(),
        "logprobs": logprobs_of(row, nulls.logprobs).tolist(),
        "temperatures": temperatures_of(row, nulls.temperature).tolist(),
        "env_name": row.trajectory.env_name,
        "rl_weights": weights,
        "advantages": np.where(learns, advantage_of(row, nulls), 0.0).tolist(),
    }


def to_training_samples(
    source: BatchRecord | Iterable[Row],
    *,
    weigh: Weigh,
    sample_type: Callable[..., Any] | None = None,
    nulls: Nulls = RAISE,
) -> list[Any]:
    """prime-rl's TrainingSample, for its own `prepare_batch` to pack."""
    make = upstream("prime_rl.transports.rollouts.types", "TrainingSample") if sample_type is None else sample_type
    return [make(**fields) for fields in fields_of(source, weigh=weigh, nulls=nulls)]


def micro_batch(samples: Sequence[dict[str, Any]], *, max_tokens: int | None = None) -> list[Any]:
    """Samples of `fields_of`, packed one behind the other, as MicroBatch is on the wire. max_tokens: the trainer's
    seq_len; nothing is cut to it, a micro-batch beyond it raises."""
    lengths = [len(sample["token_ids"]) for sample in samples]
    if not samples or (max_tokens is not None and sum(lengths) > max_tokens):
        raise Unfit(f"a micro-batch of {sum(lengths)} tokens; the trainer takes 1 to {max_tokens}")

    def joined(name: str) -> list[Any]:
        return [value for sample in samples for value in sample[name]]

    fields = {
        "input_ids": joined("token_ids"),
        "loss_mask": joined("mask"),
        "advantages": joined("advantages"),
        "inference_logprobs": joined("logprobs"),
        "position_ids": [at for length in lengths for at in range(length)],
        "sequence_lengths": lengths,
        "temperatures": joined("temperatures"),
        "env_names": [sample["env_name"] for sample in samples for _ in sample["token_ids"]],
        "seq_lens": lengths,
    }
    if any(sample["rl_weights"] is not None for sample in samples):
        fields["rl_weights"] = [
            weight for sample in samples for weight in sample["rl_weights"] or [1.0] * len(sample["token_ids"])
        ]
        return [fields.get(name) for name in MICRO_BATCH]
    return list(fields.values())


def write_step(output_dir: Path | str, step: int, grid: Sequence[Sequence[list[Any]]]) -> Path:
    """The micro-batches of each rank where FileSystemMicroBatchReceiver waits for them; the name appears when all is
    written.

    All ranks need as many: a step lease delivers them so (`micro_batches`). Returns the step's directory.
    """
    if len({len(of_rank) for of_rank in grid}) != 1:
        raise Unfit(f"ranks with {[len(of_rank) for of_rank in grid]} micro-batches: a collective would hang")
    encode = upstream("msgspec.msgpack", "encode")
    directory = Path(output_dir) / "rollouts" / f"step_{step}"
    directory.mkdir(parents=True, exist_ok=True)
    for rank, of_rank in enumerate(grid):
        partial = directory / f"rank_{rank}.bin.tmp"
        partial.write_bytes(encode(list(of_rank)))
        os.replace(partial, directory / f"rank_{rank}.bin")
    return directory
