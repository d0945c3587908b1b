"""`plait explain` and `plait impact`: where values come from, and what a line has a part in."""

from __future__ import annotations

import sys

from plait.cli.options import SWITCH, TEXT, Command, Flag
from plait.cli.streams import write_out
from plait.cli.tracing import take_apart
from plait.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.cli.tracing import Question
    from plait.nodes import DocumentSet
    from plait.provenance import Trace

FORMS = ("text", "json")

_OUTPUT = Flag(
    "output",
    TEXT,
    "form of the answer: text or json; before COMMAND",
    short="o",
    value="FORM",
    default=("text",),
    choices=FORMS,
)
_FLAGS = (
    _OUTPUT,
    Flag("all", SWITCH, "explain every value of the output; no PATH then"),
    Flag("not", SWITCH, "explain why there is nothing at PATH, or which overlays matched nothing"),
    Flag("around", SWITCH, "also show what decided that the value is there at all"),
    Flag("json", SWITCH, "the same as -o json, anywhere"),
    Flag("cleartext-secrets", SWITCH, "show the values of variable stores and of encrypted documents"),
)
EXPLAIN = Command(
    "plait explain",
    "Show where a value comes from: everything that set, changed or computed it, the values that lost included.",
    _FLAGS,
    arguments="[render|patch|layer|compose] [its flags and arguments] PATH",
)
_IMPACT_FLAGS = (
    _OUTPUT,
    Flag("json", SWITCH, "the same as -o json, anywhere"),
)
IMPACT = Command(
    "plait impact",
    "Show which values of the output a line of an input has a part in.",
    _IMPACT_FLAGS,
    arguments="[render|patch|layer|compose] [its flags and arguments] FILE:LINE",
)


def main(argv: Sequence[str]) -> int:
    """Run `plait explain`; the exit status. Raises PlaitError."""
    if _wants_help(argv):
        write_out(EXPLAIN.help_text())
        return 0
    question = take_apart(argv, _FLAGS, asks=True)
    as_json = _as_json(question)
    from plait.tools.paths import parse

    # A PATH that cannot be read is told before anything runs.
    path = parse(question.asked) if question.asked is not None else None
    documents, trace = question.run()
    if "not" in question.words:
        from plait.tools.absence import absent

        write_out(absent(trace, documents.items, path))
        return 0
    from plait.tools.explain import histories
    from plait.tools.telling import to_data, to_text

    found = histories(trace, documents.items, question.asked, cleartext_secrets="cleartext-secrets" in question.words)
    # Each is printed before the next one is made: all of a large output would take far more memory than its text.
    if as_json:
        from json import dumps

        before = "["
        for history in found:
            text = dumps(to_data(history), ensure_ascii=False, indent=1)
            write_out(f"{before}\n " + text.replace("\n", "\n "))
            before = ","
        write_out("[]\n" if before == "[" else "\n]\n")
        return 0
    between = ""
    for history in found:
        write_out(between + to_text(history, around="around" in question.words))
        between = "\n"
    return 0


def main_impact(argv: Sequence[str]) -> int:
    """Run `plait impact`; the exit status, 1 when the line has a part in nothing. Raises PlaitError."""
    if _wants_help(argv):
        write_out(IMPACT.help_text())
        return 0
    question = take_apart(argv, _IMPACT_FLAGS, asks=True)
    as_json = _as_json(question)
    assert question.asked is not None
    file, colon, number = question.asked.rpartition(":")
    if not colon or not number.isdecimal() or not file or len(number) > 18:
        raise UsageError(f'"{question.asked}" is no line of a file', expected="FILE:LINE, such as values.yml:3")
    documents, trace = question.run()
    from plait.tools.sourcemap import impact

    places = impact(trace, documents, file, int(number))
    if as_json:
        from json import dumps

        write_out(dumps([str(place) for place in places], ensure_ascii=False, indent=1) + "\n")
    elif not places:
        sys.stderr.write(f"plait: {question.asked} has no part in the output\n{_unknown_file(trace, documents, file)}")
    else:
        write_out("".join(f"{place}\n" for place in places))
    return 0 if places else 1


def _unknown_file(trace: Trace, documents: DocumentSet, file: str) -> str:
    """The files that have a part, for a name that looks like that of one of them."""
    import os

    from plait.spell import did_you_mean
    from plait.tools.explain import Explainer
    from plait.tools.paths import all_places
    from plait.tools.sourcemap import same_file

    explainer = Explainer(trace)
    places = all_places(documents.items, trace.texts)
    named = sorted({name for place in places for name, _ in explainer.lines(explainer.history(place))})
    if os.path.lexists(file) or any(same_file(name, file) for name in named):
        return ""
    hint = did_you_mean(file, named)
    return f"  found:    {', '.join(named[:12])}\n  hint:     {hint}\n" if hint else ""


def _wants_help(argv: Sequence[str]) -> bool:
    return not argv or argv[0] in ("-h", "--help")


def _as_json(question: Question) -> bool:
    form = question.words.get("output", "text")
    if form not in FORMS:
        from plait.spell import did_you_mean

        raise UsageError(f'unknown form "{form}"', expected=", ".join(FORMS), hint=did_you_mean(form, FORMS))
    if "json" in question.words or form == "json":
        return True
    # `plait explain render -f . -o json PATH`, where -o is a flag of render.
    return question.command in ("render", "compose") and any(
        word in ("-ojson", "-o=json", "--output=json") or (word == "json" and before in ("-o", "--output"))
        for before, word in zip(["", *question.argv], question.argv, strict=False)
    )
