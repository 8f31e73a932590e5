"""`python -m rollstream.dumps FILE.pt [--out FILE.jsonl]`: dumps of slime as JSON Lines."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from rollstream.dumps.refused import DumpRefused
from rollstream.dumps.slime_dump import slime_lines
from rollstream.dumps.torch_file import load_torch_file

REFUSED = 4
UNREADABLE = 2


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m rollstream.dumps", description=__doc__)
    parser.add_argument("file", type=Path, help="written by slime with --save-debug-rollout-data")
    parser.add_argument("--out", type=Path, help="JSON Lines for `rollstream import`; standard output without it")
    given = parser.parse_args(arguments)
    try:
        lines = slime_lines(load_torch_file(given.file))
        if given.out is None:
            _write(lines, out or sys.stdout)
        else:
            _write_file(lines, given.out)
    except DumpRefused as refused:
        print(f"{given.file}: {refused}", file=sys.stderr)
        return REFUSED
    except OSError as error:
        print(f"{given.file}: {error}", file=sys.stderr)
        return UNREADABLE
    return 0


def _write(lines: Iterator[str], out: TextIO) -> None:
    for line in lines:
        out.write(line + "\n")


def _write_file(lines: Iterator[str], path: Path) -> None:
    """A dump that is refused half way leaves no file that looks whole."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="ascii") as file:
            _write(lines, file)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
