"""What recording a step of 512 tokens costs the loop that records it, as JSON: microseconds on the caller's thread.

    python bench/recorder_overhead.py [--steps 4000] [--every-us 500]

Lists of Python's ints and floats, and numpy's int64 and float64; the write into the spool included. `server`: events
are taken while more are recorded, by a server in a process of its own; without it nobody listens, and they stay in the
spool. every_us: the caller sleeps as long between two steps, so that the sender gets its share of the interpreter, as
it does beside a loop that waits for a model; 0: one step after the other.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import socket
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection

import numpy as np

from rollstream import Recorder

TOKENS, PROMPT = 512, 64


def serve(to: Connection) -> None:
    """Takes whatever it is posted; it does not look inside, but counts blocks by the size of the body."""

    class Taking(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = b'{"accepted":1000000000,"refused":[]}'
            self.send_response_only(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
    to.send(server.server_address[1])
    server.serve_forever()


def unused_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def measure(port: int, steps: int, every_us: int, kind: str) -> dict[str, float]:
    rng = np.random.default_rng(0)
    prompt, sampled = rng.integers(0, 150_000, PROMPT), rng.integers(0, 150_000, TOKENS)
    logprobs = -rng.random(TOKENS)
    given = (prompt, sampled, logprobs)
    delta, ids, values = (each.tolist() for each in given) if kind == "lists" else given
    took: list[int] = []
    with (
        tempfile.TemporaryDirectory() as spool,
        Recorder(f"http://127.0.0.1:{port}", "bench", env_name="bench", spool_dir=spool) as recorder,
    ):
        for _ in range(max(1, steps // 50)):
            with recorder.rollout("task", group_id="group", group_size=8) as rollout:
                for turn in range(50):
                    began = time.perf_counter_ns()
                    rollout.model_call(
                        call_id=f"call-{turn}",
                        model="policy",
                        replica="replica-0",
                        prompt_delta_ids=delta,
                        completion_ids=ids,
                        completion_logprobs=values,
                        logprobs_mode="raw",
                        weight_spans=[(0, "0.1")],
                        finish_reason="stop",
                        usage={"prompt_tokens": PROMPT, "completion_tokens": TOKENS},
                        duration_us=800_000,
                    )
                    took.append(time.perf_counter_ns() - began)
                    if every_us:
                        time.sleep(every_us / 1e6)
        stats = recorder.stats()
        assert stats["lost"] == stats["errors"] == 0, stats
        recorder.close(timeout_s=0.1)
    p50, p99 = np.percentile(took, [50, 99]) / 1000
    return {"p50_us": round(p50, 1), "p99_us": round(p99, 1), "mean_us": round(float(np.mean(took)) / 1000, 1)}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--steps", type=int, default=4000)
    arguments.add_argument("--every-us", type=int, default=500)
    chosen = arguments.parse_args()
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    server = spawn.Process(target=serve, args=(there,), daemon=True)
    server.start()
    ports = {"server": here.recv(), "no_server": unused_port()}
    found = {
        f"{kind}_{name}": measure(port, chosen.steps, chosen.every_us, kind)
        for name, port in ports.items()
        for kind in ("lists", "numpy")
    }
    server.terminate()
    facts = {"tokens": TOKENS, "python": sys.version.split()[0], "steps": chosen.steps, "every_us": chosen.every_us}
    print(json.dumps({**facts, **found}, indent=2))


if __name__ == "__main__":
    main()
