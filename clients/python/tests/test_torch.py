"""With torch, where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

import rollstream

from delivering_server import DeliveringServer
from trajectories import segment, trajectory

Serve = Callable[..., DeliveringServer]
BOTH = [0, 2]


def test_the_package_does_not_import_torch() -> None:
    names: dict[str, object] = {}
    exec("from rollstream import *", names)
    assert names["Ready"] is rollstream.Ready
    with pytest.raises(AttributeError, match="no attribute 'Ready2'"):
        _ = rollstream.Ready2
    if find_spec("torch") is None:
        assert "torch" not in sys.modules
        with pytest.raises(ModuleNotFoundError, match="torch"):
            _ = rollstream.ReadyDataset


if find_spec("torch") is not None:

    def test_tensors_have_the_types_of_the_arrays() -> None:
        import torch

        padded = rollstream.pad([trajectory(segment([1, 2, 3]))], framework="torch")
        assert padded["token_ids"].dtype == torch.int64
        assert padded["loss_mask"].dtype == torch.bool
        assert padded["logprobs"].dtype == padded["advantages"].dtype == torch.float32
        assert padded["token_ids"].tolist() == [[1, 2, 3]]

    @pytest.mark.parametrize("workers", BOTH)
    def test_a_data_loader_gets_each_batch_once_and_the_trainer_acks(serve: Serve, workers: int) -> None:
        from torch.utils.data import DataLoader

        server = serve(ready=4)
        take = {"groups": 1, "idle_s": 0, "lease_s": 60}
        dataset = rollstream.ReadyDataset(server.url, "math", "trainer-0", take=take)
        loader: Any = DataLoader(
            dataset, batch_size=None, num_workers=workers, multiprocessing_context="spawn" if workers else None
        )
        for step, item in enumerate(loader, 1):
            assert item["token_ids"].tolist() == [[1, 2, 3]]
            dataset.ack(item, step=step)
        leases = {f"/v1/leases/1.a.{at}/ack" for at in range(4)}
        assert {asked.path for asked in server.of(".*/ack")} == leases
        # The end of a worker takes nothing from the trainer.
        assert server.of(".*/release") == []
        replicas = {asked.body["replica"] for asked in server.of("/v1/leases")}
        assert replicas == ({"trainer-0.0", "trainer-0.1"} if workers else {"trainer-0"})
