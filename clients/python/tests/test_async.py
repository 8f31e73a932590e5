"""The same for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from rollstream import AsyncReady, Closed

from delivering_server import DeliveringServer
from scripted_server import refused

Serve = Callable[..., DeliveringServer]


def test_the_five_lines(serve: Serve) -> None:
    server = serve(ready=4)

    async def train() -> list[list[str]]:
        taken = []
        async with AsyncReady(server.url, run="math", consumer="trainer-0") as ready:
            async for batch in ready.batches(groups=2, idle_s=0, prefetch=1):
                taken.append([trajectory.rollout_id for trajectory in batch])
                await batch.ack(step=batch.index + 1)
        return taken

    assert asyncio.run(train()) == [["r0", "r1"], ["r2", "r3"]]
    assert len(server.of(".*/ack")) == 2
    assert server.of(".*/release") == []


def test_every_end_and_every_name(serve: Serve) -> None:
    server = serve(ready=8)

    async def use() -> None:
        async with server.async_client() as ready:
            batches = ready.batches(groups=1)
            with pytest.raises(ZeroDivisionError):
                async with await anext(batches) as batch:
                    _ = 1 / 0
            assert batch.ended == "queued"
            await (await anext(batches)).reject("no")
            assert (await (await anext(batches)).extend(9)).startswith("2999")
            trained = await anext(batches)
            trained.trained(1)
            state = await ready.state()
            await ready.checkpoint(state)
            await trained.ack()
            assert await ready.announce("0.1", 1) == 1
            await ready.fork("math-b")
            assert await ready.resume(state) == 1
            assert ready.lineage == 1
            assert (await anext(ready.rollouts())).index == 0
            assert len((await anext(ready.groups())).groups) == 1
            assert (await anext(ready.steps(dp_size=2, rank=0, groups=2, first_step=3))).index == 3

    asyncio.run(use())


def test_close_ends_whoever_waits_for_a_batch(serve: Serve) -> None:
    server = serve(ready=1)

    async def use() -> None:
        ready = server.async_client()
        batches = ready.batches(groups=1, prefetch=1)
        await (await anext(batches)).ack(1)
        waiting = asyncio.ensure_future(anext(batches))
        await asyncio.to_thread(server.wait_for, "/v1/leases", 2)
        await ready.close()
        with pytest.raises(Closed):
            await waiting

    asyncio.run(use())


def test_two_that_iterate_at_once_get_different_batches(serve: Serve) -> None:
    server = serve(ready=20)

    async def use() -> list[str]:
        async with server.async_client() as ready:

            async def take() -> list[str]:
                return [batch.lease async for batch in ready.batches(groups=1, idle_s=0)]

            one, other = await asyncio.gather(take(), take())
            return one + other

    assert sorted(asyncio.run(use())) == sorted(f"1.a.{at}" for at in range(20))


def test_a_request_that_is_given_up_is_asked_again_by_the_next(serve: Serve) -> None:
    server = serve(ready=1)

    async def use() -> str:
        async with server.async_client() as ready:
            server.on("POST", "/v1/leases", lambda _: refused(503, "RS_STARTING"))
            waiting = asyncio.ensure_future(anext(ready.batches(groups=1)))
            await asyncio.to_thread(server.wait_for, "/v1/leases", 1)
            waiting.cancel()
            await asyncio.wait([waiting])
            server.on("POST", "/v1/leases", server._lease)
            return (await anext(ready.batches(groups=1))).lease

    assert asyncio.run(use()) == "1.a.0"
    assert {(asked.body["batch_index"], asked.body["try"]) for asked in server.of("/v1/leases")} == {(0, 0)}
