"""Spool folders that others clear or fill: the program keeps its files, and nothing that can be sent waits."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from rollstream.recording.spool_folder import create_folder

from recording_server import record_steps, recording_server
from scripted_server import Answer, refused


def test_what_was_recorded_is_sent_though_somebody_clears_the_folder(tmp_path: Path) -> None:
    with recording_server() as server, server.recorder(tmp_path) as recorder:
        with recorder.rollout("t", rollout_id="x") as rollout:
            rollout.message("user", "a")
            for folder in tmp_path.iterdir():
                shutil.rmtree(folder)
        assert recorder.flush()
        assert [event["seq"] for event in server.rollout("x")] == [0, 1, 2]


def test_of_many_dead_producers_few_folders_are_open_at_once(tmp_path: Path) -> None:
    with recording_server() as server:
        for number in range(60):
            create_folder(tmp_path, server.url, f"p{number}", "h").release()
        server.on("POST", "/v1/producers/ended", lambda _: refused(503, "RS_BUSY"))
        before = len(os.listdir("/proc/self/fd"))
        with server.recorder(tmp_path) as recorder:
            record_steps(recorder, "x", 3)
            assert recorder.flush()
            server.wait_for("/v1/producers/ended", 1)
            assert len(os.listdir("/proc/self/fd")) < before + 30


def test_a_folder_that_cannot_be_removed_is_ended_once_and_holds_up_none(tmp_path: Path) -> None:
    with recording_server() as server:
        folder = create_folder(tmp_path, server.url, "stays", "h")
        (folder.path / "sub.avro").mkdir()
        folder.release()
        (tmp_path / "nested").mkdir()
        (tmp_path / "nested" / "producer.json").write_text("[" * 60_000)
        with server.recorder(tmp_path) as recorder:
            server.wait_for("/v1/producers/ended", 1)
            for number in range(3):
                record_steps(recorder, f"x{number}", 1)
                assert recorder.flush()
        assert sum(asked.path == "/v1/producers/ended" for asked in server.asked) == 1


def test_a_server_that_does_not_know_the_schema_is_asked_again_and_no_event_is_dropped(tmp_path: Path) -> None:
    with recording_server() as server, server.recorder(tmp_path) as recorder:
        server.on("POST", "/v1/steps", lambda _: _of_schema())
        record_steps(recorder, "x", 1)
        server.wait_for("/v1/steps", 2)
        server.on("POST", "/v1/steps", server.take)
        assert recorder.flush()
        assert recorder.stats()["refused"] == 0


def _of_schema() -> Answer:
    return Answer({"error": {"code": "RS_USAGE", "message": "avro.schema: no", "field": "avro.schema"}}, 400)
