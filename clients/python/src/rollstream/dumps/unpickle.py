"""The pickle of `torch.save`, of which nothing is run: plain values, OrderedDict, tensors; all else is refused."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable
from typing import IO, Any, NoReturn

from rollstream.dumps.refused import DumpRefused
from rollstream.dumps.tensors import STORAGE_NAMES, Storage, StorageType, rebuild_tensor

LoadStorage = Callable[[StorageType, str, int], Storage]


def unpickle(stream: IO[bytes], load_storage: LoadStorage) -> object:
    """The value. `load_storage(type, key, count)` gives what a tensor stands on."""
    try:
        value: object = _Restricted(stream, load_storage).load()
    except DumpRefused:
        raise
    except Exception as error:
        raise DumpRefused(f"a pickle that cannot be read: {type(error).__name__}: {error}") from error
    return value


def _refuse(_: object) -> NoReturn:
    raise DumpRefused("an object of some class: a pickle may hold tensors and plain containers, and runs no code")


# The one in Python and not the one in C: its memo is a dict; the other allocates as much as a made-up index asks for.
class _Restricted(pickle._Unpickler):
    # What makes objects, changes them, or allocates by a number alone is not needed for data of protocol 2.
    dispatch = {  # noqa: RUF012
        **pickle._Unpickler.dispatch,
        **{
            code[0]: _refuse
            for code in (
                pickle.BUILD,
                pickle.OBJ,
                pickle.INST,
                pickle.NEWOBJ,
                pickle.NEWOBJ_EX,
                pickle.EXT1,
                pickle.EXT2,
                pickle.EXT4,
                pickle.BYTEARRAY8,
                pickle.NEXT_BUFFER,
            )
        },
    }

    def __init__(self, stream: IO[bytes], load_storage: LoadStorage) -> None:
        super().__init__(stream)
        self._load_storage = load_storage

    def find_class(self, module: str, name: str) -> object:
        """The few names that data needs; each stands for something of our own, and none is imported."""
        if module == "torch" and name in STORAGE_NAMES:
            return StorageType(name)
        found = _KNOWN.get((module, name))
        if found is None:
            raise DumpRefused(f"{module}.{name}: a pickle may name tensors and plain containers, and runs no code")
        return found

    def persistent_load(self, pid: object) -> Storage:
        if not isinstance(pid, tuple) or len(pid) != 5 or pid[0] != "storage" or not isinstance(pid[1], StorageType):
            raise DumpRefused(f"a reference that is no storage: {str(pid)[:100]}")
        _, kind, key, _location, count = pid
        if not isinstance(key, str) or not isinstance(count, int) or count < 0:
            raise DumpRefused(f"a storage with the key {str(key)[:100]} and {count} numbers")
        return self._load_storage(kind, key, count)


def _latin1(text: object, encoding: object) -> bytes:
    """How bytes are written for old readers."""
    if not isinstance(text, str) or encoding != "latin1":
        raise DumpRefused(f"_codecs.encode to {encoding}")
    return text.encode("latin1")


def _ordered(*items: Any) -> OrderedDict[object, object]:  # noqa: ANN401
    return OrderedDict(*items)


def _parameter(data: object, *_: object) -> object:
    return data


_KNOWN: dict[tuple[str, str], Callable[..., object]] = {
    ("collections", "OrderedDict"): _ordered,
    ("_codecs", "encode"): _latin1,
    ("torch._utils", "_rebuild_tensor_v2"): rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): _parameter,
}
