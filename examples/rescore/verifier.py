"""The right verifier of `sums`: an answer is right if it is the same number. A JSON document a line in, one a line out."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any


def judge(shown: dict[str, Any]) -> dict[str, Any]:
    """What it answers on one attempt, but for its id."""
    answer = (shown["final_response"] or "").rpartition("ANSWER:")[2].strip()
    if answer.startswith("in "):
        # Not a guess, and no 0: whoever reads the report can see why nothing was said.
        return {"refuse": f"the answer is {answer}, which only the sandbox has"}
    try:
        # "623", "623.0", "6.23e2" and "1246/2" are one number.
        value = Fraction(answer.replace(",", ""))
    except ValueError:
        return {"rewards": {"correct": 0}, "report": f"{answer!r} is no number"}
    truth = Fraction(shown["task"]["ground_truth"])
    return {"rewards": {"correct": int(value == truth)}, "report": f"{value} for {truth}"}


def main() -> None:
    print(json.dumps({"scorer": "sums", "version": "2"}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **judge(request["input"])}), flush=True)


if __name__ == "__main__":
    main()
