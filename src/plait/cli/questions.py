"""Command lines about the evaluation of a request: `plait explain`, `plait impact`.

    plait explain [FLAGS] COMMAND [its flags and arguments] PATH

The last argument belongs to the query. Without a COMMAND its flags select one.
"""

from __future__ import annotations

import os

from plait.authoring.project.discovery import project_of
from plait.authoring.project.unknown_names import names_of, out_of_order
from plait.base.errors import PlaitError, UsageError
from plait.base.input_view import InputView, current_view, permitted, use_view
from plait.base.numbers import file_and_line
from plait.base.similar_names import did_you_mean, near
from plait.cli import project
from plait.cli.common_flags import entered
from plait.cli.streams import TYPED
from plait.cli.tools import table
from plait.engine import DIALECTS, dialect
from plait.engine.common import SITE, TRUST
from plait.engine.options import SWITCH, Request
from plait.engine.patch import Patch
from plait.engine.render import Render
from plait.engine.world import evaluate_in
from plait.tree.context import Context
from plait.tree.provenance import Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Generic, TypeVar

    from plait.authoring.project.run import Run
    from plait.tree.nodes import DocumentSet

    R = TypeVar("R", bound=Request)
else:
    from plait.engine.options import Generic

    R = None


class ExplainQuestion(Generic[R]):
    """A parsed command line of a query.

    own: the query's own flags. request: the evaluation. typed: its part from the command line, without the settings of
    a project's run. asked: the last argument, or None. of: the run of the project; None for a command line.
    """

    __slots__ = ("asked", "of", "own", "permissions", "request", "typed")

    def __init__(self, own: R, request: Request, typed: Request, asked: str | None, of: Run | None = None) -> None:
        self.own = own
        self.of = of
        self.permissions = None if of is None else of.permissions
        self.request = request
        self.typed = typed
        self.asked = asked

    def run(self, context: Context, *, follows_all: bool = False) -> tuple[DocumentSet, Trace]:
        """Evaluates with provenance, without writing a variables store. Raises PlaitError.

        follows_all: also record functions that only compute.
        """
        trace = context.trace = Trace()
        trace.follows_all = follows_all
        view = current_view() or InputView()
        with use_view(view), permitted(self.permissions):
            try:
                found = evaluate_in(context, self.request).nodes
            except PlaitError as error:
                if self.of is not None:
                    self.of.hide_stores(view, trace, error)
                raise
        if self.of is not None:
            self.of.hide_stores(view, trace)
        return found, trace

    def rerun(self, texts: Mapping[str, bytes]) -> tuple[DocumentSet, Trace]:
        """Evaluates with replaced texts, by absolute path, and prints nothing. Raises PlaitError."""
        with use_view(InputView(texts)):
            return self.run(Context(print_line=lambda _: None))


def split_question(own: R, argv: Sequence[str], *, asks: bool = True) -> ExplainQuestion[R]:
    """Parses a command line that contains another one. own: the flags at its start; argv: the words after them.

    Own switches may be anywhere, other own flags only before the COMMAND. asks: the last argument is the query. Raises
    UsageError.
    """
    rest, run, path, named = [*argv], None, "", True
    if rest and rest[0] == "--json":
        raise UsageError("unknown flag: --json", hint='did you mean "-o json"?', code="unknown-flag")
    if own not in TYPED.get([]):
        entered(own)
    if rest and (rest[0] == "run" or (rest[0] not in DIALECTS and project.is_run(rest[0]))):
        if rest[0] == "run":
            before, rest = project.RUN.apart(rest[1:])
            path = entered(before).project
        words = rest
        # Names of runs have no colon: Deployment/web:spec.replicas, or app.yml:3, is what is asked of the only run.
        named = not words or ":" not in words[0]
        run, rest = project.chosen(path, words, named=named)
        command = run.command
    elif rest and rest[0] in DIALECTS:
        command = rest.pop(0)
    else:
        if asks:
            _check_order(own, rest)
        _check_word(rest[:1])
        command = _detected(rest)
    switches = {one.attribute: one for one in type(own).options if one.kind == SWITCH}
    read = entered(table(command, switches.values()).read(rest))
    if run is not None and read.value(TRUST):
        run, rest = project.chosen(path, words, named=named)
    # Switches of both commands apply to both.
    shared = {one.attribute: one for one in dialect(command).options}
    before_it = [one for one in own.uses if one.option.attribute in switches and one.option.attribute in shared]
    for use in read.uses:
        if use.option.attribute in switches:
            own.use(switches[use.option.attribute], use.value)
    own_only = [one for name, one in switches.items() if name not in shared]
    typed = read.of(before_it, read.without(*own_only).uses)
    above = None if run is None else run.request()
    asked: str | None = None
    if asks and not ("all" in switches and own.value(switches["all"])):
        has_site = typed.has(SITE) or (above is not None and above.has(SITE))
        count = len(typed.arguments) + (0 if above is None else len(above.arguments))
        if not typed.arguments or count <= (0 if command == "render" or has_site else 1):
            raise _nothing_asked(own.usage.rpartition(" ")[2], command, count)
        typed, asked = typed.apart()
    if run is None or above is None:
        return ExplainQuestion(own, typed, typed, asked)
    run.grant(typed.uses)
    return ExplainQuestion(own, above.over(typed.uses), typed, asked, run)


# Options that identify the command, in order of precedence.
_SIGNS: Sequence[tuple[str, Sequence[Any]]] = (
    (
        "render",
        (
            Render.inputs,
            Render.values_files,
            Render.data_value,
            Render.data_value_yaml,
            Render.data_value_file,
            Render.data_values_env,
            Render.data_values_env_yaml,
            Render.bulk_in,
        ),
    ),
    ("layer", (SITE,)),
    (
        "patch",
        (
            Patch.operations,
            Patch.variables_files,
            Patch.var,
            Patch.var_file,
            Patch.vars_env,
            Patch.store,
            Patch.require_variables,
        ),
    ),
)


# What is asked, as the usage of a query names it, with what is done with it, an example and a hint.
_ASKED = {
    "PATH": ("explain", "such as Deployment/web:spec.replicas", "--all explains every value"),
    "FILE:LINE": ("follow", "such as config/app.yml:3", None),
    "REPORT": ("read", "a file of another tool's findings", "- as the REPORT reads standard input"),
}


def _nothing_asked(asked: str, command: str, count: int) -> UsageError:
    verb, example, hint = _ASKED[asked]
    if count == 0 and command != "render":
        return UsageError(
            f"plait {command} needs an input",
            expected=f"its arguments, then the {asked} to {verb}",
            code="missing-argument",
        )
    return UsageError(
        f"no {asked} to {verb}", expected=f"as the last argument, {example}", hint=hint, code="missing-argument"
    )


def _check_order(own: Request, words: list[str]) -> None:
    """Raises UsageError for what is asked, before the COMMAND or the run that it is about."""
    if len(words) < 2 or words[0].startswith("-") or os.path.lexists(words[1]):
        return
    asked = own.usage.rpartition(" ")[2]
    is_report = asked == "REPORT" or not os.path.lexists(words[0])
    if words[1] in ("run", *DIALECTS) or (len(words) == 2 and is_report and project.is_run(words[1])):
        raise out_of_order(asked, own.command, words)


def _check_word(first: list[str]) -> None:
    """Raises UsageError for a misspelt command name."""
    if first and not first[0].startswith("-") and not os.path.lexists(first[0]):
        hint = did_you_mean(first[0], DIALECTS)
        if hint is not None:
            raise UsageError(
                f'unknown command "{first[0]}"', expected=", ".join(DIALECTS), hint=hint, code="unknown-command"
            )


def as_run(name: str) -> str | None:
    """A hint for a name that is similar to that of a run of the project, or an example of a run; or None."""
    try:
        project = project_of("", os.curdir)
        names = [one for one in names_of(project) if one not in project.matrices]
    except PlaitError:
        return None
    meant = next(iter(near(name, names)), None)
    if meant is not None:
        return f"a run of the project: run {meant}"
    return f"such as run {names[0]} {name}" if names else None


def _as_line(name: str) -> str | None:
    """A hint for the line of a file, or None."""
    named = file_and_line(name)
    if named is None or not os.path.isfile(named[0]):
        return None
    return f"plait impact shows the values that a line affects: plait impact render -f {named[0]} {name}"


def _detected(argv: list[str]) -> str:
    """The command for a command line without one, by its flags."""
    if not argv:
        raise UsageError("the command to explain is missing", expected=", ".join(DIALECTS), code="missing-argument")
    heads = {word.partition("=")[0] for word in argv if word.startswith("--")} | {
        word[:2] for word in argv if word[:1] == "-"
    }
    for command, options in _SIGNS:
        if any(f"--{one.name}" in heads or (one.short and f"-{one.short}" in heads) for one in options):
            return command
    first = next((word for word in argv if not word.startswith("-")), "")
    if not first:
        raise UsageError(
            f"unknown flag: {argv[0].partition('=')[0]}",
            expected=f"{', '.join(DIALECTS)} or run NAME, then its flags and arguments",
            hint="plait explain --help lists the flags",
            code="unknown-flag",
        )
    if os.path.isdir(first):
        return "layer"
    try:
        with open(first, encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 20)
    except OSError:
        raise UsageError(
            f'"{first}" is neither a command nor an input',
            expected=f"{', '.join(DIALECTS)} or run NAME, then its flags and arguments",
            hint=did_you_mean(first, DIALECTS)
            or as_run(first)
            or _as_line(first)
            or f"such as render -f config/ {first}",
            code="unknown-command",
        ) from None
    if "\nsteps:" in "\n" + text:
        return "compose"
    return "layer" if "layeringDefinition" in text else "patch"
