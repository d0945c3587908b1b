"""Functions of the user that an overlay calls: matchers, `via`, `when`, `expects`."""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.similar_names import counted
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.values import definition_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BY = "index, left, right"
VIA = "left, right"


def asked(function: object, arguments: Sequence[object], names: str) -> object:
    """The result of a function. names: the names of its arguments, for the error if it does not accept them."""
    try:
        return call(function, arguments)
    except StarlarkError as error:
        if error.hint is None and not error.stack and error.code == "argument-count":
            error.hint = f"it is called with {counted(len(arguments), 'argument')}: lambda {names}: ..."
            place = definition_of(function)
            if place is not None and not error.also:
                error.also = [place.labelled("the definition")]
        elif error.hint is None and names == BY and error.code == "key-not-found" and error.subject == "yamlfragment":
            there = f"{error.word} in {_holder(function, error.word)} and ..."
            error.hint = f"the function is called with each item, including those without it: {there}"
        raise


# Maximum number of lines of a function that are searched.
_LINES = 30


def _holder(function: object, word: str) -> str:
    """The value whose key a function looks up, as its text names it. word: the key, as written."""
    import re  # only for an error

    place = definition_of(function)
    for number in range(place.line, place.line + _LINES) if place is not None and place.source is not None else ():
        line = place.source.line(number) or ""  # type: ignore[union-attr]
        found = re.search(
            rf"""(?<![\w.])([A-Za-z_]\w*(?:\[[^\][]*\]|\.\w+)*)\[{re.escape(word)}\]""", line.replace("'", '"')
        )
        if found is not None:
            return found[1]
    return "left"
