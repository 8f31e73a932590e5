"""One request with events, until each of them is answered."""

from __future__ import annotations

import random
from typing import Any

import httpx

from .answers import outcome_of
from .counters import Counters
from .segment import Batch

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
    def __init__(self, url: str, token: str | None, counters: Counters) -> None:
        self._url, self._token = url, token
        self._counters = counters
        self._client: httpx.Client | None = None

    def post(self, batch: Batch) -> None:
        """Returns once each event is taken or refused. Raises Later."""
        self._post(batch.head, batch.data, batch.places)

    def _post(self, head: bytes, data: bytes, places: list[tuple[int, int]]) -> None:
        response = self._ask("/v1/steps", content=head + data, headers={"content-type": "application/avro"})
        outcome = outcome_of(response, len(places))
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
        response = self._ask("/v1/producers/ended", json=body)
        if response.status_code != 200:
            raise Later(f"POST {self._url}/v1/producers/ended: HTTP status {response.status_code}")

    def _ask(self, path: str, **request: Any) -> httpx.Response:  # noqa: ANN401
        if self._client is None:
            headers = {} if self._token is None else {"authorization": f"Bearer {self._token}"}
            self._client = httpx.Client(base_url=self._url, headers=headers, timeout=30.0)
        self._counters.add("requests")
        try:
            return self._client.post(path, **request)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise Later(f"POST {self._url}{path}: {error or type(error).__name__}") from error

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
