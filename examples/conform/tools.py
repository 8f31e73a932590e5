"""What the tools of the tasks answer: what they were called with, so that the next prompt shows what was executed."""

import json
from typing import Any


def executed(name: str, arguments: dict[str, Any]) -> str:
    return f"executed {name} {json.dumps(arguments, ensure_ascii=False, sort_keys=True)}"
