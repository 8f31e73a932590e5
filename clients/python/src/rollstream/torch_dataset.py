"""Batches for a torch DataLoader. Imported only where torch is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch.utils.data import IterableDataset, get_worker_info

from .batch import Batch
from .padding import Padded
from .ready import Ready


class ReadyDataset(IterableDataset):  # type: ignore[misc]
    """Padded batches as dicts of tensors, for `DataLoader(dataset, batch_size=None, num_workers=n)`.

        for item in DataLoader(dataset, batch_size=None, num_workers=2):
            loss = step(item)
            dataset.ack(item, step=n)

    take: arguments of Ready.batches; pad: arguments of batch.pad; options: arguments of Ready. Each worker is a replica
    of its own, so that no two get the same batch, and keeps alive what it has passed on until it was acked or the
    worker ends; adopt(item) keeps it alive from the trainer's process. `item["lease"]` is the handle that names the
    lease there. A worker that is forked must not inherit a Ready: use multiprocessing_context='spawn', or ack only
    after the loader has started its workers.
    """

    def __init__(
        self,
        url: str,
        run: str,
        consumer: str,
        *,
        take: Mapping[str, Any],
        pad: Mapping[str, Any] | None = None,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__()
        self._address = (url, run, consumer)
        self._options = options
        self._take = dict(take)
        self._pad = {**(pad or {}), "framework": "torch"}
        self._ready: Ready | None = None
        self._held: dict[str, Batch] = {}

    def __iter__(self) -> Iterator[Padded]:
        worker = get_worker_info()
        options = dict(self._options)
        if worker is not None:
            options["replica"] = f"{options.get('replica') or self._address[2]}.{worker.id}"
        passed_on: dict[str, Batch] = {}
        ready = Ready(*self._address, **options)
        try:
            for batch in ready.batches(**self._take):
                passed_on[batch.lease] = batch
                yield {**batch.pad(**self._pad), "lease": batch.handle()}
                # Its lease is found lost once the trainer has acked it.
                passed_on = {lease: held for lease, held in passed_on.items() if held.lost is None}
        finally:
            # What the trainer has not come to yet is not handed to another.
            ready.close(release=False)

    def adopt(self, item: Mapping[str, Any]) -> Batch:
        """The lease of an item, held from here on by this process."""
        handle = item["lease"]
        if self._ready is None:
            self._ready = Ready(*self._address, **self._options)
        if handle["lease"] not in self._held:
            self._held[handle["lease"]] = self._ready.adopt(handle)
        return self._held[handle["lease"]]

    def ack(self, item: Mapping[str, Any], step: int, **more: Any) -> None:  # noqa: ANN401
        """Batch.ack of the lease of an item."""
        self.adopt(item).ack(step, **more)
        del self._held[item["lease"]["lease"]]

    def __getstate__(self) -> dict[str, Any]:
        """A worker that is spawned opens its own."""
        return {**self.__dict__, "_ready": None, "_held": {}}
