"""A trainer for test/bench/delivery.ts: takes batches, and prints what that took as one line of JSON.

drain URL RUN GROUPS BATCHES PREFETCH   batches of so many groups, each acked, to numpy arrays
bare URL BODIES                         so many bodies by httpx, one after the other
wait URL RUN GROUPS IDLE_S SKIP_S       batches of up to so many groups as they become ready: ms from append to here,
                                        but for those of the first seconds
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from datetime import datetime


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def say(began: tuple[float, float], **facts: object) -> None:
    wall, cpu = began
    print(json.dumps({"wallS": time.perf_counter() - wall, "cpuS": cpu_s() - cpu, **facts}))


def drain(url: str, run: str, groups: str, batches: str, prefetch: str) -> None:
    from rollstream import Ready

    trajectories = tokens = 0
    with Ready(url, run, "trainer-0") as ready:
        began = (time.perf_counter(), cpu_s())
        for step, batch in enumerate(ready.batches(groups=int(groups), prefetch=int(prefetch)), 1):
            for trajectory in batch:
                for segment in trajectory.segments:
                    assert len(segment.token_ids) == len(segment.loss_mask) == len(segment.logprobs)
                    tokens += int(segment.token_ids.size)
            trajectories += len(batch)
            batch.ack(step=step)
            if step == int(batches):
                say(began, trajectories=trajectories, tokens=tokens)
                return


def bare(url: str, bodies: str) -> None:
    import httpx

    async def read() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            await client.post("/", json={})
            began, size = (time.perf_counter(), cpu_s()), 0
            for _ in range(int(bodies)):
                size += len((await client.post("/", json={})).content)
            say(began, bytes=size)

    asyncio.run(read())


def wait(url: str, run: str, groups: str, idle_s: str, skip_s: str) -> None:
    from rollstream import Ready

    took: list[float] = []
    first: float | None = None
    with Ready(url, run, "trainer-0") as ready:
        began = (time.perf_counter(), cpu_s())
        print("waiting", flush=True)
        for step, batch in enumerate(ready.batches(groups=int(groups), at_least=1, idle_s=float(idle_s)), 1):
            now = time.time()
            for entry in batch.grant.entries:
                at = datetime.fromisoformat(entry.ready_at.replace("Z", "+00:00")).timestamp()
                first = at if first is None else first
                if at >= first + float(skip_s):
                    took.append(1000 * (now - at))
            batch.ack(step=step)
        say(began, tookMs=took)


def main() -> None:
    command, *args = sys.argv[1:]
    {"drain": drain, "bare": bare, "wait": wait}[command](*args)
    sys.stdout.flush()
    os._exit(0)


main()
