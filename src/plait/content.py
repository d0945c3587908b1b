"""The content of files, pipes and standard input, and how much of it plait takes.

A pipe may never end, and a device file never does, so every input is read through here: as many bytes as the limit
`input` allows, and no more.
"""

from __future__ import annotations

import os

from plait.errors import ReadError
from plait.limits import allowance, exceeded
from plait.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO


# Most inputs are smaller. Who is asked for as much as the limit allows makes room for that much first.
_COMMON = 1 << 16


def content(stream: BinaryIO, described: str) -> bytes:
    """All that a stream holds. described: how a message names it. Raises LimitError, OSError."""
    return _all_of(stream.read, described)


def file_content(path: str, described: str) -> bytes:
    """All that a file holds. Raises LimitError, OSError, and ValueError for a path with a null byte."""
    # The layers of `open` take longer than all the rest for a small file.
    descriptor = os.open(path, READ_ONLY)
    try:
        return _all_of(lambda size: os.read(descriptor, size), described)
    finally:
        os.close(descriptor)


READ_ONLY = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def _all_of(read: Callable[[int], bytes], described: str) -> bytes:
    """What `read` gives until it gives nothing; it is asked for a number of bytes, and may give fewer."""
    run = allowance()
    run.check_time()
    largest = run.limits.input
    data = read(_COMMON)
    if data:
        parts = [data]
        size = len(data)
        while size <= largest and (part := read(min(max(size, _COMMON), largest + 1 - size))):
            parts.append(part)
            size += len(part)
        if size > largest:
            raise exceeded(described, "input", largest, expected=f"at most {largest} bytes")
        if len(parts) > 1:
            data = b"".join(parts)
    run.take(len(data))
    return data


def standard_input() -> bytes:
    """All of standard input. Raises LimitError, OSError, and ReadError for a terminal: nobody knows that it waits."""
    import sys

    if sys.stdin.isatty():
        raise ReadError("standard input is a terminal", hint="pipe the text in, or name a file")
    return content(sys.stdin.buffer, "standard input")


def sources(path: str, extensions: tuple[str, ...] = (".yaml", ".yml")) -> Iterator[Source]:
    """The texts at a path: a file's, those of the files below a directory that end so, by name, or standard input's (-).

    Raises ReadError for what is not there, has no such files or is no UTF-8, and LimitError.
    """
    if path == "-":
        yield Source("stdin.yml", _text(standard_input(), "stdin.yml"))
    elif not os.path.isdir(path):
        yield source(path)
    else:
        found = False
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                if name.endswith(extensions):
                    found = True
                    yield source(os.path.join(folder, name))
        if not found:
            wanted = " or ".join(f"*{extension}" for extension in extensions)
            raise ReadError(f"directory {path} has no YAML files", expected=f"files named {wanted}")


def source(path: str) -> Source:
    """A file's text. Raises ReadError, with the nearest name, and LimitError."""
    try:
        data = file_content(path, path)
    except OSError as error:
        raise ReadError(f"cannot read {path}: {error.strerror}", hint=near(path)) from None
    except ValueError as error:
        raise ReadError(f"cannot read {path}: {error}") from None
    return Source(path, _text(data, path))


def near(path: str) -> str | None:
    """What to say of a path where nothing is: the nearest names beside it."""
    from plait.spell import did_you_mean

    folder, name = os.path.split(path)
    try:
        return did_you_mean(name, sorted(os.listdir(folder or "."))[:1000])
    except OSError:
        return None


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{name} is not UTF-8 text: byte {error.start}") from None
