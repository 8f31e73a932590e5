"""Reads records in Confluent wire format by the Avro specification alone, with nothing but the standard library.

Input: one JSON object a line, {"schema": …, "hex": …}. Output: the value of each as JSON, bytes as {"hex": …}, floats as
{"double": hex of the eight bytes}, so that NaN and -0 survive. Where fastavro is installed it reads the same bytes, and must agree.
"""

import io
import json
import struct
import sys

try:
    import fastavro
except ImportError:
    fastavro = None


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        if count < 0 or self.at + count > len(self.data):
            raise ValueError("the record ends too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def long(self):
        zigzag = shift = 0
        while True:
            byte = self.take(1)[0]
            zigzag |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (zigzag >> 1) ^ -(zigzag & 1)
            shift += 7

    def blocks(self, item):
        while (count := self.long()) != 0:
            if count < 0:
                self.long()
                count = -count
            for _ in range(count):
                item()


def read(schema, reader, names):
    if isinstance(schema, list):
        return read(schema[reader.long()], reader, names)
    kind = schema if isinstance(schema, str) else schema["type"]
    if isinstance(kind, (dict, list)):
        return read(kind, reader, names)
    if kind == "null":
        return None
    if kind == "boolean":
        return reader.take(1)[0] == 1
    if kind in ("int", "long"):
        return reader.long()
    if kind == "double":
        return {"double": reader.take(8).hex()}
    if kind == "bytes":
        return {"hex": reader.take(reader.long()).hex()}
    if kind == "string":
        return reader.take(reader.long()).decode("utf-8")
    if kind == "array":
        values = []
        reader.blocks(lambda: values.append(read(schema["items"], reader, names)))
        return values
    if kind == "map":
        entries = {}

        def entry():
            key = reader.take(reader.long()).decode("utf-8")
            entries[key] = read(schema["values"], reader, names)

        reader.blocks(entry)
        return entries
    if kind == "enum":
        names[schema["name"]] = schema
        return schema["symbols"][reader.long()]
    if kind == "record":
        names[schema["name"]] = schema
        return {field["name"]: read(field["type"], reader, names) for field in schema["fields"]}
    return read(names[kind], reader, names)


def declare(schema, names):
    """Names are declared where they first stand, which may be in a branch that a record does not take."""
    if isinstance(schema, list):
        for branch in schema:
            declare(branch, names)
    elif isinstance(schema, dict):
        if "name" in schema:
            names[schema["name"]] = schema
        for field in schema.get("fields", []):
            declare(field["type"], names)
        for part in ("items", "values"):
            if part in schema:
                declare(schema[part], names)
        if isinstance(schema["type"], (dict, list)):
            declare(schema["type"], names)


def plain(value):
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, float):
        return {"double": struct.pack("<d", value).hex()}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def without_logical_types(schema):
    if isinstance(schema, dict):
        return {key: without_logical_types(value) for key, value in schema.items() if key != "logicalType"}
    if isinstance(schema, list):
        return [without_logical_types(value) for value in schema]
    return schema


for line in sys.stdin:
    case = json.loads(line)
    record = bytes.fromhex(case["hex"])
    magic, schema_id = struct.unpack(">bI", record[:5])
    assert magic == 0, magic
    names = {}
    declare(case["schema"], names)
    reader = Reader(record[5:])
    value = read(case["schema"], reader, names)
    assert reader.at == len(reader.data), "bytes are left over"
    if fastavro is not None:
        schema = fastavro.parse_schema(without_logical_types(case["schema"]))
        other = plain(fastavro.schemaless_reader(io.BytesIO(record[5:]), schema))
        assert other == value, f"fastavro reads {other}, the specification says {value}"
    print(json.dumps({"id": schema_id, "value": value}))
