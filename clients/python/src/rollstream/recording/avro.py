"""Avro, binary: an encoder made from a schema, which takes what a caller has and drops what a field cannot hold."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any, SupportsIndex, TypeAlias, cast

from .json_text import JsonText, json_text

# Anything: a caller's mistake is told, and costs no more than its field.
Given: TypeAlias = Any
# Pieces of a datum, and the fields that could not be encoded, with why.
Encode = Callable[[list[bytes], list[str], Any], None]
_double = struct.Struct("<d").pack
_NULL, _SECOND = b"\x00", b"\x02"
# No long above it survives every reader.
_MOST = 1 << 53
_OWN = frozenset(("StepEvent", "Start", "ModelCall", "Message", "ToolResult", "Phase", "Verdict", "End", "Control"))
# Text that is no JSON text by its field's name, and comes as any JSON where it is not text.
_JSON_OR_TEXT = frozenset(("finish_reason", "executed_arguments", "arguments_parsed"))


def _varint(number: int) -> bytes:
    if 1 << 48 <= number < 1 << 55:
        # Microseconds since the epoch, written out: three times as quick.
        z = number << 1
        low = (z & 127 | 128, z >> 7 & 127 | 128, z >> 14 & 127 | 128, z >> 21 & 127 | 128, z >> 28 & 127 | 128)
        return bytes((*low, z >> 35 & 127 | 128, z >> 42 & 127 | 128, z >> 49))
    zigzag = number << 1 if number >= 0 else (-number << 1) - 1
    found = bytearray()
    while zigzag > 127:
        found.append(zigzag & 127 | 128)
        zigzag >>= 7
    found.append(zigzag)
    return bytes(found)


_SMALL = [_varint(number) for number in range(16_384)]


def varint(number: int) -> bytes:
    """A long, zigzag."""
    return _SMALL[number] if 0 <= number < 16_384 else _varint(number)


def read_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """The number and where it ends. Raises IndexError where the data ends before, ValueError where it is none."""
    zigzag = shift = 0
    while True:
        byte = data[at]
        at += 1
        zigzag |= (byte & 127) << shift
        if byte < 128:
            return (zigzag >> 1) ^ -(zigzag & 1), at
        shift += 7
        if shift > 63:
            raise ValueError("no varint has so many bytes")


def string(value: object) -> bytes:
    """UTF-8; half of a surrogate pair stays readable as its escape. A number is an id by its digits."""
    if isinstance(value, str):
        try:
            data = value.encode()
        except UnicodeEncodeError:
            data = value.encode("utf-8", "backslashreplace")
    elif isinstance(value, bool):
        raise TypeError(f"text is needed, not {value!r}")
    else:
        data = str(index(cast(SupportsIndex, value))).encode()
    size = len(data)
    return (_SMALL[size] if size < 16_384 else _varint(size)) + data


def encoder(schema: Given, name: str = "", named: dict[str, Encode] | None = None) -> Encode:
    """Of a schema as JSON. A value that does not fit a field with a default is left out, and told in the faults."""
    named = {} if named is None else named
    if isinstance(schema, str):
        return named.get(schema) or _primitive(schema, name, b"")
    if isinstance(schema, list):
        branch = next(branch for branch in schema if branch != "null")
        if isinstance(branch, str) and branch not in named:
            return _primitive(branch, name, _SECOND)
        return _nullable(encoder(branch, name, named))
    kind = schema["type"]
    if kind == "record":
        found = _record(schema, named)
        named[schema["name"]] = found
        return found
    if kind == "enum":
        found = _enumeration(schema["symbols"])
        named[schema["name"]] = found
        return found
    if kind == "array":
        return _array(encoder(schema["items"], name, named))
    if kind == "map":
        return _map(encoder(schema["values"], name, named), isinstance(schema["values"], list))
    return encoder(kind, name, named)


def _record(schema: Mapping[str, Any], named: dict[str, Encode]) -> Encode:
    fields: list[tuple[str, Encode, bytes | None]] = []
    for field in schema["fields"]:
        name = field["name"]
        encode = encoder(field["type"], name, named)
        absent: bytes | None = None
        if "default" in field:
            pieces: list[bytes] = []
            if field["default"] is None:
                pieces.append(_NULL)
            else:
                encode(pieces, [], field["default"])
            absent = b"".join(pieces)
        fields.append((name, encode, absent))
    names = {name for name, _, _ in fields}
    # Events and their bodies are this package's own, the records within them a caller's.
    is_given = schema["name"] not in _OWN

    def encode_record(out: list[bytes], faults: list[str], value: Given) -> None:
        get = value.get
        for name, encode, absent in fields:
            given = get(name)
            if given is None:
                if absent is None:
                    raise ValueError(f"{name} is missing")
                out.append(absent)
                continue
            before = len(out)
            try:
                encode(out, faults, given)
            except Exception as error:
                if absent is None:
                    raise ValueError(f"{name}: {error}") from error
                del out[before:]
                out.append(absent)
                faults.append(f"{name}: {error}")
        if is_given and not names.issuperset(value):
            faults.extend(f"{other}: there is no such field" for other in value if other not in names)

    return encode_record


def _nullable(encode: Encode) -> Encode:
    def encode_nullable(out: list[bytes], faults: list[str], value: Given) -> None:
        out.append(_SECOND)
        encode(out, faults, value)

    return encode_nullable


def _enumeration(symbols: Sequence[str]) -> Encode:
    places = {symbol: varint(place) for place, symbol in enumerate(symbols)}

    def encode_symbol(out: list[bytes], faults: list[str], value: Given) -> None:
        place = places.get(value) if isinstance(value, str) else None
        if place is None:
            # Never the nearest one.
            faults.append(f"{repr(value)[:200]} is none of {', '.join(symbols)}")
            place = places["unknown"]
        out.append(place)

    return encode_symbol


def _array(encode: Encode) -> Encode:
    def encode_array(out: list[bytes], faults: list[str], value: Given) -> None:
        items = list(value)
        if items:
            out.append(varint(len(items)))
            for item in items:
                encode(out, faults, item)
        out.append(_NULL)

    return encode_array


def _map(encode: Encode, nullable: bool) -> Encode:
    def encode_map(out: list[bytes], faults: list[str], value: Given) -> None:
        if len(value) > 0:
            out.append(varint(len(value)))
            for key, item in value.items():
                out.append(string(key))
                if item is None and nullable:
                    out.append(_NULL)
                else:
                    encode(out, faults, item)
        out.append(_NULL)

    return encode_map


def _primitive(kind: str, name: str, before: bytes) -> Encode:
    """before: the branch of its union. Most of what is encoded is of these: each is one call."""

    def encode_string(out: list[bytes], faults: list[str], value: Given) -> None:
        out.append(before + string(value))

    def encode_json(out: list[bytes], faults: list[str], value: Given) -> None:
        out.append(before + string(value if isinstance(value, JsonText) else json_text(value)))

    def encode_json_or_text(out: list[bytes], faults: list[str], value: Given) -> None:
        out.append(before + string(value if isinstance(value, str) else json_text(value)))

    def encode_bytes(out: list[bytes], faults: list[str], value: Given) -> None:
        if isinstance(value, str):
            value = value.encode("utf-8", "surrogatepass")
        elif not isinstance(value, bytes):
            value = bytes(memoryview(value))
        out.append(before + varint(len(value)))
        out.append(value)

    def encode_double(out: list[bytes], faults: list[str], value: Given) -> None:
        if isinstance(value, str):
            raise TypeError(f"a number is needed, not {value!r}")
        out.append(before + _double(float(value)))

    def encode_boolean(out: list[bytes], faults: list[str], value: Given) -> None:
        out.append(b"\x01" if value else b"\x00")

    if kind == "string":
        if name.endswith("_json"):
            return encode_json
        return encode_json_or_text if name in _JSON_OR_TEXT else encode_string
    made = {
        "bytes": encode_bytes,
        "int": _whole(before, 1 << 31),
        "long": _whole(before, _MOST),
        "double": encode_double,
        "boolean": encode_boolean,
    }
    return made[kind]


def _whole(before: bytes, most: int) -> Encode:
    def encode_whole(out: list[bytes], faults: list[str], value: Given) -> None:
        number = round(value) if isinstance(value, float) else index(value)
        if not -most <= number < most:
            raise ValueError(f"{number} does not fit")
        out.append(before + varint(number))

    return encode_whole
