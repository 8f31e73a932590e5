"""One folder a producer: its spool files, and who it is. The lock on `producer.json` tells the living from the dead."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import BadRequest

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

_IDENTITY, _CLOSED = "producer.json", "closed"
SUFFIX = ".avro"


def default_spool_dir() -> Path:
    named = os.environ.get("ROLLSTREAM_SPOOL_DIR")
    return Path(named).absolute() if named else _temporary()


def _temporary() -> Path:
    return Path(tempfile.gettempdir()) / f"rollstream-spool-{os.getuid()}"


class SpoolFolder:
    """Locked, by the producer itself or by whoever sends what it left."""

    def __init__(self, path: Path, lock: int, facts: dict[str, Any]) -> None:
        self.path = path
        self.producer_id = str(facts.get("producer_id", ""))
        self._lock = lock

    def files(self) -> list[Path]:
        return sorted(self.path.glob(f"*{SUFFIX}"))

    @property
    def is_closed(self) -> bool:
        """Its producer has ended every attempt: nothing of it is open."""
        return (self.path / _CLOSED).exists()

    def mark_closed(self) -> None:
        with suppress(OSError):
            (self.path / _CLOSED).touch()

    def release(self) -> None:
        """For another to send."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)

    def remove(self) -> None:
        """The identity last: without it nobody would look at the rest."""
        with suppress(OSError):
            for path in [path for path in self.path.iterdir() if path.name != _IDENTITY]:
                path.unlink(missing_ok=True)
            (self.path / _IDENTITY).unlink(missing_ok=True)
            self.path.rmdir()
        self.release()


def create_folder(spool_dir: Path, url: str, producer_id: str, host: str) -> SpoolFolder:
    """Locked before it can be found: else another would take a folder without files for that of a dead producer.
    Raises BadRequest."""
    if fcntl is None:
        raise BadRequest("spool_dir: file locks are needed, which this system does not have", field="spool_dir")
    try:
        spool_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if spool_dir == _temporary() and spool_dir.stat().st_uid != os.getuid():
            raise BadRequest(f"spool_dir: {spool_dir} is another user's: name one", field="spool_dir")
        hidden = Path(tempfile.mkdtemp(prefix=".new-", dir=spool_dir))
        lock = os.open(hidden / _IDENTITY, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        facts = {"producer_id": producer_id, "url": url, "pid": os.getpid(), "host": host}
        os.write(lock, json.dumps(facts).encode())
        path = spool_dir / secrets.token_hex(8)
        hidden.rename(path)
    except OSError as error:
        raise BadRequest(f"spool_dir: {spool_dir}: {error.strerror or error}", field="spool_dir") from error
    return SpoolFolder(path, lock, facts)


def left_over(spool_dir: Path, url: str, aside: Container[str] = ()) -> Iterator[SpoolFolder]:
    """What dead producers left for this server, locked: of two processes one gets it. aside: names to
    pass over."""
    try:
        names = sorted(entry.name for entry in os.scandir(spool_dir) if not entry.name.startswith("."))
    except OSError:
        return
    for name in names:
        if name in aside:
            continue
        found = _taken(spool_dir / name, url)
        if found is not None:
            yield found


def _taken(path: Path, url: str) -> SpoolFolder | None:
    try:
        lock = os.open(path / _IDENTITY, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # 1 this process opens it; 2 another, which held it, has sent all and removes it; 3 the lock is free.
        if os.fstat(lock).st_nlink > 0:
            facts = json.loads(os.pread(lock, 65_536, 0))
            if isinstance(facts, dict) and facts.get("url") == url:
                return SpoolFolder(path, lock, facts)
    except (OSError, ValueError, RecursionError):
        pass
    os.close(lock)
    return None
