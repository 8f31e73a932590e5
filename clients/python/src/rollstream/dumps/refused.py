"""Why a dump cannot be read."""


class DumpRefused(Exception):
    """The file is none that can be read safely, or holds what has no place in JSON."""
