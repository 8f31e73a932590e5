#!/usr/bin/env python3
"""Writes rollouts to rollout.steps with nothing of rollstream: a plain Kafka client, Avro, and the registry.

    pip install confluent-kafka fastavro
    python produce.py --brokers 127.0.0.1:9092 --registry http://127.0.0.1:8081/apis/ccompat/v7 --run demo

Two rollouts of one prompt, two model calls each. On stdout a line for each record that the brokers have: where it is.
docs/kafka-producers.md says what has to hold, and why.
"""

import argparse
import io
import json
import struct
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import fastavro
from confluent_kafka import KafkaError, Message, Producer

Record = dict[str, Any]

# The topic takes no larger records; librdkafka's own limit is 1 MB.
MAX_RECORD_BYTES = 8 * 1024 * 1024


def unit_of(event: Mapping[str, Any]) -> str:
    """The key: what opens and closes together is one partition's. Parts are encoded as encodeURIComponent does it."""

    def part(text: str) -> str:
        return quote(text, safe="!*'()", errors="surrogatepass")

    group = event["group_id"]
    member = f"r/{part(event['rollout_id'])}" if group is None else f"g/{part(group)}"
    return f"{part(event['run_id'])}/{event['epoch']}/{member}"


def token_ids(ids: list[int]) -> bytes:
    """Little-endian uint32 each."""
    return struct.pack(f"<{len(ids)}I", *ids)


def logprobs(values: list[float]) -> bytes:
    """Little-endian float32 each."""
    return struct.pack(f"<{len(values)}f", *values)


class Registry:
    """The few calls of Confluent's API that a producer needs."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def ask(self, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/vnd.schemaregistry.v1+json"}
        request = urllib.request.Request(f"{self.url}{path}", data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def schema_of(self, subject: str, own: Path | None) -> tuple[int, Any]:
        """The newest version; or `own`, where nobody has registered one: a worker, or `rollstream schemas register`."""
        try:
            newest = self.ask(f"/subjects/{subject}/versions/latest")
            return newest["id"], fastavro.parse_schema(json.loads(newest["schema"]))
        except urllib.error.HTTPError as error:
            if error.code != 404 or own is None:
                raise
        schema = own.read_text()
        registered = self.ask(f"/subjects/{subject}/versions", {"schema": schema})
        return registered["id"], fastavro.parse_schema(json.loads(schema))


class StepProducer:
    """Step events on their way to the topic. close() returns when the brokers have all of them."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.topic = options.topic
        own = None if options.schema is None else Path(options.schema)
        self.schema_id, self.schema = Registry(options.registry).schema_of(f"{self.topic}-value", own)
        self.failed: list[str] = []
        self.kafka = Producer(
            {
                "bootstrap.servers": options.brokers,
                # Java's partitioner. librdkafka's own (consistent_random, a CRC32) puts most keys elsewhere, and what
                # is on the wrong partition goes to dead-letter.
                "partitioner": options.partitioner,
                # A retry writes nothing twice and overtakes nothing.
                "enable.idempotence": True,
                "acks": "all",
                # On the way only: the topic is stored uncompressed.
                "compression.type": "gzip",
                "message.max.bytes": MAX_RECORD_BYTES,
                "linger.ms": 5,
            }
        )

    def send(self, event: Record) -> None:
        out = io.BytesIO()
        out.write(struct.pack(">bI", 0, self.schema_id))
        # Fields may be left out where the schema has a default; a misspelt one is an error, not lost data.
        fastavro.schemaless_writer(out, self.schema, event, strict_allow_default=True)
        key = unit_of(event)
        said = {name: event.get(name) for name in ("rollout_id", "attempt", "seq", "kind")}

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                self.failed.append(f"{said}: {error}")
                return
            print(json.dumps({"key": key, "partition": message.partition(), "offset": message.offset(), **said}))

        while True:
            try:
                self.kafka.produce(self.topic, out.getvalue(), key.encode(), on_delivery=delivered)
                break
            except BufferError:
                # Its queue is full: the brokers are slower than the rollouts.
                self.kafka.poll(0.1)
        self.kafka.poll(0)

    def close(self) -> None:
        self.kafka.flush()
        if self.failed:
            raise SystemExit("\n".join(["not delivered:", *self.failed]))


class Attempt:
    """The events of one attempt: one producer, seq from 0 without gaps."""

    def __init__(self, producer: StepProducer, **identity: Any) -> None:
        self.producer = producer
        self.identity = identity
        self.seq = 0

    def add(self, kind: str, body: Record, duration_us: int | None = None) -> None:
        """An event with a place in the order of its attempt."""
        self._send(kind, body, self.seq, duration_us)
        self.seq += 1

    def add_verdict(self, body: Record) -> None:
        """Without seq: a verifier may speak when the attempt is long over."""
        self._send("verdict", body, None, None)

    def _send(self, kind: str, body: Record, seq: int | None, duration_us: int | None) -> None:
        now_us = time.time_ns() // 1000
        event = {
            **self.identity,
            "seq": seq,
            "event_id": uuid.uuid4().hex,
            "kind": kind,
            "started_at": None if duration_us is None else now_us - duration_us,
            "ended_at": now_us,
            "duration_us": duration_us,
            "source": {"format": "produce.py", "version": "1"},
            kind: body,
        }
        self.producer.send(event)


def record_sum(attempt: Attempt, answer: list[int], reward: float) -> None:
    """A made-up rollout: a call that asks for a tool, its result, a call that answers, what the verifier says."""
    prompt = [151644, 872, 198, 17, 10, 17, 30, 151645]
    thought = [151657, 17, 10, 17, 151658]
    result = [151665, 19, 151666]
    sampling = {"temperature": 1.0, "top_p": 1.0}
    attempt.add("start", {"prompt": b"2+2?", "sampling": sampling, "weights_version": "v1"})
    attempt.add(
        "model_call",
        {
            "call_id": "call-0",
            "prompt_prefix_len": 0,
            "prompt_delta_ids": token_ids(prompt),
            "completion_ids": token_ids(thought),
            "completion_logprobs": logprobs([-0.25, -0.1, -1e-7, -3.5, -2.0]),
            "logprobs_mode": "raw",
            "weight_spans": [{"start": 0, "version": "v1"}],
            "finish_reason": "stop",
        },
        duration_us=41_000,
    )
    attempt.add("message", {"role": "tool", "parts_json": json.dumps("4")})
    attempt.add(
        "model_call",
        {
            "call_id": "call-1",
            # The prompt repeats what is held: only its new tokens travel.
            "prompt_prefix_len": len(prompt) + len(thought),
            "prompt_delta_ids": token_ids(result),
            "completion_ids": token_ids(answer),
            "completion_logprobs": logprobs([-0.7, -0.3]),
            "logprobs_mode": "raw",
            "weight_spans": [{"start": 0, "version": "v1"}, {"start": 1, "version": "v2"}],
            "finish_reason": "stop",
        },
        duration_us=38_500,
    )
    attempt.add("end", {"reasons": [{"raw": "task_complete", "system": "rollstream"}]})
    attempt.add_verdict({"scorer": "sums", "status": "scored", "rewards": {"reward": reward}})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--brokers", required=True)
    parser.add_argument("--registry", required=True)
    parser.add_argument("--topic", default="rollout.steps")
    parser.add_argument("--run", default="demo")
    parser.add_argument("--group", default="2+2", help="group_id of the two rollouts")
    parser.add_argument("--schema", help="step-event.avsc, registered where the subject has no version yet")
    parser.add_argument("--partitioner", default="murmur2_random", help="another one ends in dead-letter")
    options = parser.parse_args()
    producer = StepProducer(options)
    for place, (answer, reward) in enumerate([([19, 151645], 1.0), ([20, 151645], 0.0)]):
        identity = {
            "run_id": options.run,
            "env_name": "sums",
            "task_id": options.group,
            "epoch": 0,
            "group_id": options.group,
            "group_size": 2,
            "rollout_id": f"{options.group}_{place}",
            "attempt": 0,
            # The first producer of an attempt owns it: one name for each process that writes.
            "producer_id": f"produce-{uuid.uuid4().hex[:8]}",
        }
        record_sum(Attempt(producer, **identity), answer, reward)
    producer.close()


if __name__ == "__main__":
    main()
