"""A scripted server with a queue of ready trajectories, as far as a client can tell one that delivers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rollstream import AsyncReady, Ready

from scripted_server import Answer, Asked, ScriptedServer, frames
from trajectories import SCHEMA, SCHEMA_ID, framed, record

FAR = "2999-01-01T00:00:00.000Z"


class DeliveringServer(ScriptedServer):
    """Grants `ready` in order, one a unit; the same key gets the same lease. It refuses nothing by itself."""

    def __init__(self, ready: int = 0) -> None:
        super().__init__()
        self.lineage = 0
        self.last: dict[str, list[int]] = {}
        self.leases: dict[tuple[Any, ...], Answer] = {}
        self.ready: list[dict[str, Any]] = [record(f"r{at}", group_id=f"g{at}") for at in range(ready)]
        self.taken = 0
        self.on("GET", "/v1/runs/math/delivery", self._status)
        self.on("GET", f"/v1/schemas/{SCHEMA_ID}", lambda _: {"schema": SCHEMA})
        self.on("POST", "/v1/leases", self._lease)
        self.on("POST", "/v1/leases/[^/]+/(ack|release|reject|extend)", lambda _: {"deadline": FAR})
        self.on("POST", "/v1/runs/math/(checkpoints|fork)", lambda _: {})
        self.on("POST", "/v1/runs/math/rewind", self._rewind)
        self.on("POST", "/v1/versions", lambda asked: {**asked.body, "ordinal": asked.body["step"]})

    def _status(self, _: Asked) -> dict[str, Any]:
        return {"run": "math", "lineage": self.lineage, "unit": None, "checkpoints": [], "last": self.last}

    def _rewind(self, asked: Asked) -> dict[str, Any]:
        self.lineage, self.last = asked.body["expect"] + 1, {}
        return {"run": "math", "lineage": self.lineage}

    def _lease(self, asked: Asked) -> Answer | dict[str, Any]:
        body = asked.body
        turn = (body["lineage"], body.get("replica", "step"), body.get("batch_index", body.get("step")), body["try"])
        self.last[turn[1]] = [turn[2], turn[3]]
        if turn not in self.leases:
            count = body["tokens"] // 3 if "tokens" in body else body.get("count", body.get("groups"))
            left = len(self.ready) - self.taken
            if left < body.get("least", count):
                return self.again(asked)
            took = range(self.taken, self.taken + min(count, left))
            self.taken = took.stop
            self.leases[turn] = self.grant(asked, f"1.a.{len(self.leases)}", [*took])
        return self.leases[turn]

    def again(self, asked: Asked) -> dict[str, Any]:
        return {"lease": None, "again": True, "lineage": self.lineage, "batch_index": 0, "try": asked.body["try"]}

    def grant(self, asked: Asked, lease: str, offsets: Sequence[int], **more: Any) -> Answer:
        head = {
            "lease": lease,
            "run": "math",
            "lineage": self.lineage,
            "batch_index": asked.body.get("batch_index", asked.body.get("step")),
            "try": asked.body["try"],
            "unit": asked.body["unit"],
            "deadline": FAR,
            "version": "v0",
            "shard": {"rank": asked.body["rank"], "dp_size": asked.body["dp_size"]} if "rank" in asked.body else None,
            "entries": [
                {
                    "offset": offset,
                    "unit": f"math/0/g/{self.ready[offset]['group_id']}",
                    "rollout_id": self.ready[offset]["rollout_id"],
                    "attempt": 0,
                    "size": self.ready[offset]["group_size_actual"],
                    "tokens": 3,
                    "deliveries": 1,
                    "lag": None,
                    "ready_at": "2026-01-01T00:00:00.000Z",
                }
                for offset in offsets
            ],
            "micro_batches": [[at] for at in range(len(offsets))] if "rank" in asked.body else [[*range(len(offsets))]],
            **more,
        }
        return frames(head, [framed(self.ready[offset]) for offset in offsets])

    @contextmanager
    def client(self, **options: Any) -> Iterator[Ready]:
        with Ready(self.url, "math", "trainer-0", **options) as ready:
            yield ready

    def async_client(self, **options: Any) -> AsyncReady:
        return AsyncReady(self.url, "math", "trainer-0", **options)
