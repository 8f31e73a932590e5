"""Each Parquet file of a folder says what the JSON Lines beside it say, read by pyarrow. Prints how many."""

import json
import sys
from datetime import datetime, timezone
from pathlib import Path

import pyarrow.parquet as pq

# Told in another form: struct and list have no null there.
OTHERWISE = {"group_stats", "segments_ref", "group_size", "segments"}
MAPS = {"reward_components", "audit_missing", "wall_ms"}


def micros(value: datetime) -> int:
    return round(value.astimezone(timezone.utc).timestamp() * 1_000_000)


def plain(name: str, value: object) -> object:
    if isinstance(value, datetime):
        return micros(value)
    if name in MAPS:
        return dict(value)  # a map is a list of pairs
    if name == "verdicts":
        return [{**verdict, "rewards": dict(verdict["rewards"])} for verdict in value]
    return value


def segment(row: dict) -> dict:
    has_logprobs = row.pop("has_logprobs")
    return {**row, "logprobs": row["logprobs"] if has_logprobs else None}


def compare(parquet: Path, lines: Path) -> None:
    rows = pq.read_table(parquet).to_pylist()
    expected = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(rows) == len(expected), parquet
    for row, line in zip(rows, expected, strict=True):
        for name, value in line.items():
            if name not in OTHERWISE:
                assert plain(name, row[name]) == value, (parquet.name, name, row[name], value)
        assert [segment(one) for one in row["segments"]] == line["segments"], parquet.name
        stats = line["group_stats"]
        found = {name: row[f"group_{name}"] for name in ("baseline", "n", "mean", "std")}
        assert found == (stats or dict.fromkeys(found)), parquet.name


folder = Path(sys.argv[1])
files = sorted(folder.glob("*.parquet"))
for file in files:
    compare(file, file.with_suffix(".jsonl"))
print(f"files: {len(files)}")
