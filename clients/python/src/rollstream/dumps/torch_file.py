"""The container that `torch.save` writes: a zip with a pickle and the storages of its tensors."""

from __future__ import annotations

import zipfile
from pathlib import Path

from rollstream.dumps.refused import DumpRefused
from rollstream.dumps.tensors import Storage, StorageType, storage_of
from rollstream.dumps.unpickle import unpickle

_LEGACY = (
    "a file of torch from before 1.6, or a plain pickle: it cannot be read without running it. "
    "Where you trust it, save it again with torch: torch.save(torch.load(FILE), NEW_FILE)"
)


def load_torch_file(path: Path) -> object:
    """The value of a file. Nothing of it is executed, and it takes no more memory than the file's own size asks for."""
    with path.open("rb") as file:
        head = file.read(4)
    if head[:1] == b"\x80" or not zipfile.is_zipfile(path):
        raise DumpRefused(_LEGACY if head[:1] == b"\x80" else "no zip file, which torch.save writes")
    try:
        with zipfile.ZipFile(path) as archive:
            return _value_of(archive, path.stat().st_size)
    except zipfile.BadZipFile as error:
        raise DumpRefused(f"a broken zip file: {error}") from error


def _value_of(archive: zipfile.ZipFile, file_bytes: int) -> object:
    members = {info.filename: info for info in archive.infolist()}
    for name, info in members.items():
        # torch stores them as they are: a member that grows when it is read is none of its own.
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size or info.flag_bits & 1:
            raise DumpRefused(f"{name} is compressed or encrypted ({info.file_size} bytes): torch.save never does that")
    pickles = [name for name in members if name == "data.pkl" or name.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise DumpRefused(f"{len(pickles)} members called data.pkl, where torch.save writes one")
    root = pickles[0][: -len("data.pkl")]
    order = _byte_order(archive, members.get(f"{root}byteorder"))
    storages: dict[tuple[str, str], Storage] = {}
    room = file_bytes

    def load_storage(kind: StorageType, key: str, count: int) -> Storage:
        held = storages.get((key, kind.name))
        if held is not None:
            return held
        info = members.get(f"{root}data/{key}")
        if info is None or info.file_size != count * kind.item_bytes:
            found = "nothing" if info is None else f"{info.file_size} bytes"
            raise DumpRefused(f"data/{key}: expected {count} numbers of {kind.name}, got {found}")
        nonlocal room
        room -= info.file_size
        # Members may lie over each other: together they are then more than the file.
        if room < 0:
            raise DumpRefused(f"data/{key}: more numbers than the file of {file_bytes} bytes has room for")
        storages[(key, kind.name)] = storage_of(kind, archive.read(info), order)
        return storages[(key, kind.name)]

    with archive.open(members[pickles[0]]) as stream:
        return unpickle(stream, load_storage)


def _byte_order(archive: zipfile.ZipFile, info: zipfile.ZipInfo | None) -> str:
    """Absent in older files: little-endian."""
    if info is None:
        return "little"
    order = archive.read(info).decode("ascii", "replace") if info.file_size <= 16 else "?"
    if order not in ("little", "big"):
        raise DumpRefused(f"byte order {order!r}")
    return order
