"""Checkpoints, rewinds, forks: a trainer that dies between step and ack goes on with each trajectory once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rollstream import BadRequest, Closed, LeaseLost, NotFound, Ready, Refused, merge_states

from delivering_server import DeliveringServer
from scripted_server import Answer, Asked, refused

Serve = Callable[..., DeliveringServer]


def test_a_state_is_json_and_names_what_was_trained_and_not_acked(serve: Serve) -> None:
    server = serve(ready=4)
    server.lineage = 2
    with server.client() as ready:
        assert ready.state() == {"rollstream": 1, "run": "math", "lineage": 2, "step": 0, "tokens": {}}
        first, second, third = (next(ready.batches(groups=1)) for _ in range(3))
        first.ack(10)
        second.trained(11)
        third.trained(12)
        tokens = {"1.a.1": {"step": 11, "offsets": [1]}, "1.a.2": {"step": 12, "offsets": [2]}}
        assert ready.state() == {"rollstream": 1, "run": "math", "lineage": 2, "step": 12, "tokens": tokens}
        # Weights of step 11 do not hold what step 12 trained.
        assert ready.state(11)["tokens"] == {"1.a.1": {"step": 11, "offsets": [1]}}
        assert json.loads(json.dumps(ready.state())) == ready.state()


def test_a_sealed_checkpoint_acks_what_it_holds(serve: Serve) -> None:
    server = serve(ready=2)
    with server.client() as ready:
        first, second = (next(ready.batches(groups=1)) for _ in range(2))
        first.trained(1)
        state = ready.state(1)
        second.trained(2)
        assert ready.checkpoint(state) == state
        assert ready.state()["tokens"] == {"1.a.1": {"step": 2, "offsets": [1]}}
        first.ack()
        assert ready.checkpoint(2)["tokens"] == {"1.a.1": {"step": 2, "offsets": [1]}}
    assert [asked.body for asked in server.of(".*/checkpoints")] == [
        {"lineage": 0, "step": 1, "tokens": {"1.a.0": {"step": 1, "offsets": [0]}}},
        {"lineage": 0, "step": 2, "tokens": {"1.a.1": {"step": 2, "offsets": [1]}}},
    ]
    assert server.of(".*/ack") == []


def test_a_checkpoint_that_holds_a_lost_lease_is_refused(serve: Serve) -> None:
    server = serve(ready=1)
    server.on("POST", ".*/checkpoints", lambda _: refused(409, "RS_LEASE_LOST"))
    with server.client() as ready:
        next(ready.batches(groups=1)).trained(1)
        with pytest.raises(LeaseLost):
            ready.checkpoint(1)
        assert ready.state()["tokens"] == {"1.a.0": {"step": 1, "offsets": [0]}}


@pytest.mark.parametrize("died", ["before the ack", "after the ack, before its answer"])
def test_resume_vouches_for_what_the_weights_hold(serve: Serve, died: str) -> None:
    server = serve(ready=4)
    if died.startswith("after"):
        server.on("POST", ".*/ack", lambda _: Answer(lost=True))
    with server.client(retry_s=0) as ready:
        batch = next(ready.batches(groups=1))
        batch.trained(1)
        saved = json.dumps(ready.state())
        if died.startswith("after"):
            with pytest.raises(Exception, match="ack"):
                batch.ack()
    with server.client() as ready:
        assert ready.resume(json.loads(saved)) == 1
        assert (ready.lineage, ready.state()) == (
            1,
            {"rollstream": 1, "run": "math", "lineage": 1, "step": 1, "tokens": {}},
        )
        after = next(ready.batches(groups=1))
        step = next(ready.steps(dp_size=2, rank=1, groups=2))
    (rewind,) = server.of(".*/rewind")
    request = rewind.body.pop("request")
    assert len(request) == 32
    tokens = {"1.a.0": {"step": 1, "offsets": [0]}}
    assert rewind.body == {"lineage": 0, "step": 1, "expect": 0, "tokens": tokens}
    # Indices begin anew in a new lineage; steps go on behind the checkpoint.
    assert (after.lineage, after.index) == (1, 0)
    assert (step.lineage, step.index) == (1, 2)


def test_a_retry_of_a_rewind_names_the_same_request_another_rewind_another(serve: Serve) -> None:
    server = serve()
    usual = server._rewind
    lost = [True]

    def handler(asked: Asked) -> Answer | dict[str, Any]:
        answer = usual(asked)
        return Answer(lost=True) if lost and lost.pop() else answer

    server.on("POST", ".*/rewind", handler)
    with server.client() as ready:
        state = ready.state(0)
        ready.resume(state)
        ready.resume(state)
        ready.resume(state, request="restart-7")
    first, retry, second, third = (asked.body["request"] for asked in server.of(".*/rewind"))
    assert first == retry != second
    assert third == "restart-7"
    assert [asked.body["expect"] for asked in server.of(".*/rewind")] == [0, 0, 1, 2]


def test_resume_forgets_what_the_left_lineage_held(serve: Serve) -> None:
    server = serve(ready=4)
    with server.client() as ready:
        state = ready.state(0)
        held = next(ready.batches(groups=1))
        held.trained(1)
        ahead = ready.batches(groups=1, prefetch=2)
        next(ahead).trained(2)
        server.wait_for("/v1/leases", 4)
        ready.resume(state)
        # What it holds ahead is of the history that was left.
        with pytest.raises(Closed, match="rewound"):
            next(ahead)
        assert ready.state() == {"rollstream": 1, "run": "math", "lineage": 1, "step": 0, "tokens": {}}
        with pytest.raises(BadRequest, match="lineage 0, this is 1"):
            ready.checkpoint(state)
    assert server.of(".*/1.a.[01]/release") == []


def test_without_a_checkpoint_it_goes_back_to_the_beginning(serve: Serve) -> None:
    server = serve()
    with server.client() as ready:
        assert ready.resume(None) == 1
    assert {"lineage": 0, "step": 0, "tokens": {}}.items() <= server.of(".*/rewind")[0].body.items()


def test_without_a_run_there_is_nothing_to_rewind(serve: Serve) -> None:
    server = serve()
    server.on("GET", "/v1/runs/.*", lambda _: refused(404, "RS_NOT_FOUND"))
    with server.client() as ready:
        assert ready.resume(None) == 0
        with pytest.raises(NotFound):
            ready.resume({"rollstream": 1, "run": "math", "lineage": 0, "step": 7, "tokens": {}})
    assert server.of(".*/rewind") == []


def test_a_rewind_that_another_came_before_is_refused(serve: Serve) -> None:
    server = serve()
    server.on("POST", ".*/rewind", lambda _: refused(409, "RS_DELIVERY_REFUSED", reason="conflict"))
    with server.client() as ready, pytest.raises(Refused) as caught:
        ready.resume(None)
    assert caught.value.reason == "conflict"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"rollstream": 2}, "format 2"),
        ({"run": "other"}, "of run 'other'"),
        ({"lineage": True}, "lineage, step and tokens"),
        ({"tokens": {"1.a.0": {"step": 1}}}, "tokens.1.a.0"),
        ({"tokens": {"1.a.0": {"step": 1, "offsets": ["0"]}}}, "tokens.1.a.0"),
    ],
)
def test_a_damaged_state_is_refused_before_anything_is_asked(serve: Serve, change: dict[str, Any], what: str) -> None:
    server = serve()
    state = {"rollstream": 1, "run": "math", "lineage": 0, "step": 1, "tokens": {}, **change}
    with server.client() as ready, pytest.raises(BadRequest, match=what):
        ready.resume(state)
    assert server.asked == []


def test_steps_may_be_counted_with_numpy(serve: Serve) -> None:
    server, step = serve(ready=1), np.int64(3)
    with server.client() as ready:
        ready.announce("0.3", step)
        next(ready.batches(groups=1)).trained(step)
        ready.checkpoint(json.loads(json.dumps(ready.state(step))))
        ready.checkpoint(step)
    assert [asked.body["step"] for asked in server.of(".*/checkpoints")] == [3, 3]


@pytest.mark.parametrize("state", [["r"], "r"])
def test_what_is_no_state_is_refused(serve: Serve, state: Any) -> None:
    with serve().client() as ready, pytest.raises(BadRequest, match="state"):
        ready.resume(state)


def test_fork_takes_the_books_of_a_checkpoint(serve: Serve) -> None:
    server = serve()
    with server.client() as ready:
        with pytest.raises(BadRequest, match="no checkpoint"):
            ready.fork("math-b")
        ready.checkpoint(4)
        ready.fork("math-b")
        ready.fork("math-c", {**ready.state(3)}, request="once")
    first, second = (asked.body for asked in server.of(".*/fork"))
    first.pop("request")
    assert first == {"run": "math-b", "lineage": 0, "step": 4, "tokens": {}}
    assert second == {"run": "math-c", "lineage": 0, "step": 3, "tokens": {}, "request": "once"}


def test_states_of_several_consumers_become_one() -> None:
    def state(step: int = 5, **tokens: Any) -> dict[str, Any]:
        return {"rollstream": 1, "run": "math", "lineage": 1, "step": step, "tokens": tokens}

    merged = merge_states(
        [
            state(a={"step": 4, "offsets": [0, 2]}, b={"step": 5, "offsets": [7]}),
            state(a={"step": 4, "offsets": [1]}),
        ]
    )
    assert merged == state(a={"step": 4, "offsets": [0, 1, 2]}, b={"step": 5, "offsets": [7]})
    with pytest.raises(BadRequest, match="different checkpoints"):
        merge_states([state(5), state(6)])


def test_the_lineage_is_known_before_anything_was_asked_for(serve: Serve) -> None:
    server = serve()
    server.lineage = 3
    with server.client() as ready:
        ready.announce(f"{ready.lineage}.0", step=0)
    assert server.of("/v1/versions")[0].body == {"run": "math", "lineage": 3, "step": 0, "version": "3.0"}
    with Ready(server.url, "nobody", "trainer-0") as ready:
        assert ready.lineage == 0
