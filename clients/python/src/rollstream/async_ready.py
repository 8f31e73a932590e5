"""Ready, for asyncio."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import httpx
import numpy.typing as npt

from .arguments import lease_seconds, one_of, seconds, text, text_or_none, whole, whole_or_none
from .async_batch import AsyncBatch
from .aux_data import aux_array
from .checkpoints import FORMAT, State, Trained, state_of
from .errors import BadRecord, BadRequest, NotFound
from .feed import Feed
from .grants import Handle, grant_of_handle
from .leases import Leases
from .records import Aux, Entry
from .session import STEP, Session
from .transport import Transport
from .wanted import Unit, Wanted, batches_of, steps_of, tries_of

if TYPE_CHECKING:
    from types import TracebackType

OnBad = Literal["raise", "reject"]


class AsyncReady:
    """Trajectories of a run for one consumer; see Ready, which has the same names."""

    def __init__(
        self,
        url: str,
        run: str,
        consumer: str,
        *,
        token: str | None = None,
        replica: str | None = None,
        lineage: int | None = None,
        timeout: float = 60.0,
        retry_s: float = 300.0,
        poll_s: float = 20.0,
        on_bad: OnBad = "raise",
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        if STEP in (replica, consumer if replica is None else None):
            raise BadRequest(
                f"{STEP!r} is the name of step leases; a consumer or replica needs another", field="replica"
            )
        one_of("on_bad", on_bad, ("raise", "reject"))
        token = token if token is not None else os.environ.get("ROLLSTREAM_HTTP_TOKEN")
        self.run = text("run", run)
        self.consumer = text("consumer", consumer)
        self.replica = consumer if replica is None else text("replica", replica)
        self._poll_s = seconds("poll_s", poll_s, 0, 60)
        self._on_bad = on_bad
        self._transport = Transport(url, token=token or None, timeout=timeout, retry_s=retry_s, inner=transport)
        self._session = Session(self._transport, run=run, lineage=whole_or_none("lineage", lineage))
        self._trained = Trained()
        self._leases = Leases(self._transport, self._trained)
        self._feeds: set[Feed] = set()

    @property
    def lineage(self) -> int | None:
        """The history that it takes part in; None until it was asked for: current_lineage()."""
        return self._session.lineage

    async def current_lineage(self) -> int:
        """The history that it takes part in; 0 of a run that nobody has heard of."""
        return await self._session.known_lineage()

    def batches(
        self,
        *,
        groups: int | None = None,
        rollouts: int | None = None,
        at_least: int | None = None,
        idle_s: float | None = None,
        prefetch: int = 0,
        lease_s: float | None = None,
        first_index: int | None = None,
    ) -> AsyncIterator[AsyncBatch]:
        what = batches_of(self.replica, groups=groups, rollouts=rollouts, at_least=at_least)
        first_index = whole_or_none("first_index", first_index)
        return self._iterate(self._wanted(self.replica, what, first_index, idle_s, prefetch, lease_s))

    def rollouts(self, *, idle_s: float | None = None, prefetch: int = 0) -> AsyncIterator[AsyncBatch]:
        return self.batches(rollouts=1, idle_s=idle_s, prefetch=prefetch)

    def groups(self, *, idle_s: float | None = None, prefetch: int = 0) -> AsyncIterator[AsyncBatch]:
        return self.batches(groups=1, idle_s=idle_s, prefetch=prefetch)

    def steps(
        self,
        dp_size: int,
        rank: int,
        *,
        groups: int | None = None,
        rollouts: int | None = None,
        tokens: int | None = None,
        unit: Unit | None = None,
        micro_tokens: int | None = None,
        first_step: int | None = None,
        idle_s: float | None = None,
        prefetch: int = 0,
        lease_s: float | None = None,
    ) -> AsyncIterator[AsyncBatch]:
        what = steps_of(
            dp_size, rank, groups=groups, rollouts=rollouts, tokens=tokens, unit=unit, micro_tokens=micro_tokens
        )
        if first_step is None and STEP not in self._session.turns and dp_size > 1:
            raise BadRequest("steps: first_step= is needed, the same for all ranks", field="step")
        first_step = whole_or_none("first_step", first_step)
        return self._iterate(self._wanted(STEP, what, first_step, idle_s, prefetch, lease_s))

    def _wanted(
        self,
        name: str,
        what: Mapping[str, object],
        first: int | None,
        idle_s: float | None,
        prefetch: int,
        lease_s: float | None,
    ) -> Wanted:
        prefetch = whole("prefetch", prefetch)
        lease_s = lease_seconds(lease_s)
        lease_ms = {} if lease_s is None else {"lease_ms": round(lease_s * 1000)}
        tries, poll_s = tries_of(idle_s, self._poll_s)
        return Wanted(name, {"consumer": self.consumer, **what, **lease_ms}, first, lease_s, poll_s, tries, prefetch)

    async def _iterate(self, wanted: Wanted) -> AsyncIterator[AsyncBatch]:
        await self._session.begin(wanted.name, wanted.first)

        async def ask() -> AsyncBatch | None:
            return await self._next(wanted)

        found = Feed(ask, partial(self._leases.give_back, unseen=True), wanted.prefetch)
        self._feeds.add(found)
        try:
            while (batch := await found.next()) is not None:
                yield batch
                del batch
        finally:
            await found.stop()
            self._feeds.discard(found)

    async def _next(self, wanted: Wanted) -> AsyncBatch | None:
        while True:
            answer = await self._session.lease(
                wanted.name, wanted.what, asked_s=wanted.asked_s, poll_s=wanted.poll_s, tries=wanted.tries
            )
            if answer is None:
                return None
            grant, frames = answer
            batch = AsyncBatch(self._leases, grant, ())
            self._leases.hold(batch)
            try:
                found = await self._session.trajectories(grant, frames)
            except BaseException as error:
                if self._on_bad != "reject" or not isinstance(error, BadRecord):
                    await self._leases.give_back(batch, unseen=isinstance(error, asyncio.CancelledError))
                    raise
                await batch.reject(str(error)[:200])
                continue
            batch.trajectories = tuple(found)
            return batch

    async def adopt(self, handle: Handle) -> AsyncBatch:
        """A lease that another process got, to be held and ended here; without its trajectories."""
        batch = AsyncBatch(self._leases, grant_of_handle(handle), ())
        self._leases.hold(batch)
        return batch

    async def announce(self, version: str, step: SupportsIndex) -> int:
        """New weights, before engines get them. Their ordinal: how many were announced before in this run."""
        named = {"step": whole("step", step), "version": text("version", version)}
        body = {"run": self.run, "lineage": await self._session.known_lineage(), **named}
        answer = await self._transport.ask_json("POST", "/v1/versions", body)
        return int(answer["ordinal"])

    async def state(self, step: SupportsIndex | None = None) -> State:
        """For the trainer's checkpoint at this step (default: the last that was trained)."""
        at = self._trained.step if step is None else whole("step", step)
        lineage = await self._session.known_lineage()
        return {"rollstream": FORMAT, "run": self.run, "lineage": lineage, "step": at, "tokens": self._trained.upto(at)}

    async def checkpoint(self, of: SupportsIndex | Mapping[str, object]) -> State:
        """Seals a checkpoint that is on disk: the state that is in it, or its step where nothing was trained since."""
        state = state_of(of, self.run) if isinstance(of, Mapping) else await self.state(of)
        lineage = await self._session.known_lineage()
        if state["lineage"] != lineage:
            raise BadRequest(f"checkpoint: a state of lineage {state['lineage']}, this is {lineage}", field="lineage")
        await self._session.post("checkpoints", {"lineage": lineage, "step": state["step"], "tokens": state["tokens"]})
        self._trained.settle(state["tokens"])
        self._trained.sealed = state
        return state

    async def resume(self, state: Mapping[str, object] | None, *, request: str | None = None) -> int:
        """Rewinds the run to a checkpoint, and goes on from there; the new lineage."""
        known = {"lineage": 0, "step": 0, "tokens": {}} if state is None else state_of(state, self.run)
        try:
            current = int((await self._session.status())["lineage"])
        except NotFound:
            if known["lineage"] or known["step"]:
                raise
            self._session.rewound(0, 0)
            return 0
        body = {
            "step": known["step"],
            "lineage": known["lineage"],
            "expect": current,
            # Drawn once: a retry of this call names the same, and has no second effect.
            "request": text_or_none("request", request or None) or uuid.uuid4().hex,
            "tokens": known["tokens"],
        }
        lineage = int((await self._session.post("rewind", body))["lineage"])
        for found in list(self._feeds):
            await found.stop()
        self._leases.forget()
        step = int(str(known["step"]))
        self._session.rewound(lineage, step)
        self._trained.restored(step)
        return lineage

    async def fork(self, into: str, state: Mapping[str, object] | None = None, *, request: str | None = None) -> None:
        """A new run with the books of this one as of a checkpoint (default: the last that was sealed here)."""
        chosen = self._trained.sealed if state is None else state_of(state, self.run)
        if chosen is None:
            raise BadRequest("fork: no checkpoint was sealed here; name one by its state")
        body = {"step": chosen["step"], "lineage": chosen["lineage"], "tokens": chosen["tokens"]}
        named = {"run": text("into", into), "request": text_or_none("request", request or None) or uuid.uuid4().hex}
        await self._session.post("fork", {**named, **body})

    async def load(self, aux: Aux) -> npt.NDArray[Any]:
        """Data beside the tokens, checked: its SHA-256, and its bytes against shape and dtype."""
        entry = Entry(-1, "", "", 0, 1, 0, 0, None, "")
        if aux.sha256 is None:
            raise BadRecord(
                f"{aux.uri} has no SHA-256: it is not a blob of the server", field=f"aux[{aux.name}]", offset=-1
            )
        data = await self._session.blob(aux.sha256, f"aux[{aux.name}]", entry)
        return aux_array(aux, data)

    async def close(self, *, release: bool = True) -> None:
        """Releases what is held and was not trained (release=False: it runs out)."""
        await asyncio.gather(*(found.stop() for found in list(self._feeds)))
        if release:
            await self._leases.close()
        await self.disconnect()

    async def disconnect(self) -> None:
        """Closes its connections, and nothing else: what is held runs out."""
        self._leases.forget()
        await self._transport.close()

    async def __aenter__(self) -> AsyncReady:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
