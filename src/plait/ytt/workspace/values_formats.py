"""Data values files in TOML and in the format of `.env` files (docs/reference/data-values.md).

The library that decodes TOML gives no positions, so a second pass finds the line of each key and item in the valid
text.
"""

from __future__ import annotations

import re
import tomllib

from plait.base.errors import LimitError, ReadError, warning
from plait.base.limits import current_budget, limit_error
from plait.base.source import Position, Source, public
from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem
from plait.ytt.modules.toml import FAR, charge_decoding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from plait.base.errors import Warn
    from plait.tree.nodes import Value

    # The identity of a table or array, with a key or an index.
    Slot: TypeAlias = "tuple[int, str | int]"

# The names of files in a directory, by format.
ENDINGS = {"toml": (".toml",), "dotenv": (".env",), "dotenv-yaml": (".env",)}


def read_format(source: Source, form: str, convert: Callable[[Source], Value], warn: Warn | None) -> list[Document]:
    """The documents of a file: one, or none if it sets nothing. form: "toml", "dotenv" or "dotenv-yaml". convert: reads
    a value of "dotenv-yaml" as YAML. Raises ReadError, LimitError.
    """
    text = _checked(source)
    root = _toml(source, text) if form == "toml" else _dotenv(source, text, convert if form != "dotenv" else None, warn)
    return [Document(root, source, 1)] if root.items else []


def _checked(source: Source) -> str:
    text = source.text.removeprefix("\ufeff").replace("\r\n", "\n")
    wrong = _UNREADABLE.search(text)
    if wrong is not None:
        is_byte = wrong[0] >= "\ud800"
        raise ReadError(
            public("the file is not UTF-8" if is_byte else "the file contains a control character"),
            at=Position(source, text.count("\n", 0, wrong.start()) + 1),
            found=public(f"the byte {ord(wrong[0]) - 0xDC00:#04x}" if is_byte else f"U+{ord(wrong[0]):04X}"),
            hint=None if is_byte else public("remove it, or write an escape sequence"),
            code="not-utf8" if is_byte else "data-value-flag",
        )
    return text


# Half characters stand for bytes that are not UTF-8.
_UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def _toml(source: Source, text: str) -> Map:
    whole = Position(source, 0)
    try:
        charge_decoding(text)
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        digits = re.match(r"line (\d+)", place)
        line = int(digits[1]) if digits is not None else text.count("\n") + 1
        raise ReadError(
            # The library names keys and single characters, no values.
            public(f"the file is not valid TOML: {message[:1].lower()}{message[1:]}"),
            at=Position(source, line),
            code="invalid-toml",
        ) from None
    except RecursionError:
        raise limit_error("the depth of the file", "nesting", current_budget().most("nesting"), at=whole) from None
    except LimitError as error:
        error.at = whole
        raise
    except ValueError:  # an integer with more digits than Python converts
        raise _far(whole) from None
    found = _TomlLines(text)
    found.read(data)
    return _nodes(source, data, found)


def _far(at: Position) -> ReadError:
    return ReadError(
        public("an integer is too large"),
        at=at,
        expected=public("a number of at most 64 bits"),
        hint=public("quote it"),
        code="number-range",
    )


def _nodes(source: Source, data: dict[str, object], found: _TomlLines) -> Map:
    root = Map([], source, 1)
    # No recursion: headers may nest as deeply as the limit allows.
    pending: list[tuple[dict[str, object] | list[object], Map | Array]] = [(data, root)]
    for container, node in pending:
        members = container.items() if isinstance(container, dict) else enumerate(container)
        for key, value in members:
            slot = (id(container), key)
            line = found.lines[slot]
            new: Value
            if isinstance(value, dict):
                new = Map([], source, line)
                pending.append((value, new))
            elif isinstance(value, list):
                new = Array([], source, line)
                pending.append((value, new))
            elif isinstance(value, int) and not -FAR <= value < FAR:
                raise _far(Position(source, line))
            elif isinstance(value, str | int | float):
                new = value
            else:
                new = found.dates[slot]
            if isinstance(node, Map):
                node.items.append(MapItem(key, new, source, line))
            else:
                node.items.append(ArrayItem(new, source, line))
    return root


_SKIPPED = re.compile(r"(?:[ \t\n]|#[^\n]*)*+")
_BASIC = r'"(?:[^"\\\n]|\\.)*+"'
_LITERAL = r"'[^'\n]*+'"
_KEY = re.compile(rf"[ \t]*+([\w-]++|{_BASIC}|{_LITERAL})[ \t]*+(\.?)")
_SCALAR = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"""(?:"{0,2})'
    rf"|'''(?:[^']|'{{1,2}}(?!'))*+'''(?:'{{0,2}})|{_BASIC}|{_LITERAL}"
    # A date and its time may be separated by a space.
    r"|(?:\d{4}-\d\d-\d\d\ (?=\d\d:))?[^\s,\]}#]++",
    re.DOTALL,
)


class _TomlLines:
    """The line of each member of a table or array in a valid TOML text. lines: the first line that names a member.
    dates: the texts of dates and times, which YAML reads as strings.
    """

    __slots__ = ("_at", "_counted", "_indexes", "_line", "_text", "dates", "lines")

    def __init__(self, text: str) -> None:
        self.lines: dict[Slot, int] = {}
        self.dates: dict[Slot, str] = {}
        self._text = text
        self._at = self._counted = 0
        self._line = 1
        # The index of the last `[[table]]` of each array of tables.
        self._indexes: dict[int, int] = {}

    def read(self, data: dict[str, object]) -> None:
        """data: the tables of the text."""
        table = data
        while self._next():
            if self._next() == "[":
                is_item = self._text.startswith("[[", self._at)
                self._at += 1 + is_item
                table = self._header(data, is_item=is_item)
                self._at += 1 + is_item
            else:
                self._pair(table)

    def _next(self) -> str:
        """The next character after white space and comments; "" at the end."""
        found = _SKIPPED.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return self._text[self._at : self._at + 1]

    def _here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _keys(self) -> list[str]:
        keys = []
        dot = "."
        while dot:
            found = _KEY.match(self._text, self._at)
            assert found is not None
            self._at = found.end()
            key, dot = found[1], found[2]
            if key[0] == "'":
                key = key[1:-1]
            elif key[0] == '"':
                key = tomllib.loads(f"key = {key}")["key"] if "\\" in key else key[1:-1]
            keys.append(key)
        return keys

    def _header(self, table: dict[str, object], *, is_item: bool) -> dict[str, object]:
        line = self._here()
        keys = self._keys()
        for position, key in enumerate(keys):
            self.lines.setdefault((id(table), key), line)
            value = table[key]
            if isinstance(value, list):
                index = self._indexes.get(id(value), -1)
                if is_item and position == len(keys) - 1:
                    index += 1
                    self._indexes[id(value)] = index
                    self.lines[id(value), index] = line
                value = value[index]
            assert isinstance(value, dict)
            table = value
        return table

    def _pair(self, table: dict[str, object]) -> None:
        line = self._here()
        *tables, key = self._keys()
        for name in tables:
            self.lines.setdefault((id(table), name), line)
            value = table[name]
            assert isinstance(value, dict)
            table = value
        self.lines[id(table), key] = line
        self._at += 1  # the equals sign
        self._value((id(table), key), table[key])

    def _value(self, slot: Slot, value: object) -> None:
        self._next()
        if isinstance(value, list):
            self._at += 1
            for index, inner in enumerate(value):
                self._next()
                self.lines[id(value), index] = self._here()
                self._value((id(value), index), inner)
                self._skip_comma()
            self._next()
            self._at += 1
        elif isinstance(value, dict):
            self._at += 1
            while self._next() != "}":
                self._pair(value)
                self._skip_comma()
            self._at += 1
        else:
            found = _SCALAR.match(self._text, self._at)
            assert found is not None
            self._at = found.end()
            if not isinstance(value, str | int | float):
                self.dates[slot] = found[0]

    def _skip_comma(self) -> None:
        if self._next() == ",":
            self._at += 1
            self._next()


_NAME = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_COMMENT = re.compile(r"(?<![^ \t])#")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "$": "$", "\n": ""}
_REFERENCE = re.compile(r"\$[A-Za-z_{(]")


class _DotenvReader:
    """Reads the variables of a text, in order."""

    __slots__ = ("_at", "_counted", "_text", "line", "source")

    def __init__(self, source: Source, text: str) -> None:
        self.source = source
        self._text = text
        self._at = self._counted = 0
        self.line = 1

    def next(self) -> tuple[str, str] | None:
        """The next variable, and its text; None at the end. `line` is its line. Raises ReadError."""
        while (blank := _REST.match(self._text, self._at)) is not None and self._at < len(self._text):
            self._at = blank.end()
        self.line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        if self._at >= len(self._text):
            return None
        found = _NAME.match(self._text, self._at)
        if found is None:
            raise self.error(
                "the line does not set a variable", expected="NAME=VALUE, with letters, digits and _ in NAME"
            )
        self._at = found.end()
        quote = self._text[self._at : self._at + 1]
        text = self._quoted(quote) if quote in ("'", '"') else self._bare()
        return found[1], text

    def _quoted(self, quote: str) -> str:
        body = (_IN_DOUBLE if quote == '"' else _IN_SINGLE).match(self._text, self._at + 1)
        end = len(self._text) if body is None else body.end()
        if body is None or not self._text.startswith(quote, end):
            raise self.error(f"a quoted value has no closing {quote}")
        rest = _REST.match(self._text, end + 1)
        if rest is None:
            raise self.error(f"text follows the closing {quote}", expected="the end of the line, or a comment")
        self._at = rest.end()
        if quote == "'":
            return body[0]
        self._check_references(re.sub(r"\\.", "", body[0], flags=re.DOTALL), hint="write \\$, or use single quotes")
        for escape in _ESCAPE.finditer(body[0]):
            if escape[1] not in _ESCAPES:
                raise self.error(
                    "unknown escape sequence in double quotes",
                    expected='\\n, \\r, \\t, \\\\, \\" or \\$',
                    hint="in single quotes a backslash is literal",
                )
        return _ESCAPE.sub(lambda escape: _ESCAPES[escape[1]], body[0])

    def _bare(self) -> str:
        end = self._text.find("\n", self._at)
        line = self._text[self._at : end if end >= 0 else len(self._text)]
        # A comment follows white space; without any it is a part of the value.
        begins = (
            _COMMENT.search(line) if line[:1] != "#" or self._text[self._at - 1] in " \t" else _COMMENT.search(line, 1)
        )
        text = line[: begins.start()] if begins is not None else line
        self._at += len(line) + 1
        self._check_references(text, hint="put the value in single quotes to use it as it is")
        return text.strip(" \t")

    def _check_references(self, text: str, hint: str) -> None:
        if _REFERENCE.search(text):
            raise self.error(
                "a value refers to a variable", expected="a value without $NAME: references are not replaced", hint=hint
            )

    def error(self, message: str, expected: str | None = None, hint: str | None = None) -> ReadError:
        """An error at the current line."""
        at = Position(self.source, self.line)
        return ReadError(
            public(message),
            at=at,
            expected=None if expected is None else public(expected),
            hint=None if hint is None else public(hint),
            code="data-value-flag",
        )


_IN_DOUBLE = re.compile(r'(?:[^"\\]|\\.)*+', re.DOTALL)
_IN_SINGLE = re.compile(r"[^']*+")


def _dotenv(source: Source, text: str, convert: Callable[[Source], Value] | None, warn: Warn | None) -> Map:
    root = Map([], source, 1)
    # The number of an item among those of its map.
    places: dict[tuple[Map, str], int] = {}
    most = current_budget().most("nesting")
    reader = _DotenvReader(source, text)
    while (variable := reader.next()) is not None:
        name, value = variable
        # As in `--data-values-env`: two underscores separate levels.
        keys = name.split("__")
        if "" in keys:
            raise reader.error(f"{name} has an empty level", expected="a name on both sides of __")
        if len(keys) > most:
            raise limit_error("the name of a variable", "nesting", most, at=Position(source, reader.line))
        table = root
        for position, key in enumerate(keys):
            place = places.setdefault((table, key), len(table.items))
            item = table.items[place] if place < len(table.items) else None
            is_last = position == len(keys) - 1
            if item is not None and (type(item.value) is Map) is is_last:
                error = reader.error(f"{name} sets a value, and another variable sets one above or below it")
                error.also = [item.position.labelled("the other variable")]
                raise error
            if is_last:
                new = MapItem(
                    key, value if convert is None else _converted(reader, value, convert), source, reader.line
                )
                if item is None:
                    table.items.append(new)
                else:
                    table.items[place] = new
                    _warn_about_repeat(warn, name, item, new)
            elif item is None:
                inner = Map([], source, reader.line)
                table.items.append(MapItem(key, inner, source, reader.line))
                table = inner
            else:
                assert isinstance(item.value, Map)
                table = item.value
    return root


def _warn_about_repeat(warn: Warn | None, name: str, before: MapItem, item: MapItem) -> None:
    if warn is not None:
        warn(
            warning(
                f'duplicate variable "{name}": only the last one counts, {item.position}',
                code="repeated-key",
                at=before.position,
                word=name,
                also=[item.position.labelled("the one that is used")],
            )
        )


def _converted(reader: _DotenvReader, text: str, convert: Callable[[Source], Value]) -> Value:
    whole = reader.source
    source = Source(whole.name, text, reader.line).hidden()
    source.shown = whole.shown
    return convert(source)
