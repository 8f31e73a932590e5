#!/usr/bin/env python3
"""Reads trajectories.ready with nothing of rollstream: a plain Kafka client, Avro, and the registry. A line a group.

    pip install confluent-kafka fastavro
    python consume.py --brokers 127.0.0.1:9092 --registry http://127.0.0.1:8081/apis/ccompat/v7

The topic has one partition: its order is the ready order. The key is the group (or the rollout that has none); the
header `size` says how many members left together. A line is printed once all of them are here.
"""

import argparse
import hashlib
import io
import json
import struct
import urllib.request
from collections.abc import Callable
from typing import Any

import fastavro
from confluent_kafka import Consumer, KafkaException, TopicPartition

Record = dict[str, Any]
Schema = Any


def schemas_of(registry: str) -> Callable[[int], Schema]:
    """Writer schemas by id, each fetched once: an id never changes its schema."""
    known: dict[int, Schema] = {}

    def schema_of(schema_id: int) -> Schema:
        if schema_id not in known:
            with urllib.request.urlopen(f"{registry}/schemas/ids/{schema_id}", timeout=30) as answer:
                known[schema_id] = fastavro.parse_schema(json.loads(json.load(answer)["schema"]))
        return known[schema_id]

    return schema_of


def decode(value: bytes, schema_of: Callable[[int], Schema]) -> Record:
    """Confluent's wire format: a zero byte, the schema id as big-endian uint32, Avro."""
    magic, schema_id = struct.unpack_from(">bI", value)
    if magic != 0:
        raise ValueError(f"not Confluent's wire format: it begins with {magic}")
    return fastavro.schemaless_reader(io.BytesIO(value[5:]), schema_of(schema_id))


def row_of(trajectory: Record) -> Record:
    """Ids are little-endian uint32, masks a byte a token: np.frombuffer(segment["token_ids"], "<u4") is enough."""
    ids = b"".join(segment["token_ids"] for segment in trajectory["segments"])
    # Above 8 MB the segments are in a blob (segments_ref): GET /v1/blobs/<sha256> of a rollstream server has them.
    by_reference = trajectory["segments_ref"] is not None
    return {
        "rollout_id": trajectory["rollout_id"],
        "attempt": trajectory["attempt"],
        "reward": trajectory["reward"],
        "advantage": trajectory["advantage"],
        "tokens": None if by_reference else len(ids) // 4,
        "loss_tokens": trajectory["rollout_loss_tokens"],
        "ids_sha256": None if by_reference else hashlib.sha256(ids).hexdigest(),
    }


def consume(options: argparse.Namespace) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": options.brokers,
            "group.id": options.group,
            # What a worker wrote and never committed is not there.
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            # Committed below, so that nothing is lost with a group that was not whole yet.
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe([options.topic])
    schema_of = schemas_of(options.registry.rstrip("/"))
    # Members of groups that are not whole yet: by group, then by offset (what comes twice after a rebalance is one).
    waiting: dict[str, dict[int, Record]] = {}
    groups = 0
    try:
        while options.limit is None or groups < options.limit:
            message = consumer.poll(1.0)
            if message is None:
                continue
            if message.error():
                raise KafkaException(message.error())
            headers = {name: value.decode() for name, value in message.headers() or []}
            if options.run is None or headers["run"] == options.run:
                key = message.key().decode()
                size = int(headers.get("size", 1))
                members = waiting.setdefault(key, {})
                members[message.offset()] = decode(message.value(), schema_of)
                if len(members) == size:
                    rows = [row_of(trajectory) for _, trajectory in sorted(waiting.pop(key).items())]
                    print(json.dumps({"unit": key, "run": headers["run"], "rollouts": rows}), flush=True)
                    groups += 1
            # A restart begins at the oldest group that is not whole.
            oldest = min((offset for members in waiting.values() for offset in members), default=message.offset() + 1)
            consumer.commit(offsets=[TopicPartition(options.topic, message.partition(), oldest)], asynchronous=True)
    except KeyboardInterrupt:
        pass
    finally:
        consumer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--brokers", required=True)
    parser.add_argument("--registry", required=True)
    parser.add_argument("--topic", default="trajectories.ready")
    parser.add_argument("--group", default="consume-py", help="consumer group: it goes on where it ended")
    parser.add_argument("--run", help="only this run")
    parser.add_argument("--limit", type=int, help="end after so many groups")
    consume(parser.parse_args())


if __name__ == "__main__":
    main()
