from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from delivering_server import DeliveringServer
from served_program import served_program


@pytest.fixture
def serve() -> Iterator[Callable[..., DeliveringServer]]:
    """Servers that are closed after the test."""
    servers: list[DeliveringServer] = []

    def start(ready: int = 0) -> DeliveringServer:
        servers.append(DeliveringServer(ready))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The program with the example rollouts; each test has a run of them to itself."""
    with served_program("--example") as url:
        yield url
