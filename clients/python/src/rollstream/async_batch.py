"""A batch, for asyncio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, SupportsFloat, SupportsIndex

from .batch import Delivered
from .errors import RollstreamError
from .grants import Grant
from .records import Trajectory

if TYPE_CHECKING:
    from types import TracebackType

    from .leases import Leases


class AsyncBatch(Delivered):
    """A lease that is held: it is extended in the background until it ends, or nothing refers to the batch any more.
    Then it runs out at its deadline, and its trajectories come again at their place.

    As a context manager it is released when the block raises, unless it was trained.
    """

    def __init__(self, leases: Leases, grant: Grant, trajectories: Sequence[Trajectory]) -> None:
        super().__init__(grant, trajectories)
        self._leases = leases
        # How it ended: trained, queued, trainer_rejected; None: it is held.
        self.ended: str | None = None
        # Why it is held no more though it did not end: known from an attempt to extend or ack it.
        self.lost: RollstreamError | None = None
        # The step that trained it into the weights; None: none did.
        self.step: int | None = None

    def trained(self, step: SupportsIndex) -> None:
        """The weights hold it from this step on: from here to the answer of the ack it is among the tokens of a
        checkpoint, and is never released. ack() says it too; call it first where a checkpoint may be saved between the
        step and the ack."""
        self._leases.trained(self, step)

    async def ack(
        self,
        step: SupportsIndex | None = None,
        *,
        version: str | None = None,
        stats: Mapping[str, SupportsFloat | None] | None = None,
    ) -> None:
        """After the optimizer step: its trajectories are never delivered again in this history. Asked twice it has one
        effect.

        step: of the trainer (default: as trained() said; for a step lease its index). version: weights that the step
        made. stats: kl, max_logprob_diff, clipped_share. One ack of a step lease is enough for all ranks.
        """
        await self._leases.ack(self, step, version, stats)

    async def release(self) -> None:
        """Back to its place at the head."""
        await self._leases.release(self)

    async def reject(self, reason: str) -> None:
        """It is never delivered again, and counts as trainer_rejected for this reason."""
        await self._leases.reject(self, reason)

    async def extend(self, lease_s: float | None = None) -> str:
        """Good for so long from now on (default: as at the grant). The new deadline, ISO. Done in the background as
        well."""
        return await self._leases.extend(self, lease_s)

    async def __aenter__(self) -> AsyncBatch:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            await self._leases.give_back(self)
