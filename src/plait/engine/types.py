"""Types of the API's arguments and results, for annotations in code that calls it.

mypy and Pyright reject most of what these functions would reject at run time.

    >>> def stage(name: str, config: plait.Inputs, **values: plait.Plain) -> plait.Documents:
    ...     limits: plait.Limits = {"seconds": 5}
    ...     return plait.render(config, values={"stage": name, **values}, limits=limits)
    >>> stage("test", {"config.yml": "port: 80"}).to_dict()
    {'port': 80}
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

from plait.tree.plain_data import Plain as Plain  # noqa: PLC0414 - a part of this module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.engine.results import Documents

Input: TypeAlias = "str | os.PathLike[str] | Mapping[str, str | bytes | Documents] | Documents"
"""The path of a file or directory, a mapping from file names to contents, or documents."""

# Not Iterable, as any mapping would be an iterable of names.
Inputs: TypeAlias = "Input | Sequence[Input] | Iterator[Input]"
"""One input, or several, in order."""

# Excludes a single string, which is a sequence of one-character strings.
Texts: TypeAlias = list[str] | tuple[str, ...]


Warnings: TypeAlias = Literal["keep", "error"]
"""The treatment of warnings: the result has them, or an error is raised."""


class Limits(TypedDict, total=False):
    """Limits of a run, by the names of `--limit`. A missing one has its default.

    `docs/reference/limits.md` lists them.
    """

    aliases: int
    bits: int
    depth: int
    entries: int
    input: int
    items: int
    memory: int
    nesting: int
    nodes: int
    output: int
    pattern: float
    pointer: int
    seconds: float
    steps: int
    string: int
    url: float
    variables: int
