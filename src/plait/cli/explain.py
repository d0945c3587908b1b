"""`plait explain` and `plait impact`: origins of values, and the values that depend on a line."""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.base.input_view import InputView, use_view
from plait.base.numbers import file_and_line
from plait.cli.colour import styles_of
from plait.cli.common_flags import entered, shown
from plait.cli.questions import split_question
from plait.cli.streams import complain, line_width, watched, write_folded, write_out
from plait.engine.common import ANSWER_JSON, OUTPUT, TRUST
from plait.engine.flags import Command
from plait.engine.options import Request, switch
from plait.engine.patch import Patch
from plait.insight.explain import Explainer, histories
from plait.insight.history_text import to_data, to_text, value_data
from plait.insight.impact import check_line, impact
from plait.insight.node_paths import parse
from plait.insight.why_not import absent
from plait.tree.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from plait.cli.questions import ExplainQuestion
    from plait.insight.explain import History

# The exit status of `impact` for a line with an unknown effect.
UNKNOWN = 3

_OUTPUT = OUTPUT.replaced(help="output format, text or json; put it before COMMAND if COMMAND has its own -o")


class Explain(Request):
    """The command line of `plait explain`."""

    __slots__ = ()
    command = "explain"
    summary = "Show where a value comes from: every line that set, changed or computed it, including overridden values."
    usage = "[render|patch|layer|compose|run NAME] [its flags and arguments] PATH"
    takes_words = True

    output = _OUTPUT
    all = switch("all", "explain every value of the output; takes no PATH")
    not_ = switch("not", "explain why PATH does not exist, or list the overlays that matched nothing")
    presence = switch("presence", "also show the conditions, matchers and operations that made the value exist")
    cleartext_secrets = switch("cleartext-secrets", "show values of variables stores and encrypted documents")
    trust = TRUST


class Impact(Request):
    """The command line of `plait impact`."""

    __slots__ = ()
    command = "impact"
    summary = "List the output values that depend on an input line."
    usage = "[render|patch|layer|compose|run NAME] [its flags and arguments] FILE:LINE"
    takes_words = True

    output = _OUTPUT
    trust = TRUST


EXPLAIN = Command(Explain)
IMPACT = Command(Impact)


def main(argv: Sequence[str]) -> int:
    """Runs `plait explain`. Returns the exit status. Raises PlaitError."""
    own, rest = EXPLAIN.apart(argv)
    if entered(own).help or not argv:
        return shown(EXPLAIN)
    question = split_question(own, rest)
    flags = question.own
    as_json = _as_json(question)
    if flags.not_ and flags.output == ANSWER_JSON:
        raise UsageError("--not cannot be combined with -o json", code="flag-conflict")

    # An invalid PATH is reported before anything runs.
    path = parse(question.asked) if question.asked is not None else None
    context = Context()
    with watched(context):
        if flags.not_:
            view = InputView()
            with use_view(view):
                documents, trace = question.run(context)
            write_folded(absent(trace, documents.items, path, files=view.files, rerun=question.rerun))
            return 0
        documents, trace = question.run(context)

        found = histories(trace, documents.items, question.asked, cleartext_secrets=flags.cleartext_secrets)
        _answer(_told(found, context), as_json=as_json, presence=flags.presence)
    return 0


def _told(found: Iterable[History], context: Context) -> Iterator[History]:
    """The histories, with progress for observers."""
    context.done = context.total = 0
    for history in found:
        context.begin(history.place)
        yield history


def _answer(found: Iterable[History], *, as_json: bool, presence: bool) -> None:
    """Prints each history before computing the next one, because all histories of a large output would take far more
    memory than their text.
    """
    if as_json:
        from json import dumps

        before = "["
        for history in found:
            text = dumps(to_data(history), ensure_ascii=False, indent=1)
            write_out(f"{before}\n " + text.replace("\n", "\n "))
            before = ","
        write_out("[]\n" if before == "[" else "\n]\n")
        return

    width, styles = line_width(), styles_of()
    between = ""
    for history in found:
        write_folded(between + to_text(history, presence=presence, width=width, styles=styles), is_harmless=True)
        between = "\n"


def main_impact(argv: Sequence[str]) -> int:
    """Runs `plait impact`. Returns the exit status: 1 if the line has no effect, UNKNOWN if its effect is unknown.
    Raises PlaitError.
    """
    own, rest = IMPACT.apart(argv)
    if entered(own).help or not argv:
        return shown(IMPACT)
    question = split_question(own, rest)
    as_json = _as_json(question)
    assert question.asked is not None
    named = file_and_line(question.asked)
    if named is None:
        raise UsageError(
            f'"{question.asked}" does not name a line of a file',
            expected="FILE:LINE, such as values.yml:3",
            hint="plait explain shows the lines that a value of the output comes from",
            code="invalid-value",
        )
    file, number = named

    context, view = Context(), InputView()
    with watched(context):
        with use_view(view):
            documents, trace = question.run(context, follows_all=True)
        if not file.startswith("stdin"):
            check_line(view.files, file, number, "this run")
        found = impact(trace, documents, file, number, files=view.files, rerun=question.rerun, context=context)
    places = found.places
    if as_json:
        from json import dumps

        explainer = Explainer(trace)
        answers = [value_data(explainer.history(place)) for place in places]
        write_out(dumps(answers, ensure_ascii=False, indent=1) + "\n")
    elif places:
        write_folded("".join(f"{place}\n" for place in places))
    if found.unknown:
        complain(f"plait: the effect of {question.asked} is unknown: {found.unknown}\n")
        return UNKNOWN
    if found.needed:
        complain(f"plait: the run fails if {question.asked} is changed\n")
        return 0
    if not places:
        complain(f"plait: {question.asked} has no effect on the output\n")
    return 0 if places else 1


def _as_json(question: ExplainQuestion[Any]) -> bool:
    question.own.require_choice(OUTPUT)
    if question.own.value(OUTPUT) == ANSWER_JSON:
        return True
    typed = question.typed
    if isinstance(typed, Patch):
        # -o is a different flag in these commands.
        return typed.json
    # `plait explain render -f . -o json PATH`, where -o is a flag of render.
    return typed.has(OUTPUT) and "json" in typed.value(type(typed).output)  # type: ignore[attr-defined]
