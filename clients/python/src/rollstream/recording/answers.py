"""What an answer to posted events means for them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

_LONGEST_HINT_S = 60.0
# A server that does not know how this is written would refuse each event of it: another version of it may not.
_OF_REQUEST = ("avro.schema", "avro.codec", "content-type", "content-encoding")


@dataclass(frozen=True)
class Outcome:
    """taken: the server has them, but for `refused`, which it names. again: later, the same. split: something in
    it cannot be taken, so each half is posted alone; an event that is alone is refused."""

    kind: Literal["taken", "again", "split"]
    why: str = ""
    refused: int = 0
    pause_s: float = 0.0


@dataclass(frozen=True)
class Answer:
    """retry_after: the header."""

    status: int
    body: bytes
    retry_after: str | None = None


def outcome_of(answer: Answer, events: int) -> Outcome:
    body, status = _object(answer.body), answer.status
    if status in (200, 422):
        accepted = body.get("accepted")
        # Of a proxy's page nothing was taken, whatever its status.
        if isinstance(accepted, int) and accepted >= 0 and (status == 200 or "refused" in body):
            refused = max(0, events - accepted)
            return Outcome("taken", _first_refusal(body) if refused else "", refused)
        if status == 200:
            return Outcome("again", "the answer is not a rollstream server's")
    if status == 413:
        return Outcome("split", _message(body, status))
    error = body.get("error")
    error = error if isinstance(error, dict) else {}
    is_ours = str(error.get("code", "")).startswith("RS_")
    if is_ours and status in (400, 422) and error.get("field") not in _OF_REQUEST:
        return Outcome("split", _message(body, status))
    return Outcome("again", _message(body, status), pause_s=_hint_s(answer.retry_after))


def _object(text: bytes) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _message(body: dict[str, Any], status: int) -> str:
    error = body.get("error")
    said = error.get("message") if isinstance(error, dict) else None
    return f"HTTP status {status}" if said is None else f"HTTP status {status}: {said}"


def _first_refusal(body: dict[str, Any]) -> str:
    refused = body.get("refused")
    first = refused[0] if isinstance(refused, list) and refused else {}
    if not isinstance(first, dict):
        return str(first)
    said = first.get("message") or f"expected {first.get('expected')}, got {first.get('got')}"
    return f"{first.get('field') or 'an event'}: {said}"


def _hint_s(retry_after: str | None) -> float:
    try:
        return max(0.0, min(float(retry_after or "0"), _LONGEST_HINT_S))
    except ValueError:
        return 0.0
