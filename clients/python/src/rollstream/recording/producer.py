"""Who records: one life of a recorder in one process."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from .avro import string
from .container import block
from .counters import Counters
from .health import Health
from .sender import Sender
from .spool import Spool
from .spool_folder import create_folder

_POLL_S, _WAKE_S = 0.005, 0.2


class Producer:
    """Its id is never used again: it owns its attempts, and is told to have ended when it died."""

    def __init__(
        self,
        *,
        name: str | None,
        url: str,
        token: str | None,
        actor: str | None,
        spool_dir: Path,
        spool_max_bytes: int,
        memory_max_bytes: int,
        sample_every_s: float,
        counters: Counters,
        needs_folder: bool,
    ) -> None:
        host, pid = socket.gethostname(), os.getpid()
        self.producer_id = f"{name or f'py-{host}'}-{pid}-{secrets.token_hex(4)}"
        self.encoded_id = string(self.producer_id)
        self.health = Health(actor, pid, host, sample_every_s)
        self.counters = counters
        folder = None
        try:
            folder = create_folder(spool_dir, url, self.producer_id, host)
        except Exception as error:
            if needs_folder:
                raise
            counters.tell_once("disk", "the spool cannot be written, events wait in memory: %s", error)
        self.spool = Spool(folder, spool_max_bytes, memory_max_bytes, counters)
        self._sender = Sender(self.spool, spool_dir, url, token, counters)
        self._numbers = count()
        self._is_started = False

    def start(self) -> None:
        if not self._is_started:
            self._is_started = True
            try:
                self._sender.start()
            except RuntimeError as error:
                # No more threads, or the interpreter ends: what is recorded is for the next.
                self.counters.add("errors")
                self.counters.tell_once("sender", "events stay in the spool: %s", error)

    def event_id(self) -> str:
        return f"{self.producer_id}/{next(self._numbers)}"

    def keep(self, datum: bytes, is_end: bool) -> bool:
        """False: it is lost."""
        return self.spool.append(block(datum, self.spool.marker), is_end=is_end)

    def wait(self, timeout_s: float) -> bool:
        """Whether all that was recorded has been answered within this time."""
        for nap_s in self.naps(timeout_s):
            time.sleep(nap_s)
        return self.is_answered

    def naps(self, timeout_s: float) -> Iterator[float]:
        """Until all is answered, or the time is over. Whoever waits hurries the sender, but does not make it hammer."""
        until = time.monotonic() + timeout_s
        wake_at = 0.0
        while not self.is_answered and self._sender.is_alive and (now := time.monotonic()) < until:
            if now >= wake_at:
                wake_at = now + _WAKE_S
                self._sender.wake()
            yield min(_POLL_S, until - now)

    @property
    def is_answered(self) -> bool:
        """All that was recorded."""
        return self.spool.is_empty

    def stop(self, timeout_s: float) -> None:
        """What was not answered is left for the next; its attempts are closed, so nobody must say that it has ended."""
        self.spool.shut()
        self._sender.stop(timeout_s)
        folder = self.spool.folder
        if folder is None:
            return
        if self.spool.is_empty:
            folder.remove()
        else:
            folder.mark_closed()
            folder.release()

    def abandon(self) -> None:
        """In a child after fork: it is the parent's."""
        with suppress(Exception):
            self.spool.abandon()
        with suppress(Exception):
            self._sender.abandon()
