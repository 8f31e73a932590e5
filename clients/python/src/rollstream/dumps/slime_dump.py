"""slime's `--save-debug-rollout-data`: `{rollout_id, samples: [Sample.to_dict(), …]}`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from rollstream.dumps.plain import plain
from rollstream.dumps.refused import DumpRefused


def slime_lines(dump: object) -> Iterator[str]:
    """A line a sample, each with the step it belongs to, as `rollstream import` takes it."""
    if not isinstance(dump, Mapping) or not isinstance(dump.get("samples"), (list, tuple)):
        held = ", ".join(map(str, list(dump)[:10])) if isinstance(dump, Mapping) else type(dump).__name__
        raise DumpRefused(f"no dump of slime: expected rollout_id and samples, got {held}")
    about = {key: value for key, value in dump.items() if key not in ("rollout_id", "samples")}
    for i, sample in enumerate(dump["samples"]):
        if not isinstance(sample, Mapping):
            raise DumpRefused(f"samples[{i}]: expected a sample as a dict, got {type(sample).__name__}")
        line = {"rollout_id": dump.get("rollout_id"), "samples": [sample], **(about if i == 0 else {})}
        yield json.dumps(plain(line, f"samples[{i}]"), separators=(",", ":"))
