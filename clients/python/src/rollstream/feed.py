"""Batches one after the other, as many ahead as is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from .batch import AsyncBatch

Ask = Callable[[], Awaitable["AsyncBatch | None"]]
Tasks = set["asyncio.Task[None]"]


async def feed(
    ask: Ask, give_back: Callable[[AsyncBatch], Awaitable[None]], prefetch: int, tasks: Tasks
) -> AsyncIterator[AsyncBatch]:
    """Asks until there is no more. prefetch: batches that may be held ahead of the one that is worked on; they are
    extended like it, and given back when the iteration ends early. tasks: where the background task is known, for
    whoever closes."""
    if prefetch == 0:
        while (batch := await ask()) is not None:
            yield batch
            del batch
        return
    found: asyncio.Queue[AsyncBatch | BaseException | None] = asyncio.Queue()
    room = asyncio.Semaphore(prefetch)

    async def fetch() -> None:
        try:
            while True:
                await room.acquire()
                batch = await ask()
                found.put_nowait(batch)
                if batch is None:
                    return
                del batch
        except BaseException as error:
            # Cancelled as well: whoever waits for the next batch must hear of it.
            found.put_nowait(error)

    task = asyncio.create_task(fetch())
    tasks.add(task)
    try:
        while True:
            item = await found.get()
            room.release()
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item
            del item
    finally:
        task.cancel()
        await asyncio.wait([task])
        tasks.discard(task)
        while not found.empty():
            left = found.get_nowait()
            if isinstance(left, AsyncBatch):
                await give_back(left)
