#!/usr/bin/env python3
"""A loop that learns: rollouts, rollstream, a trainer, new weights, rollouts. From nothing to four words in a minute.

    npm ci && pip install ./clients/python
    python examples/online-trainer/main.py --kill-at 8

It starts a server, the rollout side and the trainer, each a process, in a folder of its own. --kill-at kills the
trainer with -9 after that step: it is started again, restores its last checkpoint, and gets the data of the lost steps
again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUN = "spelling"


def start_server(rollstream: list[str], folder: Path) -> tuple[subprocess.Popen[str], str]:
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen([*rollstream, "up", "--port", "0", "--data", folder / "data"], stderr=log, text=True)
    while server.poll() is None:
        found = re.search(r"serving at (\S+)", (folder / "server.log").read_text())
        if found is not None:
            return server, found[1]
        time.sleep(0.05)
    sys.exit(f"the server ended with {server.returncode}: {(folder / 'server.log').read_text()}")


def follow(trainer: list[str], kill_at: int | None) -> bool:
    """Runs a trainer to its end; whether it reached it."""
    process = subprocess.Popen(trainer, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        step = json.loads(line)
        print(f"step {step['step']:>3}  lineage {step['lineage']}  reward {step['reward']:.3f}", flush=True)
        if kill_at is not None and step["step"] == kill_at:
            print(f"kill -9 {process.pid}, the trainer", flush=True)
            process.kill()
            break
    code = process.wait()
    if code not in (0, -signal.SIGKILL):
        sys.exit(f"the trainer ended with {code}")
    return code == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--kill-at", type=int, help="kill the trainer with -9 after this step, once")
    parser.add_argument("--folder", type=Path, help="where it all is (default: a new one)")
    parser.add_argument("--rollstream", default=f"node {shlex.quote(str(HERE.parents[1] / 'dist/src/cli/main.js'))}")
    options = parser.parse_args()
    folder = (options.folder or Path(tempfile.mkdtemp(prefix="rollstream-online-"))).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    rollstream = shlex.split(options.rollstream)

    server, url = start_server(rollstream, folder)
    of = ["--url", url, "--run", RUN, "--folder", str(folder)]
    # With the imports that it starts: a group of processes, which ends as one.
    worker = [sys.executable, str(HERE / "rollouts.py"), *of, "--", *rollstream]
    rollouts = subprocess.Popen(worker, text=True, start_new_session=True)
    try:
        trainer = [sys.executable, str(HERE / "trainer.py"), *of, "--steps", str(options.steps)]
        if not follow(trainer, options.kill_at):
            follow(trainer, None)
    finally:
        os.killpg(rollouts.pid, signal.SIGTERM)
        rollouts.wait()
        server.terminate()
        server.wait()
    print(f"the data: {options.rollstream} query --named trainer_feed --param run={RUN} --data {folder / 'data'}")


if __name__ == "__main__":
    main()
