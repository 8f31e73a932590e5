"""What no request can carry is refused where it is given, by the name of the argument."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rollstream import BadRequest, Ready, pad

from delivering_server import DeliveringServer
from trajectories import segment, trajectory

Serve = Callable[..., DeliveringServer]

HALF = "\ud83d"


@pytest.mark.parametrize(
    "arguments",
    [
        {"run": None},
        {"run": ""},
        {"run": HALF},
        {"consumer": 7},
        {"consumer": HALF},
        {"replica": HALF},
        {"url": None},
        {"token": 7},
        {"lineage": 1.5},
        {"lineage": -1},
        {"timeout": 0},
        {"timeout": None},
        {"timeout": math.nan},
        {"retry_s": "1s"},
        {"retry_s": -1},
        {"poll_s": math.nan},
        {"poll_s": 61},
        {"on_bad": "x"},
    ],
)
def test_of_a_client(arguments: dict[str, Any]) -> None:
    given = {"url": "http://127.0.0.1:1", "run": "math", "consumer": "trainer-0", **arguments}
    with pytest.raises(ValueError, match=f"^{next(iter(arguments))}: "):
        Ready(**given)


@pytest.mark.parametrize(
    "arguments",
    [
        {"groups": 1.0},
        {"groups": 0},
        {"rollouts": "8"},
        {"at_least": math.inf},
        {"idle_s": math.nan},
        {"idle_s": math.inf},
        {"idle_s": -1},
        {"lease_s": math.inf},
        {"lease_s": math.nan},
        {"lease_s": 0},
        {"prefetch": 1.5},
        {"prefetch": None},
        {"first_index": -1},
    ],
)
def test_of_batches(serve: Serve, arguments: dict[str, Any]) -> None:
    sizes = {} if "rollouts" in arguments else {"groups": 1}
    with serve(ready=1).client() as ready, pytest.raises(ValueError, match=f"^{next(iter(arguments))}: "):
        next(ready.batches(**{**sizes, **arguments}))


@pytest.mark.parametrize(
    "arguments",
    [
        {"dp_size": None},
        {"rank": 2},
        {"groups": 1.0},
        {"unit": "token"},
        {"micro_tokens": 0},
        {"first_step": 0.5},
    ],
)
def test_of_steps(serve: Serve, arguments: dict[str, Any]) -> None:
    given = {"dp_size": 2, "rank": 0, "groups": 2, "first_step": 1, **arguments}
    with serve(ready=4).client() as ready, pytest.raises(ValueError, match=f"^{next(iter(arguments))}: "):
        next(ready.steps(**given))


def test_of_what_is_said_of_a_batch(serve: Serve) -> None:
    server = serve(ready=1)
    with server.client() as ready:
        batch = next(ready.batches(groups=1))
        wrong: list[tuple[str, Callable[..., object], dict[str, Any]]] = [
            ("step", batch.ack, {"step": 1.5}),
            ("version", batch.ack, {"step": 1, "version": HALF}),
            ("reason", batch.reject, {"reason": HALF}),
            ("lease_s", batch.extend, {"lease_s": math.inf}),
            ("version", ready.announce, {"version": HALF, "step": 1}),
            ("step", ready.announce, {"version": "1", "step": "1"}),
            ("step", ready.state, {"step": 0.5}),
            ("request", ready.resume, {"state": None, "request": HALF}),
            ("into", ready.fork, {"into": HALF, "state": ready.state(0)}),
        ]
        for name, call, arguments in wrong:
            with pytest.raises(ValueError, match=f"^{name}: "):
                call(**arguments)
        # Nothing of it was taken for a step.
        batch.ack(2)


def test_sizes_may_be_counted_with_numpy(serve: Serve) -> None:
    server = serve(ready=4)
    with server.client(timeout=np.float32(30)) as ready:
        count = np.int64(1)
        next(ready.batches(groups=count, at_least=count, prefetch=np.int8(0), lease_s=np.float32(2), first_index=count))
        next(ready.steps(np.int64(1), np.int64(0), groups=count, first_step=np.int64(3)))
    batch, step = (asked.body for asked in server.of("/v1/leases"))
    assert (batch["count"], batch["least"], batch["lease_ms"], batch["batch_index"]) == (1, 1, 2000, 1)
    assert (step["dp_size"], step["rank"], step["groups"], step["step"]) == (1, 0, 1, 3)


@pytest.mark.parametrize("arguments", [{"pad_id": None}, {"pad_id": 2**63}, {"to": 3.5}, {"multiple_of": None}])
def test_of_padding(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{next(iter(arguments))}: "):
        pad([trajectory(segment([1, 2, 3]))], **arguments)


def test_a_wrong_argument_is_a_bad_request_and_a_value_error(serve: Serve) -> None:
    with serve().client() as ready, pytest.raises(BadRequest) as caught:
        ready.batches(groups=1, lease_s=math.inf)
    assert (caught.value.field, isinstance(caught.value, ValueError)) == ("lease_s", True)
