"""`plait reduce`: the smallest input that still shows a behaviour."""

from __future__ import annotations

from plait.authoring.reduce.behaviours import (
    CommandBehaviour,
    DifferenceBehaviour,
    ErrorBehaviour,
    OutputBehaviour,
)
from plait.authoring.reduce.candidates import Workspace, first_candidate
from plait.authoring.reduce.reducer import Reducer
from plait.authoring.reduce.result_files import INPUTS, command_line, result_files
from plait.base.content import encoded
from plait.base.errors import UsageError
from plait.base.input_view import permitted
from plait.base.output_files import add_files
from plait.base.similar_names import counted
from plait.base.writing.directory import temporary
from plait.cli.common_flags import entered, shown
from plait.cli.progress import working
from plait.cli.questions import split_question
from plait.cli.set import Wish
from plait.cli.signals import cleanup_on_signal
from plait.cli.streams import note, write_answer
from plait.cli.targets import check_inputs
from plait.engine.common import ALLOW_OUTPUT, TRUST
from plait.engine.flags import Command
from plait.engine.options import NUMBER, Request, declared, switch, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.reduce.behaviours import Behaviour
    from plait.authoring.reduce.candidates import Candidate


class Reduce(Request):
    """The command line of `plait reduce`."""

    __slots__ = ()
    command = "reduce"
    summary = "Find the smallest input that still shows an error, a value, or a difference from another program."
    usage = "[render|patch|layer|compose|run NAME] [its flags and arguments] [-- TEST COMMAND]"
    takes_words = True
    is_long_running = True

    error = text("error", "keep this error or warning; by default the error of the run", value="CODE")
    output = text("output", "keep this value of the output", value="PATH=VALUE")
    differs = text(
        "differs", "keep the difference from the output of this program, such as ytt or ./bosh", value="PROGRAM"
    )
    to = text("to", "write the result to this directory instead of printing it", value="DIR")
    allow_output = ALLOW_OUTPUT
    evaluations = declared("evaluations", NUMBER, "maximum number of evaluations", value="N", default=("5000",))
    cleartext_secrets = switch("cleartext-secrets", "write secret values to the result instead of replacing them")
    trust = TRUST


REDUCE = Command(Reduce)


def main(argv: Sequence[str]) -> int:
    """Runs `plait reduce`. Returns the exit status: 1 if the result may not be minimal. Raises PlaitError."""
    words, test = _split(argv)
    own, rest = REDUCE.apart(words)
    if entered(own).help or not argv:
        return shown(REDUCE)
    question = split_question(own, rest, asks=False)
    flags, request = question.own, question.request
    behaviour = _behaviour(flags, test)
    target = flags.to
    check_inputs(request.uses)
    with working("reducing") as context, temporary("plait-reduce-") as directory, permitted(question.permissions):
        first = first_candidate(request, question.permissions)
        workspace = Workspace(directory, request.command, question.permissions)
        context.total = first.size

        def step(candidate: Candidate) -> None:
            context.begin(f"{candidate.size} of {first.size} lines and flags")

        reducer = Reducer(workspace, behaviour, flags.evaluations, step)
        with cleanup_on_signal():
            found = reducer.reduced(first)
            if not flags.cleartext_secrets:
                found = reducer.without_secrets(found)
    files = result_files(request.command, found, behaviour)
    if flags.has(Reduce.to):
        with cleanup_on_signal():
            add_files(target, ((path, encoded(text)) for path, text in files), lambda _: None)
        write_answer(f"{command_line(request.command, found)}\n")
    else:
        inputs = "".join(f"-- {name} --\n{text}" for name, text in files if name.startswith(f"{INPUTS}/"))
        write_answer(f"{command_line(request.command, found)}\n{inputs}")
    sizes = f"{found.size} of {first.size} lines and flags, {len(found.files)} of {counted(len(first.files), 'file')}"
    note(f"plait: {sizes} remain after {counted(reducer.evaluations, 'evaluation')}\n")
    if not reducer.is_minimal:
        note("plait: the result may not be minimal; --evaluations allows more\n")
    return 0 if reducer.is_minimal else 1


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before and after the last `--`."""
    words = [*argv]
    for at in range(len(words) - 1, -1, -1):
        if words[at] == "--":
            return words[:at], words[at + 1 :]
    return words, []


def _behaviour(flags: Reduce, test: Sequence[str]) -> Behaviour:
    """The behaviour that the command line selects. Raises UsageError."""
    chosen = [one.name for one in (Reduce.error, Reduce.output, Reduce.differs) if flags.has(one)]  # type: ignore[attr-defined]
    if test:
        chosen.append("-- COMMAND")
    if len(chosen) > 1:
        raise UsageError("only one behaviour can be kept", found=", ".join(chosen), code="flag-conflict")
    if test:
        return CommandBehaviour(test)
    if flags.has(Reduce.differs):
        return DifferenceBehaviour(flags.differs)
    if flags.has(Reduce.output):
        wish = Wish(flags.output)
        if wish.is_gone:
            raise UsageError(f'"{flags.output}" is not a value', expected="PATH=VALUE", code="invalid-value")
        path, value = wish.splits[0]
        return OutputBehaviour(path, wish.value(value))
    return ErrorBehaviour(flags.error)
