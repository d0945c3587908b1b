"""The hint for an unknown code of a diagnostic. Loaded only for errors."""

from __future__ import annotations

from plait.base.similar_names import did_you_mean, distance
from plait.base.suggestions import replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from plait.base.codes import DiagnosticCode
    from plait.base.suggestions import Hint

# Words in the rules of other linters.
_SAME = {"unused": "dead", "import": "load", "imports": "load", "func": "function"}
_MOST = 3


def meant_code(text: str, codes: Collection[DiagnosticCode], more: Iterable[str] = ()) -> Hint | None:
    """A hint with the codes that a text probably means, or None. more: what else is accepted.

    A number means the same one with other zeros, or for the few that differ in a digit; a name for those that share
    most of its words.
    """
    if text[:1].isalpha() and text[1:].isdecimal():
        same = [
            one for one in codes if one.code[0] == text[0].upper() and one.code[1:].lstrip("0") == text[1:].lstrip("0")
        ]
        meant = same or [one for one in codes if distance(text.upper(), one.code, 1) <= 1]
        return _listed(text, [(one.code, one.name) for one in meant] if len(meant) <= _MOST else [])
    wanted = _words(text)
    shared = {one: len(wanted & _words(one.name)) for one in codes}
    most = max(shared.values(), default=0)
    meant = [one for one, count in shared.items() if count == most > 1][:_MOST]
    if text == "unused" and "dead" in more:
        return replacing(text, ["dead"], 'the family of unused code is "dead"')
    if not meant:
        return did_you_mean(text, [*(one.code for one in codes), *(one.name for one in codes), *more])
    return _listed(text, [(one.name, one.code) for one in meant])


def _listed(text: str, meant: Sequence[tuple[str, str]]) -> Hint | None:
    """The hint. meant: what is proposed, each with its other name."""
    shown = " or ".join(f'"{one}" ({other})' for one, other in meant)
    return replacing(text, [one for one, _ in meant], f"did you mean {shown}?") if meant else None


def _words(name: str) -> set[str]:
    """The words of a name, without the s of plurals."""
    words = name.lower().replace("_", "-").split("-")
    return {_SAME.get(one, one).removesuffix("s") for one in words}
