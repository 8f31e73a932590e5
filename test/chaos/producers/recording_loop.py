"""A process that records rollouts of random tokens until its stdin ends: then it ends what is open. SIGTERM: it closes
its recorder and leaves them open. recording-loop.ts does the same, and truth.ts says what is written down."""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from rollstream import Recorder

AT_ONCE = 3
parser = argparse.ArgumentParser()
for name in ("url", "run", "spool", "truth", "previous", "name", "seed"):
    parser.add_argument(f"--{name}", default="")
parser.add_argument("--pause-ms", default="10")
options = parser.parse_args()
chance = random.Random(options.seed)
file = os.open(options.truth, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
is_finishing, is_stopped = threading.Event(), threading.Event()


def write(**line: object) -> None:
    os.write(file, f"{json.dumps(line)}\n".encode())


def told(event: dict[str, Any], record: Callable[[], Any]) -> None:
    write(t="before", **event)
    record()
    write(t="after", rollout=event["rollout"], attempt=event["attempt"], key=event["key"])


def ids(count: int) -> list[int]:
    return [chance.randrange(2**32) for _ in range(count)]


def hex_of(values: list[Any], kind: str) -> str:
    return struct.pack(f"<{len(values)}{kind}", *values).hex()


class Open:
    def __init__(self, recorder: Recorder, rollout: str, attempt: int) -> None:
        self.at = {"rollout": rollout, "attempt": attempt}
        group = f"of-{rollout}" if random.Random(rollout).random() < 0.5 else None
        self.rollout = recorder.rollout(
            f"task-{rollout}", rollout_id=rollout, attempt=attempt, group_id=group, prompt="go"
        )
        self.history = ids(chance.randint(1, 40))
        self.calls = chance.randint(1, 8)
        self.seq, self.done = 1, 0
        told({**self.at, "key": "0", "kind": "start"}, self.rollout.__enter__)

    def key(self) -> str:
        self.seq += 1
        return str(self.seq - 1)

    def step(self) -> bool:
        """False: it has ended."""
        rollout, at = self.rollout, self.at
        if self.done < self.calls:
            if self.done > 0 and chance.random() < 0.1:
                self.history = self.history[: -chance.randint(1, len(self.history) - 1)]
            prompt, completion = [*self.history, *ids(chance.randint(1, 30))], ids(chance.randint(1, 60))
            logprobs = struct.unpack(
                f"<{len(completion)}f",
                struct.pack(f"<{len(completion)}f", *[-chance.random() * 20 for _ in completion]),
            )
            told(
                {
                    **at,
                    "key": self.key(),
                    "kind": "model_call",
                    "prompt": hex_of(prompt, "I"),
                    "completion": hex_of(completion, "I"),
                    "logprobs": hex_of(list(logprobs), "f"),
                },
                lambda: rollout.model_call(
                    prompt_ids=prompt,
                    completion_ids=completion,
                    completion_logprobs=list(logprobs),
                    logprobs_mode="raw",
                    finish_reason="stop",
                ),
            )
            self.history = [*prompt, *completion]
            self.done += 1
            return True
        text, reward = str(chance.random()), chance.random()
        told({**at, "key": self.key(), "kind": "message", "text": text}, lambda: rollout.message("user", text))
        told({**at, "key": "sums", "kind": "verdict", "reward": reward}, lambda: rollout.verdict("sums", reward=reward))
        told({**at, "key": self.key(), "kind": "end"}, lambda: rollout.end("completed"))
        return False


def open_before(path: str) -> list[tuple[str, int]]:
    if not os.path.exists(path):
        return []
    found: dict[str, int] = {}
    with open(path) as lines:
        for text in lines:
            line = json.loads(text) if text.endswith("\n") else {}
            if line.get("t") == "before" and line["kind"] == "start":
                found[line["rollout"]] = line["attempt"]
            if line.get("t") == "before" and line["kind"] == "end":
                found.pop(line["rollout"], None)
    return list(found.items())


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: is_stopped.set())
    threading.Thread(target=lambda: (sys.stdin.read(), is_finishing.set()), daemon=True).start()
    recorder = Recorder(options.url, options.run, env_name="chaos", spool_dir=options.spool)
    retries = [one for one in open_before(options.previous) if chance.random() < 0.5]
    rollouts: list[Open] = []
    begun = 0
    while not is_stopped.is_set() and not (is_finishing.is_set() and not rollouts):
        if not is_finishing.is_set() and len(rollouts) < AT_ONCE:
            if retries:
                rollout, attempt = retries.pop()
                rollouts.append(Open(recorder, rollout, attempt + 1))
            else:
                rollouts.append(Open(recorder, f"{options.name}-{begun}", 0))
                begun += 1
        if rollouts:
            one = chance.choice(rollouts)
            if not one.step():
                rollouts.remove(one)
        time.sleep(0 if is_finishing.is_set() else float(options.pause_ms) / 1000)
    if is_stopped.is_set():
        write(t="stop")
    recorder.close(0.5 if is_stopped.is_set() else 300)
    stats = recorder.stats()
    write(t="closed", lost=stats["lost"], refused=stats["refused"])


main()
