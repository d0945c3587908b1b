"""The text of values that hold others, as `str` and `repr` show them. Imported when the first is shown."""

from __future__ import annotations

from plait.errors import LimitError
from plait.starlark.values import Builtin, Dict, List, Set, Value, is_function, repr_of, type_of

# Lists that hold each other many times over print to texts of any length: this many parts are enough.
_MOST_PARTS = 1 << 21
_SCALARS = frozenset((str, int, float, bool, type(None)))
_FUNCTION = type(lambda: None)


def text_of(value: object) -> str:
    """What `repr(value)` answers. Raises LimitError."""
    out: list[str] = []
    _write(value, out, set())
    if len(out) > 16:
        from plait.starlark.budget import spend

        spend(len(out) * 6)
    return "".join(out)


def _write(value: object, out: list[str], path: set[int]) -> None:
    """path: identities of the lists and dicts around the value."""
    kind = type(value)
    if len(out) > _MOST_PARTS:
        raise LimitError(f"the text of a value would have more than {_MOST_PARTS} parts")
    if kind is List:
        out.append("[")
        _write_parts(value, value, out, path)
        out.append("]")
    elif kind is tuple:
        out.append("(")
        _write_parts(value, None, out, path)
        out.append(",)" if len(value) == 1 else ")")  # type: ignore[arg-type]
    elif kind is Dict:
        if id(value) in path:
            out.append("{...}")
            return
        path.add(id(value))
        separator = "{"
        for key, item in value.items():  # type: ignore[attr-defined]
            out.append(separator)
            _write(key, out, path)
            out.append(": ")
            _write(item, out, path)
            separator = ", "
        out.append("{}" if separator == "{" else "}")
        path.discard(id(value))
    elif kind is Set:
        out.append("set([")
        _write_parts(value, None, out, path)
        out.append("])")
    elif kind is range:
        out.append(_range_text(value))  # type: ignore[arg-type]
    elif kind is Builtin:
        out.append(_builtin_text(value.name, value.receiver))  # type: ignore[attr-defined]
    elif kind is _FUNCTION:
        name = value.__name__  # type: ignore[attr-defined]
        name = "lambda" if name == "<lambda>" else name
        out.append(f"<function {name}>" if is_function(value) else _builtin_text(name, None))
    elif isinstance(value, Value):
        out.append(value.text())
    elif kind is str or kind is int or kind is float or kind is bool or value is None:
        out.append(repr_of(value))
    else:
        out.append(f"<{kind.__name__}>")


def _write_parts(value: object, cyclic: object, out: list[str], path: set[int]) -> None:
    if cyclic is not None:
        if id(cyclic) in path:
            out.append("...")
            return
        path.add(id(cyclic))
    if _SCALARS.issuperset(map(type, value)):  # type: ignore[call-overload]
        out.append(", ".join(map(repr_of, value)))  # type: ignore[call-overload]
        if len(value) > 16:  # type: ignore[arg-type]
            from plait.starlark.budget import spend

            spend(len(value) * 6)  # type: ignore[arg-type]
        value = ()
    separator = ""
    for part in value:  # type: ignore[attr-defined]
        if separator:
            out.append(separator)
        _write(part, out, path)
        separator = ", "
    if cyclic is not None:
        path.discard(id(cyclic))


def _range_text(value: range) -> str:
    if value.step != 1:
        return f"range({value.start}, {value.stop}, {value.step})"
    return f"range({value.start}, {value.stop})" if value.start else f"range({value.stop})"


def _builtin_text(name: str, receiver: object) -> str:
    if receiver is not None:
        return f"<built-in method {name} of {type_of(receiver)} value>"
    return f"<built-in function {name}>"
