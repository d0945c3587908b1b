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
    from types import CodeType

    from plait.base.bundle import Bundle, Codes, Entry

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
    found = [*_loaded(bundle)]
    if not found and not bundle.is_divided():
        return None
    entries = {name: entry for name, entry in bundle.entries.items() if is_current(bundle.source(name, entry), entry)}
    groups: list[Codes] = []
    for number in range(len(bundle.groups)):
        codes = {name: code for name, code in bundle.read(number).items() if name in entries}
        used = {name: codes.pop(name) for name in bundle.used if name in codes}
        groups += filter(None, (used, codes))
    if found:
        entries.update({name: entry for name, entry, _ in found})
        groups.append({name: code for name, _, code in found})
    parts = [b""]
    places = []
    offset = HEADER
    for number, codes in enumerate(groups):
        for name in codes:
            entries[name] = (number, *entries[name][1:])
        parts.append(marshal.dumps(codes))
        places.append((offset, len(parts[-1])))
        offset += len(parts[-1])
    parts[0] = MAGIC_NUMBER + offset.to_bytes(HEADER - len(MAGIC_NUMBER), "little")
    parts.append(marshal.dumps((places, entries)))
    return b"".join(parts)


def _loaded(bundle: Bundle) -> Iterator[tuple[str, Entry, CodeType]]:
    """The modules of this process that were not in the bundle, if they have a current .pyc file."""
    for name in bundle.missed & sys.modules.keys():
        spec = sys.modules[name].__spec__
        if spec is not None and type(spec.loader) is SourceFileLoader and spec.cached:
            with open(spec.cached, "rb", buffering=0) as file:
                data = file.read()
            flags, time, size = (int.from_bytes(data[start : start + 4], "little") for start in (4, 8, 12))
            entry = (0, size, time, spec.submodule_search_locations is not None)
            source = bundle.source(name, entry)
            if data[:4] == MAGIC_NUMBER and flags == 0 and source == spec.origin and is_current(source, entry):
                yield name, entry, marshal.loads(data[_PYC_HEADER:])  # noqa: S302 - as Python does
