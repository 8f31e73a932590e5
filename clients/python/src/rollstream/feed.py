"""Batches one after the other, as many ahead as is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from .async_batch import AsyncBatch
from .errors import Closed

# How long a request that is under way when the iteration ends may take to bring a batch, which is then given back at
# once instead of at its deadline. An exit does not wait longer for it: the answer may be a long poll's.
_LAST_ANSWER_S = 2.0


class Feed:
    """Batches of one iteration.

    prefetch: batches that may be held ahead of the one that is worked on; they are extended like it, and given back
    when the iteration ends early.
    """

    def __init__(
        self,
        ask: Callable[[], Awaitable[AsyncBatch | None]],
        give_back: Callable[[AsyncBatch], Awaitable[None]],
        prefetch: int,
    ) -> None:
        self._ask = ask
        self._give_back = give_back
        self._room = asyncio.Semaphore(prefetch)
        self._found: asyncio.Queue[AsyncBatch | BaseException | None] = asyncio.Queue()
        self._is_asking = False
        self._is_over = False
        self._task = None if prefetch == 0 else asyncio.create_task(self._fetch())

    async def next(self) -> AsyncBatch | None:
        """None: there is no more."""
        if self._is_over:
            raise _ended()
        if self._task is None:
            return await self._ask()
        item = await self._found.get()
        self._room.release()
        if isinstance(item, BaseException):
            raise item
        return item

    async def _fetch(self) -> None:
        try:
            while not self._is_over:
                await self._room.acquire()
                self._is_asking = True
                batch = await self._ask()
                self._is_asking = False
                self._found.put_nowait(batch)
                if batch is None:
                    return
                del batch
        except asyncio.CancelledError:
            pass
        except Exception as error:
            self._found.put_nowait(error)
        finally:
            self._is_asking = False

    async def stop(self) -> None:
        self._is_over = True
        if self._task is None:
            return
        if self._is_asking:
            await asyncio.wait([self._task], timeout=_LAST_ANSWER_S)
        self._task.cancel()
        await asyncio.wait([self._task])
        while not self._found.empty():
            left = self._found.get_nowait()
            if isinstance(left, AsyncBatch):
                await self._give_back(left)
        # For whoever waits already.
        self._found.put_nowait(_ended())


def _ended() -> Closed:
    return Closed("this iteration was ended: the run was rewound, or it was closed")
