"""Destinations of documents: the path of each document's file. No two files share a path.

A document names its file by `#@output/file "web/app.yml"`, or a pattern names the files of all documents, `--output-by
"{kind}/{name}.yml"`; layered documents are written to `SCHEMA/NAME.yaml`. Values of a document are quoted, so that none
can name another directory; a literal path must be plain.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from plait.base.errors import UsageError
from plait.base.output_files import inside
from plait.base.similar_names import did_you_mean, listed, near
from plait.base.source import Position
from plait.base.suggestions import replacing
from plait.tree.nodes import COLLECTIONS, Array, DocumentSet, Map
from plait.yaml.document_names import OutputError, document_name, scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from plait.base.output_files import OutputFile
    from plait.tree.annotations import Annotation
    from plait.tree.nodes import Document, Item, Value
    from plait.tree.provenance import Origin
    from plait.tree.provenance.marks import Marks

    # A document, and the path of its file.
    Placed: TypeAlias = "tuple[str, Document]"

# A part of a pattern: a doubled brace, or a field with its value and filter.
_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_KEY = re.compile(r'"([^"]+)"|\[([0-9]+)\]|([^.\[\]"|\s]+)')
# Abbreviations of paths in a document, if not in quotes.
_SHORT = {"name": ("metadata", "name"), "namespace": ("metadata", "namespace")}
_TEMPLATE = "template"
_LONGEST = 4096
_DIFFER = "paths that differ in more than upper and lower case"
_FILTERS: dict[str, Callable[[str], str]] = {"lower": str.lower}


class PatternField:
    """A field of a pattern: the value at a path of keys and indexes, or the document's template."""

    __slots__ = ("change", "is_template", "text", "ways")

    def __init__(self, text: str) -> None:
        """Raises ValueError for an invalid field."""
        self.text = text
        path, bar, name = text.partition("|")
        if bar and name not in _FILTERS:
            raise ValueError(did_you_mean(name, _FILTERS) or f"the filters are {', '.join(_FILTERS)}")
        self.change = _FILTERS.get(name, str)
        self.is_template = path == _TEMPLATE
        way = _keys(path)
        self.ways = [_SHORT[path], way] if path in _SHORT else [way]

    def value(self, document: Document, pattern: str) -> str:
        """The value as text. Raises UsageError if the value is missing: about the pattern if its path is misspelt, else
        about the document.
        """
        for way in self.ways:
            found = _filled(document, way)
            if found is not None:
                return self.change(found)
        path = self.text.partition("|")[0]
        meant = self._meant(document)
        if meant:
            raise OutputError(
                f'--output-by "{pattern}": the document has no value "{path}"',
                also=[document.position],
                found=called(document),
                hint=replacing(path, meant, f"did you mean {listed(meant, quote=chr(34))}?"),
                code="output-pattern",
            )
        raise OutputError(
            f"the output path needs {path}, which is missing, empty or not a scalar",
            at=document.position,
            found=called(document),
            code="output-pattern",
        )

    def _meant(self, document: Document) -> list[str]:
        """The paths with a value in a document that differ from this one in its first missing key."""
        way = self.ways[-1]
        depth = next((at for at in range(len(way)) if _item_under(document.value, way[: at + 1]) is None), len(way))
        key = way[depth] if depth < len(way) else None
        if type(key) is not str:
            return []
        above = _item_under(document.value, way[:depth])
        around = document.value if depth == 0 else None if above is None else above.value
        names = [one.key for one in around.items if type(one.key) is str] if type(around) is Map else []
        filled = [name for name in names if _filled(document, (*way[:depth], name, *way[depth + 1 :])) is not None]
        if len(way) == 1:
            filled += [name for name, short in _SHORT.items() if _filled(document, short) is not None]
        path = self.text.partition("|")[0]
        return [path.replace(key, name, 1) for name in near(key, filled)] if path.count(key) == 1 else []


class OutputPattern:
    """`--output-by`: the path of each document, built from its values.

    shares: documents of one template may share a path, because the pattern names the template.
    """

    __slots__ = ("_parts", "shares", "text")

    def __init__(self, text: str) -> None:
        """Raises UsageError."""
        self.text = text
        self._parts: list[str | PatternField] = []
        end = 0
        for found in _PLACE.finditer(text):
            self._parts.append(text[end : found.start()])
            end = found.end()
            try:
                self._parts.append(_part(found))
            except ValueError as error:
                raise _no_pattern(text, str(error)) from None
        self._parts.append(text[end:])
        places = [part for part in self._parts if type(part) is PatternField]
        if not places:
            raise _no_pattern(text, "without a field in braces, all documents would have the same path")
        self.shares = any(place.is_template for place in places)
        try:  # a value cannot be empty
            _check("".join(part if type(part) is str else "x" for part in self._parts), None)
        except UsageError as error:
            raise _no_pattern(text, error.expected or error.message) from None

    def items(self, document: Document) -> list[Item]:
        """The items of a document that determine its path."""
        places = [part for part in self._parts if type(part) is PatternField and not part.is_template]
        return [
            item for place in places for way in place.ways if (item := _item_under(document.value, way)) is not None
        ]

    def path(self, document: Document, template: str) -> str:
        """The path of a document. template: the output path of its template, "" if there is none.

        Raises UsageError.
        """
        made = []
        for part in self._parts:
            if type(part) is not PatternField:
                made.append(str(part))
            elif part.is_template:
                if not template:
                    raise _no_pattern(self.text, "only documents of templates have a {template}")
                stem, dot, extension = template.rpartition(".")
                made.append(part.change(stem if dot and "/" not in extension else template))
            else:
                made.append("/".join(map(file_name, part.value(document, self.text).split("/"))))
        path = "".join(made)
        _check(path, document.position)
        return path


def _part(found: re.Match[str]) -> str | PatternField:
    """Parses the part of a pattern that starts with a brace. Raises ValueError."""
    if found[1] is not None:
        return PatternField(found[1])
    if len(found[0]) == 1:
        raise ValueError("write a literal brace twice")
    return found[0][0]


def _no_pattern(text: str, why: str) -> UsageError:
    return UsageError(
        f'"{text}" is not a valid path pattern',
        expected='a pattern such as "{kind}/{name}.yml"',
        hint=why,
        code="output-pattern",
    )


def _keys(path: str) -> tuple[str | int, ...]:
    """Parses keys separated by dots, and indexes in brackets. Raises ValueError."""
    keys: list[str | int] = []
    end = 0
    while end < len(path) or not keys:
        if keys and path[end] == ".":
            end += 1
        found = _KEY.match(path, end)
        if found is None or (keys and path[end - 1] != "." and found[2] is None):
            raise ValueError(f"{{{path}}} is not a path in a document")
        keys.append(int(found[2]) if found[2] else found[1] or found[3])
        end = found.end()
    return tuple(keys)


def _under(value: Value, path: Sequence[str | int]) -> tuple[Value, Position] | None:
    """The value at a path of keys and indexes, and its position; None if it is missing."""
    item = _item_under(value, path)
    return None if item is None else (item.value, item.position)


def _filled(document: Document, path: Sequence[str | int]) -> str | None:
    """The text of the scalar at a path of keys and indexes, or None."""
    found = _item_under(document.value, path)
    is_filled = found is not None and type(found.value) not in COLLECTIONS and found.value not in (None, "")
    return scalar_text(found.value) if found is not None and is_filled else None


def _item_under(value: Value, path: Sequence[str | int]) -> Item | None:
    """The item at a path of keys and indexes, or None."""
    item: Item | None = None
    for key in path:
        if type(key) is int:
            item = value.items[key] if type(value) is Array and key < len(value.items) else None
        else:
            item = value.find(key) if type(value) is Map else None
        if item is None:
            return None
        value = item.value
    return item


def check_path(marks: Marks | None, document: Document, *made_of: Origin) -> None:
    """Raises UsageError if the path or the existence of a document depends on a secret, because paths are printed and
    stored.
    """
    if marks is None or marks.shows_all or not (marks.is_there_by_secret(document) or marks.is_secret(*made_of)):
        return
    # The line of the document would reveal the condition's result; that of the condition does not.
    control = marks.control_of(document, *made_of)
    at = (
        document.position
        if control is None
        else None
        if control is marks.unknown
        else Position(control.source, control.line)
    )
    raise UsageError(
        "the path of an output file depends on a secret",
        at=at,
        expected="a path without secrets: files are announced, and lists of them are stored",
        hint="--quote-values allows it",
        code="output-path",
    ).made_of()


def said(annotation: Annotation) -> str:
    """The argument of `@output/file`. Raises UsageError."""
    if annotation.kwargs or len(annotation.args) != 1 or type(annotation.args[0]) is not str:
        raise UsageError(
            "@output/file takes one path",
            at=annotation.position,
            expected='a path, such as #@output/file "web/app.yml"',
            code="output-path",
        )
    _check(annotation.args[0], annotation.position)
    return annotation.args[0]


def _check(path: str, at: Position | None) -> None:
    """Raises UsageError unless the path is a plain relative path."""
    if len(path) > _LONGEST:
        raise UsageError(
            "the path of an output file is too long",
            at=at,
            expected=f"at most {_LONGEST} characters",
            code="output-path",
        )
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in path or not path.isprintable():
        raise UsageError(
            f"{path!r} is not a path inside the output directory",
            at=at,
            expected='names with / between them, such as "web/app.yml", none of them . or ..',
            code="output-path",
        )
    inside(path, at, "change the path of @output/file or --output-by")


class PathReservations:
    """The paths in use. Paths that differ only in case are equal, as on some file systems."""

    __slots__ = ("_directories", "_taken")

    def __init__(self) -> None:
        self._taken: dict[str, tuple[str, Position | None]] = {}
        self._directories: dict[str, str] = {}

    def take(self, path: str, what: str, at: Position | None) -> None:
        """Reserves a path for a file. Raises UsageError if it is in use, or if a file and a directory would have the
        same path.
        """
        name = path.casefold()
        around = [name[:place] for place, char in enumerate(name) if char == "/"]
        rival = next((one for one in (name, *around) if one in self._taken), self._directories.get(name))
        if rival is not None:
            other, place = self._taken[rival]
            message, expected = f"two documents would be written to {path}", _DIFFER
            if rival != name:
                message, expected = f"{path} would be a file and a directory", "a file in the directory, or next to it"
            raise OutputError(
                message,
                at=at or place,
                also=[] if at is None or place is None else [place.labelled("the other one")],
                expected=expected,
                found=f"{other}, {what}",
                code="duplicate-output",
            )
        self._taken[name] = what, at
        for directory in around:
            self._directories.setdefault(directory, name)


def places_by(pattern: OutputPattern, documents: Iterable[Document], marks: Marks | None = None) -> list[Placed]:
    """The documents with their paths by a pattern, in order. marks: the marks of the evaluation.

    Raises UsageError if two documents would share a file, or a document has no path.
    """
    claims = PathReservations()
    found: list[Placed] = []
    for document in documents:
        check_path(marks, document, *pattern.items(document))
        found.append((pattern.path(document, ""), document))
        claims.take(found[-1][0], called(document), document.position)
    return found


def layered_places(documents: Iterable[Document]) -> list[Placed]:
    """The layered documents with their paths SCHEMA/NAME.yaml, in order (`plait layer --output-files`).

    Raises UsageError if two documents would share a file.
    """
    claims = PathReservations()
    found: list[Placed] = []
    for document in documents:
        ways = _under(document.value, ("schema",)), _under(document.value, ("metadata", "name"))
        schema, name = ("" if one is None else str(one[0]) for one in ways)
        found.append((f"{'/'.join(map(file_name, [*schema.split('/'), name]))}.yaml", document))
        try:
            claims.take(found[-1][0], f"{schema} {name}", document.position if ways[1] is None else ways[1][1])
        except UsageError as error:
            error.expected = "schemas and names that differ in more than upper and lower case"
            error.hint = "--layer, --name or --label chooses one of them"
            raise
    return found


def files_of(placed: Iterable[Placed], write: Callable[[DocumentSet], str]) -> list[OutputFile]:
    """The text of each file; each contains one document."""
    return [(path, write(DocumentSet([document], document.source, document.line))) for path, document in placed]


def called(document: Document) -> str:
    """The name of a document in messages about its file."""
    return document_name(document) or "a document without a name"


def file_name(part: str) -> str:
    """A value as part of a file name.

    Characters other than letters, digits, `-`, `_`, `.` and `~` are written %XX, and so is a leading dot.
    """
    quoted = quote(part, safe="", errors="replace") or "_"
    return f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted
