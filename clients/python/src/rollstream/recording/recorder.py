"""Records rollouts: each event is in the spool when its call returns, and is sent from there."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import time
import uuid
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from ..arguments import bearer_token, one_of, seconds, server_url, text, text_or_none, whole
from .attempt import Attempt, Times
from .counters import Counters
from .current_rollout import current
from .fork import at_end_of_worker, when_forked
from .phases import RATE_LIMIT, Phase
from .producer import Producer
from .rollout import Rollout
from .rollout_block import RolloutBlock, Start
from .spool_folder import default_spool_dir
from .step_events import encoded_identity

_PURPOSES = ("train", "eval", "synthesis")
# How long a process that ends waits for answers; the rest is sent by the next one.
_AT_EXIT_S = 5.0


class Recorder:
    """Events of one process, on their way to one server. `with` or `async with`, or close().

    A wrong argument here is a BadRequest. From then on nothing is raised: what goes wrong is logged once by the logger
    `rollstream`, and counted in stats(). token: the bearer token (default: ROLLSTREAM_HTTP_TOKEN). env_name, epoch: of
    rollouts that do not name theirs. actor: the worker, told with each start and end. spool_dir: on a local disk, the
    same at each start (default: ROLLSTREAM_SPOOL_DIR, else a folder of this user among the temporary ones).
    spool_max_bytes: what may wait there; beyond it events are lost, and their attempts are not trained.
    memory_max_bytes: what may wait in memory where the disk takes no more. producer_id: a name; each process adds what
    makes it unique. sample_every_s: of the event loop.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        run_id: str = "",
        *,
        token: str | None = None,
        env_name: str | None = None,
        purpose: str = "train",
        epoch: int = 0,
        actor: str | None = None,
        spool_dir: str | Path | None = None,
        spool_max_bytes: int = 1 << 30,
        memory_max_bytes: int = 16 << 20,
        producer_id: str | None = None,
        sample_every_s: float = 0.25,
    ) -> None:
        one_of("purpose", purpose, _PURPOSES)
        self._identity = {
            "run_id": text("run_id", run_id),
            "purpose": purpose,
            "env_name": text_or_none("env_name", env_name) or "unknown",
            "epoch": whole("epoch", epoch),
        }
        self._options: dict[str, Any] = {
            "name": text_or_none("producer_id", producer_id),
            "url": server_url(url),
            "token": bearer_token(token if token is not None else os.environ.get("ROLLSTREAM_HTTP_TOKEN")),
            "actor": text_or_none("actor", actor),
            "spool_dir": default_spool_dir() if spool_dir is None else Path(spool_dir).absolute(),
            "spool_max_bytes": whole("spool_max_bytes", spool_max_bytes, 1 << 16),
            "memory_max_bytes": whole("memory_max_bytes", memory_max_bytes),
            "sample_every_s": seconds("sample_every_s", sample_every_s, 0.001),
        }
        self._counters = Counters()
        self._open: set[RolloutBlock] = set()
        self._is_closed = False
        self._making = threading.RLock()
        self._producer: Producer | None = Producer(**self._options, counters=self._counters, needs_folder=True)
        self._producer.start()
        when_forked(self)
        atexit.register(self._at_exit)

    @property
    def producer_id(self) -> str:
        """Of this process."""
        return self._current().producer_id

    def rollout(
        self,
        task_id: str,
        *,
        group_id: str | None = None,
        group_size: int | None = None,
        env_name: str | None = None,
        rollout_id: str | None = None,
        attempt: int = 0,
        epoch: int | None = None,
        prompt: str | bytes | None = None,
        task_metadata: Mapping[str, Any] | None = None,
        tools: object = None,
        tokenizer_id: str | None = None,
        tokenizer_sha256: str | None = None,
        template_sha256: str | None = None,
        template_vars: Mapping[str, Any] | None = None,
        sampling: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
        weights_version: str | None = None,
        seeds: Mapping[str, int] | None = None,
        env_image_digest: str | None = None,
        started_at_us: int | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Rollout:
        """An attempt. It begins with its block, or with its first event, or (started_at_us, since the epoch) before
        that: its sandbox was set up before all was known that is told here. rollout_id: by default one of its own."""
        body = {
            "prompt": prompt,
            "task_metadata_json": task_metadata,
            "tools_json": tools,
            "tokenizer_id": tokenizer_id,
            "tokenizer_sha256": tokenizer_sha256,
            "template_sha256": template_sha256,
            "template_vars_json": template_vars,
            "sampling": sampling,
            "limits": limits,
            "weights_version": weights_version,
            "seeds": seeds,
            "env_image_digest": env_image_digest,
        }
        named = uuid.uuid4().hex if rollout_id is None else rollout_id
        faults: list[str] = []
        if group_id is None and group_size is not None:
            faults.append("group_size: a group_id is needed beside it")
            group_size = None
        identity = {
            **self._identity,
            "task_id": task_id,
            "group_id": group_id,
            "group_size": group_size,
            "rollout_id": named,
            "attempt": attempt,
        }
        if env_name is not None:
            identity["env_name"] = env_name
        if epoch is not None:
            identity["epoch"] = epoch
        encoded: bytes | None = None
        told_id = told_env = ""
        try:
            encoded = encoded_identity(identity)
            told_id, told_env = str(named), str(identity["env_name"])
        except Exception as error:
            self._counters.add("errors")
            self._counters.tell_once("rollout", "a rollout is not recorded: %s", error)
        of = Attempt(self._current(), encoded, self._counters)
        return Rollout(self, of, told_id, Start(told_env, body, extra, faults, started_at_us))

    def rate_limit_wait(self) -> AbstractContextManager[None]:
        """Time spent waiting for a rate limit: a phase of the rollout whose block this is in, if it is in one."""
        rollout = current.get()

        def done(times: Times, error: BaseException | None) -> None:
            self._counters.add("rate_limit_wait_us", times.duration_us or 0)
            if rollout is not None:
                rollout._phase(RATE_LIMIT, times, None, error, None)

        return Phase(done)

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Whether all that was recorded before has been answered within this time."""
        producer = self._producer
        return producer is None or producer.wait(timeout_s)

    async def aflush(self, timeout_s: float = 10.0) -> bool:
        """The same, while the event loop goes on."""
        producer = self._producer
        if producer is None:
            return True
        for nap_s in producer.naps(timeout_s):
            await asyncio.sleep(nap_s)
        return producer.is_answered

    def close(self, timeout_s: float = 10.0) -> None:
        """Ends what is open, waits for answers, and stops. What was not answered is sent by the next recorder."""
        if self._is_closed:
            return
        for rollout in list(self._open):
            rollout.close_open()
        self._is_closed = True
        atexit.unregister(self._at_exit)
        producer = self._producer
        if producer is not None:
            until = time.monotonic() + timeout_s
            producer.wait(timeout_s)
            producer.stop(max(0.5, until - time.monotonic()))

    async def aclose(self, timeout_s: float = 10.0) -> None:
        """The same, while the event loop goes on."""
        await asyncio.to_thread(self.close, timeout_s)

    def stats(self) -> dict[str, int]:
        """Events by what became of them (`sent` with those that dead producers left); spool_bytes: on the disk."""
        producer = self._producer
        counts = self._counters.totals()
        return {
            **counts,
            "spooled": counts["recorded"] - counts["kept_in_memory"],
            "spool_bytes": 0 if producer is None else producer.spool.waiting_bytes,
        }

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Recorder:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def in_child(self) -> None:
        """After fork: what is open is the parent's, and so is the spool."""
        producer = self._producer
        self._open = set()
        self._making = threading.RLock()
        self._counters = Counters()
        if producer is not None:
            producer.abandon()
        if not self._is_closed:
            self._producer = None

    def _current(self) -> Producer:
        """Of this process; in a child it is made when it is first needed."""
        if self._producer is None:
            with self._making:
                if self._producer is None:
                    producer = Producer(**self._options, counters=self._counters, needs_folder=False)
                    producer.start()
                    self._producer = producer
                    at_end_of_worker(self._at_exit)
        return self._producer

    def takes(self, producer: Producer) -> bool:
        if self._is_closed:
            self._counters.add("after_close")
            self._counters.tell_once("closed", "recorded after the recorder was closed: lost")
            return False
        if producer is not self._producer:
            self.misused("fork", "a rollout of the parent is recorded in a child: lost; each process begins its own")
            return False
        return True

    def misused(self, what: str, message: str) -> None:
        self._counters.add("misused")
        self._counters.tell_once(what, message)

    def began(self, rollout: RolloutBlock) -> None:
        self._open.add(rollout)

    def ended(self, rollout: RolloutBlock) -> None:
        self._open.discard(rollout)

    def _at_exit(self) -> None:
        with suppress(Exception):
            self.close(_AT_EXIT_S)
