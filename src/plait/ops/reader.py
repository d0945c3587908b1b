"""Reads and writes files with the settings of this dialect (docs/reference/operations.md).

Reading: only the first document, scalar keys, a skipped byte order mark, resolved duplicate keys. Writing: sorted keys,
folded strings.
"""

from __future__ import annotations

import os

from plait.base.content import file_content, note_home
from plait.base.errors import OpsError, ReadError
from plait.base.source import CLAUSE, Advice, Flag, Position, Source, Wording, public, reason
from plait.ops.scalar_text import scalar_text
from plait.tree.nodes import Array, Map, kind_name
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate
from plait.yaml.scalars import has_typographic_quotes
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.base.errors import Warn
    from plait.tree.nodes import DocumentSet, Value

FOLD = 80
# Names of files in messages: the text to change, and the value of a variable.
TEMPLATE, VALUE = "the template", "the value of a variable"
# The sources of variables. Later ones in this list win.
KINDS = ("vars-env", "vars-file", "secrets", "var-file", "var")


def read_first(source: Source, warn: Warn | None = None) -> Value:
    """Reads the value of the first document. warn: receives notes about ignored parts. Raises ReadError, LimitError."""
    return _settled(source, _read(source), warn)


def read_named(source: Source, warn: Warn | None = None) -> Value:
    """As `read_first`, for a map from names to values: keys of the root map are strings as written."""
    return _settled(source, _read(source, text_keys=True), warn)


def _read(source: Source, *, text_keys: bool = False) -> DocumentSet:
    try:
        return read(source, keep_mark=False, first=True, scalar_keys=True, text_keys=text_keys)
    except ReadError as error:
        line = source.line(error.at.line) if error.at is not None else None
        name = _name_in_braces(line or "")
        if name:
            error.hint = public(f"a variable is written (({name})); quotes make {{{{ }}}} a string")
        if error.code == "key-not-scalar":
            from plait.ops.unmarshal import refused_key

            error.reference = refused_key(source)
        raise


def _settled(source: Source, tree: DocumentSet, warn: Warn | None) -> Value:
    documents = deduplicate(tree)
    has_more = documents is not tree or has_typographic_quotes(source.text)
    if warn is not None and (has_more or "\n---" in source.text):
        from plait.ops.ignored import warn_of_reading

        warn_of_reading(source, tree, warn, of_keys=has_more)
    return documents.items[0].value


def write_text(value: Value, *, sort: bool = True, tags: bool = False) -> str:
    """A value as BOSH prints it. sort: sort keys. tags: print tags (`plait.yaml.tags`)."""
    if tags:
        from plait.yaml.tags import printable

        return write_value(printable(value, sort=sort), fold=FOLD)
    return write_value(value, sort=sort, fold=FOLD)


def keep_format(source: Source, old: Value, new: Value) -> str:
    """Edits the text of a base with first document `old`, so that it becomes `new` with as few changed lines as
    possible.
    """
    from plait.yaml.format_preserving import keep_format as kept

    return kept(source, old, new, read_first)


class DecodeError(ReadError):
    """Raised for bytes that are not valid text. BOSH reports this when it parses the text as YAML."""

    code = "not-utf8"


def decoded(data: bytes) -> str:
    """The YAML text in bytes: UTF-8, or UTF-16 with a byte order mark. Raises ReadError for an incomplete UTF-16
    character.
    """
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return as_they_are(data)
    try:
        return data.decode("utf-16")
    except UnicodeDecodeError as error:
        raise DecodeError(
            "incomplete UTF-16 character",
            found=f"byte {error.start}",
            reference="yaml: incomplete UTF-16 character",
        ) from None


def as_they_are(data: bytes) -> str:
    """Decodes bytes. Invalid UTF-8 is preserved when the text is written."""
    return data.decode("utf-8", "surrogateescape")


def file_text(path: str, what: str, text_of: Callable[[bytes], str] = decoded) -> str:
    """The text of a file. what: its role in messages ("an ops file"). Raises ReadError."""
    if not path:
        raise ReadError(
            f"the path of {what} is empty",
            expected="a path",
            reference="Expected file path to be non-empty",
            code="file-not-found",
        )
    try:
        return text_of(file_content(path, f'{what}, "{path}",'))
    except (OSError, ValueError) as error:
        raise _unreadable(path, what, error) from None


_ABSOLUTE = frozenset({TEMPLATE, VALUE})


def _name_in_braces(line: str) -> str:
    """The name in `{{ NAME }}` on a line, or ""."""
    name = line.partition("{{")[2].partition("}}")[0].strip(" -")
    return name if name.replace(".", "").replace("-", "").isidentifier() else ""


def _unreadable(path: str, what: str, error: OSError | ValueError) -> ReadError:
    from plait.base.path_errors import read_failure

    # BOSH makes some paths absolute before it reads them.
    absolute = os.path.abspath(path) if what in _ABSOLUTE else path
    doing, call = ("Reading file content", "read") if isinstance(error, IsADirectoryError) else ("Opening file", "open")
    hint = None
    name, equals, file = path.partition("=")
    if equals and not os.path.lexists(path):
        flag = "var-file" if os.path.lexists(file) else "var"
        hint = Advice("to set a variable by its name, use ", Flag(flag, f"{name}={file}"))
    found: ReadError = read_failure(
        path, error, subject=f'{what}, "{path}"', hint=hint, reference=f"{call} {absolute}: {reason(error)}"
    )
    found.within("", role=CLAUSE, reference=f"{doing} {absolute}")
    return found


def file_source(path: str, what: str) -> Source:
    """A file as a source. Raises ReadError."""
    return Source(path, file_text(path, what))


def expand_home(path: str) -> str:
    """The path with a leading `~` replaced by the home directory."""
    if not path.startswith("~"):
        return path
    note_home()  # the message does not show the home directory
    return os.path.expanduser("~") + path[1:]


def texts_to_values(
    source: Source,
    what: str,
    warn: Warn | None = None,
    places: dict[str, Position] | None = None,
) -> dict[str, Value]:
    """Reads a file that maps names to values. An empty file has no values. places: receives the line of each name.

    Raises ReadError, OpsError.
    """
    value = read_named(source, warn)
    if value is None:
        return {}
    if type(value) is not Map:
        from plait.ops.unmarshal import root_line, wrong_type

        raise OpsError(
            Wording("the ", public(what), ' "', public(source.name), '" is not a map'),
            at=value.position if type(value) is Array else Position(source, root_line(source)),
            expected=public("a map from names to values"),
            found=public(kind_name(value)),
            hint=public(
                "these are operations: it is an ops file"
                if type(value) is Array and _has_operations(value)
                else "write each variable as a line `NAME: VALUE`, without a dash"
                if type(value) is Array
                else "write each variable as a line `NAME: VALUE`, with a colon and a space"
            ),
            reference=wrong_type(value, root_line(source), "template.StaticVariables"),
            code="variables-not-map",
        )
    if places is not None:
        places.update((_name(item.key), item.position) for item in value.items)
    return {_name(item.key): item.value for item in value.items}


def _has_operations(value: Array) -> bool:
    first = value.items[0].value if value.items else None
    return type(first) is Map and first.find("type") is not None and first.find("path") is not None


def _name(key: Value) -> str:
    if type(key) is str:
        return key

    return "" if key is None else scalar_text(key)
