"""Against the program itself, with the example rollouts."""

from __future__ import annotations

import json
import threading
from typing import Any

import httpx
import numpy as np
import pytest

from rollstream import LeaseLost, LineageDiscarded, NotFound, Ready, Refused, merge_states


def everything(url: str, run: str) -> list[dict[str, Any]]:
    """The run's trajectories as the server unpacks them, in ready order."""
    lines = httpx.get(f"{url}/v1/ready", params={"run": run, "limit": 1000}).text.splitlines()
    return [json.loads(line) for line in lines]


def test_what_arrives_is_what_the_server_has(url: str) -> None:
    expected = everything(url, "files-events")
    assert len(expected) > 5
    with Ready(url, "files-events", "trainer-0") as ready:
        batches = list(ready.batches(rollouts=4, at_least=1, idle_s=0, prefetch=1))
        found = [trajectory for batch in batches for trajectory in batch]
        for step, batch in enumerate(batches, 1):
            batch.ack(step=step)
        assert list(ready.rollouts(idle_s=0)) == []
    assert [t.rollout_id for t in found] == [value["rollout_id"] for value in expected]
    for trajectory, value in zip(found, expected, strict=True):
        assert (trajectory.reward, trajectory.advantage) == (value["reward"], value["advantage"])
        assert trajectory.fields["turns"] == value["turns"]
        assert trajectory.fields["reward_components"] == value["reward_components"]
        for segment, raw in zip(trajectory.segments, value["segments"], strict=True):
            assert segment.token_ids.tolist() == raw["token_ids"]
            assert segment.sampled_mask.tolist() == raw["sampled_mask"]
            assert segment.loss_mask.tolist() == raw["loss_mask"]
            assert (None if segment.logprobs is None else segment.logprobs.tolist()) == raw["logprobs"]
        assert trajectory.tokens == trajectory.entry.tokens
    status = httpx.get(f"{url}/v1/runs/files-events/delivery").json()
    assert status["ready_states"]["trained"] == len(expected)


def test_a_trainer_that_dies_between_step_and_ack_trains_each_trajectory_once(url: str) -> None:
    """Weights are the list of what was trained into them; a checkpoint is their copy, with the state inside."""
    run, weights = "calculator-events", list[int]()
    expected = sorted(range(len(everything(url, run))))
    with Ready(url, run, "trainer-0") as first:
        assert first.announce("0.0", step=0) == 0
        batches = first.batches(groups=1)
        done, held, lost = (next(batches) for _ in range(3))
        weights += done.grant.offsets
        done.ack(1, version="0.1", stats={"kl": 0.01})
        weights += held.grant.offsets
        held.trained(2)
        saved = json.dumps({"weights": weights, "rollstream": first.state(2)})
        weights += lost.grant.offsets
        lost.ack(3)
        # It dies here: step 2 was saved and not acked, step 3 was acked and not saved, nothing was sealed.
    restored = json.loads(saved)
    with Ready(url, run, "trainer-0") as second:
        weights = restored["weights"]
        assert second.resume(restored["rollstream"]) == 1
        for step, batch in enumerate(second.batches(groups=1, idle_s=0), 3):
            assert batch.grant.offsets not in (done.grant.offsets, held.grant.offsets)
            weights += batch.grant.offsets
            batch.ack(step)
            second.checkpoint(step)
        assert sorted(weights) == [offset + min(weights) for offset in expected]
        # Whoever still lives in the lineage that was left is refused.
        with Ready(url, run, "trainer-0", lineage=0) as zombie, pytest.raises(LineageDiscarded):
            next(zombie.batches(groups=1, idle_s=0))
        second.fork("calculator-fork")
        with Ready(url, "calculator-fork", "trainer-0") as fork:
            assert list(fork.batches(groups=1, idle_s=0)) == []


def test_ranks_get_disjoint_shards_with_equally_many_micro_batches(url: str) -> None:
    run, dp_size = "kv-nemo", 2
    shards: dict[int, list[tuple[int, int, set[int]]]] = {}
    states = []
    # A step is a collective: nobody acks before each has its shard.
    collective = threading.Barrier(dp_size, timeout=30)

    def rank(number: int) -> None:
        with Ready(url, run, f"rank-{number}") as ready:
            steps = ready.steps(dp_size, number, rollouts=2, micro_tokens=300, first_step=1, idle_s=0.2)
            shards[number] = []
            for shard in steps:
                taken = {trajectory.entry.offset for trajectory in shard}
                shards[number].append((shard.index, len(shard.micro_batches), taken))
                shard.trained(shard.index)
                if shard.index == 2:
                    states.append(ready.state(2))
                collective.wait()
                shard.ack()

    threads = [threading.Thread(target=rank, args=(number,)) for number in range(dp_size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(shards[0]) == len(shards[1]) >= 2
    for (step, micro, taken), (other_step, other_micro, others) in zip(shards[0], shards[1], strict=True):
        assert (step, micro) == (other_step, other_micro)
        assert taken and others and not taken & others
    # The tokens of one rank name the whole lease: one state is enough for the checkpoint of all.
    both = shards[0][1][2] | shards[1][1][2]
    assert all(sorted(held["offsets"]) == sorted(both) for state in states for held in state["tokens"].values())
    assert merge_states(states)["step"] == 2


def test_a_lease_that_ran_out_comes_again_and_its_ack_is_refused(url: str) -> None:
    run = "calculator-strands"
    with Ready(url, run, "slow") as slow, Ready(url, run, "quick") as quick:
        # Nothing refers to the batch: it is not extended.
        handle = next(slow.batches(rollouts=2, lease_s=0.2)).handle()
        first = next(quick.batches(rollouts=1, first_index=0))
        assert first.grant.offsets[0] > max(handle["offsets"])
        first.release()
        # All of the run are there once that lease has run out.
        again = next(quick.batches(rollouts=len(everything(url, run))))
        assert again.grant.offsets[:2] == tuple(handle["offsets"])
        assert [trajectory.entry.deliveries for trajectory in again] == [2, 2, 2] + [1] * (len(again) - 3)
        late = slow.adopt(handle)
        with pytest.raises(LeaseLost):
            late.ack(1)
        # Its weights hold what another trains: no checkpoint takes that step in.
        with pytest.raises(LeaseLost):
            slow.checkpoint(1)
        again.ack(1)
        with pytest.raises(Refused):
            next(quick.batches(groups=1, idle_s=0))


def test_a_run_that_nobody_knows_becomes_known_by_its_weights(url: str) -> None:
    with Ready(url, "nobody", "trainer-0") as ready:
        with pytest.raises(NotFound, match="nobody"):
            next(ready.batches(groups=1, idle_s=0))
        assert ready.resume(None) == 0
        assert ready.announce("0.0", step=0) == 0
        assert list(ready.batches(groups=1, idle_s=0)) == []


def test_padded_rows_hold_every_token_in_the_loss(url: str) -> None:
    with Ready(url, "recipe-strands", "trainer-0") as ready:
        batch = next(ready.batches(groups=1, at_least=1))
        padded = batch.pad(advantages="zero")
        assert padded["loss_mask"].sum() == sum(trajectory.rollout_loss_tokens for trajectory in batch)
        assert not np.any(padded["loss_mask"] & ~padded["attention_mask"])
        batch.reject("only looked at")
