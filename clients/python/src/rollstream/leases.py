"""Leases that are held: kept alive, ended, remembered for the checkpoint."""

from __future__ import annotations

import asyncio
import math
import weakref
from collections.abc import Mapping
from typing import SupportsFloat, SupportsIndex

from .arguments import lease_seconds, text, text_or_none, whole
from .async_batch import AsyncBatch
from .checkpoints import Trained
from .errors import BadRequest, LeaseLost, LineageDiscarded, RollstreamError
from .grants import Grant
from .transport import Transport

# An exit does not wait long for a server that is gone: the leases run out by themselves.
_FAREWELL_S = 2.0


class Leases:
    """Leases of one consumer.

    Invariants. A lease is in `_keeping` from its grant until it ended, was lost, or ran out after nothing referred to
    its batch. A lease that was trained is in `trained` until its ack (or a checkpoint with it) was answered; it is
    never released.
    """

    def __init__(self, transport: Transport, trained: Trained) -> None:
        self._transport = transport
        self._trained = trained
        self._keeping: dict[str, tuple[int, asyncio.Task[None]]] = {}

    def hold(self, batch: AsyncBatch) -> None:
        task = asyncio.create_task(self._keep(weakref.ref(batch), batch.grant))
        self._keeping[batch.lease] = (batch.lineage, task)

    async def _keep(self, ref: weakref.ref[AsyncBatch], grant: Grant) -> None:
        """Extends at a third of the lease, so that two attempts may fail; until nothing refers to the batch, unless the
        weights hold it."""
        while True:
            await asyncio.sleep(grant.lease_s / 3)
            if ref() is None and grant.lease not in self._trained:
                await asyncio.sleep(grant.lease_s * 2 / 3)
                self._keeping.pop(grant.lease, None)
                return
            try:
                await self._post(grant, "extend", _lease_ms(grant.asked_s), retry_s=grant.lease_s / 3)
            except (LeaseLost, LineageDiscarded) as error:
                batch = ref()
                if batch is not None:
                    batch.lost = error
                self._keeping.pop(grant.lease, None)
                return
            except RollstreamError:
                pass  # Perhaps the server is away: a lease whose deadline passed is good until another is granted.

    def trained(self, batch: AsyncBatch, named: SupportsIndex) -> None:
        self._check_open(batch)
        step = whole("step", named, -(2**63))
        if step < 1:
            raise BadRequest("step: from 1 on; 0 are the weights that the run began with", field="step")
        if batch.step is None:
            batch.step = step
            self._trained.add(batch.lease, batch.step, batch.grant.offsets)
        elif batch.step != step:
            raise BadRequest(f"lease {batch.lease} was trained in step {batch.step}, not {step}", field="step")

    async def ack(
        self,
        batch: AsyncBatch,
        step: SupportsIndex | None,
        version: str | None,
        stats: Mapping[str, SupportsFloat | None] | None,
    ) -> None:
        if batch.ended == "trained":
            return
        if step is None:
            step = batch.step if batch.step is not None else batch.index if batch.dp_size is not None else None
        if step is None:
            raise BadRequest("ack: the step of the trainer is needed", field="step")
        text_or_none("version", version)
        self.trained(batch, step)
        if batch.lease in self._trained:
            body = {
                "step": batch.step,
                **({} if version is None else {"version": version}),
                **({} if stats is None else {"stats": _finite(stats)}),
            }
            try:
                await self._post(batch.grant, "ack", body)
            except (LeaseLost, LineageDiscarded) as error:
                # It stays among the tokens, so that no checkpoint is sealed with it; unless one was, meanwhile.
                if batch.lease in self._trained:
                    batch.lost = error
                    self._drop(batch)
                    raise
        self._trained.settle([batch.lease])
        self._end(batch, "trained")

    async def release(self, batch: AsyncBatch, *, retry_s: float | None = None, unseen: bool = False) -> None:
        """unseen: nobody looked at it, and the grant does not count towards delivery.max_deliveries."""
        if batch.ended == "queued":
            return
        self._check_untrained(batch, "release")
        await self._post(batch.grant, "release", {"unseen": True} if unseen else {}, retry_s=retry_s)
        self._end(batch, "queued")

    async def reject(self, batch: AsyncBatch, reason: str) -> None:
        if batch.ended == "trainer_rejected":
            return
        self._check_untrained(batch, "reject")
        await self._post(batch.grant, "reject", {"reason": text("reason", reason)})
        self._end(batch, "trainer_rejected")

    async def extend(self, batch: AsyncBatch, lease_s: float | None) -> str:
        self._check_open(batch)
        body = _lease_ms(batch.grant.asked_s if lease_s is None else lease_seconds(lease_s))
        answer = await self._post(batch.grant, "extend", body)
        return str(answer.get("deadline"))

    async def give_back(self, batch: AsyncBatch, *, unseen: bool = False) -> None:
        """Releases what was not trained. Whatever goes wrong: the lease runs out anyway, and the error that led here
        counts."""
        if batch.ended is not None or batch.step is not None:
            return
        try:
            await self.release(batch, retry_s=_FAREWELL_S, unseen=unseen)
        except RollstreamError as error:
            batch.lost = error
            self._drop(batch)

    async def close(self) -> None:
        """Releases all that was not trained; of batches that nothing refers to as well."""
        held = [(lease, lineage) for lease, (lineage, _) in self._keeping.items() if lease not in self._trained]
        self.forget()

        async def release(lease: str, lineage: int) -> None:
            try:
                path = f"/v1/leases/{lease}/release"
                await self._transport.ask_json("POST", path, {"lineage": lineage}, retry_s=_FAREWELL_S)
            except RollstreamError:
                pass

        await asyncio.gather(*(release(*each) for each in held))

    def forget(self) -> None:
        """Keeps nothing alive any more: what is held runs out."""
        for _, task in self._keeping.values():
            task.cancel()
        self._keeping.clear()

    async def _post(
        self, grant: Grant, what: str, body: Mapping[str, object], *, retry_s: float | None = None
    ) -> dict[str, object]:
        path = f"/v1/leases/{grant.lease}/{what}"
        return await self._transport.ask_json("POST", path, {"lineage": grant.lineage, **body}, retry_s=retry_s)

    def _check_open(self, batch: AsyncBatch) -> None:
        if batch.ended is not None:
            raise BadRequest(f"lease {batch.lease} has ended: {batch.ended}")

    def _check_untrained(self, batch: AsyncBatch, what: str) -> None:
        self._check_open(batch)
        if batch.step is not None:
            raise BadRequest(
                f"{what}: the weights hold lease {batch.lease} since step {batch.step}; ack it, or restore"
            )

    def _end(self, batch: AsyncBatch, how: str) -> None:
        batch.ended = how
        self._drop(batch)

    def _drop(self, batch: AsyncBatch) -> None:
        kept = self._keeping.pop(batch.lease, None)
        if kept is not None:
            kept[1].cancel()


def _lease_ms(seconds: float | None) -> dict[str, object]:
    """Left out, the server's own delivery.lease holds."""
    return {} if seconds is None else {"lease_ms": round(seconds * 1000)}


def _finite(stats: Mapping[str, SupportsFloat | None]) -> dict[str, float]:
    """JSON has no NaN; what is not finite was not measured."""
    figures = {name: float(value) for name, value in stats.items() if value is not None}
    return {name: figure for name, figure in figures.items() if math.isfinite(figure)}
