"""Recorders of a process that forks: the child begins anew."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol


class Forked(Protocol):
    def in_child(self) -> None: ...


# Not a WeakSet: one that a thread iterates over at the time of the fork stays half-way in the child.
_known: dict[int, weakref.ref[Forked]] = {}
_is_registered = False


def when_forked(recorder: Forked) -> None:
    """In a child, `in_child` is called before anything else of it runs."""
    global _is_registered
    key = id(recorder)
    _known[key] = weakref.ref(recorder, lambda _: _known.pop(key, None))
    if not _is_registered and hasattr(os, "register_at_fork"):
        _is_registered = True
        os.register_at_fork(after_in_child=_in_child)


def _in_child() -> None:
    for reference in list(_known.values()):
        recorder = reference()
        if recorder is not None:
            with suppress(Exception):
                recorder.in_child()


def at_end_of_worker(close: Callable[[], None]) -> None:
    """A child of multiprocessing ends without running atexit, and forgets what it was told before its own code runs."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, close, exitpriority=10)
