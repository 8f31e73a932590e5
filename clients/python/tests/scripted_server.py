"""An HTTP server that answers as a test tells it, and remembers what it was asked."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

BATCH = "application/vnd.rollstream.batch"


@dataclass
class Asked:
    method: str
    path: str
    body: Any
    headers: dict[str, str]


@dataclass
class Answer:
    """lost: it was done, but the connection breaks before the answer; cut: in the middle of it."""

    body: object = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    lost: bool = False
    cut: bool = False


Handler = Callable[[Asked], Answer | dict[str, Any]]


def refused(status: int, code: str, **more: object) -> Answer:
    return Answer({"error": {"code": code, "message": code.lower(), **more}}, status)


def frames(head: dict[str, Any], records: list[bytes]) -> Answer:
    parts = [json.dumps(head).encode(), *records]
    return Answer(b"".join(struct.pack("<I", len(part)) + part for part in parts), headers={"content-type": BATCH})


class ScriptedServer:
    """on(): what answers requests of a method and path. What nothing answers is 404 RS_NOT_FOUND."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._handlers: list[tuple[str, re.Pattern[str], Handler]] = []
        self._changed = threading.Condition()
        server = self

        class Requests(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def answer(self) -> None:
                text = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                is_json = headers.get("content-type", "application/json").startswith("application/json")
                body = text if not is_json else json.loads(text) if text else None
                asked = Asked(self.command, self.path, body, headers)
                try:
                    found = server._answer(asked)
                except Exception as error:
                    found = refused(500, "RS_INTERNAL", cause=repr(error))
                answer = found if isinstance(found, Answer) else Answer(found)
                if answer.lost:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response_only(answer.status)
                for name, value in {"content-type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data) + (1 if answer.cut else 0)))
                self.end_headers()
                self.wfile.write(data)
                if answer.cut:
                    self.close_connection = True

            do_GET = do_POST = answer  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                pass  # A client that went away.

        self._http = Server(("127.0.0.1", 0), Requests)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def on(self, method: str, path: str, handler: Handler) -> None:
        """The one that was named last answers."""
        self._handlers.insert(0, (method, re.compile(path), handler))

    def _answer(self, asked: Asked) -> Answer | dict[str, Any]:
        with self._changed:
            self.asked.append(asked)
            self._changed.notify_all()
        for method, path, handler in self._handlers:
            if method == asked.method and path.fullmatch(asked.path):
                return handler(asked)
        return refused(404, "RS_NOT_FOUND")

    def of(self, path: str) -> list[Asked]:
        with self._changed:
            return [asked for asked in self.asked if re.fullmatch(path, asked.path)]

    def wait_for(self, path: str, count: int) -> list[Asked]:
        """Returns once so many requests have come."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._of(path)) >= count, timeout=20), f"{path}: {self._of(path)}"
            return self._of(path)

    def _of(self, path: str) -> list[Asked]:
        return [asked for asked in self.asked if re.fullmatch(path, asked.path)]

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
