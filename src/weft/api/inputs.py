"""What the functions of the API accept: paths, texts by name, documents."""

from __future__ import annotations

import os

from weft.api.results import Documents
from weft.errors import ReadError, UsageError
from weft.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from weft.workspace import InputFile

    # A path of a file or directory, or names with what the file of that name would hold.
    Input: TypeAlias = "str | os.PathLike[str] | Mapping[str, str | bytes | Documents]"
    Inputs: TypeAlias = "Input | Documents | Iterable[Input | Documents]"


def each(inputs: Inputs) -> Iterator[Input | Documents]:
    """The single inputs, in order."""
    if isinstance(inputs, str | os.PathLike | Documents) or hasattr(inputs, "items"):
        yield inputs  # type: ignore[misc]
    else:
        yield from inputs


def files(inputs: Inputs, links: Sequence[str] = ()) -> list[InputFile]:
    """The inputs as input files, numbered. Raises ReadError, UsageError; standard input is never read."""
    from weft.workspace import Inputs as Reader
    from weft.workspace import in_memory

    reader = Reader(allowed_links=links, stdin=_no_stdin)
    found: list[InputFile] = []
    for one in each(inputs):
        if isinstance(one, Documents):
            found.append(in_memory("documents.yml", one.to_yaml()))
        elif isinstance(one, str | os.PathLike):
            found += reader.files([os.fspath(one)])
        else:
            found += [in_memory(name, _content(content)) for name, content in one.items()]
    for order, file in enumerate(found, 1):
        file.order = order
    return found


def sources(inputs: Inputs, *, suffixes: tuple[str, ...] = (".yaml", ".yml")) -> Iterator[Source]:
    """The inputs as sources named by the paths given; of a directory the files that end in one of these suffixes.

    Raises ReadError.
    """
    for one in each(inputs):
        if isinstance(one, Documents):
            yield Source("documents.yml", one.to_yaml())
        elif not isinstance(one, str | os.PathLike):
            for name, content in one.items():
                yield Source(name, _text(_content(content)))
        else:
            path = os.fspath(one)
            for file in files(path):
                if file.in_directory:
                    if file.name.endswith(suffixes):
                        yield Source(os.path.join(path, file.path), _text(file.bytes()))
                else:
                    yield Source(path, _text(file.bytes()))


def one_source(inputs: Inputs, what: str) -> Source:
    """The single source that the input stands for. Raises UsageError when there are more or none."""
    found = list(sources(inputs))
    if len(found) != 1:
        raise UsageError(f"{what} is one file", found=", ".join(source.name for source in found) or "none")
    return found[0]


def _content(content: str | bytes | Documents) -> str | bytes:
    return content.to_yaml() if isinstance(content, Documents) else content


def _text(content: str | bytes) -> str:
    return content if isinstance(content, str) else content.decode("utf-8", "surrogateescape")


def _no_stdin() -> bytes:
    raise ReadError("the API does not read standard input", hint='give its text by a name: {"stdin.yml": text}')
