"""A scripted server that takes step events, and what recorders are tested with."""

from __future__ import annotations

import io
import json
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastavro import parse_schema, reader

from rollstream import Recorder

from scripted_server import Answer, Asked, ScriptedServer, refused
from trajectories import REPOSITORY

STEP_EVENT: dict[str, Any] = json.loads((REPOSITORY / "schemas" / "step-event.avsc").read_text())
_READER = parse_schema(json.loads(json.dumps(STEP_EVENT)))
PATIENCE_S = 20


class RecordingServer(ScriptedServer):
    """events: by event_id, as a server keeps them that knows repeats; copies: how often each came."""

    def __init__(self) -> None:
        super().__init__()
        self.events: dict[str, dict[str, Any]] = {}
        self.copies: dict[str, int] = {}
        self.ended: list[str] = []
        self.refuses: Callable[[dict[str, Any]], bool] = lambda _: False
        self.on("POST", "/v1/steps", self.take)
        self.on("POST", "/v1/producers/ended", self._end)

    def take(self, asked: Asked) -> Answer | dict[str, Any]:
        assert asked.headers["content-type"] == "application/avro"
        found: list[Any] = list(reader(io.BytesIO(asked.body), reader_schema=_READER))
        named = []
        for index, event in enumerate(found):
            if self.refuses(event):
                named.append({"index": index, "field": "kind", "expected": "less", "got": "more", "message": "no"})
                continue
            self.events[event["event_id"]] = event
            self.copies[event["event_id"]] = self.copies.get(event["event_id"], 0) + 1
        return {"accepted": len(found) - len(named), "refused": named, "refused_count": len(named)}

    def _end(self, asked: Asked) -> dict[str, Any]:
        self.ended.append(asked.body["producer_id"])
        return {}

    def fails(self, status: int, **headers: str) -> Answer:
        answer = refused(status, "RS_BUSY")
        answer.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
        return answer

    def rollout(self, rollout_id: str) -> list[dict[str, Any]]:
        """Its events, in order; those without a place behind."""
        of = [event for event in list(self.events.values()) if event["rollout_id"] == rollout_id]
        return sorted(of, key=lambda event: (event["seq"] is None, event["seq"]))

    def kinds(self, rollout_id: str) -> list[str]:
        return [event["kind"] for event in self.rollout(rollout_id)]

    def recorder(self, spool: Path, **options: Any) -> Recorder:
        return Recorder(self.url, "r1", **{"env_name": "calculator", "spool_dir": spool, **options})


@contextmanager
def recording_server() -> Iterator[RecordingServer]:
    server = RecordingServer()
    try:
        yield server
    finally:
        server.close()


def until(condition: Callable[[], object], what: str = "") -> None:
    """Waits for another thread or process."""
    by = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < by, what or "it took too long"
        time.sleep(0.005)


def forked(work: Callable[[], None]) -> int:
    """Runs in a child, which ends without any clean-up of Python's; returns its pid."""
    with warnings.catch_warnings():
        # Python 3.12 warns of threads, which are what this is about.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def unused_url() -> str:
    server = ScriptedServer()
    server.close()
    return server.url


def record_steps(recorder: Recorder, rollout_id: str, steps: int, **options: Any) -> None:
    with recorder.rollout("task-1", rollout_id=rollout_id, **options) as rollout:
        for _ in range(steps):
            rollout.model_call(prompt_delta_ids=[1, 2], completion_ids=[3], completion_logprobs=[-0.5])


def in_threads(count: int, work: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
