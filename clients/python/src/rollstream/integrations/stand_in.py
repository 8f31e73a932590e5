"""An object of somebody else's with one of its methods done in another way."""

from __future__ import annotations

from typing import Any


class StandIn:
    """Everything but the named methods is the object's own; the object, which others may share, is not touched."""

    def __init__(self, of: object, **methods: object) -> None:
        self.__dict__.update(methods, _of=of)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_of"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__dict__["_of"], name, value)
