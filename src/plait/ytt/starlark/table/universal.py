"""The universal functions: a row for each."""

from __future__ import annotations

from plait.ytt.starlark import builtins, loops
from plait.ytt.starlark.table.row import ANY, COPIES, KEEPS, LOOKS, SHARES, Row, named
from plait.ytt.starlark.value_text import str_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# ytt has several messages for an invalid call.
_NO_NAMES = ("{} does not accept keyword arguments", "")
_EXACTLY_ONE = ("{} does not accept keyword arguments", "{}: got {} arguments, want exactly 1")
_ONE = ("{} does not accept keyword arguments", "{} got {} arguments, wants 1")


def _sorted(*args: object, **kwargs: object) -> object:
    from plait.ytt.starlark.sorting import sort

    return sort(args, kwargs)


UNIVERSAL: Mapping[str, Row] = named(
    {
        "all": Row(builtins.all_, 1, 1, "bool", LOOKS),
        "any": Row(builtins.any_, 1, 1, "bool", LOOKS),
        "bool": Row(builtins.bool_, 0, 1, "bool", LOOKS),
        "chr": Row(builtins.chr_, 1, 1, "str", LOOKS, words=_NO_NAMES),
        "dict": Row(builtins.dict_, 0, ANY, "dict", KEEPS),
        "dir": Row(builtins.dir_, 1, 1, "list", KEEPS, words=_NO_NAMES),
        "enumerate": Row(builtins.enumerate_, 1, 2, "list", SHARES),
        "fail": Row(builtins.fail_, 0, ANY, "", LOOKS),
        "float": Row(builtins.float_, 0, 1, "float", LOOKS, words=_ONE),
        "getattr": Row(builtins.getattr_, 2, 3, "", KEEPS),
        "hasattr": Row(builtins.hasattr_, 2, 2, "bool", KEEPS),
        "hash": Row(builtins.hash_, 1, 1, "small", LOOKS),
        "int": Row(builtins.int_, 0, ANY, "int", LOOKS),
        "len": Row(builtins.len_, 1, 1, "small", LOOKS),
        "list": Row(builtins.list_, 0, 1, "list", COPIES),
        "max": Row(builtins.max_, 0, ANY, "", SHARES, calls=True),
        "min": Row(builtins.min_, 0, ANY, "", SHARES, calls=True),
        "ord": Row(builtins.ord_, 1, 1, "small", LOOKS, words=_NO_NAMES),
        "print": Row(builtins.print_, 0, ANY, "", LOOKS),
        "range": Row(loops.range_, 1, 3, "", LOOKS),
        "repr": Row(builtins.repr_, 1, 1, "str", LOOKS),
        "reversed": Row(builtins.reversed_, 1, 1, "list", COPIES),
        "set": Row(builtins.set_, 0, 1, "", SHARES),
        "sorted": Row(_sorted, 0, ANY, "list", COPIES, calls=True),
        "str": Row(str_of, 1, 1, "str", LOOKS, words=_EXACTLY_ONE),
        "tuple": Row(builtins.tuple_, 0, 1, "tuple", SHARES),
        "type": Row(builtins.type_, 1, 1, "str", LOOKS, words=_EXACTLY_ONE),
        "zip": Row(builtins.zip_, 0, ANY, "list", SHARES),
    }
)
