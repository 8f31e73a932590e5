"""Producers that die, however they do: what they had recorded arrives, once, and what they left open closes."""

from __future__ import annotations

import json
import mmap
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rollstream import Recorder
from rollstream.recording import container

from recording_server import RecordingServer, forked, in_threads, record_steps, recording_server, until, unused_url


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with recording_server() as server:
        yield server


def killed(spool: Path, url: str, work: Callable[[Recorder], None], **options: object) -> str:
    """A producer that records, and is killed without having ended anything. Returns its id."""
    (producer_id,) = killed_together(1, spool, url, work, **options)
    return producer_id


def killed_together(
    count: int, spool: Path, url: str, work: Callable[[Recorder], None], **options: object
) -> list[str]:
    """None of them finds what another left."""
    read, write = os.pipe()

    def produce() -> None:
        recorder = Recorder(url, "r1", spool_dir=spool, **options)  # type: ignore[arg-type]
        work(recorder)
        os.write(write, f"{recorder.producer_id}\n".encode())
        signal.pause()

    pids = [forked(produce) for _ in range(count)]
    with open(read) as said:
        found = [said.readline().strip() for _ in pids]
    os.close(write)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        os.waitpid(pid, 0)
    return sorted(found)


def record_and_leave_open(recorder: Recorder, name: str = "cut", turns: int = 50) -> None:
    record_steps(recorder, f"{name}-done", 2)
    rollout = recorder.rollout("t", rollout_id=f"{name}-open")
    for turn in range(turns):
        rollout.model_call(prompt_ids=[*range(turn + 1)], completion_ids=[turn + 1], completion_logprobs=[-0.5])


def test_what_a_killed_producer_had_recorded_arrives_once_and_its_attempts_close(
    server: RecordingServer, tmp_path: Path
) -> None:
    """While it lived nobody answered."""
    server.on("POST", "/v1/steps", lambda _: server.fails(503))
    dead = killed(tmp_path, server.url, record_and_leave_open)
    server.on("POST", "/v1/steps", server.take)
    with server.recorder(tmp_path) as recorder:
        until(lambda: server.ended)
        assert recorder.stats()["left_over_sent"] == 4 + 51
    assert [event["seq"] for event in server.rollout("cut-done")] == [*range(4)]
    calls = server.rollout("cut-open")[1:]
    assert [call["model_call"]["completion_ids"] for call in calls] == [
        (turn + 1).to_bytes(4, "little") for turn in range(50)
    ]
    assert set(server.copies.values()) == {1}
    # It is told behind the last of its events.
    assert server.ended == [dead] and server.asked[-1].path == "/v1/producers/ended"
    assert list(tmp_path.iterdir()) == []


def test_whatever_a_call_returned_from_is_there_whenever_the_producer_is_killed(
    server: RecordingServer, tmp_path: Path
) -> None:
    returned = mmap.mmap(-1, 8)

    def produce() -> None:
        with Recorder(server.url, "r1", spool_dir=tmp_path).rollout("t", rollout_id="x") as rollout:
            for number in range(1, 1_000_000):
                rollout.model_call(prompt_delta_ids=[1], completion_ids=[number])
                returned[:8] = number.to_bytes(8, "little")

    pid = forked(produce)
    until(lambda: int.from_bytes(returned[:8], "little") > 300)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    count = int.from_bytes(returned[:8], "little")
    with server.recorder(tmp_path):
        until(lambda: server.ended)
    calls = [event["model_call"] for event in server.rollout("x")[1:]]
    assert count <= len(calls) <= count + 1
    assert [int.from_bytes(call["completion_ids"], "little") for call in calls] == [*range(1, len(calls) + 1)]


def test_what_was_answered_before_a_producer_died_is_not_sent_again(server: RecordingServer, tmp_path: Path) -> None:
    def work(recorder: Recorder) -> None:
        record_and_leave_open(recorder)
        recorder.flush()
        server_is_away.set()
        record_steps(recorder, "after", 1)

    # Of both processes.
    server_is_away = multiprocessing.get_context("fork").Event()
    server.on("POST", "/v1/steps", lambda asked: server.fails(503) if server_is_away.is_set() else server.take(asked))
    dead = killed(tmp_path, server.url, work)
    assert len(server.events) == 4 + 51
    server.on("POST", "/v1/steps", server.take)
    with server.recorder(tmp_path):
        until(lambda: server.ended == [dead])
    assert [event["seq"] for event in server.rollout("after")] == [0, 1, 2]
    assert set(server.copies.values()) == {1}


def test_the_end_of_a_dead_producer_is_told_until_it_is_heard(server: RecordingServer, tmp_path: Path) -> None:
    dead = killed(tmp_path, server.url, record_and_leave_open)
    heard = server._end
    server.on("POST", "/v1/producers/ended", lambda _: server.fails(503))
    with server.recorder(tmp_path) as recorder:
        server.wait_for("/v1/producers/ended", 2)
        # Nobody else waits for it.
        record_steps(recorder, "own", 1)
        assert recorder.flush() and server.ended == []
        server.on("POST", "/v1/producers/ended", heard)
        until(lambda: server.ended == [dead])


def test_a_producer_that_closed_is_not_told_to_have_ended(server: RecordingServer, tmp_path: Path) -> None:
    """Its attempts may wait for verdicts of others, which an end of their producer would cut off."""
    server.on("POST", "/v1/steps", lambda _: server.fails(503))
    first = server.recorder(tmp_path)
    record_steps(first, "x", 2)
    first.close(timeout_s=0)
    assert len(list(tmp_path.iterdir())) == 1
    server.on("POST", "/v1/steps", server.take)
    with server.recorder(tmp_path):
        until(lambda: len(list(tmp_path.iterdir())) == 1)
    assert [event["seq"] for event in server.rollout("x")] == [*range(4)]
    assert server.ended == []


def test_the_living_keep_their_files_and_what_is_for_another_server_stays(
    server: RecordingServer, tmp_path: Path
) -> None:
    other = killed(tmp_path, unused_url(), record_and_leave_open)
    read, write = os.pipe()

    def live() -> None:
        recorder = server.recorder(tmp_path)
        record_steps(recorder, "child", 3)
        os.write(write, recorder.producer_id.encode())
        signal.pause()

    server.on("POST", "/v1/steps", lambda _: server.fails(503))
    pid = forked(live)
    child = os.read(read, 1000).decode()
    with server.recorder(tmp_path) as one, server.recorder(tmp_path) as two:
        record_steps(one, "one", 3)
        record_steps(two, "two", 3)
        server.on("POST", "/v1/steps", server.take)
        assert one.flush() and two.flush()
        until(lambda: len(server.events) == 15)
    assert set(server.copies.values()) == {1} and server.ended == []
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with server.recorder(tmp_path):
        until(lambda: server.ended == [child])
    (left,) = tmp_path.iterdir()
    assert json.loads((left / "producer.json").read_text())["producer_id"] == other


def test_a_disk_that_takes_no_more_leaves_the_events_in_memory(server: RecordingServer, tmp_path: Path) -> None:
    """The kernel's own answer to a write beyond a limit: a part of it first, then an error."""
    read, write = os.pipe()

    def produce() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16_000, 16_000))
        recorder = server.recorder(tmp_path)
        record_steps(recorder, "x", 100)
        recorder.close()
        os.write(write, json.dumps(recorder.stats()).encode())

    os.waitpid(forked(produce), 0)
    counts = json.loads(os.read(read, 10_000))
    assert counts["lost"] == 0 and 0 < counts["kept_in_memory"] < counts["recorded"] == counts["sent"] == 102
    assert [event["seq"] for event in server.rollout("x")] == [*range(102)]


def test_what_the_disk_took_again_is_sent_behind_what_waits_in_memory(server: RecordingServer, tmp_path: Path) -> None:
    """Else the pipeline would miss an early step while it is given all of the later ones."""
    read, write = os.pipe()

    def produce() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        recorder = server.recorder(tmp_path)
        rollout = recorder.rollout("t", rollout_id="x")
        for room in (1 << 30, 0, 1 << 30, 0, 1 << 30):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
            for number in range(20):
                rollout.message("user", f"{number}")
        rollout.end("completed")
        os.write(write, json.dumps(recorder.stats()["kept_in_memory"]).encode())
        recorder.close(60)

    server.on("POST", "/v1/steps", lambda _: server.fails(503))
    pid = forked(produce)
    assert json.loads(os.read(read, 100)) == 40
    server.on("POST", "/v1/steps", server.take)
    os.waitpid(pid, 0)
    assert [event["seq"] for event in server.events.values()] == [*range(102)]


def test_of_two_that_start_at_once_one_sends_what_was_left(server: RecordingServer, tmp_path: Path) -> None:
    dead = killed_together(3, tmp_path, server.url, lambda recorder: None)
    recorders: list[Recorder] = []
    in_threads(4, lambda _: recorders.append(server.recorder(tmp_path)))
    until(lambda: len(server.ended) >= 3)
    for recorder in recorders:
        recorder.close()
    assert sorted(server.ended) == dead and [*tmp_path.rglob("*")] == []


def torn_files(spool: Path) -> Path:
    (path,) = spool.glob("*/*.avro")
    return path


def test_a_file_that_is_torn_gives_what_is_whole(server: RecordingServer, tmp_path: Path) -> None:
    killed(tmp_path, unused_url(), lambda recorder: record_and_leave_open(recorder, turns=20))
    path = torn_files(tmp_path)
    whole = path.read_bytes()
    begins = container.head_end(whole)
    marker = whole[begins - container.MARKER_BYTES : begins]
    places = [(begins + start, begins + end) for start, end in container.blocks(whole[begins:], marker)]
    assert len(places) == 25 and places[-1][1] == len(whole)
    # 1 cut within the last; 2 zeros where the 10th was; 3 garbage behind the last.
    broken = {
        "cut": (whole[:-3], 24),
        "zeros": (whole[: places[9][0]] + bytes(places[9][1] - places[9][0]) + whole[places[9][1] :], 23),
        "garbage": (whole + random.Random(1).randbytes(70_000), 25),
        "head": (whole[: begins - 20], 0),
        "empty": (b"", 0),
    }
    (left,) = tmp_path.iterdir()
    identity = json.loads((left / "producer.json").read_text())
    for name, (data, count) in broken.items():
        folder = tmp_path / f"broken-{name}"
        folder.mkdir()
        (folder / "00000001.avro").write_bytes(data)
        (folder / "producer.json").write_text(json.dumps({**identity, "url": server.url, "producer_id": name}))
        server.events.clear()
        with server.recorder(tmp_path):
            until(lambda name=name: name in server.ended)  # type: ignore[misc]
        assert len(server.events) in (count, count - 1), name
        assert not folder.exists()


def test_a_process_that_ends_by_itself_waits_for_the_answers(server: RecordingServer, tmp_path: Path) -> None:
    program = f"""
from rollstream import Recorder
recorder = Recorder({server.url!r}, "r1", spool_dir={str(tmp_path)!r})
with recorder.rollout("t", rollout_id="x") as rollout:
    rollout.message("user", "hello")
recorder.rollout("t", rollout_id="open").message("user", "hello")
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60)
    assert server.kinds("x") == ["start", "message", "end"]
    assert server.rollout("open")[-1]["end"]["reasons"][0]["raw"] == "recorder_closed"
    assert list(tmp_path.iterdir()) == []


def test_a_worker_of_multiprocessing_sends_before_it_ends(server: RecordingServer, tmp_path: Path) -> None:
    program = f"""
import multiprocessing
from rollstream import Recorder
recorder = Recorder({server.url!r}, "r1", spool_dir={str(tmp_path)!r})

def work(number):
    with recorder.rollout("t", rollout_id=f"w{{number}}") as rollout:
        rollout.message("user", "hello")

if __name__ == "__main__":
    workers = [multiprocessing.get_context("fork").Process(target=work, args=(number,)) for number in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
"""
    script = tmp_path / "program.py"
    script.write_text(program)
    subprocess.run([sys.executable, str(script)], check=True, timeout=60)
    assert [server.kinds(f"w{number}") for number in range(2)] == [["start", "message", "end"]] * 2
    assert server.ended == [] and [path.name for path in tmp_path.iterdir()] == ["program.py"]
