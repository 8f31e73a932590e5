"""What is said of each token of a row, taken from spans and turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from .records import Unfit
from .rows import Row

NOT_SAMPLED = -1
"""Version and turn of a token that the policy did not sample; what AReaL has there, too."""


def logprobs_of(row: Row, null: float | None = None) -> npt.NDArray[np.float32]:
    """As they arrived, bit for bit. null: stands for those of a segment that has none; without it that raises."""
    if row.segment.logprobs is not None:
        return row.segment.logprobs
    if null is None:
        raise Unfit(f"{row.name}: a sampled token has no logprob; say Nulls(logprobs=…) or leave the rollout out")
    values = np.zeros(row.length, np.float32)
    values[row.segment.sampled_mask == 1] = null
    return values


def versions_of(row: Row) -> list[str | None]:
    """Name of the weights that sampled each token; '' where it is unknown, None where the policy did not sample."""
    names: list[str | None] = [None] * row.length
    spans = sorted(row.segment.weight_spans, key=lambda span: span.start)
    of_token = [""] * row.length
    for span in spans:  # each until the end: the next one overwrites it
        of_token[span.start :] = [span.version] * (row.length - span.start)
    for at in np.flatnonzero(row.segment.sampled_mask == 1).tolist():
        names[at] = of_token[at]
    return names


def version_names(rows: Iterable[Row]) -> list[str]:
    """Those that sampled any token of the rows, in order of first use; an unknown one is ''."""
    return list(dict.fromkeys(name for row in rows for name in versions_of(row) if name is not None))


def version_numbers(row: Row, number: Callable[[str], int]) -> npt.NDArray[np.int32]:
    """number(name) a sampled token; NOT_SAMPLED elsewhere. An unknown version has no number and raises."""
    known: dict[str, int] = {}
    numbers = np.full(row.length, NOT_SAMPLED, np.int32)
    for at, name in enumerate(versions_of(row)):
        if name is None:
            continue
        if name not in known:
            known[name] = _number(row, name, number)
        numbers[at] = known[name]
    return numbers


def _number(row: Row, name: str, number: Callable[[str], int]) -> int:
    if name == "":
        raise Unfit(f"{row.name}: it is not known which weights sampled a token, and the trainer needs a number")
    try:
        return number(name)
    except ValueError as error:
        raise Unfit(f"{row.name}: version {name!r} is no number; say version_number=…") from error


def turns_of(row: Row) -> npt.NDArray[np.int32]:
    """Number of the model call that sampled each token; NOT_SAMPLED elsewhere."""
    numbers = np.full(row.length, NOT_SAMPLED, np.int32)
    for turn in row.trajectory.turns:
        if turn.segment_id == row.segment.segment_id:
            numbers[turn.start : turn.end] = turn.turn
    return numbers


def temperatures_of(row: Row, null: float | None = None) -> npt.NDArray[np.float64]:
    """Of the call that sampled each token; 1 where nothing is learnt, which no trainer reads.

    null: stands for what a call did not report. Without it that raises: logprobs at another temperature are others.
    """
    values = np.ones(row.length)
    known = np.zeros(row.length, bool)
    for turn in row.trajectory.turns:
        if turn.segment_id == row.segment.segment_id and turn.temperature is not None:
            values[turn.start : turn.end] = turn.temperature
            known[turn.start : turn.end] = True
    missing = (row.loss_mask == 1) & ~known
    if missing.any():
        if null is None:
            raise Unfit(
                f"{row.name}: token {int(missing.argmax())} was sampled at an unknown temperature; "
                "say Nulls(temperature=…)"
            )
        values[missing] = null
    return values


def temperature_of(rows: Iterable[Row], null: float | None = None) -> float | None:
    """The one temperature of all tokens in the loss; None: there are none. Raises where there are two.

    For trainers that have one temperature for a batch: they divide every logit by it.
    """
    found: dict[float, Row] = {}
    for row in rows:
        for value in np.unique(temperatures_of(row, null)[row.loss_mask == 1]).tolist():
            found.setdefault(value, row)
    if len(found) > 1:
        told = "; ".join(f"{value:g} in {row.name}" for value, row in found.items())
        raise Unfit(f"the trainer has one temperature for a batch, this one has {len(found)}: {told}")
    return next(iter(found), None)
