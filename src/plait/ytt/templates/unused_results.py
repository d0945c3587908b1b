"""Warnings about calls whose results are not used, and about functions that drop their nodes. Loaded only if a
template has such a line.
"""

from __future__ import annotations

from plait.base.errors import warning
from plait.ytt.starlark.values import type_of
from plait.ytt.yaml_fragments import YamlFragment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warn
    from plait.base.source import Position
    from plait.tree.nodes import Items

# The types of new values that are taken for changed ones.
_TYPES = frozenset({"list", "module", "string", "struct"})
_LONGEST = 100  # lines of a function that are searched


def warn_of_unused(value: object, call: str, at: Position, warn: Warn) -> None:
    """Warns about the unused result of a call. call: one that changes nothing, or "" for a function of the program."""
    if call:
        # A function of the program with this name may do more, but rarely returns such a value.
        if type_of(value) in _TYPES:
            whole = call.rpartition(".")[0]
            kept = f", and {whole} does not change" if whole else ""
            message = f"the result of {call}(...) is not used{kept}: assign it to a name, and use that name"
            warn(warning(message, code="unused-nodes", at=at))
    elif type(value) is YamlFragment and value.truth():
        message = (
            "the nodes that this call returns are not used; to use them, make the call the value of a node: key: #@ f()"
        )
        warn(warning(message, code="unused-nodes", at=at))


def warn_of_dropped(built: Items, value: object, warn: Warn) -> None:
    """Warns about the nodes of a function that returns another value."""
    at = built[0].position
    line = _return_below(at)
    shown = "its return" if line is None else f"the return in line {line}"
    message = (
        f"the nodes that this function builds are dropped, because it returns a value of its own ({type_of(value)}): "
        f"write the value as YAML in place of {shown}, or remove the nodes"
    )
    warn(warning(message, code="dropped-nodes", at=at))


def _return_below(at: Position) -> int | None:
    """The line of the only return of a value below a node of a function, or None."""
    found = []
    for number in range(at.line + 1, at.line + _LONGEST):
        code = (at.source.line(number) if at.source is not None else None) or ""
        words = code.partition("#@")[2].split()
        if words[:1] == ["def"]:
            break
        if words[:1] == ["return"]:
            found.append(number)
    return found[0] if len(found) == 1 else None
