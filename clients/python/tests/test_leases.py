"""How a lease lives and ends."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import SupportsFloat

import numpy as np
import pytest

from rollstream import BadRequest, Closed, LeaseLost, LineageDiscarded, Ready

from delivering_server import DeliveringServer
from scripted_server import Answer, Asked, refused

Serve = Callable[..., DeliveringServer]


def ends(server: DeliveringServer) -> list[tuple[str, str]]:
    """(lease, how) of what was asked about leases, but for extends."""
    parts = [asked.path.split("/") for asked in server.of("/v1/leases/.*/(ack|release|reject)")]
    return [(lease, how) for *_, lease, how in parts]


def test_ack_tells_step_version_and_finite_stats(serve: Serve) -> None:
    server = serve(ready=1)
    with server.client() as ready:
        batch = next(ready.batches(groups=1))
        stats: dict[str, SupportsFloat | None] = {
            "kl": np.float32(0.5),
            "max_logprob_diff": float("nan"),
            "clipped_share": None,
        }
        batch.ack(np.int64(7), version="0.7", stats=stats)
    (asked,) = server.of(".*/ack")
    assert asked.body == {"lineage": 0, "step": 7, "version": "0.7", "stats": {"kl": 0.5}}
    assert batch.ended == "trained"


def test_ack_is_asked_until_it_is_answered_and_then_never_again(serve: Serve) -> None:
    server = serve(ready=1)
    lost = [Answer(lost=True), refused(503, "RS_INTERRUPTED")]
    server.on("POST", ".*/ack", lambda _: lost.pop() if lost else {})
    with server.client() as ready:
        batch = next(ready.batches(groups=1))
        batch.ack(1)
        batch.ack(1)
    assert ends(server) == [("1.a.0", "ack")] * 3


def test_ack_needs_a_step_and_step_0_is_where_the_run_began(serve: Serve) -> None:
    with serve(ready=1).client() as ready:
        batch = next(ready.batches(groups=1))
        with pytest.raises(BadRequest, match="step of the trainer"):
            batch.ack()
        with pytest.raises(BadRequest, match="from 1 on"):
            batch.ack(0)


def test_a_block_that_raises_releases_the_batch(serve: Serve) -> None:
    server = serve(ready=3)
    with server.client() as ready:
        batches = ready.batches(groups=1)
        with pytest.raises(ZeroDivisionError), next(batches) as batch:
            _ = 1 / 0
        assert batch.ended == "queued"
        with next(batches) as batch:
            batch.ack(1)
        # What is in the weights is not handed to another.
        with pytest.raises(ZeroDivisionError), next(batches) as batch:
            batch.trained(2)
            _ = 1 / 0
    assert ends(server) == [("1.a.0", "release"), ("1.a.1", "ack")]


def test_an_error_is_not_hidden_by_a_release_that_fails(serve: Serve) -> None:
    server = serve(ready=1)
    server.on("POST", ".*/release", lambda _: refused(409, "RS_LEASE_LOST"))
    with server.client() as ready, pytest.raises(ZeroDivisionError), next(ready.batches(groups=1)) as batch:
        _ = 1 / 0
    assert isinstance(batch.lost, LeaseLost)


def test_close_releases_what_has_not_ended_and_was_not_trained(serve: Serve) -> None:
    server = serve(ready=5)
    with server.client() as ready:
        acked, rejected, trained, held = (next(ready.batches(groups=1)) for _ in range(4))
        # Nothing refers to this one, and it has not run out.
        next(ready.batches(groups=1))
        acked.ack(1)
        rejected.reject("too long")
        trained.trained(2)
    assert sorted(ends(server)) == [
        ("1.a.0", "ack"),
        ("1.a.1", "reject"),
        ("1.a.3", "release"),
        ("1.a.4", "release"),
    ]
    assert server.of(".*/reject")[0].body == {"lineage": 0, "reason": "too long"}
    with pytest.raises(Closed):
        held.ack(3)


@pytest.mark.parametrize("end", ["release", "reject"])
def test_what_was_trained_can_only_be_acked(serve: Serve, end: str) -> None:
    with serve(ready=1).client() as ready:
        batch = next(ready.batches(groups=1))
        batch.trained(4)
        with pytest.raises(BadRequest, match="the weights hold"):
            batch.release() if end == "release" else batch.reject("no")
        with pytest.raises(BadRequest, match="trained in step 4, not 5"):
            batch.ack(5)
        batch.ack()
        assert (batch.ended, batch.step) == ("trained", 4)


def test_a_lost_lease_says_so_at_the_ack_and_stays_among_the_tokens(serve: Serve) -> None:
    server = serve(ready=1)
    server.on("POST", ".*/ack", lambda _: refused(409, "RS_LEASE_LOST"))
    with server.client() as ready:
        batch = next(ready.batches(groups=1))
        with pytest.raises(LeaseLost, match="restore from your last checkpoint"):
            batch.ack(3)
        assert batch.lost is not None
        # So that no checkpoint can be sealed with data that another holds.
        assert ready.state()["tokens"] == {"1.a.0": {"step": 3, "offsets": [0]}}


def test_a_held_batch_is_extended_at_a_third_of_its_lease_until_it_ends(serve: Serve) -> None:
    server = serve(ready=2)
    with server.client() as ready:
        first, second = (next(ready.batches(groups=1, lease_s=0.3)) for _ in range(2))
        first.ack(1)
        second.extend()
        before = len(server.of("/v1/leases/1.a.0/extend"))
        asked = server.wait_for("/v1/leases/1.a.1/extend", len(server.of("/v1/leases/1.a.1/extend")) + 3)
        second.release()
    assert [each.body for each in asked] == [{"lineage": 0, "lease_ms": 300}] * len(asked)
    assert len(server.of("/v1/leases/1.a.0/extend")) == before


def test_without_lease_s_the_lease_of_the_server_counts(serve: Serve) -> None:
    server = serve(ready=1)
    usual = server._lease

    def soon(asked: Asked) -> Answer:
        answer = usual(asked)
        assert isinstance(answer, Answer) and isinstance(answer.body, bytes)
        # By the server's clock, which the header tells: 1.3 s, of which the header may be a second old.
        answer.body = answer.body.replace(b"2999-01-01T00:00:00.000Z", b"2001-01-01T00:00:01.300Z")
        answer.headers["date"] = "Mon, 01 Jan 2001 00:00:00 GMT"
        return answer

    server.on("POST", "/v1/leases", soon)
    with server.client() as ready:
        batch = next(ready.batches(groups=1))
        assert batch.grant.lease_s == pytest.approx(0.3)
        assert server.wait_for(".*/extend", 1)[0].body == {"lineage": 0}


def test_a_batch_that_nothing_refers_to_is_extended_no_more(serve: Serve) -> None:
    server = serve(ready=3)
    with server.client() as ready:
        batches = ready.batches(groups=1, lease_s=0.3)
        next(batches)
        trained = next(batches)
        trained.trained(1)
        del trained
        kept = next(batches)
        gc.collect()
        server.wait_for("/v1/leases/1.a.2/extend", 3)
        assert server.of("/v1/leases/1.a.0/extend") == []
        # The weights hold it: its lease must last until the checkpoint.
        assert len(server.of("/v1/leases/1.a.1/extend")) >= 2
        assert kept.lost is None


@pytest.mark.parametrize(("code", "kind"), [("RS_LEASE_LOST", LeaseLost), ("RS_LINEAGE_DISCARDED", LineageDiscarded)])
def test_a_lease_that_cannot_be_extended_is_lost(serve: Serve, code: str, kind: type[Exception]) -> None:
    server = serve(ready=2)
    server.on("POST", "/v1/leases/1.a.0/extend", lambda _: refused(409, code))
    with server.client() as ready:
        batch, other = (next(ready.batches(groups=1, lease_s=0.3)) for _ in range(2))
        server.wait_for("/v1/leases/1.a.1/extend", 3)
        assert isinstance(batch.lost, kind)
        assert other.lost is None
    assert len(server.of("/v1/leases/1.a.0/extend")) == 1


def test_an_extend_that_fails_is_tried_again(serve: Serve) -> None:
    server = serve(ready=1)
    server.on("POST", ".*/extend", lambda _: refused(500, "RS_INTERNAL"))
    with server.client() as ready:
        batch = next(ready.batches(groups=1, lease_s=0.3))
        server.wait_for(".*/extend", 3)
        assert batch.lost is None


def test_extend_tells_the_new_deadline(serve: Serve) -> None:
    server = serve(ready=1)
    server.on("POST", ".*/extend", lambda _: {"deadline": "2030-01-01T00:00:00.000Z"})
    with server.client() as ready:
        assert next(ready.batches(groups=1)).extend(60) == "2030-01-01T00:00:00.000Z"
    assert server.of(".*/extend")[0].body == {"lineage": 0, "lease_ms": 60_000}


def test_another_process_can_hold_and_end_a_lease(serve: Serve) -> None:
    server = serve(ready=2)
    with server.client() as ready, server.client() as other:
        handle = next(ready.batches(groups=2)).handle()
        batch = other.adopt(handle)
        batch.trained(3)
        assert other.state()["tokens"] == {"1.a.0": {"step": 3, "offsets": [0, 1]}}
        batch.ack()
        assert ends(server) == [("1.a.0", "ack")]
        with pytest.raises(BadRequest, match="handle"):
            other.adopt({"lease": "1.a.0"})  # type: ignore[typeddict-item]


def test_a_ready_is_of_the_process_that_opened_it(serve: Serve) -> None:
    with serve(ready=1).client() as ready:
        batches = ready.batches(groups=1)
        next(batches).ack(1)
        child = os.fork()
        if child == 0:
            try:
                ready.state()
            except Closed:
                os._exit(0)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_killed_trainer_extends_nothing_and_releases_nothing(serve: Serve) -> None:
    server = serve(ready=1)
    program = f"""
        import rollstream, threading
        ready = rollstream.Ready({server.url!r}, "math", "trainer-0")
        batch = next(ready.batches(groups=1, lease_s=0.3))
        threading.Event().wait()
    """
    source = Path(__file__).parents[1] / "src"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], env=environment)
    server.wait_for(".*/extend", 2)
    child.send_signal(signal.SIGKILL)
    child.wait()
    before = len(server.asked)
    with server.client() as other, pytest.raises(StopIteration):
        next(other.batches(groups=1, idle_s=0))
    after = [asked.path.split("/")[-1] for asked in server.asked[before:]]
    # One may have been on its way.
    assert sorted(after) in (["delivery", "leases"], ["delivery", "extend", "leases"])
    assert ends(server) == []


def test_a_program_that_ends_without_close_ends(serve: Serve) -> None:
    server = serve(ready=1)
    program = f"""
        import rollstream
        for batch in rollstream.Ready({server.url!r}, "math", "trainer-0").batches(groups=1, prefetch=1):
            batch.ack(1)
            break
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        env=environment,
        timeout=30,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_a_ready_that_is_forgotten_stops_its_thread(serve: Serve) -> None:
    server = serve(ready=1)
    ready = Ready(server.url, "math", "trainer-0")
    thread = ready._thread._thread
    next(ready.batches(groups=1)).ack(1)
    del ready
    gc.collect()
    assert not thread.is_alive()


def test_closed_by_another_thread_whoever_waits_is_told_so(serve: Serve) -> None:
    server = serve()
    is_over = threading.Event()

    def wait(asked: Asked) -> dict[str, object]:
        threading.Thread(target=ready.close).start()
        is_over.wait(10)
        return server.again(asked)

    server.on("POST", "/v1/leases", wait)
    with server.client() as ready, pytest.raises(Closed, match="it is closed"):
        next(ready.batches(groups=1))
    is_over.set()


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "", "ftp://127.0.0.1"])
def test_a_url_that_no_request_can_go_to_is_refused_at_once(url: str) -> None:
    with pytest.raises(BadRequest, match="http://"):
        Ready(url, "math", "trainer-0")


def test_a_token_that_no_header_can_carry_is_refused_at_once() -> None:
    with pytest.raises(BadRequest, match="token"):
        Ready("http://127.0.0.1:1", "math", "trainer-0", token="secret\n")
