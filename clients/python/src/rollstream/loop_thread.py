"""An event loop in a thread of its own, so that leases are extended while the caller trains."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from .errors import Closed

_T = TypeVar("_T")


class LoopThread:
    """The thread is a daemon: when the process dies, or ends, it does, and the leases run out. at_end: closes what is
    open."""

    def __init__(self, name: str, at_end: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._at_end = at_end
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._process = os.getpid()
        # Re-entrant: a destructor may hand in while this thread does.
        self._handing_in = threading.RLock()
        self._is_ending = False
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            # 1 two threads close; 2 the loop stops for the first; 3 the second hands its work in: nobody would ever run
            # or cancel it.
            with self._handing_in:
                self._is_ending = True
            # What was handed in before becomes a task.
            self._loop.run_until_complete(asyncio.sleep(0))
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._at_end())
            self._loop.close()

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Waits for it; interrupted (Ctrl-C), it is cancelled. From the thread itself (a destructor) it is only
        begun."""
        if self._loop.is_closed() or not self._thread.is_alive() or os.getpid() != self._process:
            work.close()
            if os.getpid() != self._process:
                raise Closed("it was opened in another process: each needs one of its own")
            raise Closed("it is closed")
        with self._handing_in:
            if self._is_ending:
                work.close()
                raise Closed("it is closed")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        if threading.current_thread() is self._thread:
            raise Closed("it cannot wait for itself")
        try:
            return future.result()
        except CancelledError:
            # Another thread closed it meanwhile.
            raise Closed("it is closed") from None
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Ends the thread, and what runs in it; nothing is released."""
        if os.getpid() != self._process or not self._thread.is_alive():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5)
