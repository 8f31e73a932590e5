"""One request with events, until each of them is answered."""

from __future__ import annotations

import json
import random
import ssl
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from .answers import Answer, outcome_of
from .counters import Counters
from .segment import Batch

_TIMEOUT_S = 30.0
# A server names up to 1000 events that it refused.
_MOST_ANSWER_BYTES = 8 << 20
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0


class Later(Exception):
    """Nothing was taken, or nobody knows: the same again. pause_s: what the server has asked for; 0: nothing."""

    def __init__(self, why: str, pause_s: float = 0.0) -> None:
        super().__init__(why)
        self.pause_s = pause_s


class Pauses:
    """Twice as long each time, up to 5 s."""

    def __init__(self) -> None:
        self._pause_s = _FIRST_PAUSE_S

    def next_s(self, least_s: float) -> float:
        pause_s = self._pause_s
        self._pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
        return max(least_s, pause_s * random.uniform(0.5, 1.0))

    def begin_anew(self) -> None:
        self._pause_s = _FIRST_PAUSE_S


class Posting:
    """One connection, without the environment's proxies.

    http.client's: it takes a third of the time of the interpreter that httpx does, and loops need that, too.
    """

    def __init__(self, url: str, token: str | None, counters: Counters) -> None:
        self._url = url
        self._headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._counters = counters
        self._connection: HTTPConnection | None = None

    def post(self, batch: Batch) -> None:
        """Returns once each event is taken or refused. Raises Later."""
        self._post(batch.head, batch.data, batch.places)

    def _post(self, head: bytes, data: bytes, places: list[tuple[int, int]]) -> None:
        outcome = outcome_of(self._ask("/v1/steps", head + data, "application/avro"), len(places))
        if outcome.kind == "again":
            raise Later(f"POST {self._url}/v1/steps: {outcome.why}", outcome.pause_s)
        if outcome.kind == "taken" or len(places) == 1:
            refused = outcome.refused if outcome.kind == "taken" else 1
            self._counters.add("sent", len(places) - refused)
            if refused > 0:
                self._counters.add("refused", refused)
                self._counters.tell_once("refused", "the server refused events: %s", outcome.why)
            return
        middle = len(places) // 2
        cut = places[middle][0]
        self._post(head, data[:cut], places[:middle])
        self._post(head, data[cut:], [(start - cut, end - cut) for start, end in places[middle:]])

    def tell_ended(self, producer_id: str) -> None:
        """Nothing more comes from it: what it left open closes. Raises Later."""
        body = {"producer_id": producer_id, "event_id": f"{producer_id}/ended"}
        answer = self._ask("/v1/producers/ended", json.dumps(body).encode(), "application/json")
        if answer.status != 200:
            raise Later(f"POST {self._url}/v1/producers/ended: HTTP status {answer.status}")

    def _ask(self, path: str, body: bytes, content_type: str) -> Answer:
        self._counters.add("requests")
        is_kept = self._connection is not None
        try:
            try:
                return self._asked(path, body, content_type)
            except (OSError, HTTPException):
                # A server may close a connection that is kept; one that is new tells whether it is there.
                if not is_kept:
                    raise
                self.close()
                return self._asked(path, body, content_type)
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            raise Later(f"POST {self._url}{path}: {error or type(error).__name__}") from error

    def _asked(self, path: str, body: bytes, content_type: str) -> Answer:
        parts = urlsplit(self._url)
        if self._connection is None:
            self._connection = _connection(parts.scheme, parts.netloc)
        # Of a body that is refused before it is through, the answer may be there.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._connection.request("POST", parts.path + path, body, {**self._headers, "content-type": content_type})
        response = self._connection.getresponse()
        text = response.read(_MOST_ANSWER_BYTES)
        if response.length or (not response.isclosed() and response.read(1)):
            raise ValueError(f"the answer is cut, or has more than {_MOST_ANSWER_BYTES} bytes")
        return Answer(response.status, text, response.headers.get("retry-after"))

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                connection.close()


def _connection(scheme: str, netloc: str) -> HTTPConnection:
    if scheme == "https":
        return HTTPSConnection(netloc, timeout=_TIMEOUT_S, context=ssl.create_default_context())
    return HTTPConnection(netloc, timeout=_TIMEOUT_S)
