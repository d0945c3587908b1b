"""`@ytt:json`: values to JSON and back (spec ytt 6 json).

What surprised us: all numbers that `decode` gives are floats, and the keys of its dicts are sorted.
"""

from __future__ import annotations

from weft.errors import WeftError
from weft.fragments import to_data, to_nodes
from weft.modules.members import exactly, flag, indentation, known, module_of, only_text
from weft.source import Source
from weft.starlark import StarlarkError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weft.context import Context
    from weft.modules.members import Args, Kwargs
    from weft.starlark import Module


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("json", {"decode": _decode, "encode": _encode})


def _encode(args: Args, kwargs: Kwargs) -> object:
    from weft.yaml import write_json

    (value,) = exactly(1, args)
    known(kwargs, ("indent", "escape_html"))
    indent = indentation(kwargs)
    escape_html = flag(kwargs, "escape_html", default=True)
    nodes = to_nodes(value)
    try:
        return write_json(nodes, indent=indent, escape_html=escape_html)
    except WeftError as error:
        raise StarlarkError(error.message, at=error.at, found=error.found, hint=error.hint) from None


def _decode(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
    from weft.yaml import read_json

    text = only_text(args)
    try:
        return to_data(read_json(Source("", text)))
    except WeftError as error:
        at = error.at
        place = "" if at is None else f" (line {at.line} of the text)"
        raise StarlarkError(f"{error.message}{place}", hint=error.hint) from None
