"""Coverage points for the alternatives of a schema that data values select (see `plait.base.events`). Imported only if
there is a listener. Results of validations are reported when they run.
"""

from __future__ import annotations

from plait.ytt.schema.alternatives import choose
from plait.ytt.schema.check import key_text
from plait.ytt.schema.types import MapType, NullType, OneOfType
from plait.ytt.schema.walk import declarations_in, declared_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.events import CoverageListener, Point
    from plait.tree.nodes import Document, Item
    from plait.ytt.schema.types import Declaration, Validation

_NULL, _VALUE = "null", "a value"
_GIVEN = "overridden"
HOLDS, FAILS = "holds", "fails"


def report_points(listener: CoverageListener, root: Declaration, document: Document) -> None:
    """Reports the alternatives of a schema, and the ones that the final data values select."""
    _declare_points(listener, root)
    stack: list[tuple[Declaration, Item]] = [(root, document)]
    while stack:
        declaration, item = stack.pop()
        declared, value = declaration.type, item.value
        point = _point(declaration)
        if type(declared) is NullType:
            listener.went(declaration.source, point, _NULL if value is None else _VALUE)
            declared = declared.inner
        if type(declared) is OneOfType:
            if value is not None:
                listener.went(declared.source, _choice(declared), declared.name_of(choose(declared, value)))
        elif type(declaration.type) not in (MapType, NullType) and not _is_default(declaration, item):
            listener.went(declaration.source, point, _GIVEN)
        stack += [(inner, one) for one, inner in declared_items(declaration, value)]


def _declare_points(listener: CoverageListener, root: Declaration) -> None:
    stack = [root]
    while stack:
        declaration = stack.pop()
        declared = declaration.type
        if type(declared) not in (MapType, OneOfType):
            listener.there(declaration.source, _point(declaration))
        if declaration.validation is not None:
            listener.there(declaration.validation.position.source, checking_point(declaration.validation))
        while type(declared) is NullType:
            declared = declared.inner
        if type(declared) is OneOfType:
            listener.there(declared.source, _choice(declared))
        stack += declarations_in(declared)


def checking_point(validation: Validation) -> Point:
    """The point of a validation, with the branches "holds" and "fails"."""
    return "validation", (validation.position.line,), "", (HOLDS, FAILS)


def _choice(declared: OneOfType) -> Point:
    """The point that identifies a choice between alternatives."""
    return "one-of", (declared.line,), "", tuple(declared.names)


def _point(declaration: Declaration) -> Point:
    name = key_text(declaration.key)
    if type(declaration.type) is NullType:
        return "nullable", (declaration.line,), name, (_NULL, _VALUE)
    return "default", (declaration.line,), name, (_GIVEN,)


def _is_default(declaration: Declaration, item: Item) -> bool:
    """True if a value is the schema's own default."""
    return item.source is declaration.source and item.line == declaration.line
