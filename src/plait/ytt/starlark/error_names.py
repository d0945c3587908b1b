"""Names the value that caused an error: `data.values.hosts is None`.

Starlark's own message names only types (`NoneType value is not iterable`). The names and struct members on the line are
evaluated again, without calls.
"""

from __future__ import annotations

import re
from collections import ChainMap

from plait.base.errors import replacing
from plait.base.similar_names import listed
from plait.base.source import Position
from plait.ytt.starlark.attributes import has_attribute
from plait.ytt.starlark.structs import Module, WithMembers
from plait.ytt.starlark.table.methods import METHODS
from plait.ytt.starlark.values import NoAttribute, definition_of, is_function, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType

    from plait.base.errors import StarlarkError
    from plait.base.source import Source

_NAMES = re.compile(r"(?<![\w.\"'])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_PAIRS = re.compile(r"\s*for\s+([A-Za-z_]\w*)\s*,\s*(\w+)\s*\bin\s+([A-Za-z_][\w.]*)\s*:?\s*$")
_CALLS = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\(")
_ABSENT = object()
_LONGEST = 2000
_MOST_NAMED = 8
_CALLED = 2  # frames of a function and of its call
_RETURN = "it needs a return"


# Functions and methods of other languages, with their names in this language.
_ELSEWHERE = {
    "add": ("append",), "b64decode": ("decode",), "b64encode": ("encode",), "concat": ("extend",),
    "dump": ("encode",), "dumps": ("encode",), "indexOf": ("find", "index"), "isnumeric": ("isdigit",),
    "load": ("decode",), "loads": ("decode",), "merge": ("update",), "parse": ("decode",), "push": ("append",),
    "put": ("update",), "replaceAll": ("replace",), "safe_dump": ("encode",), "safe_load": ("decode",),
    "stringify": ("encode",), "substr": ("find",), "toLowerCase": ("lower",), "toUpperCase": ("upper",),
    "to_json": ("encode",), "to_yaml": ("encode",), "trim": ("strip",), "trimEnd": ("rstrip",), "trimStart": ("lstrip",),
}  # fmt: skip
# The way to items of a value that has none itself, by its type.
_ITEMS = {
    "int": "; range(...) has that many items",
    "string": "; write [...] around it for a list with one item",
    "struct": "; struct.decode(...) converts it to a dict",
}
# Replacements for methods of other languages that no value has.
_WRITTEN = {
    "casefold": "x.lower() returns the string in lower case",
    "center": 'there is no padding: " " * (8 - len(x)) + x',
    "contains": '"x in y" tests for a part, an item or a key',
    "copy": "list(x) and dict(x) are copies; a string never changes",
    "each": "a loop: for x in ...",
    "filter": "a comprehension: [x for x in items if condition]",
    "has": '"x in y" tests for a part, an item or a key',
    "has_key": '"key in x" tests for a key',
    "includes": '"x in y" tests for a part, an item or a key',
    "isdecimal": "x.isdigit() tests for digits",
    "length": "len(x) is the length",
    "ljust": 'there is no padding: x + " " * (8 - len(x))',
    "map": "a comprehension: [f(x) for x in items]",
    "removeprefix": 'x[len("prefix"):] if x.startswith("prefix") else x',
    "removesuffix": 'x[:-len("suffix")] if x.endswith("suffix") else x',
    "reverse": "reversed(x) returns a reversed list",
    "rjust": 'there is no padding: " " * (8 - len(x)) + x',
    "size": "len(x) is the length",
    "sort": "sorted(x) returns a sorted list",
    "toString": "str(x) converts a value to a string",
    "to_string": "str(x) converts a value to a string",
    "zfill": 'there is no padding: "0" * (3 - len(x)) + x',
}


def name_operand(error: StarlarkError, frames: Sequence[tuple[FrameType, int]]) -> None:
    """Adds a hint to an error: the name of the value at fault, and the line that set it.

    frames: those of the program with their lines, outermost first.
    """
    wanted, behind = error.of_type, error.mark
    member = f".{error.word}" if error.code == "unknown-attribute" else ""
    frame, line = frames[-1]
    source: Source = frame.f_globals["$source"]
    known = _variables(frames)
    code = _code((source.line(line) or "")[:_LONGEST])
    if member and error.hint is None and not error.suggestions:
        error.hint = _in_other_languages(error.word, code, known) or _unpacked(error, source, line, code, known)
    if error.code == "unpacking":
        error.hint = _entries(code, known)
        return
    for name in _NAMES.finditer(code):
        named: str | None = name[0]
        if wanted == "NoneType":
            named = _none_within(name[0], known)
        elif member:
            named = name[0].removesuffix(member) if name[0].endswith(member) else None
        if named is None or (behind and code[name.end() : name.end() + 1] != behind and wanted != "NoneType"):
            continue
        value = _value(named, known)
        if value is _ABSENT or type_of(value) != wanted or (value and error.code == "index-range"):
            continue
        place = _place(named, known)
        if place is not None:
            error.also.append(place.labelled("the line that sets the value"))
        if value is None:
            origin = _origin(named, source, line, error, known) or _argument(named, frames, error)
            error.hint = f"{named} is None{origin}"
            if code.lstrip().startswith("for "):
                error.hint += f"; to loop over a value that may be null: for ... in {named} or []"
            elif not origin.endswith(_RETURN):
                error.hint += f"; test it first: if {named}"
        elif error.code == "index-range":
            if place is not None and place.source is not None and "#@data/values-schema" in place.source.text:
                error.hint = (
                    f"{named} is empty, because an item in a schema is only the type of the items: #@schema/default [...] "
                    "above the key sets a default, and if tests for an empty list"
                )
        elif behind not in (")", "]"):
            error.hint = error.hint or f"{named} is a value of type {wanted}{_instead(error, named, code, value)}"
        return
    if wanted != "NoneType":
        return
    for call in _CALLS.finditer(code):
        place = definition_of(_value(call[1], known))
        if place is not None:
            error.hint = f"{call[1]}() returns None where it has no return"
            error.also.append(place.labelled("the definition"))
            return
    if ".get(" in code:
        error.hint = 'get() returns None for a missing key, or its second argument: get("key", {})'


def _instead(error: StarlarkError, named: str, code: str, value: object) -> str:
    if error.code == "not-iterable":
        return _ITEMS.get(error.of_type, "") if "for " in code else ""
    if error.code == "not-assignable":
        copied, load = named.rpartition(".")[2], 'load("@ytt:struct", "struct")'
        copies = {
            "struct": f"; its copy is a dict: {copied} = struct.decode({named}), with {load}",
            "tuple": f"; its copy is a list: {copied} = list({named})",
        }
        return copies.get(error.of_type, ", which never changes: create a new value")
    if error.mark == "(":
        return ", not a function" + (f"; {_members(named, value)}" if isinstance(value, Module) else "")
    member = f".{error.word}" if error.code == "unknown-attribute" else ""
    if member[1:] in METHODS[str]:
        return f"; str({named}) converts it to a string"
    types = [type_of(kind()) for kind, methods in METHODS.items() if member[1:] in methods]
    return f"; {member} is a method of {' and '.join(types)}" if types else ""


def _members(named: str, module: Module) -> str:
    """The functions of a module, as a call writes them."""
    names = sorted(module.members)
    return f"it has {listed([f'{named}.{name}' for name in names[:_MOST_NAMED]])}{', and others' * (len(names) > _MOST_NAMED)}"


def _unpacked(error: StarlarkError, source: Source, line: int, code: str, known: Mapping[str, object]) -> str | None:
    """A hint for a key of a map that a loop with two names takes apart, or None."""
    for number in range(line, max(line - _LONGEST, source.first_line - 1), -1):
        loop = _PAIRS.match(_code((source.line(number) or "")[:_LONGEST]))
        if loop is None:
            continue
        item, word = loop[2], error.word
        if not re.search(rf"(?<![\w.]){item}\.{word}\b", code):
            continue
        items = _value(loop[3], known)
        if type(_value(loop[2], known)) is not str or not isinstance(items, (list, tuple)) or not items:
            return None
        if not isinstance(items[0], dict) and type_of(items[0]) != "struct":
            return None
        if number != line:
            error.also.append(Position(source, number).labelled("the loop"))
        return (
            f"the loop unpacks each item, and {loop[2]} is its second key; "
            f"for the number and the item: for {loop[1]}, {loop[2]} in enumerate({loop[3]})"
        )
    return None


def _code(text: str) -> str:
    """A line without its string literals, so that their words do not count as names."""
    at = text.find("#@")
    code = text[at + 2 :] if at >= 0 else text
    return re.sub(r"\"[^\"]*\"|'[^']*'", lambda quoted: '"' + " " * (len(quoted[0]) - 2) + '"', code)


def _none_within(named: str, known: Mapping[str, object]) -> str | None:
    """The shortest prefix of a dotted name whose value is None, or None. The rest of such a name cannot be resolved."""
    parts = named.split(".")
    for count in range(1, len(parts) + 1):
        head = ".".join(parts[:count])
        if _value(head, known) is None:
            return head
    return None


def _variables(frames: Sequence[tuple[FrameType, int]]) -> Mapping[str, object]:
    """The variables in scope where an error was raised. A comprehension sees those of the enclosing function."""
    seen: list[Mapping[str, object]] = []
    for frame, _ in reversed(frames):
        seen.append(frame.f_locals)
        if frame.f_code.co_name not in ("<listcomp>", "<dictcomp>"):
            break
    return ChainMap(*seen, frames[-1][0].f_globals)  # type: ignore[arg-type]


def _value(named: str, known: Mapping[str, object]) -> object:
    first, *rest = named.split(".")
    value = known.get(first, _ABSENT)
    for name in rest:
        if not isinstance(value, WithMembers):
            return _ABSENT
        try:
            value = value.attr(name)
        except NoAttribute:
            return _ABSENT
    return value


def _place(named: str, known: Mapping[str, object]) -> Position | None:
    """The line that sets a member of a struct, or None."""
    head, _, name = named.rpartition(".")
    whole = _value(head, known) if head else _ABSENT
    return whole.place_of(name) if isinstance(whole, WithMembers) else None


def _entries(code: str, known: Mapping[str, object]) -> str | None:
    """A hint for a loop with two names over the names of a struct, or None for another statement."""
    loop = _PAIRS.match(code)
    if loop is None or type_of(_value(loop[3], known)) != "struct":
        return None
    first, named = loop[1], loop[3]
    return f"{named} is a struct, whose items are its names: for {first} in {named}, and {named}[{first}] is the value"


def _origin(named: str, source: Source, line: int, error: StarlarkError, known: Mapping[str, object]) -> str:
    """The origin of a name's value, if the lines above show it, else ""."""
    if "." in named:
        return ": it is null in the data values" if named.startswith("data.values.") else ""
    given = re.compile(rf"^\s*(?:#@\s*)?{re.escape(named)}\s*=(?!=)\s*(.*)$")
    for number in range(line - 1, source.first_line - 1, -1):
        found = given.match(source.line(number) or "")
        if found is None:
            continue
        error.also.append(Position(source, number).labelled("the assignment"))
        called = re.match(r"([A-Za-z_]\w*)\(.*\)\s*$", found[1])
        function = _value(called[1], known) if called is not None else None
        if called is not None and is_function(function):
            return f": {called[1]}() returns nothing; {_RETURN}"
        return ""
    return ""


def _argument(named: str, frames: Sequence[tuple[FrameType, int]], error: StarlarkError) -> str:
    """The origin of a parameter that is None, if one name on the line of the call is, else ""."""
    code = frames[-1][0].f_code
    if len(frames) < _CALLED or named not in code.co_varnames[: code.co_argcount]:
        return ""
    caller, line = frames[-2]
    known = _variables(frames[:-1])
    row = _code((caller.f_globals["$source"].line(line) or "")[:_LONGEST])
    found = {name[0] for name in _NAMES.finditer(row) if name[0] != "None" and _value(name[0], known) is None}
    if len(found) != 1:
        return ""
    given = found.pop()
    place = _place(given, known)
    if place is not None:
        error.also.append(place.labelled("the line that sets the value"))
    return f", as {given} of the call is" + (
        ": it is null in the data values" if given.startswith("data.values.") else ""
    )


def _in_other_languages(word: str, code: str, known: Mapping[str, object]) -> str | None:
    """A hint for the name of an attribute that other languages have, or None."""
    for name in _NAMES.finditer(code):
        receiver = name[0].removesuffix(f".{word}")
        if receiver == name[0]:
            continue
        value = _value(receiver, known)
        there = [] if value is _ABSENT else [one for one in _ELSEWHERE.get(word, ()) if has_attribute(value, one)]
        if there:
            return replacing(word, there, f"did you mean {listed([f'.{one}' for one in there])}?")
    return _WRITTEN.get(word)
