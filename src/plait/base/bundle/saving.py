"""Writes a bundle: its current content, and the modules that this process loaded from .pyc files."""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

from plait.base.bundle import HEADER, is_current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.base.bundle import Bundle, Entry, Group

# Bytes at the start of a .pyc file: magic number, flags, time and size of the source, 4 each.
_PYC_HEADER = 16


def save(bundle: Bundle) -> None:
    """Writes the updated bundle. Does nothing if it is unchanged or cannot be written."""
    if not os.access(os.path.dirname(bundle.path), os.W_OK):
        return
    try:
        data = _content(bundle)
    except (OSError, EOFError, ValueError, TypeError, MemoryError):
        return
    if data is not None:
        SourceFileLoader(__name__, __file__).set_data(bundle.path, data)


def _content(bundle: Bundle) -> bytes | None:
    """The content of the file; None if it is unchanged."""
    found = dict(_loaded(bundle))
    if not found and not bundle.is_divided():
        return None
    groups: list[Group] = []
    for line in bundle.index.split("\n")[:-1]:
        start, length, *_ = line.split(" ", 2)
        group = bundle.read(int(start), int(length))
        current = {
            name: (size, time, is_package, code)
            for name, (size, time, is_package, code) in group.items()
            if is_current(bundle.source(name, is_package=is_package), size, time)
        }
        used = {name: current.pop(name) for name in bundle.used if name in current}
        groups += filter(None, (used, current))
    if found:
        groups.append(found)
    parts = [b""]
    index = []
    offset = HEADER
    for group in groups:
        parts.append(marshal.dumps(group))
        index.append(f"{offset} {len(parts[-1])} {' '.join(group)} \n")
        offset += len(parts[-1])
    parts[0] = MAGIC_NUMBER + offset.to_bytes(HEADER - len(MAGIC_NUMBER), "little")
    return b"".join([*parts, "".join(index).encode()])


def _loaded(bundle: Bundle) -> Iterator[tuple[str, Entry]]:
    """The modules of this process that were not in the bundle, if they have a current .pyc file."""
    for name in bundle.missed & sys.modules.keys():
        spec = sys.modules[name].__spec__
        if spec is not None and type(spec.loader) is SourceFileLoader and spec.cached:
            with open(spec.cached, "rb", buffering=0) as file:
                data = file.read()
            flags, time, size = (int.from_bytes(data[start : start + 4], "little") for start in (4, 8, 12))
            is_package = spec.submodule_search_locations is not None
            source = bundle.source(name, is_package=is_package)
            if data[:4] == MAGIC_NUMBER and flags == 0 and source == spec.origin and is_current(source, size, time):
                code = marshal.loads(data[_PYC_HEADER:])  # noqa: S302 - as Python does
                yield name, (size, time, is_package, code)
