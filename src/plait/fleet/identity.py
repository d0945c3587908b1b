"""Computes digests: of contents, of the definition of a run, and of plait itself."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b, sha256
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of

import plait
from plait.base.code_cache import archive_of
from plait.base.fast_paths import FAST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO


def digest(content: bytes) -> str:
    """Returns the SHA-256 digest of the content, as `sha256sum` prints it."""
    return sha256(content).hexdigest()


def digest_of(file: BinaryIO) -> str:
    """The digest of a file, which is read in blocks."""
    made = sha256()
    while block := file.read(1 << 20):
        made.update(block)
    return made.hexdigest()


def of_parts(parts: Iterable[str]) -> str:
    """A digest of a sequence of texts."""
    made = blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "big"))
        made.update(data)
    return made.hexdigest()


@cache
def version() -> str:
    """An identifier of this plait: its sources, and the versions of Python and the dependencies. It is the same on
    every machine.
    """
    top = os.path.dirname(plait.__file__)
    made = blake2b(f"{sys.version_info[:2]} {FAST}".encode(), digest_size=16)
    for name in ("PyYAML", "google-re2", "jsonschema"):
        with suppress(PackageNotFoundError):
            made.update(f"{name} {version_of(name)} ".encode())
    if not os.path.isdir(top):
        with open(archive_of(top), "rb") as file:
            made.update(file.read())
    for directory, below, names in os.walk(top):
        below.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                with open(os.path.join(directory, name), "rb") as file:
                    made.update(f"{name} ".encode())
                    made.update(file.read())
    return made.hexdigest()
