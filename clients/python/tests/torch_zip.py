"""Files as `torch.save` writes them, made by hand: a zip of stored members with a pickle of protocol 2."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path


class Named:
    """Stands for a global that the pickle names, such as torch.FloatStorage."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name


class Tensor:
    """A tensor of `size` on the storage `key`, with strides as torch counts them: in numbers."""

    def __init__(
        self, kind: str, key: str, count: int, size: tuple[int, ...], stride: tuple[int, ...], offset: int = 0
    ) -> None:
        self.storage = (kind, key, count)
        self.view = (offset, size, stride)


class _Pickler(pickle._Pickler):
    write: Callable[[bytes], object]

    def save(self, obj: object, save_persistent_id: bool = True) -> None:
        if isinstance(obj, Named):
            self.write(b"c" + f"{obj.module}\n{obj.name}\n".encode())
        elif isinstance(obj, Tensor):
            self._tensor(obj)
        else:
            super().save(obj, save_persistent_id)  # type: ignore[misc]

    def _tensor(self, tensor: Tensor) -> None:
        kind, key, count = tensor.storage
        offset, size, stride = tensor.view
        self.save(Named("torch._utils", "_rebuild_tensor_v2"))
        self.write(pickle.MARK)
        self.save(("storage", Named("torch", kind), key, "cpu", count))
        self.write(pickle.BINPERSID)
        for part in (offset, size, stride, False):
            self.save(part)
        self.save(Named("collections", "OrderedDict"))
        self.write(pickle.EMPTY_TUPLE + pickle.REDUCE)
        self.write(pickle.TUPLE + pickle.REDUCE)


def pickled(value: object) -> bytes:
    stream = io.BytesIO()
    _Pickler(stream, protocol=2).dump(value)
    return stream.getvalue()


def torch_zip(
    path: Path,
    value: object,
    storages: dict[str, bytes] | None = None,
    *,
    byte_order: str | None = "little",
    change: Callable[[zipfile.ZipFile], None] | None = None,
) -> Path:
    """`value` may be bytes: a pickle as it is to stand there."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", value if isinstance(value, bytes) else pickled(value))
        if byte_order is not None:
            archive.writestr("archive/byteorder", byte_order)
        for key, data in (storages or {}).items():
            archive.writestr(f"archive/data/{key}", data)
        archive.writestr("archive/version", "3\n")
        if change is not None:
            change(archive)
    return path
