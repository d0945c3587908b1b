"""Prints an error like bosh: clauses, the message, and the line `Exit code 1`."""

from __future__ import annotations

import re

from plait.base.source import CLAUSE, FLAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import PlaitError

EXIT = "Exit code 1"


def report(error: PlaitError) -> tuple[str, ...]:
    """The texts that BOSH writes for an error, alternating between standard error and standard output."""
    return f"{_formatted(sentence(error))}\n", "\n", f"{EXIT}\n"


def sentence(error: PlaitError) -> str:
    """The text of an error in bosh: clauses on separate lines, or on one line in an argument of the command line."""
    text = error.reference
    causes = [text, *(one.reference for one in error.findings if one.reference and isinstance(one.reference, str))]
    if len(causes) > 1:
        text = "\n".join(causes)
    clauses: list[str] = []
    for step in error.stack:
        if step.role == CLAUSE:
            clauses.append(step.reference)
        elif step.role == FLAG:
            text = ": ".join([step.reference, *reversed(clauses), text])
            clauses = []
    depth = len(clauses)
    lines = [f"{'  ' * place}{clause}:" for place, clause in enumerate(reversed(clauses))]
    return "\n".join([*lines, "  " * depth + text])


_VERB = re.compile(r"%(?P<flags>[-+# 0]*)(?P<width>[0-9]*)(?P<precision>\.[0-9]*)?(?P<verb>.)?", re.DOTALL)


def _formatted(text: str) -> str:
    """The text as Go prints it when it is passed as a format without arguments, as BOSH does."""
    if "%" not in text:
        return text
    return _VERB.sub(lambda found: _without_argument(found["verb"]), text)


def _without_argument(verb: str | None) -> str:
    if verb is None:
        return "%!(NOVERB)"
    return "%" if verb == "%" else f"%!{verb}(MISSING)"
