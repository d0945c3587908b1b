"""Inputs of API functions: paths, texts by name, and documents."""

from __future__ import annotations

import os
from collections.abc import Mapping

from plait.api.argument_errors import not_an_input
from plait.base import content
from plait.base.content import NO_LINKS, LinkPolicy
from plait.base.errors import ReadError, UsageError
from plait.base.limits import current_budget
from plait.base.source import Source
from plait.engine.common import KEEP_FORMAT
from plait.engine.results import Documents
from plait.tree.context import Context
from plait.tree.nodes import Document
from plait.tree.provenance import Trace
from plait.yaml.preserved_text import PreservedTexts
from plait.yaml.scalar_styles import FORMS
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.inputs import Inputs as Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.engine.options import Request
    from plait.engine.types import Input, Inputs, Warnings
    from plait.yaml.scalar_styles import ScalarStyles
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.shared_files import SharedFiles


def each(inputs: Inputs) -> list[Input]:
    """The individual inputs, in order. Raises TypeError for another type, ReadError for a text in place of a path."""
    alone = isinstance(inputs, str | bytes | os.PathLike | Documents | Mapping)
    if alone or hasattr(inputs, "read") or not hasattr(inputs, "__iter__"):
        found: list[Input] = [inputs]  # type: ignore[list-item]
    else:
        found = list(inputs)  # type: ignore[arg-type]
    for one in found:
        if isinstance(one, str):
            if ("\n" in one or _reads_as_yaml(one)) and not os.path.lexists(one):
                raise ReadError(
                    "the input is a text, not a path",
                    hint='pass a text with a name: {"config.yml": text}',
                    code="api-use",
                )
        elif isinstance(one, Mapping):
            _check_texts(one)
        elif not isinstance(one, os.PathLike | Documents):
            kind = type(one).__name__
            raise TypeError(
                not_an_input(one)
                or f"an input must be a path, a mapping from names to texts, or plait.Documents, not {kind}"
            )
    return found


def _reads_as_yaml(text: str) -> bool:
    """True if a line is YAML rather than a path: `name: web`, `{a: 1}`, `- item`."""
    return ": " in text or text[:1] in ("{", "[") or text.startswith(("- ", "---", "#@"))


def _check_texts(inputs: Mapping[str, object]) -> None:
    for name, text in inputs.items():
        if not isinstance(name, str) or not isinstance(text, str | bytes | Documents):
            kind = type(text).__name__ if isinstance(name, str) else f"{type(name).__name__} as a name"
            raise TypeError(
                not_an_input(text)
                or f"the mapping of an input must map names to texts (str, bytes or plait.Documents), not {kind}; for plain data use plait.documents(data)"
            )
        if isinstance(text, str):
            check_text(text, "a text")
            if text.endswith((".yml", ".yaml")) and "\n" not in text and os.path.isfile(text):
                raise ReadError(
                    f'the text given for "{name}" is a file path',
                    found=text,
                    hint="pass a path without a name",
                    code="api-use",
                )


def check_text(text: str, what: str) -> None:
    """Raises ReadError for a text with an unpaired surrogate, which files cannot contain."""
    try:
        if not text.isascii():
            text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ReadError(
            f"{what} contains an unpaired surrogate",
            found=f"\\u{ord(text[error.start]):04x} at {error.start}",
            code="api-use",
        ) from None


def files(
    inputs: Inputs, allow_links: Sequence[str] = (), shared: SharedFiles | None = None
) -> tuple[list[InputFile], dict[InputFile, Documents]]:
    """The inputs as numbered input files, and the parsed documents among them. shared: the files of earlier calls.

    Raises ReadError, UsageError; standard input is never read.
    """
    reader = Reader(links=LinkPolicy(allow_links) if allow_links else NO_LINKS, stdin=_no_stdin)
    found: list[InputFile] = []
    given: dict[InputFile, Documents] = {}

    def at_hand(name: str, documents: Documents) -> InputFile:
        text = documents.to_yaml()
        current_budget().take(len(text))
        file = in_memory(name, text)
        if name.endswith((".yml", ".yaml")):
            file.marked_template, file.marked_output = False, True
            given[file] = documents
        return file

    for one in each(inputs):
        if isinstance(one, Documents):
            found.append(at_hand("documents.yml", one))
        elif isinstance(one, str | os.PathLike):
            path = os.fspath(one)
            if shared is None:
                found += reader.files([path])
            else:
                found = shared.files([path], tuple(allow_links), lambda one: reader.files([one]), found)
        else:
            for name, text in one.items():
                if isinstance(text, Documents):
                    found.append(at_hand(name, text))
                else:
                    file = in_memory(name, text)
                    found.append(file if shared is None else shared.in_memory(file, found))
            for text in one.values():
                current_budget().take(0 if isinstance(text, Documents) else len(text))
    for order, file in enumerate(found, 1):
        file.order = order
    return found, given


def sources(inputs: Iterable[Input], links: LinkPolicy = NO_LINKS) -> Iterator[Source]:
    """The inputs as texts, named by path; for a directory, the files that end in .yml or .yaml.

    links: the symbolic links that may be followed. Raises ReadError.
    """
    for one in inputs:
        if isinstance(one, Documents):
            yield Source("documents.yml", one.to_yaml())
        elif isinstance(one, str | os.PathLike):
            path = os.fspath(one)
            if path == "-":
                _no_stdin()
            yield from content.sources(path, links=links)
        else:
            for name, text in one.items():
                shown = text.to_yaml() if isinstance(text, Documents) else text
                current_budget().take(len(shown))
                yield Source(name, shown if isinstance(shown, str) else shown.decode("utf-8", "surrogateescape"))


def named_sources(inputs: Iterable[Input]) -> Iterator[Source]:
    """As `sources`, but a single file is read even through links, as in `plait patch` and BOSH. Raises ReadError."""
    for one in inputs:
        if isinstance(one, str | os.PathLike) and os.path.isfile(one):
            yield content.source(os.fspath(one))
        else:
            yield from sources([one])


def only(inputs: Inputs, what: str) -> Source | Document:
    """The single text or parsed document. Raises UsageError for another number."""
    given = each(inputs)
    if len(given) == 1 and isinstance(given[0], Documents):
        nodes = given[0].nodes.items
        if len(nodes) != 1:
            raise UsageError(
                f"{what} is one document",
                found=str(len(nodes)),
                hint="convert each document with plait.documents(...) to use it as a base",
                code="one-document",
            )
        return nodes[0]
    found = list(named_sources(given))
    if len(found) != 1:
        raise UsageError(
            f"{what} is one file",
            found=", ".join(source.name for source in found) or "none",
            code="one-document",
        )
    return found[0]


def context_of(warnings: Warnings, printed: list[str] | None = None) -> Context:
    """The context of a call. warnings: "keep" or "error". printed: receives the lines that templates print.

    Raises ValueError for a value other than "keep" and "error".
    """
    if warnings not in ("keep", "error"):
        raise ValueError(f'warnings must be "keep" or "error", not {warnings!r}')
    context = Context(print_line=None if printed is None else printed.append)
    context.refuses_warnings = warnings == "error"
    return context


def originals_of(request: Request, strings: ScalarStyles | None = None) -> PreservedTexts | None:
    """The store of source texts if the result preserves their formatting, else None. strings: the style of new strings."""
    if not request.value(KEEP_FORMAT):
        return None

    return PreservedTexts(strings or FORMS)


def trace_of(given: Iterable[object]) -> Trace:
    """A new trace that continues those of parsed documents."""
    trace = Trace()
    for one in given:
        if isinstance(one, Documents) and one.trace is not None:
            trace.continue_from(one.trace)
    return trace


def _no_stdin() -> bytes:
    raise ReadError(
        "the API does not read standard input",
        hint='pass its text with a name: {"stdin.yml": text}',
        code="standard-input",
    )
