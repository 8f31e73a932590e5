"""What can go wrong, by what the caller can do about it."""

from __future__ import annotations

from collections.abc import Mapping


class RollstreamError(Exception):
    """The base of all.

    code: of the server's table (RS_LEASE_LOST); '' where the client itself found it. status: of the HTTP answer; None:
    there was none. field: of the request or the record; reason: of a refusal, where the server names it.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        status: int | None = None,
        field: str | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.field = field
        self.reason = reason


class BadRequest(RollstreamError, ValueError):
    """The server does not take this request, or no request can carry this argument; asking again does not help."""


class Unauthorized(RollstreamError):
    """A token is needed (token=, ROLLSTREAM_HTTP_TOKEN), or it is another."""


class NotFound(RollstreamError):
    """A run that nobody started, announced or made trajectories for; a blob that is not there."""


class LeaseLost(RollstreamError):
    """Another was granted what this lease held. What was trained on it is in the weights, but not in the books: restore
    from the last checkpoint."""


class LineageDiscarded(RollstreamError):
    """The run was rewound, another trainer goes on with it: restore from the last checkpoint, or stop."""


class Refused(RollstreamError):
    """Refused as things stand: `reason` and the message say why."""


class ServerFailed(RollstreamError):
    """The server failed in a way that asking again does not mend; its log has more."""


class ServerUnreachable(RollstreamError):
    """No answer, however often it was asked within retry_s."""


class BadAnswer(RollstreamError):
    """It was answered, but not as a rollstream server answers: perhaps a proxy did."""


class BadRecord(RollstreamError):
    """A trajectory that cannot be read.

    offset: its place on trajectories.ready; rollout_id: as the batch names it; field: what is wrong with it.
    """

    def __init__(self, message: str, *, field: str, offset: int, rollout_id: str = "") -> None:
        super().__init__(f"trajectory {rollout_id or '?'} at offset {offset}: {field}: {message}", field=field)
        self.offset = offset
        self.rollout_id = rollout_id


class Closed(RollstreamError):
    """It was closed; nothing can be asked any more."""


_BY_CODE: Mapping[str, type[RollstreamError]] = {
    "RS_LEASE_LOST": LeaseLost,
    "RS_LINEAGE_DISCARDED": LineageDiscarded,
    "RS_DELIVERY_REFUSED": Refused,
    "RS_NOT_FOUND": NotFound,
    "RS_UNAUTHORIZED": Unauthorized,
}
_ADVICE: Mapping[str, str] = {
    "RS_LEASE_LOST": "restore from your last checkpoint: another was granted what this lease held",
    "RS_LINEAGE_DISCARDED": "restore from your last checkpoint, or stop: another trainer rewound the run",
}


def error_of(status: int, body: object) -> RollstreamError:
    """The error that an answer stands for; a body that is not ours (a proxy's page) is told by its status alone."""
    error = body.get("error") if isinstance(body, dict) else None
    facts: Mapping[str, object] = error if isinstance(error, dict) else {}
    code, message, field, reason = (facts.get(name) for name in ("code", "message", "field", "reason"))
    named = code if isinstance(code, str) else ""
    kind = _BY_CODE.get(named)
    if kind is None:
        kind = Unauthorized if status in (401, 403) else ServerFailed if status >= 500 else BadRequest
    text = message if isinstance(message, str) else f"HTTP status {status}"
    advice = _ADVICE.get(named)
    return kind(
        text if advice is None else f"{text} ({advice})",
        code=named,
        status=status,
        field=field if isinstance(field, str) else None,
        reason=reason if isinstance(reason, str) else None,
    )
