"""Nodes to JSON as Go writes it, and JSON to nodes (docs/reference/templates.md).

Keys are sorted by their bytes; `<`, `>`, `&` and the Unicode line separators are escaped; floats are plain decimals
from 1e-6 up to 1e21. An infinite float or a key that is not a string is an error.
"""

from __future__ import annotations

from math import isfinite
from operator import itemgetter

from plait.base.errors import LimitError, PlaitError, ReadError
from plait.base.limits import current_budget, limit_error
from plait.base.source import Position, Quoted, Source, Wording, public
from plait.tree.nodes import Array, DocumentSet, Map, MapItem, from_plain, kind_name
from plait.yaml.scalar_styles import decimal, leaf, plain_decimal
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.tree.nodes import Item, Value

_ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_ESCAPES.update({code: f"\\u{code:04x}" for code in range(0x20)})
_ESCAPES.update({0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r"})
_HTML_ESCAPES = {**_ESCAPES, ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


# Number of items between two checks of the time.
_A_LOOK = 1 << 14


def write_json(value: Value, *, indent: int = 0, escape_html: bool = True) -> str:
    """The value as JSON, without a line break at the end.

    indent: spaces per level, 0 for one line. Raises PlaitError for an infinite float or NaN, and for a key that is not
    a string.
    """
    escapes = _HTML_ESCAPES if escape_html else _ESCAPES
    colon = ": " if indent else ":"
    out: list[str] = []
    # A frame: the remaining items, and the collection's end.
    stack: list[tuple[Iterator[Item], str]] = []
    head = ""
    line = "\n" if indent else ""
    holder: Item | None = None
    # Shared nodes and strings make the output larger than the tree: an item counts as 64 characters.
    run = current_budget()
    most = run.most("output")
    room = looked = most >> 6
    while True:
        if looked - room > _A_LOOK:
            looked = room
            run.check_time()
        if isinstance(value, (Map, Array, DocumentSet)) and value.items:
            is_map = type(value) is Map
            room -= len(value.items)
            items: Sequence[Item] = _distinct(value) if type(value) is Map else value.items
            out.append(head + ("{" if is_map else "["))
            stack.append((iter(items), line + ("}" if is_map else "]")))
            if indent:
                line += " " * indent
            head = line
        else:
            if type(value) is str and len(value) + _growth(value, escapes) >> 6 > room:
                raise limit_error("the output", "output", most)
            text = _scalar(value, escapes, holder)
            room -= len(text) >> 6
            out.append(head + text)
            head = "," + line
        if room < 0:
            raise limit_error("the output", "output", most)
        while stack:
            item = next(stack[-1][0], None)
            if item is not None:
                break
            out.append(stack.pop()[1])
            if indent:
                line = line[:-indent]
            head = "," + line
        else:
            return "".join(out)
        if isinstance(item, MapItem):
            head += _string(str(item.key), escapes) + colon
        holder = item
        value = item.value


def _distinct(value: Map) -> list[MapItem]:
    last: dict[str, MapItem] = {}
    for item in value.items:
        if type(item.key) is not str:
            raise PlaitError(
                # The message does not name the key, which may depend on a secret.
                "JSON needs strings as keys, and this key is not a string",
                at=item.position,
                found=kind_name(item.key),
                hint="put it in quotes",
                code="not-json-data",
            )
        last[item.key] = item
    return [last[key] for key in sorted(last)]


def key_text(key: Value) -> str:
    """A key, as listings and messages show it."""
    if type(key) is str:
        return key
    if not isinstance(key, (Map, Array, DocumentSet)):
        return leaf(key)
    try:
        return write_json(key)
    except PlaitError:  # it contains a value that JSON cannot represent
        return " ".join(write_value(key).split())


def _scalar(value: Value, escapes: dict[int, str], holder: Item | None) -> str:
    if type(value) is str:
        return _string(value, escapes)
    if isinstance(value, Map):
        return "{}"
    if isinstance(value, (Array, DocumentSet)):
        return "[]"
    if type(value) is not float:
        return leaf(value)
    if not isfinite(value):
        raise PlaitError(
            f"JSON has no number for {leaf(value)}",
            at=holder.position if holder is not None else None,
            code="not-json-data",
        )
    sign, digits, exponent = decimal(value)
    if digits == "0":
        return sign + "0"
    if -6 <= exponent < 21:
        return sign + plain_decimal(digits, exponent)
    point = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{point}e{exponent:+d}"


def _string(text: str, escapes: dict[int, str]) -> str:
    text = text.translate(escapes)
    if not text.isascii() and not _is_text(text):
        text = "".join(["\\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text])
    return f'"{text}"'


def _is_text(text: str) -> bool:
    """True if the string has no unpaired surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _growth(text: str, escapes: dict[int, str]) -> int:
    """The number of characters that escaping adds to a long text."""
    return 5 * sum([text.count(chr(code)) for code in escapes]) if len(text) > _LONG else 0


_LONG = 1 << 20


def read_json(source: Source) -> Value:
    """Parses JSON as Go does: keys are sorted, the last value of a repeated key is used, numbers are floats.

    Raises ReadError, LimitError.
    """
    from json import JSONDecodeError, loads

    def refuse(name: str) -> float:
        raise ReadError(
            Wording("JSON has no ", Quoted(name)), at=Position(source, source.first_line), code="invalid-json-file"
        )

    def number(text: str) -> float:
        value = float(text)
        if value - value != 0:
            message = Wording("the number ", Quoted(_shortened(text)), " is too large")
            raise ReadError(message, at=Position(source, source.first_line), code="invalid-json-file")
        return value

    try:
        data = loads(
            source.text, parse_int=number, parse_float=number, parse_constant=refuse, object_pairs_hook=_in_order
        )
        return from_plain(data, source, source.first_line)
    except JSONDecodeError as error:
        at = Position(source, source.first_line + error.lineno - 1, error.colno)
        raise ReadError(Wording("no JSON: ", public(error.msg)), at=at, code="invalid-json-file") from None
    except RecursionError:
        raise LimitError("JSON is nested too deep", at=Position(source, source.first_line)) from None


def _in_order(pairs: list[tuple[str, object]]) -> dict[str, object]:
    return dict(sorted(dict(pairs).items(), key=itemgetter(0)))


def _shortened(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:27]}..."
