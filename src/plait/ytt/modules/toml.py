"""`@ytt:toml`: encodes and decodes TOML (docs/reference/modules.md).

The text is that of ytt, byte for byte: keys sorted, scalars and arrays before tables, each level of tables indented.
"""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal

from plait.base.errors import LimitError, StarlarkError
from plait.base.limits import current_budget, limit_error
from plait.tree.nodes import Array, DocumentSet, Map
from plait.ytt.modules.members import exactly, indentation, known, module_of, only_text
from plait.ytt.starlark.containers import Dict, List, insert
from plait.ytt.starlark.step_budget import charge
from plait.ytt.yaml_fragments import counted_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context
    from plait.tree.nodes import Value
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module

_BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", 0x7F: "\\u007f"}
_ESCAPES.update({code: f"\\u{code:04x}" for code in range(0x20)})
_ESCAPES.update({0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r"})


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("toml", {"decode": _decode, "encode": _encode})


def _encode(args: Args, kwargs: Kwargs) -> object:
    (value,) = exactly(1, args)
    known(kwargs, ("indent",))
    indent = indentation(kwargs) or 2
    nodes, made = counted_nodes(value)
    charge(made * 8)
    if type(nodes) is not Map:
        raise StarlarkError(
            "toml: top-level values must be maps",
            reference="toml: top-level values must be Go maps or structs",
            code="not-toml-data",
        )
    return write_toml(nodes, indent)


def write_toml(table: Map, indent: int = 2) -> str:
    """A map as TOML. Raises StarlarkError for null in arrays and for keys that are not strings."""
    out: list[str] = []
    _write_table(table, (), " " * indent, out)
    return "".join(out)


def _write_table(table: Map, path: tuple[str, ...], indent: str, out: list[str]) -> None:
    items = _sorted(table)
    pad = indent * len(path)
    for key, value in items:
        if value is not None and not _is_table(value) and not _is_tables(value):
            out.append(f"{pad}{_key(key)} = {_inline(value)}\n")
    for key, value in items:
        inner = (*path, key)
        name = ".".join(map(_key, inner))
        if type(value) is Map:
            if not path and out:
                out.append("\n")
            out.append(f"{pad}[{name}]\n")
            _write_table(value, inner, indent, out)
        elif isinstance(value, Array | DocumentSet) and _is_tables(value):
            for one in [entry.value for entry in value.items if isinstance(entry.value, Map)]:
                if out:
                    out.append("\n")
                out.append(f"{pad}[[{name}]]\n")
                _write_table(one, inner, indent, out)


def _sorted(table: Map) -> list[tuple[str, Value]]:
    last: dict[str, Value] = {}
    for item in table.items:
        if type(item.key) is not str:
            raise StarlarkError(f"toml: expected key to be string, but was {item.key!r}", code="not-toml-data")
        last[item.key] = item.value
    return sorted(last.items(), key=lambda pair: pair[0])


def _is_table(value: Value) -> bool:
    return type(value) is Map


def _is_tables(value: Value) -> bool:
    """True if a value is an array of tables, written as `[[name]]` sections."""
    if not isinstance(value, Array | DocumentSet) or not value.items:
        return False
    if any(entry.value is None for entry in value.items):
        raise StarlarkError("toml: cannot encode array with nil element", code="not-toml-data")
    return all(type(entry.value) is Map for entry in value.items)


def _key(key: str) -> str:
    return key if key and all(character in _BARE for character in key) else f'"{key.translate(_ESCAPES)}"'


def _inline(value: Value) -> str:
    if isinstance(value, str):
        return f'"{value.translate(_ESCAPES)}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Map):
        items = _sorted(value)
        items.sort(key=lambda pair: _is_table(pair[1]) or _is_tables(pair[1]))
        return "{" + ", ".join(f"{_key(key)} = {_inline(inner)}" for key, inner in items if inner is not None) + "}"
    if isinstance(value, Array | DocumentSet):
        _is_tables(value)
        return "[" + ", ".join(_inline(entry.value) for entry in value.items) + "]"
    return str(value)


def _float(value: float) -> str:
    if value - value != 0:
        return "nan" if value != value else "+inf" if value > 0 else "-inf"  # noqa: PLR0124
    text = repr(value)
    if "e" in text:
        text = format(Decimal(text), "f")
    return text if "." in text else f"{text}.0"


def _decode(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored

    text = only_text(args)
    charge_decoding(text)
    try:
        return _data(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise StarlarkError(f"toml: {error}", code="invalid-toml").about("string", ")") from None
    except RecursionError:
        raise LimitError("toml: nested too deeply") from None


def charge_decoding(text: str) -> None:
    """Charges for a text and its dotted keys: for each part of the key of a value, the library walks from the root.

    Raises LimitError for a key with more parts than collections may be nested, and for arrays nested more deeply.
    """
    charge(len(text) * 20)
    part = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
    # Words and quoted strings are matched as a whole, even if unterminated, so that each character is read once.
    keys = re.compile(rf"""{part}(?:[ \t]*+\.[ \t]*+{part})*+|"(?:[^"\\\n]|\\.)*+|'[^'\n]*+""")
    parts = re.compile(part)
    most = current_budget().most("nesting")
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth += 1 if bracket[0] in "[{" else -1 if bracket[0] in "]}" else 0
        if depth > most:
            raise limit_error("the depth of a TOML text", "nesting", most)
    deepest, steps = 1, 0
    for found in keys.finditer(text):
        key = found[0]
        if "." not in key:
            continue
        count = len(parts.findall(key))
        if count > most:
            raise limit_error("a key of a TOML text", "nesting", most)
        deepest = max(deepest, count)
        steps += count * (count + deepest) >> 1
    # Each value is below a table, and the keys of both may be deep.
    charge(steps + deepest * (text.count("=") + text.count("[")))


# Strings and comments are matched as a whole.
_BRACKETS = re.compile(
    r'''"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"{0,5}'''
    r"""|'''(?:[^']|'{1,2}(?!'))*+'{0,5}"""
    r"""|"(?:[^"\\\n]|\\.)*+"?|\'[^\'\n]*+\'?|\#[^\n]*+|[\[\]{}]""",
    re.DOTALL,
)
# Numbers of TOML have 64 bits.
FAR = 1 << 63


def _data(value: object) -> object:
    if isinstance(value, dict):
        data = Dict()
        for key in sorted(value):
            insert(data, key, _data(value[key]))
        return data
    if isinstance(value, list):
        return List([_data(inner) for inner in value])
    if isinstance(value, int) and not -FAR <= value < FAR:
        raise StarlarkError(
            f"toml: {value} is out of range for int64", expected="a number of at most 64 bits", code="number-range"
        )
    if isinstance(value, str | int | float):
        return value
    raise StarlarkError(
        f"toml: dates and times cannot be values here: {value}", hint="write it as a string", code="invalid-toml"
    )
