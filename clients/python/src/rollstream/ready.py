"""Taking trajectories from rollstream."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, SupportsIndex

import httpx
import numpy.typing as npt

from .async_batch import AsyncBatch
from .async_ready import AsyncReady, OnBad
from .batch import Batch
from .checkpoints import State
from .errors import Closed
from .grants import Handle
from .loop_thread import LoopThread
from .records import Aux
from .wanted import Unit

if TYPE_CHECKING:
    from types import TracebackType


class Ready:
    """Trajectories of a run for one consumer, in ready order.

    token: bearer token (default: ROLLSTREAM_HTTP_TOKEN). replica: whose batches these are (default: the consumer's
    own); processes that name the same replica and ask for the same index get the same batch. lineage: the history to
    take part in (default: the one in force, asked at first use). timeout: seconds for an answer. retry_s: seconds after
    which it gives up asking for a lost one. poll_s: how long the server waits for enough before it says "not enough".
    on_bad: what becomes of a batch with a trajectory that cannot be read: 'raise' (BadRecord, the batch is released) or
    'reject' (the batch is rejected, the next one comes).

    It runs in a background thread, which also extends what is held: batches that something refers to and that have not
    ended, and those that were trained. close(), or leaving the `with` block, releases what was not trained. When the
    process dies, leases run out at their deadline and their trajectories come again.
    """

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
        self._async = AsyncReady(
            url,
            run,
            consumer,
            token=token,
            replica=replica,
            lineage=lineage,
            timeout=timeout,
            retry_s=retry_s,
            poll_s=poll_s,
            on_bad=on_bad,
            transport=transport,
        )
        self._thread = LoopThread(f"rollstream {run} {consumer}", self._async.disconnect)
        self._run = self._thread.run
        # Forgotten without close(): nothing is extended any more.
        self._finalizer = weakref.finalize(self, self._thread.stop)

    @property
    def run(self) -> str:
        return self._async.run

    @property
    def consumer(self) -> str:
        return self._async.consumer

    @property
    def lineage(self) -> int:
        """The history that it takes part in; asked of the server where it is not known yet. 0 of a run that nobody has
        heard of."""
        known = self._async.lineage
        return self._run(self._async.current_lineage()) if known is None else known

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
    ) -> Iterator[Batch]:
        """Batches of `groups` whole groups, or of `rollouts` single trajectories; which of the two is fixed for a run
        by its first.

        at_least: take fewer when no more are ready (default: exactly so many). idle_s: end after so long without enough
        (default: wait for ever). prefetch: batches to hold ahead of the one that is worked on; their lag is as of when
        they were taken. lease_s: how long a lease is good without being extended (default: the server's). first_index:
        for processes that share a replica, which must agree on it (default: behind the last that was answered).
        """
        return self._iterate(
            self._async.batches(
                groups=groups,
                rollouts=rollouts,
                at_least=at_least,
                idle_s=idle_s,
                prefetch=prefetch,
                lease_s=lease_s,
                first_index=first_index,
            )
        )

    def rollouts(self, *, idle_s: float | None = None, prefetch: int = 0) -> Iterator[Batch]:
        """One by one: each batch has one `trajectory`."""
        return self._iterate(self._async.rollouts(idle_s=idle_s, prefetch=prefetch))

    def groups(self, *, idle_s: float | None = None, prefetch: int = 0) -> Iterator[Batch]:
        """Group by group: each batch has one `group`."""
        return self._iterate(self._async.groups(idle_s=idle_s, prefetch=prefetch))

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
    ) -> Iterator[Batch]:
        """This rank's shards of global batches: of exactly `groups` groups (or `rollouts`), or of as many as have
        `tokens` tokens.

        Every rank calls it with the same arguments, and gets shards balanced by tokens with equally many
        `micro_batches`, of at most micro_tokens each where a trajectory is not larger by itself. Step numbers count up
        from first_step, which all ranks must agree on (default: behind the checkpoint that was resumed); "not enough
        yet" is heard by all alike. One ack is enough for all ranks.
        """
        return self._iterate(
            self._async.steps(
                dp_size,
                rank,
                groups=groups,
                rollouts=rollouts,
                tokens=tokens,
                unit=unit,
                micro_tokens=micro_tokens,
                first_step=first_step,
                idle_s=idle_s,
                prefetch=prefetch,
                lease_s=lease_s,
            )
        )

    def _iterate(self, batches: AsyncIterator[AsyncBatch]) -> Iterator[Batch]:
        asking: asyncio.Task[Any] | None = None

        async def following() -> AsyncBatch | None:
            nonlocal asking
            asking = asyncio.current_task()
            return await anext(batches, None)

        async def closing() -> None:
            if asking is not None and not asking.done():
                # Ctrl-C came while it was waited for: an iterator that still runs cannot be closed.
                asking.cancel()
                await asyncio.wait([asking])
            await batches.aclose()  # type: ignore[attr-defined]

        try:
            while (inner := self._run(following())) is not None:
                batch = Batch(inner, self)
                del inner
                yield batch
                del batch
        finally:
            with suppress(Closed):
                self._run(closing())

    def announce(self, version: str, step: SupportsIndex) -> int:
        """New weights, before engines get them. Their ordinal: how many were announced before in this run.

        A name is used once in a run, over all its lineages: f"{ready.lineage}.{step}" is such a name.
        """
        return self._run(self._async.announce(version, step))

    def state(self, step: SupportsIndex | None = None) -> State:
        """What the trainer puts into its own checkpoint at this step (default: the last that was trained): JSON."""
        return self._run(self._async.state(step))

    def checkpoint(self, of: SupportsIndex | Mapping[str, object]) -> State:
        """Seals a checkpoint that is on disk, so that it can be resumed: the state that is in it, or its step where
        nothing was trained since. Acks with it what it holds unacked. Save the next one only after it has returned.

        Raises LeaseLost where it holds data that another was granted: that checkpoint is of no use, restore an earlier
        one.
        """
        return self._run(self._async.checkpoint(of))

    def resume(self, state: Mapping[str, object] | None, *, request: str | None = None) -> int:
        """Rewinds the run to the checkpoint that was restored, and goes on from there; the new lineage.

        What was trained after the checkpoint is delivered again; what its weights hold is not, whether or not its ack
        was ever answered or the checkpoint was sealed. Whoever still trains in the old lineage is refused from now on.
        None: there is no checkpoint yet, back to the beginning. Iterations that are open raise Closed. Of several
        processes one resumes and tells the others the lineage (Ready(lineage=)); or all name the same request, new at
        each start.
        """
        return self._run(self._async.resume(state, request=request))

    def fork(self, into: str, state: Mapping[str, object] | None = None, *, request: str | None = None) -> None:
        """A new run with the books of this one as of a checkpoint (default: the last that was sealed here)."""
        self._run(self._async.fork(into, state, request=request))

    def adopt(self, handle: Handle) -> Batch:
        """A lease that another process got (batch.handle()), to be held and ended here; without its trajectories."""
        return Batch(self._run(self._async.adopt(handle)), self)

    def load(self, aux: Aux) -> npt.NDArray[Any]:
        """Data beside the tokens, checked: its SHA-256, and its bytes against shape and dtype. Read-only."""
        return self._run(self._async.load(aux))

    def close(self, *, release: bool = True) -> None:
        """Releases what is held and was not trained (release=False: it runs out); nothing can be asked any more."""
        try:
            self._run(self._async.close(release=release))
        except Closed:
            return
        self._finalizer()

    def _give_back(self, inner: AsyncBatch) -> None:
        with suppress(Closed):
            self._run(self._async._leases.give_back(inner))

    def __enter__(self) -> Ready:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
