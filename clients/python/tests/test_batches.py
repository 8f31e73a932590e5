"""Taking batches: the key of each request, lost answers, "again", the end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from rollstream import BadRequest, NotFound, Refused, ServerFailed, ServerUnreachable, Unauthorized

from delivering_server import DeliveringServer
from scripted_server import Answer, Asked, refused
from trajectories import record

Serve = Callable[..., DeliveringServer]


def keys(server: DeliveringServer) -> list[tuple[int, int]]:
    return [(asked.body["batch_index"], asked.body["try"]) for asked in server.of("/v1/leases")]


def once(server: DeliveringServer, answer: Answer | None, path: str = "/v1/leases") -> None:
    """The next request to `path` is answered so (None: it is carried out, its answer is lost); the others as ever."""
    left = [answer]
    method, _, usual = next(each for each in server._handlers if each[0] == "POST" and each[1].fullmatch(path))

    def handler(asked: Asked) -> Answer | dict[str, Any]:
        if not left:
            return usual(asked)
        first = left.pop()
        if first is None:
            usual(asked)
            return Answer(lost=True)
        return first

    server.on(method, path, handler)


def test_the_five_lines(serve: Serve) -> None:
    server = serve(ready=6)
    with server.client() as ready:
        taken = []
        for step, batch in enumerate(ready.batches(groups=2, idle_s=0), 1):
            assert batch.pad()["token_ids"].tolist() == [[1, 2, 3], [1, 2, 3]]
            taken.append([trajectory.rollout_id for trajectory in batch])
            batch.ack(step=step)
    assert taken == [["r0", "r1"], ["r2", "r3"], ["r4", "r5"]]
    assert keys(server) == [(0, 0), (1, 0), (2, 0), (3, 0)]
    assert [(asked.path, asked.body) for asked in server.of(".*/ack")] == [
        (f"/v1/leases/1.a.{at}/ack", {"lineage": 0, "step": at + 1}) for at in range(3)
    ]
    assert server.of(".*/release") == []


def test_a_request_names_run_lineage_consumer_replica_count_and_unit(serve: Serve) -> None:
    server = serve(ready=4)
    server.lineage = 3
    with server.client(replica="left", poll_s=7) as ready:
        next(ready.batches(rollouts=4, at_least=2, lease_s=2.5)).release()
    assert server.of("/v1/leases")[0].body == {
        "run": "math",
        "lineage": 3,
        "consumer": "trainer-0",
        "replica": "left",
        "count": 4,
        "least": 2,
        "unit": "rollout",
        "batch_index": 0,
        "try": 0,
        "wait_ms": 7000,
        "lease_ms": 2500,
    }


def test_exactly_so_many_unless_fewer_are_asked_for(serve: Serve) -> None:
    server = serve(ready=3)
    with server.client() as ready:
        assert list(ready.batches(groups=4, idle_s=0)) == []
        assert [len(batch) for batch in ready.batches(groups=4, at_least=1, idle_s=0)] == [3]


@pytest.mark.parametrize(
    "lost",
    [
        None,
        Answer(lost=True),
        Answer(b"half", cut=True),
        refused(503, "RS_INTERRUPTED"),
        Answer({"error": {"code": "RS_STARTING", "message": "soon"}}, 503, {"retry-after": "0"}),
        Answer(b"<html>bad gateway</html>", 502),
    ],
)
def test_a_lost_answer_is_asked_for_with_the_same_index_and_try(serve: Serve, lost: Answer | None) -> None:
    server = serve(ready=4)
    once(server, lost)
    with server.client() as ready:
        taken = [[trajectory.rollout_id for trajectory in batch] for batch in ready.batches(groups=2, idle_s=0)]
    assert taken == [["r0", "r1"], ["r2", "r3"]]
    assert keys(server) == [(0, 0), (0, 0), (1, 0), (2, 0)]


def test_again_is_asked_with_the_next_try(serve: Serve) -> None:
    server = serve(ready=2)
    once(server, Answer({"lease": None, "again": True}))
    with server.client() as ready:
        for batch in ready.batches(groups=1):
            batch.release()
            if batch.index == 1:
                break
    assert keys(server) == [(0, 0), (0, 1), (1, 0)]


def test_idle_ends_after_as_many_tries_whichever_rank_counts_them(serve: Serve) -> None:
    server = serve(ready=0)
    with server.client(poll_s=0.01) as ready:
        assert list(ready.batches(groups=1, idle_s=0.025)) == []
    assert keys(server) == [(0, 0), (0, 1), (0, 2)]
    assert {asked.body["wait_ms"] for asked in server.of("/v1/leases")} == {8}


def test_a_restarted_consumer_goes_on_behind_the_last_index_that_was_answered(serve: Serve) -> None:
    server = serve(ready=2)
    server.last = {"trainer-0": [41, 2], "other": [90, 0]}
    with server.client() as ready:
        assert next(ready.batches(groups=1)).index == 42
    with server.client() as ready:
        assert next(ready.batches(groups=1, first_index=7)).index == 7


def test_a_second_iteration_goes_on_where_the_first_ended(serve: Serve) -> None:
    server = serve(ready=3)
    with server.client() as ready:
        assert next(ready.batches(groups=1)).index == 0
        assert next(ready.batches(groups=1)).index == 1
        assert next(ready.rollouts()).trajectory.rollout_id == "r2"


def test_groups_are_those_of_the_lease(serve: Serve) -> None:
    server = serve(ready=0)
    members = [("a", 2), ("b", 1), ("a", 2), ("b", 1)]
    for at, (group, size) in enumerate(members):
        template = serve(ready=1).ready[0]
        server.ready.append({**template, "rollout_id": f"r{at}", "group_id": group, "group_size_actual": size})
    with server.client() as ready:
        batch = next(ready.batches(groups=4))
    groups = [(group.unit, group.size, [t.rollout_id for t in group.trajectories]) for group in batch.groups]
    # b is not counted: its members go one by one.
    assert groups == [("math/0/g/a", 2, ["r0", "r2"]), ("math/0/g/b", 1, ["r1"]), ("math/0/g/b", 1, ["r3"])]


def test_prefetch_holds_so_many_ahead_and_gives_them_back(serve: Serve) -> None:
    server = serve(ready=9)
    with server.client() as ready:
        batches = ready.batches(groups=1, prefetch=2)
        first = next(batches)
        # One that is worked on, two ahead; the fourth is asked for when the second is taken.
        server.wait_for("/v1/leases", 3)
        first.ack(1)
        assert next(batches).index == 1
        server.wait_for("/v1/leases", 4)
        batches.close()  # type: ignore[attr-defined]
        released = sorted(asked.path for asked in server.of(".*/release"))
        assert released == ["/v1/leases/1.a.2/release", "/v1/leases/1.a.3/release"]
        # Nobody has seen them: that they were granted counts towards nothing.
        assert [asked.body["unseen"] for asked in server.of(".*/release")] == [True, True]
    assert len(server.of("/v1/leases")) == 4


@pytest.mark.parametrize("end", ["break", "close"])
def test_what_comes_of_a_request_that_is_under_way_at_the_end_is_given_back(serve: Serve, end: str) -> None:
    server = serve(ready=2)
    ending = threading.Event()

    def late(asked: Asked) -> Answer | dict[str, Any]:
        if asked.body["batch_index"] == 1:
            # Longer than it takes to end an iteration that has nothing under way.
            assert ending.wait(20)
            time.sleep(0.3)
        return server._lease(asked)

    server.on("POST", "/v1/leases", late)
    with server.client() as ready:
        batches = ready.batches(groups=1, prefetch=1)
        next(batches).ack(1)
        server.wait_for("/v1/leases", 2)
        ending.set()
        if end == "break":
            batches.close()  # type: ignore[attr-defined]
        else:
            ready.close()
        released = server.of("/v1/leases/1.a.1/release")
        assert [asked.body for asked in released] == [{"lineage": 0, "unseen": True}]


def test_what_goes_wrong_while_prefetching_is_raised_where_the_batch_is_taken(serve: Serve) -> None:
    server = serve(ready=1)
    with server.client() as ready:
        batches = ready.batches(groups=1, prefetch=1)
        assert next(batches).index == 0
        server.on("POST", "/v1/leases", lambda _: refused(409, "RS_LINEAGE_DISCARDED"))
        server.ready.append(server.ready[0])
        with pytest.raises(Exception, match="restore from your last checkpoint"):
            list(batches)


def test_a_step_lease_asks_for_its_rank_and_counts_steps(serve: Serve) -> None:
    server = serve(ready=4)
    with server.client() as ready:
        shards = []
        for shard in ready.steps(dp_size=2, rank=1, groups=2, micro_tokens=100, first_step=11, idle_s=0):
            shards.append((shard.index, shard.rank, [len(micro) for micro in shard.micro_batches]))
            shard.ack()
    assert shards == [(11, 1, [1, 1]), (12, 1, [1, 1])]
    asked = server.of("/v1/leases")[0].body
    assert {"step": 11, "try": 0, "dp_size": 2, "rank": 1, "groups": 2, "micro_tokens": 100}.items() <= asked.items()
    assert not {"replica", "count", "least", "batch_index", "tokens"} & asked.keys()
    # The step of the trainer is the step of the lease unless it says another.
    assert [asked.body["step"] for asked in server.of(".*/ack")] == [11, 12]


def test_ranks_must_agree_on_the_first_step(serve: Serve) -> None:
    server = serve(ready=4)
    server.last = {"step": [4, 0]}
    with server.client() as ready:
        with pytest.raises(BadRequest, match="first_step"):
            ready.steps(dp_size=2, rank=0, groups=2)
        assert next(ready.steps(dp_size=1, rank=0, tokens=15, unit="rollout", idle_s=0), None) is None
    assert server.of("/v1/leases")[0].body["step"] == 5


@pytest.mark.parametrize("arguments", [{}, {"groups": 1, "rollouts": 1}])
def test_groups_or_rollouts_must_be_chosen(serve: Serve, arguments: dict[str, int]) -> None:
    with serve().client() as ready, pytest.raises(BadRequest, match="groups= or rollouts="):
        ready.batches(**arguments)


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (refused(400, "RS_USAGE", field="count"), BadRequest, "RS_USAGE"),
        (refused(401, "RS_UNAUTHORIZED"), Unauthorized, "RS_UNAUTHORIZED"),
        (refused(404, "RS_NOT_FOUND"), NotFound, "RS_NOT_FOUND"),
        (refused(409, "RS_DELIVERY_REFUSED", reason="unit_is_fixed"), Refused, "RS_DELIVERY_REFUSED"),
        (refused(500, "RS_INTERNAL"), ServerFailed, "RS_INTERNAL"),
        (Answer(b"who are you?", 418), BadRequest, ""),
    ],
)
def test_what_is_refused_is_not_asked_again(serve: Serve, answer: Answer, kind: type[Exception], code: str) -> None:
    server = serve(ready=1)
    server.on("POST", "/v1/leases", lambda _: answer)
    with server.client() as ready, pytest.raises(kind) as caught:
        next(ready.batches(groups=1))
    assert type(caught.value) is kind
    assert (caught.value.code, caught.value.status) == (code, answer.status)  # type: ignore[attr-defined]
    assert len(server.of("/v1/leases")) == 1


def test_it_gives_up_after_retry_s(serve: Serve) -> None:
    server = serve(ready=1)
    server.on("POST", "/v1/leases", lambda _: Answer(lost=True))
    with server.client(retry_s=0.2) as ready, pytest.raises(ServerUnreachable, match=r"POST .*/v1/leases"):
        next(ready.batches(groups=1))
    assert len(server.of("/v1/leases")) > 1


def test_a_run_that_nobody_knows_is_named(serve: Serve) -> None:
    server = serve()
    server.on("GET", "/v1/runs/.*", lambda _: refused(404, "RS_NOT_FOUND"))
    with server.client() as ready:
        with pytest.raises(NotFound, match=r"run 'math'.*announce"):
            next(ready.batches(groups=1))
        # Its weights may be announced: that makes it known.
        assert ready.announce("v0", step=0) == 0
    assert server.of("/v1/versions")[0].body == {"run": "math", "lineage": 0, "step": 0, "version": "v0"}


def test_the_token_comes_from_the_environment(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLSTREAM_HTTP_TOKEN", "from-env")
    server = serve(ready=2)
    with server.client() as ready:
        next(ready.batches(groups=1))
    with server.client(token="given") as ready:
        next(ready.batches(groups=1))
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer from-env", "Bearer given"}


def test_the_name_of_step_leases_is_no_replica(serve: Serve) -> None:
    with pytest.raises(BadRequest, match="step"), serve().client(replica="step"):
        pass


def test_ctrl_c_while_it_waits_is_heard_as_such(serve: Serve) -> None:
    server = serve(ready=1)
    interrupted = threading.Event()

    def interrupting(asked: Asked) -> Answer | dict[str, Any]:
        if not interrupted.is_set():
            interrupted.set()
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            return server.again(asked)
        return server._lease(asked)

    server.on("POST", "/v1/leases", interrupting)
    with server.client() as ready:
        with pytest.raises(KeyboardInterrupt):
            next(ready.batches(groups=2))
        # It can still be used.
        (batch,) = ready.batches(groups=1, idle_s=0)
        batch.ack(1)


def test_a_wait_without_end_is_told_once(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    server = serve(ready=5)
    left = [3]
    server.on("GET", "/v1/runs/math/delivery", lambda asked: {**server._status(asked), "ready_states": {"queued": 1}})

    def slow(asked: Asked) -> Answer | dict[str, Any]:
        if asked.body["batch_index"] == 2 and left[0] > 0:
            left[0] -= 1
            return server.again(asked)
        return server._lease(asked)

    server.on("POST", "/v1/leases", slow)
    with server.client(poll_s=0) as ready:
        taken = ready.batches(groups=2)
        next(taken).ack(1)
        next(taken).ack(2)
        server.ready.append(record("r5", group_id="g5"))
        next(taken).ack(3)
        assert [each.message for each in caplog.records] == [
            "run 'math': not enough is ready for 2 group(s), waiting for more (its trajectories: 1 queued);"
            " idle_s= ends the wait"
        ]
        assert list(ready.batches(groups=2, idle_s=0)) == []
    assert len(caplog.records) == 1


def test_a_server_that_does_not_answer_is_told_once(
    serve: Serve, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollstream.transport._TOLD_AFTER_S", 0)
    server = serve()
    left = [Answer(lost=True), Answer({}, 503), Answer(lost=True)]
    server.on("POST", "/v1/versions", lambda asked: left.pop() if left else {"ordinal": 0})
    with server.client() as ready:
        ready.announce("0.0", step=0)
    (told,) = [each.message for each in caplog.records]
    assert told.startswith(f"POST {server.url}/v1/versions: ") and told.endswith("; asking again")
