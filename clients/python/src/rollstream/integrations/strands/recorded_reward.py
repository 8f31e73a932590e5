"""A reward function whose time and answer are recorded, whatever it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..clock import Clock
from .episode import Episode


def recorded_compute(reward_fn: Any, now: Callable[[], Episode | None]) -> Callable[..., Awaitable[Any]]:
    """The loop has ended when it is asked, with the reason that stands in the result that it is given."""

    async def compute(task: Any, result: Any, *args: Any, **kwargs: Any) -> Any:
        episode = now()
        if episode is None:
            return await reward_fn.compute(task, result, *args, **kwargs)
        episode.loop_ended(result)
        clock = Clock()
        try:
            said = await reward_fn.compute(task, result, *args, **kwargs)
        except BaseException as error:
            episode.judged(reward_fn, None, clock, error)
            raise
        episode.judged(reward_fn, said, clock, None)
        return said

    return compute
