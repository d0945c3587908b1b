"""The language of templates: Starlark with blocks closed by `end`, compiled to Python code objects
(docs/reference/language.md).

    scan -> parse -> syntax tree -> resolve -> Python ast -> code object

`compile_program` does all of this. A `Program` can run any number of times. `values`, `containers` and `structs` define
values, `table` the builtins, `operators` and `runtime` the meaning of programs, `step_budget` and `loops` their cost.
`optimize` and `probe` (provenance of values) are optional.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.arguments import unpack, unpack_positional
    from plait.starlark.calls import call
    from plait.starlark.comparison import compare, equals
    from plait.starlark.containers import FROZEN, Dict, List, Set, freeze, has, insert, lookup, remove
    from plait.starlark.program import Load as Load
    from plait.starlark.program import Program, compile_program
    from plait.starlark.program_parts import ArgsSlot, CodePart, ExprSlot, TemplateStatement
    from plait.starlark.program_parts import Piece as Piece
    from plait.starlark.program_parts import Slot as Slot
    from plait.starlark.program_parts import Slots as Slots
    from plait.starlark.step_budget import budget_of, check_room, look, spend
    from plait.starlark.structs import STRUCTS, Members, Module, Struct
    from plait.starlark.value_text import repr_of, str_of
    from plait.starlark.values import Builtin, NoAttribute, Value, is_callable, is_function, type_of

__all__ = [
    "FROZEN",
    "STRUCTS",
    "ArgsSlot",
    "Builtin",
    "CodePart",
    "Dict",
    "ExprSlot",
    "List",
    "Members",
    "Module",
    "NoAttribute",
    "Program",
    "Set",
    "StarlarkError",
    "Struct",
    "TemplateStatement",
    "Value",
    "budget_of",
    "call",
    "check_room",
    "compare",
    "compile_program",
    "equals",
    "freeze",
    "has",
    "insert",
    "is_callable",
    "is_function",
    "look",
    "lookup",
    "remove",
    "repr_of",
    "spend",
    "str_of",
    "type_of",
    "unpack",
    "unpack_positional",
]

# The module of each name: a program that only puts scalars into nodes needs few of them.
_HOMES = {
    name: module
    for module, names in {
        "arguments": ("unpack", "unpack_positional"),
        "step_budget": ("budget_of", "check_room", "look", "spend"),
        "calls": ("call",),
        "comparison": ("compare", "equals"),
        "containers": ("FROZEN", "Dict", "List", "Set", "freeze", "has", "insert", "lookup", "remove"),
        "value_text": ("repr_of", "str_of"),
        "program_parts": ("ArgsSlot", "CodePart", "ExprSlot", "TemplateStatement"),
        "program": ("Program", "compile_program"),
        "structs": ("STRUCTS", "Members", "Module", "Struct"),
        "values": ("Builtin", "NoAttribute", "Value", "is_callable", "is_function", "type_of"),
    }.items()
    for name in names
}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
