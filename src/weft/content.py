"""The content of files, pipes and standard input, and how much of it weft takes.

A pipe may never end, and a device file never does, so every input is read through here: `LARGEST` bytes and no more.
"""

from __future__ import annotations

from weft.errors import LimitError, ReadError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

LARGEST = 64 * 1024 * 1024


def content(stream: BinaryIO, described: str, largest: int = LARGEST) -> bytes:
    """All that a stream holds. described: how a message names it. Raises LimitError, OSError."""
    data = stream.read(largest + 1)
    if len(data) > largest:
        raise LimitError(f"{described} is larger than an input may be", expected=f"at most {largest} bytes")
    return data


def file_content(path: str, described: str, largest: int = LARGEST) -> bytes:
    """All that a file holds. Raises LimitError, OSError, and ValueError for a path with a null byte."""
    with open(path, "rb") as stream:
        return content(stream, described, largest)


def standard_input(largest: int = LARGEST) -> bytes:
    """All of standard input. Raises LimitError, OSError, and ReadError for a terminal: nobody knows that it waits."""
    import sys

    if sys.stdin.isatty():
        raise ReadError("standard input is a terminal", hint="pipe the text in, or name a file")
    return content(sys.stdin.buffer, "standard input", largest)
