"""One request and its answer: asked again, the same, until there is one."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from typing import Any

import httpx

from .arguments import bearer_token, seconds, server_url
from .errors import BadAnswer, Closed, ServerUnreachable, error_of

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 5.0
# A server that starts again is back by then; one that was never started is worth a word.
_TOLD_AFTER_S = 2.0
_log = logging.getLogger("rollstream")


class Transport:
    """Requests to one server.

    Each of them may be sent twice: a lost answer is asked for with the same body, which the server answers the same.
    timeout: seconds for an answer (beyond what a long poll waits); retry_s: seconds after which it gives up asking.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None,
        timeout: float,
        retry_s: float,
        inner: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = server_url(url)
        token = bearer_token(token)
        self._retry_s = seconds("retry_s", retry_s)
        self._timeout = seconds("timeout", timeout, above=True)
        self._client = httpx.AsyncClient(
            base_url=self.url,
            headers={} if token is None else {"authorization": f"Bearer {token}"},
            timeout=self._timeout,
            transport=inner,
        )

    async def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        accept: str = "application/json",
        wait_s: float = 0.0,
        retry_s: float | None = None,
    ) -> httpx.Response:
        """The answer, with status 200. Anything else is an exception: of the answer, or ServerUnreachable."""
        clock = asyncio.get_running_loop().time
        began = clock()
        give_up = began + (self._retry_s if retry_s is None else retry_s)
        is_told = False
        pause = _FIRST_PAUSE_S
        while True:
            least = 0.0
            failure: Exception
            try:
                response = await self._send(method, path, body, accept, wait_s)
            except httpx.TransportError as error:
                failure = error
            else:
                if response.status_code == 200:
                    return response
                failure = error_of(response.status_code, _json_or_none(response))
                hint = _retry_after_s(response)
                if hint is None:
                    raise failure
                least = hint
            nap = max(least, pause * random.uniform(0.5, 1.0))
            if clock() + nap > give_up:
                raise ServerUnreachable(
                    f"{method} {self.url}{path}: {failure or type(failure).__name__}",
                    code=getattr(failure, "code", ""),
                    status=getattr(failure, "status", None),
                ) from failure
            if not is_told and clock() - began >= _TOLD_AFTER_S:
                is_told = True
                _log.warning("%s %s%s: %s; asking again", method, self.url, path, failure or type(failure).__name__)
            await asyncio.sleep(nap)
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    async def ask_json(
        self, method: str, path: str, body: Mapping[str, object] | None = None, *, retry_s: float | None = None
    ) -> dict[str, Any]:
        return json_object(await self.ask(method, path, body, retry_s=retry_s))

    async def _send(
        self, method: str, path: str, body: Mapping[str, object] | None, accept: str, wait_s: float
    ) -> httpx.Response:
        timeout = httpx.Timeout(self._timeout, read=self._timeout + wait_s)
        try:
            return await self._client.request(method, path, json=body, headers={"accept": accept}, timeout=timeout)
        except RuntimeError as error:
            if self._client.is_closed:
                raise Closed("it is closed") from error
            raise

    async def close(self) -> None:
        await self._client.aclose()


def json_object(response: httpx.Response) -> dict[str, Any]:
    body = _json_or_none(response)
    if not isinstance(body, dict):
        raise BadAnswer(f"{response.request.url}: the answer is no JSON object", status=response.status_code)
    return body


def _json_or_none(response: httpx.Response) -> object:
    try:
        body: object = response.json()
    except ValueError:
        return None
    return body


def _retry_after_s(response: httpx.Response) -> float | None:
    """Seconds before it may be asked again; None: asking again does not help. The server says it with Retry-After;
    without it, 502, 503 and 504 are proxies and servers that start, close or hand over."""
    named = response.headers.get("retry-after")
    if named is not None:
        try:
            return max(0.0, min(float(named), _LONGEST_PAUSE_S))
        except ValueError:
            return 0.0
    return 0.0 if response.status_code in (502, 503, 504) else None
