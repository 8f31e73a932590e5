"""Padding, against the same thing done token by token."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from rollstream import Trajectory, pad

from trajectories import segment, trajectory


def test_rows_by_hand() -> None:
    one = trajectory(
        segment([7, 8, 9], sampled=[0, 1, 1], loss=[0, 0, 1], spans=[(1, "v1"), (2, "v2")]), advantage=0.25
    )
    two = trajectory(segment([5]), segment([6, 4], spans=[(0, "v1")], name="b"), reward=None, rollout_loss_tokens=1)
    padded = pad([one, two], pad_id=99, multiple_of=4)
    assert {name: array.tolist() for name, array in padded.items() if name not in ("versions", "rewards")} == {
        "token_ids": [[7, 8, 9, 99], [5, 99, 99, 99], [6, 4, 99, 99]],
        "attention_mask": [[True, True, True, False], [True, False, False, False], [True, True, False, False]],
        "loss_mask": [[False, False, True, False], [False] * 4, [False, True, False, False]],
        "sampled_mask": [[False, True, True, False], [False] * 4, [False, True, False, False]],
        "logprobs": [[0, np.float32(-0.008), np.float32(-0.009), 0], [0] * 4, [0, np.float32(-0.004), 0, 0]],
        "version_index": [[-1, 0, 1, -1], [-1] * 4, [-1, 0, -1, -1]],
        "advantages": [0.25, 0.5, 0.5],
        "lengths": [3, 1, 2],
        "trajectory": [0, 1, 1],
        "segment": [0, 0, 1],
        "rollout_loss_tokens": [2, 1, 1],
    }
    assert padded["versions"] == ("v1", "v2")
    # A reward that there is not is not 0.
    assert padded["rewards"][0] == 1 and math.isnan(padded["rewards"][1])
    assert {name: str(array.dtype) for name, array in padded.items() if name != "versions"} == {
        "token_ids": "int64",
        "attention_mask": "bool",
        "loss_mask": "bool",
        "sampled_mask": "bool",
        "logprobs": "float32",
        "version_index": "int32",
        "advantages": "float32",
        "rewards": "float32",
        "lengths": "int64",
        "trajectory": "int64",
        "segment": "int64",
        "rollout_loss_tokens": "int64",
    }


def slow_row(
    source: Trajectory, at: int, length: int, side: str, pad_id: int, versions: Sequence[str]
) -> dict[str, list[Any]]:
    """Token by token, from the bytes of the record."""
    record = source.fields["segments"][at]
    ids = [int.from_bytes(record["token_ids"][4 * i : 4 * i + 4], "little") for i in range(len(record["sampled_mask"]))]
    logprobs = np.frombuffer(record["logprobs"], "<f4")
    row: dict[str, list[Any]] = {name: [] for name in ("ids", "attention", "loss", "sampled", "logprobs", "version")}
    gap = length - len(ids) if side == "left" else 0
    for place in range(length):
        token = place - gap
        inside = 0 <= token < len(ids)
        version = ""
        for span in record["weight_spans"]:
            if inside and span["start"] <= token:
                version = span["version"]
        sampled = inside and record["sampled_mask"][token] == 1
        row["ids"].append(ids[token] if inside else pad_id)
        row["attention"].append(inside)
        row["loss"].append(inside and record["loss_mask"][token] == 1)
        row["sampled"].append(sampled)
        row["logprobs"].append(float(logprobs[token]) if inside else 0.0)
        row["version"].append(versions.index(version) if sampled and version else -1)
    return row


def random_trajectory(rng: random.Random) -> Trajectory:
    segments = []
    for at in range(rng.choice([0, 1, 1, 2, 3])):
        length = rng.choice([0, 1, 2, 5, 9])
        sampled = [rng.randint(0, 1) for _ in range(length)]
        spans = [
            (start, rng.choice(["v1", "v2", "v3", ""]))
            for start in sorted(rng.sample(range(length + 1), min(2, length)))
        ]
        ids = [rng.choice([0, 1, 151_643, 2**32 - 1]) for _ in range(length)]
        loss = [on & rng.randint(0, 1) for on in sampled]
        segments.append(segment(ids, sampled=sampled, loss=loss, spans=spans, name=f"s{at}"))
    return trajectory(*segments, rollout_loss_tokens=rng.randint(0, 9), advantage=rng.uniform(-1, 1))


@pytest.mark.parametrize("seed", range(40))
def test_padding_is_what_token_by_token_gives(seed: int) -> None:
    rng = random.Random(seed)
    sources = [random_trajectory(rng) for _ in range(rng.randint(0, 6))]
    side, segments = rng.choice(["left", "right"]), rng.choice(["all", "last"])
    multiple_of, pad_id = rng.choice([1, 4, 8]), rng.choice([0, 7])
    padded = pad(sources, side=side, segments=segments, multiple_of=multiple_of, pad_id=pad_id)  # type: ignore[arg-type]
    chosen = [
        (index, at)
        for index, source in enumerate(sources)
        for at in range(len(source.segments))
        if len(source.segments[at]) > 0 and (segments == "all" or at == len(source.segments) - 1)
    ]
    longest = max((len(sources[index].segments[at]) for index, at in chosen), default=0)
    length = math.ceil(longest / multiple_of) * multiple_of
    assert padded["token_ids"].shape == (len(chosen), length)
    assert list(zip(padded["trajectory"].tolist(), padded["segment"].tolist(), strict=True)) == chosen
    for row, (index, at) in enumerate(chosen):
        expected = slow_row(sources[index], at, length, side, pad_id, padded["versions"])
        got = {
            "ids": padded["token_ids"][row].tolist(),
            "attention": padded["attention_mask"][row].tolist(),
            "loss": padded["loss_mask"][row].tolist(),
            "sampled": padded["sampled_mask"][row].tolist(),
            "logprobs": padded["logprobs"][row].tolist(),
            "version": padded["version_index"][row].tolist(),
        }
        assert got == expected
        assert padded["lengths"][row] == len(sources[index].segments[at])
        assert padded["advantages"][row] == np.float32(sources[index].advantage)


def test_to_is_a_length_that_nothing_may_exceed() -> None:
    source = trajectory(segment([1, 2, 3]))
    assert pad([source], 5)["token_ids"].tolist() == [[1, 2, 3, 0, 0]]
    assert pad([source], 5, side="left", multiple_of=4)["token_ids"].tolist() == [[0, 0, 0, 0, 0, 1, 2, 3]]
    with pytest.raises(ValueError, match="a row has 3 tokens"):
        pad([source], 2)


def test_missing_logprobs_are_a_stated_choice() -> None:
    source = trajectory(segment([1, 2], logprobs=None))
    with pytest.raises(ValueError, match="logprobs"):
        pad([source])
    assert pad([source], logprobs="zero")["logprobs"].tolist() == [[0, 0]]
    gaps = pad([source], logprobs="nan")["logprobs"]
    assert gaps[0, 0] == 0 and math.isnan(gaps[0, 1])
    # No token was sampled: none is missing.
    assert pad([trajectory(segment([1, 2], sampled=[0, 0], logprobs=None))])["logprobs"].tolist() == [[0, 0]]


def test_missing_advantages_are_a_stated_choice() -> None:
    source = trajectory(segment([1, 2]), advantage=None)
    with pytest.raises(ValueError, match="'r0' has no advantage"):
        pad([source])
    assert pad([source], advantages="zero")["advantages"].tolist() == [0]
    assert math.isnan(pad([source], advantages="nan")["advantages"][0])
    assert pad([trajectory(segment([1, 2]), advantage=0.0)])["advantages"].tolist() == [0]
    # Nothing of it is in the loss: no advantage is missing.
    assert pad([trajectory(segment([1, 2], loss=[0, 0]), advantage=None)])["advantages"].tolist() == [0]


@pytest.mark.parametrize(
    "arguments", [{"side": "up"}, {"framework": "jax"}, {"segments": "first"}, {"logprobs": "mean"}, {"multiple_of": 0}]
)
def test_what_is_not_known_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        pad([trajectory(segment([1, 2, 3]))], **arguments)


def test_arrays_are_views_on_the_bytes_that_came_and_cannot_be_written() -> None:
    source = trajectory(segment([1, 2, 3]))
    (only,) = source.segments
    raw = source.fields["segments"][0]
    assert only.logprobs is not None
    for array, name in (
        (only.token_ids, "token_ids"),
        (only.sampled_mask, "sampled_mask"),
        (only.loss_mask, "loss_mask"),
        (only.logprobs, "logprobs"),
    ):
        assert np.shares_memory(array, np.frombuffer(raw[name], np.uint8))
        assert not array.flags.writeable
