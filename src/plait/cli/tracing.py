"""Command lines about the evaluation of a request: `plait explain`, `plait impact`.

    plait explain [FLAGS] COMMAND [its flags and arguments] PATH

The last argument is the question's own. Without a COMMAND its flags tell which one is meant.
"""

from __future__ import annotations

import os
from contextlib import nullcontext

from plait.engine import DIALECTS, dialect
from plait.engine.flags import Command, command_of
from plait.engine.options import SWITCH, Option, Request
from plait.engine.world import evaluate_in
from plait.errors import UsageError
from plait.provenance import Trace
from plait.view import View, current_view, permitted, seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.context import Context
    from plait.nodes import DocumentSet
    from plait.permissions import Permissions
    from plait.project.run import Run


class Question:
    """A command line taken apart.

    request: what is evaluated. typed: the part of it that is typed, without what a run of the project file adds. asked:
    the last argument, if there is one. words: the question's own flags. permissions: of the run's project; None for a
    command line.
    """

    __slots__ = ("asked", "permissions", "request", "typed", "words")

    def __init__(
        self,
        request: Request,
        typed: Request,
        asked: str | None,
        words: dict[str, str],
        permissions: Permissions | None = None,
    ) -> None:
        self.permissions = permissions
        self.request = request
        self.typed = typed
        self.asked = asked
        self.words = words

    def run(self, context: Context, *, follows_all: bool = False) -> tuple[DocumentSet, Trace]:
        """Evaluate with everything recorded; a variables store is not written. Raises PlaitError.

        follows_all: also record functions that only compute.
        """
        trace = context.trace = Trace()
        trace.follows_all = follows_all
        with nullcontext() if current_view() is not None else seen(View()), permitted(self.permissions):
            return evaluate_in(context, self.request).nodes, trace


def table(name: str) -> Command:
    """The flags of a command. name: of DIALECTS."""
    return command_of(dialect(name), "plait render template" if name == "render" else "")


def take_apart(argv: Sequence[str], flags: Sequence[Option], *, asks: bool) -> Question:
    """Read a command line. flags: the question's own; switches may stand anywhere, others before the COMMAND.

    asks: whether the last argument is the question. Raises UsageError.
    """
    words: dict[str, str] = {}
    rest = [*argv]
    by_name = {f"--{flag.name}": flag for flag in flags} | {f"-{flag.short}": flag for flag in flags if flag.short}
    while rest:
        head, equals, value = rest[0].partition("=")
        flag = by_name.get(head)
        if flag is None:
            break
        rest.pop(0)
        if flag.kind == SWITCH:
            words[flag.name] = "true"
        elif equals:
            words[flag.name] = value
        elif rest:
            words[flag.name] = rest.pop(0)
        else:
            raise UsageError(f"flag needs an argument: {head}")
    if rest and rest[0] == "--json":
        raise UsageError("unknown flag: --json", hint='did you mean "-o json"?')
    from plait.cli import project

    run: Run | None = None
    switches = {f"--{flag.name}": flag for flag in flags if flag.kind == SWITCH}
    if rest and rest[0] == "run":
        run, rest = project.chosen(rest[1:])
    elif rest and rest[0] in DIALECTS:
        command = rest.pop(0)
    elif rest and project.is_run(rest[0]):
        run, rest = project.chosen(rest)
    else:
        _check_word(rest[:1])
        command = _detected(rest)
    if run is not None:
        command = run.command
    known = {f"--{flag.name}" for flag in table(command).flags}
    # What the command knows as well is for both.
    rest[:0] = [f"--{name}" for name in words if f"--{name}" in known and f"--{name}" in switches]
    for word in [word for word in rest if word in switches]:
        words[switches[word].name] = "true"
        if word not in known:
            rest.remove(word)
    typed = table(command).read(rest)
    own = None if run is None else run.request()
    asked: str | None = None
    if asks and not words.get("all"):
        before = [] if own is None else own.arguments
        has_site = typed.given("site") or (own is not None and own.given("site"))
        count = len(before) + len(typed.arguments)
        if not typed.arguments or count <= (0 if command == "render" or has_site else 1):
            raise _nothing_asked(command, count)
        typed, asked = typed.apart()
    if run is None or own is None:
        return Question(typed, typed, asked, words)
    run.grant(typed.uses)
    return Question(own.over(typed.uses), typed, asked, words, run.permissions)


def _has_site(argv: Sequence[str]) -> bool:
    """Whether the documents are those of a site, so that no argument is needed."""
    return any(word.partition("=")[0] == "--site" for word in argv)


def _nothing_asked(command: str, count: int) -> UsageError:
    if count == 0 and command != "render":
        return UsageError(f"plait {command} needs an input", expected="its arguments, then the PATH to explain")
    return UsageError(
        "no PATH to explain",
        expected="as the last argument, such as Deployment/web:spec.replicas",
        hint="--all explains every value",
    )


def _check_word(first: list[str]) -> None:
    """Refuse a misspelt command's name. Raises UsageError."""
    if first and not first[0].startswith("-") and not os.path.lexists(first[0]):
        from plait.spell import did_you_mean

        hint = did_you_mean(first[0], DIALECTS)
        if hint is not None:
            raise UsageError(f'unknown command "{first[0]}"', expected=", ".join(DIALECTS), hint=hint)


def _detected(argv: list[str]) -> str:
    """The command that a command line without one means."""
    if not argv:
        raise UsageError("which command is to be explained?", expected=", ".join(DIALECTS))
    for word in argv:
        if word.startswith(("-f", "--file", "--data-value", "-d", "--bulk-in")):
            return "render"
    if _has_site(argv):
        return "layer"
    for word in argv:
        if word.startswith(("-o", "--ops-file", "-l", "--vars-", "--var")):
            return "patch"
    first = next((word for word in argv if not word.startswith("-")), "")
    if os.path.isdir(first):
        return "layer"
    try:
        with open(first, encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 20)
    except OSError:
        from plait.spell import did_you_mean

        raise UsageError(
            f'"{first}" is neither a command nor an input',
            expected=f"{', '.join(DIALECTS)} or run NAME, then its flags and arguments",
            hint=did_you_mean(first, DIALECTS) or f"such as render -f config/ {first}",
        ) from None
    if "\nsteps:" in "\n" + text:
        return "compose"
    return "layer" if "layeringDefinition" in text else "patch"
