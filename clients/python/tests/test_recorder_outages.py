"""Servers that are away, busy or not ours: the loop does not wait for them, and nothing is lost within the limit."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rollstream import Recorder

from recording_server import RecordingServer, record_steps, recording_server, until, unused_url
from scripted_server import Answer, Asked, refused


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with recording_server() as server:
        yield server


def is_whole(server: RecordingServer, rollout_id: str, calls: int) -> bool:
    return [event["seq"] for event in server.rollout(rollout_id)] == [*range(calls + 2)]


@pytest.mark.parametrize(
    "answer",
    [
        refused(429, "RS_BUSY"),
        refused(403, "RS_FORBIDDEN"),
        Answer({"error": {"code": "RS_RUN_QUOTA"}, "accepted": 2, "refused_count": 0, "refused": []}, 429),
        refused(503, "RS_BROKER_UNREACHABLE"),
        refused(500, "RS_INTERNAL"),
        refused(401, "RS_UNAUTHORIZED"),
        refused(404, "RS_NOT_FOUND"),
        Answer(b"<html>Bad gateway</html>", 502),
        Answer(b"<html>Log in</html>", 200),
        Answer(b"<html>Not so</html>", 400),
        Answer({"ok": True}, 200),
        Answer(lost=True),
        Answer({"accepted": 9}, cut=True),
    ],
    ids=lambda answer: f"{answer.status} {str(answer.body)[:30]} {'lost' if answer.lost else ''}",
)
def test_whatever_is_answered_that_takes_nothing_is_asked_again(
    server: RecordingServer, tmp_path: Path, answer: Answer
) -> None:
    with server.recorder(tmp_path) as recorder:
        server.on("POST", "/v1/steps", lambda _: answer)
        record_steps(recorder, "x", 3)
        assert not recorder.flush(0.1)
        server.wait_for("/v1/steps", 2)
        server.on("POST", "/v1/steps", server.take)
        assert recorder.flush()
        assert (recorder.stats()["lost"], recorder.stats()["sent"]) == (0, 5)
    assert is_whole(server, "x", 3)


def test_an_answer_that_was_lost_is_asked_for_with_the_same_ids(server: RecordingServer, tmp_path: Path) -> None:
    def take_and_lose(asked: Asked) -> Answer:
        server.take(asked)
        server.on("POST", "/v1/steps", server.take)
        return Answer(lost=True)

    server.on("POST", "/v1/steps", take_and_lose)
    with server.recorder(tmp_path) as recorder:
        record_steps(recorder, "x", 3)
        assert recorder.flush()
    assert is_whole(server, "x", 3) and set(server.copies.values()) == {2}


def test_the_pause_that_a_server_asks_for_is_kept(server: RecordingServer, tmp_path: Path) -> None:
    server.on("POST", "/v1/steps", lambda _: server.fails(429, retry_after="30"))
    recorder = server.recorder(tmp_path)
    record_steps(recorder, "x", 1)
    assert not recorder.flush(0.5)
    assert len(server.of("/v1/steps")) == 1
    began = time.monotonic()
    recorder.close(timeout_s=0.2)
    assert time.monotonic() - began < 5


def test_a_server_that_never_answers_holds_up_nobody(server: RecordingServer, tmp_path: Path) -> None:
    answers = threading.Event()

    def hang(asked: Asked) -> Answer | dict[str, object]:
        answers.wait(20)
        return server.take(asked)

    server.on("POST", "/v1/steps", hang)
    recorder = server.recorder(tmp_path)
    record_steps(recorder, "x", 1)
    assert not recorder.flush(0.3)
    began = time.monotonic()
    recorder.close(timeout_s=0.1)
    assert time.monotonic() - began < 5
    answers.set()
    server.on("POST", "/v1/steps", server.take)
    # What was not answered is the next one's.
    with server.recorder(tmp_path):
        until(lambda: is_whole(server, "x", 1))


def test_records_that_are_refused_are_counted_and_not_sent_again(
    server: RecordingServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.refuses = lambda event: event["kind"] == "message"
    with server.recorder(tmp_path) as recorder, caplog.at_level(logging.WARNING, "rollstream"):
        with recorder.rollout("t", rollout_id="x") as rollout:
            rollout.message("user", "a")
            rollout.message("user", "b")
        assert recorder.flush()
        assert (recorder.stats()["refused"], recorder.stats()["sent"]) == (2, 2)
    assert [record.message for record in caplog.records] == [
        "the server refused events: kind: no (told once; the rest is counted)"
    ]
    assert server.kinds("x") == ["start", "end"]


@pytest.mark.parametrize("code", [(413, "RS_TOO_LARGE"), (400, "RS_BAD_REQUEST"), (422, "RS_INPUT_REFUSED")])
def test_what_cannot_be_taken_is_found_and_the_rest_is_taken(
    server: RecordingServer, tmp_path: Path, code: tuple[int, str]
) -> None:
    def take(asked: Asked) -> Answer | dict[str, object]:
        return refused(*code) if b"poison" in asked.body else server.take(asked)

    server.on("POST", "/v1/steps", take)
    with server.recorder(tmp_path) as recorder:
        with recorder.rollout("t", rollout_id="x") as rollout:
            for number in range(20):
                rollout.message("user", "poison" if number == 7 else "fine")
        assert recorder.flush()
        assert (recorder.stats()["refused"], recorder.stats()["sent"]) == (1, 21)
    assert [event["seq"] for event in server.rollout("x")] == [*range(8), *range(9, 22)]


def test_a_spool_that_is_full_loses_whole_attempts_not_pieces_that_could_be_trained(
    server: RecordingServer, tmp_path: Path
) -> None:
    """Each attempt arrives whole, or with a gap that the pipeline sees, or not at all; the limit of bytes holds."""
    limit = 1 << 18
    server.on("POST", "/v1/steps", lambda _: server.fails(503))
    with server.recorder(tmp_path, spool_max_bytes=limit) as recorder:
        begun = recorder.rollout("t", rollout_id="begun")
        begun.message("user", "first")
        text = "x" * 1000
        for number in range(60):
            with recorder.rollout("t", rollout_id=f"r{number}") as rollout:
                for _ in range(5):
                    rollout.message("user", text)
        begun.message("user", "y" * 20_000)
        begun.end("completed")
        on_disk = sum(path.stat().st_size for path in tmp_path.glob("*/*.avro"))
        assert on_disk <= limit and recorder.stats()["lost"] > 100
        server.on("POST", "/v1/steps", server.take)
        assert recorder.flush()
        # There is room again.
        record_steps(recorder, "later", 3)
        assert recorder.flush()
        assert recorder.stats()["recorded"] == recorder.stats()["sent"]
    assert is_whole(server, "later", 3)
    # Its end shows the gap.
    assert [event["seq"] for event in server.rollout("begun")] == [0, 1, 3]
    for number in range(60):
        places = [event["seq"] for event in server.rollout(f"r{number}")]
        # What follows a gap is an end, and nothing else.
        first = next((at for at, place in enumerate(places) if at != place), len(places))
        assert places[first:] in ([], [6])
    assert sum(is_whole(server, f"r{number}", 5) for number in range(60)) > 10


def test_a_server_that_was_never_there_is_told_once_and_the_loop_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "rollstream"):
        recorder = Recorder(unused_url(), "r1", spool_dir=tmp_path)
        record_steps(recorder, "x", 3)
        until(lambda: recorder.flush(0) or recorder.stats()["failed_requests"] > 2)
        recorder.close(timeout_s=0)
    assert len(caplog.records) == 1 and "events wait in the spool" in caplog.records[0].message
    assert recorder.stats()["lost"] == 0 and len(list(tmp_path.glob("*/*.avro"))) == 1


def test_events_beyond_one_file_and_one_request_arrive_in_full(server: RecordingServer, tmp_path: Path) -> None:
    big = "x" * 3_000_000
    with server.recorder(tmp_path) as recorder, recorder.rollout("t", rollout_id="x") as rollout:
        for _ in range(4):
            rollout.message("user", big)
        for _ in range(500):
            rollout.message("user", big[:4000])
    assert is_whole(server, "x", 504)
    assert len(server.of("/v1/steps")) > 5 and list(tmp_path.iterdir()) == []
