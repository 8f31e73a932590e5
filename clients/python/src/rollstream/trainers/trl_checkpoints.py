"""Checkpoints of TRL that know where the run stood, so that data and weights are restored together."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from .upstream import Foreign, upstream

STATE = "rollstream.json"
"""In each checkpoint folder. It appears whole, when all else of the checkpoint is on disk."""


class Run(Protocol):
    """What is asked of rollstream.Ready."""

    def state(self, step: int | None = None) -> Mapping[str, object]: ...
    def checkpoint(self, of: Mapping[str, object]) -> object: ...
    def resume(self, state: Mapping[str, object]) -> int: ...


def seal_checkpoints(run: Run) -> Foreign:
    """A TrainerCallback: writes the state of the run into each checkpoint that TRL saved, then seals it.

    1. checkpoint-7 on disk  2. its state file  3. sealed. Dead before 2: the checkpoint before is taken, its data comes
    again. Dead between 2 and 3: it is taken, and rewinding to it by its state is as good as to a sealed one.
    """
    base = upstream("transformers", "TrainerCallback")

    def on_save(_self: object, args: Foreign, state: Foreign, control: Foreign, **_: object) -> None:
        at = run.state(state.global_step)
        file = Path(args.output_dir) / f"checkpoint-{state.global_step}" / STATE
        partial = file.with_suffix(".tmp")
        partial.write_text(json.dumps(at))
        os.replace(partial, file)
        run.checkpoint(at)

    return type("SealCheckpoints", (base,), {"on_save": on_save})()


def resume_from(run: Run, output_dir: Path | str) -> str | None:
    """Rewinds the run to the last checkpoint that has its state, for trainer.train(resume_from_checkpoint=…).

    None: there is none, and nothing was rewound: that is a first start, or one for run.resume(None).
    """
    folders = [
        (int(found[1]), path) for path in Path(output_dir).glob("checkpoint-*") if (found := _STEP.search(path.name))
    ]
    for _, folder in sorted(folders, reverse=True):
        if (folder / STATE).exists():
            run.resume(json.loads((folder / STATE).read_text()))
            return str(folder)
    return None


_STEP = re.compile(r"^checkpoint-(\d+)$")
