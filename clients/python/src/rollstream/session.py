"""What a consumer asks of one run: which lineage, which batch next, its trajectories."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import httpx

from .errors import BadAnswer, BadRecord, NotFound, RollstreamError
from .grants import Grant, grant_of
from .records import Entry, Trajectory, segment_of
from .transport import Transport, json_object
from .wanted import waiting_text
from .wire import BATCH, TrajectorySchema, check_blob, schema_id_of, split_frames

_log = logging.getLogger("rollstream")
_BLOBS_AT_ONCE = 8
# "Not enough" that comes at once, time after time, must not become a busy loop.
_QUICK_S, _SLOWEST_S = 0.05, 1.0

# The name of the turns of step leases, which no replica may have.
STEP = "step"


class Session:
    """One consumer of one run.

    Invariants. lineage: None until it was asked for. turns: by replica, or 'step', the (index, try) to ask next; it
    moves on only with an answer, so that a lost answer, or a request that was given up, is asked for again and gets the
    same batch.
    """

    def __init__(self, transport: Transport, *, run: str, lineage: int | None) -> None:
        self.run = run
        self.lineage = lineage
        self.turns: dict[str, tuple[int, int]] = {}
        self._transport = transport
        self._path = f"/v1/runs/{quote(run, safe='')}"
        self._schemas: dict[int, TrajectorySchema] = {}
        self._told_waiting: set[str] = set()
        # Two that ask for the same turn would get the same batch.
        self._asking = asyncio.Lock()

    async def status(self) -> dict[str, Any]:
        """GET /v1/runs/:run/delivery. Raises NotFound where nobody has heard of the run."""
        return await self._transport.ask_json("GET", f"{self._path}/delivery")

    async def post(self, what: str, body: Mapping[str, object]) -> dict[str, Any]:
        return await self._transport.ask_json("POST", f"{self._path}/{what}", body)

    async def known_lineage(self) -> int:
        """The one in force when it was first asked for; 0 of a run that nobody has heard of, without settling on it."""
        if self.lineage is None:
            try:
                self.lineage = int((await self.status())["lineage"])
            except NotFound:
                return 0
        return self.lineage

    async def begin(self, name: str, index: int | None) -> None:
        """Where the turns of a name begin: at `index`; else where they are; else behind the last that was answered,
        since an index that was is never asked again by another incarnation: its batch is, or may be, in other
        weights."""
        if index is not None:
            self.turns[name] = (index, 0)
        if name in self.turns and self.lineage is not None:
            return
        try:
            status = await self.status()
        except NotFound as error:
            raise NotFound(
                f"run {self.run!r}: nobody has heard of it; a trainer that starts before its rollouts announces its"
                f" weights first: announce(version, step=0) ({error})",
                code=error.code,
                status=error.status,
            ) from error
        if self.lineage is None:
            self.lineage = int(status["lineage"])
        if name not in self.turns:
            last = status.get("last", {}).get(name)
            first = 1 if name == STEP else 0
            self.turns[name] = (first if last is None else int(last[0]) + 1, 0)

    def rewound(self, lineage: int, step: int) -> None:
        """Indices begin anew; step leases go on behind the checkpoint."""
        self.lineage = lineage
        self.turns = {STEP: (step + 1, 0)}

    async def lease(
        self, name: str, what: Mapping[str, object], *, asked_s: float | None, poll_s: float, tries: int | None
    ) -> tuple[Grant, Sequence[memoryview]] | None:
        """The next batch of a name; None: not enough in so many tries of poll_s each."""
        async with self._asking:
            index = "step" if name == STEP else "batch_index"
            quick = 0
            clock = asyncio.get_running_loop().time
            began = clock()
            while True:
                turn = self.turns.get(name, (0, 0))
                body = {
                    "run": self.run,
                    "lineage": self.lineage,
                    **what,
                    index: turn[0],
                    "try": turn[1],
                    "wait_ms": round(poll_s * 1000),
                }
                asked_at = clock()
                response = await self._transport.ask("POST", "/v1/leases", body, accept=BATCH, wait_s=poll_s)
                if response.headers.get("content-type", "").split(";")[0].strip() == BATCH:
                    head, frames = split_frames(response.content)
                    self._go_on(name, turn, (turn[0] + 1, 0))
                    return grant_of(head, _lease_s(head, response, asked_s), asked_s), frames
                if json_object(response).get("again") is not True:
                    raise BadAnswer("the answer to a lease is neither a batch nor 'again'")
                self._go_on(name, turn, (turn[0], turn[1] + 1))
                if tries is None and clock() - began >= poll_s * 0.9:
                    await self._tell_waiting(name, what)
                if tries is not None:
                    tries -= 1
                    if tries <= 0:
                        return None
                quick = quick + 1 if clock() - asked_at < _QUICK_S else 0
                if quick > 1:
                    await asyncio.sleep(min(_QUICK_S * quick, _SLOWEST_S))

    async def _tell_waiting(self, name: str, what: Mapping[str, object]) -> None:
        """Once, where nothing ends the wait: a run that has come to its end looks like a slow one."""
        if name in self._told_waiting:
            return
        self._told_waiting.add(name)
        with suppress(RollstreamError):
            status = await self._transport.ask_json("GET", f"{self._path}/delivery", retry_s=0)
            _log.warning(waiting_text(self.run, what, status))

    def _go_on(self, name: str, turn: tuple[int, int], to: tuple[int, int]) -> None:
        """Unless a rewind came in between: then it begins anew."""
        if self.turns.get(name) == turn:
            self.turns[name] = to

    async def trajectories(self, grant: Grant, frames: Sequence[memoryview]) -> list[Trajectory]:
        """Decoded, segments that travelled by reference included. Raises BadRecord."""
        found: list[Trajectory | None] = []
        remote: list[tuple[int, TrajectorySchema, dict[str, Any], Entry]] = []
        for place, (entry, frame) in enumerate(zip(grant.entries, frames, strict=True)):
            schema = await self._schema(schema_id_of(frame, entry))
            record = schema.decode(frame, entry)
            if record.get("segments_ref") is None:
                found.append(Trajectory(record, entry))
            else:
                found.append(None)
                remote.append((place, schema, record, entry))
        limit = asyncio.Semaphore(_BLOBS_AT_ONCE)

        async def resolve(place: int, schema: TrajectorySchema, record: dict[str, Any], entry: Entry) -> None:
            reference = record["segments_ref"]
            async with limit:
                blob = await self.blob(reference["sha256"], "segments_ref", entry)
            segments = schema.decode_segments(blob, reference, entry)
            found[place] = Trajectory(record, entry, [segment_of(segment, entry) for segment in segments])

        await asyncio.gather(*(resolve(*each) for each in remote))
        return [trajectory for trajectory in found if trajectory is not None]

    async def blob(self, sha256: str, field: str, entry: Entry) -> bytes:
        """Its bytes, checked against their name."""
        try:
            response = await self._transport.ask("GET", f"/v1/blobs/{quote(sha256, safe='')}", accept="*/*")
        except RollstreamError as error:
            if isinstance(error, NotFound) or error.code == "RS_BLOB_DAMAGED":
                raise BadRecord(
                    f"blob {sha256}: {error}", field=field, offset=entry.offset, rollout_id=entry.rollout_id
                ) from error
            raise
        check_blob(response.content, sha256, None, field, entry)
        return response.content

    async def _schema(self, schema_id: int) -> TrajectorySchema:
        known = self._schemas.get(schema_id)
        if known is None:
            answer = await self._transport.ask_json("GET", f"/v1/schemas/{schema_id}")
            known = self._schemas[schema_id] = TrajectorySchema(answer.get("schema"))
        return known


def _lease_s(head: Mapping[str, Any], response: httpx.Response, asked_s: float | None) -> float:
    """How long a lease is good: as it was asked for, else until its deadline by the server's own clock, which may
    differ from ours."""
    if asked_s is not None:
        return asked_s
    try:
        deadline = datetime.fromisoformat(str(head["deadline"]).replace("Z", "+00:00")).astimezone(timezone.utc)
    except (KeyError, ValueError) as error:
        raise BadAnswer(f"the head of a lease has no deadline: {error!r}") from error
    try:
        now = parsedate_to_datetime(response.headers["date"]).astimezone(timezone.utc)
    except (KeyError, TypeError, ValueError):
        now = datetime.now(timezone.utc)
    # The header has whole seconds, and may be a second old.
    return max(0.1, (deadline - now).total_seconds() - 1)
