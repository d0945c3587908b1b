"""Which alternatives of a schema data values take, for whoever listens to a run (see `plait.events`); loaded when somebody
does. What its validations find is told where they run.
"""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.schema.check import key_text
from plait.schema.types import ArrayType, MapType, NullType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.events import Listener, Point
    from plait.nodes import Document, Item
    from plait.schema.types import Declaration
    from plait.schema.validations import Validation

_NULL, _VALUE = "null", "a value"
_GIVEN = "overridden"
HOLDS, FAILS = "holds", "fails"


def tell(listener: Listener, root: Declaration, document: Document) -> None:
    """Tell of a schema's alternatives, and which of them the final data values take."""
    _tell_there(listener, root)
    stack: list[tuple[Declaration, Item]] = [(root, document)]
    while stack:
        declaration, item = stack.pop()
        declared, value = declaration.type, item.value
        point = _point(declaration)
        if type(declared) is NullType:
            listener.went(declaration.source, point, _NULL if value is None else _VALUE)
            declared = declared.inner
        elif type(declared) is not MapType and not _is_default(declaration, item):
            listener.went(declaration.source, point, _GIVEN)
        if type(declared) is MapType and type(value) is Map:
            for entry in value.items:
                inner = declared.find(entry.key)
                if inner is not None:
                    stack.append((inner, entry))
        elif type(declared) is ArrayType and type(value) is Array:
            stack += [(declared.item, one) for one in value.items]


def _tell_there(listener: Listener, root: Declaration) -> None:
    stack = [root]
    while stack:
        declaration = stack.pop()
        declared = declaration.type
        if type(declared) is NullType or type(declared) is not MapType:
            listener.there(declaration.source, _point(declaration))
        if declaration.validation is not None:
            listener.there(declaration.validation.position.source, checking_point(declaration.validation))
        while type(declared) is NullType:
            declared = declared.inner
        if type(declared) is MapType:
            stack += [*declared.declarations.values(), *declared.others]
        elif type(declared) is ArrayType:
            stack.append(declared.item)


def checking_point(validation: Validation) -> Point:
    """A validation, which holds or fails where it is tried."""
    return "validation", (validation.position.line,), "", (HOLDS, FAILS)


def _point(declaration: Declaration) -> Point:
    name = key_text(declaration.key)
    if type(declaration.type) is NullType:
        return "nullable", (declaration.line,), name, (_NULL, _VALUE)
    return "default", (declaration.line,), name, (_GIVEN,)


def _is_default(declaration: Declaration, item: Item) -> bool:
    """Whether a value is the one that stands in the schema."""
    return item.source is declaration.source and item.line == declaration.line
