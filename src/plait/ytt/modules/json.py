"""`@ytt:json`: encodes and decodes JSON (docs/reference/modules.md).

All numbers returned by `decode` are floats, and the keys of its dicts are sorted.
"""

from __future__ import annotations

from plait.base.errors import LimitError, PlaitError, StarlarkError
from plait.base.source import Source
from plait.yaml.json import read_json, write_json
from plait.ytt.modules.json_faults import fault
from plait.ytt.modules.members import exactly, flag, indentation, known, module_of, only_text
from plait.ytt.starlark.containers import Dict, List
from plait.ytt.starlark.step_budget import charge
from plait.ytt.yaml_fragments import to_data, to_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("json", {"decode": _decode, "encode": _encode})


def _encode(args: Args, kwargs: Kwargs) -> object:
    (value,) = exactly(1, args)
    known(kwargs, ("indent", "escape_html"))
    indent = indentation(kwargs)
    escape_html = flag(kwargs, "escape_html", default=True)
    if type(value) is str:
        charge(len(value) * 3)
    nodes = to_nodes(value)
    try:
        text = write_json(nodes, indent=indent, escape_html=escape_html)
    except PlaitError as error:
        kind = LimitError if isinstance(error, LimitError) else StarlarkError
        raise kind(error.message, at=error.at, found=error.found, hint=error.hint) from None
    charge(len(text) * 3)
    return text


def _decode(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored

    text = only_text(args)
    charge(len(text) * 3)
    try:
        data = to_data(read_json(Source("", text)))
    except PlaitError as error:
        if isinstance(error, LimitError):
            raise LimitError(error.message) from None
        message, line = fault(text) or (error.message, 0)
        place = f"line {line} of the text" if line and "\n" in text else None
        found = StarlarkError(message, found=place, hint=error.hint, code="invalid-json")
        raise found.about("string", ")") from None
    # Only escapes can create half of a surrogate pair; lone halves in strings represent bytes that are not UTF-8.
    return data if text.isascii() and "\\u" not in text else _readable(data)


def _readable(data: object) -> object:
    """The data with U+FFFD for each unpaired surrogate."""
    if type(data) is Dict:
        return Dict([(_readable(key), _readable(value)) for key, value in data.items()])
    if type(data) is List:
        return List([_readable(value) for value in data])
    if type(data) is str and any("\ud800" <= character <= "\udfff" for character in data):
        return "".join(["\ufffd" if "\ud800" <= character <= "\udfff" else character for character in data])
    return data
