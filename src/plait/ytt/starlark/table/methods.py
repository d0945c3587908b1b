"""The methods: one row for each. A method that a type's rows do not list does not exist."""

from __future__ import annotations

from plait.ytt.starlark import methods, strings
from plait.ytt.starlark.containers import Dict, List, Set
from plait.ytt.starlark.table.row import ANY, EXTENDS, GIVES, LOOKS, STORES, Row, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_STRING = named(
    {
        "capitalize": Row(strings.capitalize, 0, 0, "str", LOOKS),
        "codepoint_ords": Row(strings.codepoint_ords, 0, 0, "", LOOKS),
        "codepoints": Row(strings.codepoints, 0, 0, "", LOOKS),
        "count": Row(strings.count, 1, 3, "small", LOOKS),
        "elem_ords": Row(strings.elem_ords, 0, 0, "", LOOKS),
        "elems": Row(strings.elems, 0, 0, "", LOOKS),
        "endswith": Row(strings.endswith, 1, 3, "bool", LOOKS),
        "find": Row(strings.find, 1, 3, "small", LOOKS),
        "format": Row(strings.format, 0, ANY, "str", LOOKS),
        "index": Row(strings.index_of, 1, 3, "small", LOOKS),
        "isalnum": Row(strings.isalnum, 0, 0, "bool", LOOKS),
        "isalpha": Row(strings.isalpha, 0, 0, "bool", LOOKS),
        "isdigit": Row(strings.isdigit, 0, 0, "bool", LOOKS),
        "islower": Row(strings.islower, 0, 0, "bool", LOOKS),
        "isspace": Row(strings.isspace, 0, 0, "bool", LOOKS),
        "istitle": Row(strings.istitle, 0, 0, "bool", LOOKS),
        "isupper": Row(strings.isupper, 0, 0, "bool", LOOKS),
        "join": Row(strings.join, 1, 1, "str", LOOKS),
        "lower": Row(strings.lower, 0, 0, "str", LOOKS),
        "lstrip": Row(strings.lstrip, 0, 1, "str", LOOKS),
        "partition": Row(strings.partition, 1, 1, "tuple", LOOKS),
        "replace": Row(strings.replace, 2, 3, "str", LOOKS),
        "rfind": Row(strings.rfind, 1, 3, "small", LOOKS),
        "rindex": Row(strings.rindex, 1, 3, "small", LOOKS),
        "rpartition": Row(strings.rpartition, 1, 1, "tuple", LOOKS),
        "rsplit": Row(strings.rsplit, 0, 2, "list", LOOKS),
        "rstrip": Row(strings.rstrip, 0, 1, "str", LOOKS),
        "split": Row(strings.split, 0, 2, "list", LOOKS),
        "splitlines": Row(strings.splitlines, 0, 1, "list", LOOKS),
        "startswith": Row(strings.startswith, 1, 3, "bool", LOOKS),
        "strip": Row(strings.strip, 0, 1, "str", LOOKS),
        "title": Row(strings.title, 0, 0, "str", LOOKS),
        "upper": Row(strings.upper, 0, 0, "str", LOOKS),
    },
    "str",
)
_LIST = named(
    {
        "append": Row(methods.append, 1, 1, "", STORES),
        "clear": Row(methods.list_clear, 0, 0, "", GIVES),
        "extend": Row(methods.extend, 1, 1, "", EXTENDS),
        "index": Row(methods.list_index, 1, 3, "", GIVES),
        "insert": Row(methods.list_insert, 2, 2, "", STORES),
        "pop": Row(methods.list_pop, 0, 1, "", GIVES),
        "remove": Row(methods.list_remove, 1, 1, "", GIVES),
    },
    "list",
)
_DICT = named(
    {
        "clear": Row(methods.dict_clear, 0, 0),
        "get": Row(methods.get, 1, 2),
        "items": Row(methods.items, 0, 0, "list"),
        "keys": Row(methods.keys, 0, 0, "list"),
        "pop": Row(methods.dict_pop, 1, 2),
        "popitem": Row(methods.popitem, 0, 0),
        "setdefault": Row(methods.setdefault, 1, 2),
        "update": Row(methods.update, 0, ANY),
        "values": Row(methods.values, 0, 0, "list"),
    },
    "dict",
)
_SET = named(
    {
        "union": Row(methods.set_union, 0, 1),
    },
    "set",
)
METHODS: Mapping[type, Mapping[str, Row]] = {str: _STRING, List: _LIST, Dict: _DICT, Set: _SET}
# The most likely type of receiver for each name. Sets are rare and omitted.
LIKELY: Mapping[str, Row] = {**_STRING, **_DICT, **_LIST}
