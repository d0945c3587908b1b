"""Command lines that are run to be asked about: `plait explain`, `plait impact`.

    plait explain [FLAGS] COMMAND [its flags and arguments] PATH

The command's own flags are read by the command itself; the last argument is the question's. Without a COMMAND its flags
tell which one is meant.
"""

from __future__ import annotations

import os
from contextlib import nullcontext

from plait.cli.options import Command
from plait.engine.options import SWITCH, Option
from plait.errors import UsageError
from plait.provenance import Trace
from plait.view import View, current_view, permitted, seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

    from plait.context import Context
    from plait.engine.results import Documents
    from plait.nodes import DocumentSet, Map
    from plait.permissions import Permissions

NAMES = ("render", "patch", "layer", "compose")


class Question:
    """A command line taken apart.

    command: of NAMES. argv: what is for it. typed: the same without what a run of the project file adds. asked: the last
    argument, if there is one. words: the question's own flags. given: values that a run of the project file sets.
    permissions: of its project; None for a command line.
    """

    __slots__ = ("argv", "asked", "command", "given", "permissions", "typed", "words")

    def __init__(
        self,
        command: str,
        argv: list[str],
        asked: str | None,
        words: dict[str, str],
        *,
        typed: list[str],
        given: Map | None,
        permissions: Permissions | None = None,
    ) -> None:
        self.permissions = permissions
        self.command = command
        self.given = given
        self.typed = typed
        self.argv = argv
        self.asked = asked
        self.words = words

    def run(self, context: Context, *, follows_all: bool = False) -> tuple[DocumentSet, Trace]:
        """Run the command with everything recorded; a variables store is not written. Raises PlaitError.

        follows_all: also record functions that only compute.
        """
        trace = context.trace = Trace()
        trace.follows_all = follows_all
        with nullcontext() if current_view() is not None else seen(View()), permitted(self.permissions):
            return evaluate(self.command, self.argv, context, self.given).nodes, trace


def evaluate(command: str, argv: Sequence[str], context: Context, given: Map | None = None) -> Documents:
    """What a command line makes. command: of NAMES. given: values that win over those of its flags. Raises PlaitError."""
    if command == "render":
        from plait.cli import rendering

        return rendering.evaluate(argv, context, given)
    if command == "patch":
        from plait.cli import patch

        return patch.evaluate(argv, context, given)
    if command == "compose":
        from plait.cli import compose

        return compose.evaluate(argv, context, given)
    from plait.cli import layer

    return layer.evaluate(argv, context)


def table(name: str) -> Command:
    """The flags of a command. name: of NAMES."""
    if name == "render":
        from plait.cli.render import TEMPLATE

        return TEMPLATE
    if name == "patch":
        from plait.cli.patch import PATCH

        return PATCH
    if name == "layer":
        from plait.cli.layer import LAYER

        return LAYER
    from plait.cli.compose import COMPOSE

    return COMPOSE


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
    run: Any = None
    switches = {f"--{flag.name}": flag for flag in flags if flag.kind == SWITCH}
    if rest and rest[0] == "run":
        run, rest = _project_commands().chosen(rest[1:], others=switches)
    elif rest and rest[0] in NAMES:
        command = rest.pop(0)
    elif rest and _project_commands().is_run(rest[0]):
        run, rest = _project_commands().chosen(rest, others=switches)
    else:
        _check_word(rest[:1])
        command = _detected(rest)
    own: list[str] = []
    if run is not None:
        command, own = run.command, run.argv()
    known = {f"--{flag.name}" for flag in table(command).flags}
    # What the command knows as well is for both.
    rest[:0] = [f"--{name}" for name in words if f"--{name}" in known and f"--{name}" in switches]
    for word in [word for word in rest if word in switches]:
        words[switches[word].name] = "true"
        if word not in known:
            rest.remove(word)
    places = arguments(table(command), [*own, *rest])
    asked: str | None = None
    if asks and not words.get("all"):
        inputs = 0 if command == "render" or _has_site([*own, *rest]) else 1
        if len(places) <= inputs:
            raise _nothing_asked(command, len(places))
        asked = rest.pop(places[-1] - len(own))
    given, permissions = (None, None) if run is None else (run.given, run.permissions)
    return Question(command, [*own, *rest], asked, words, typed=rest, given=given, permissions=permissions)


def _project_commands() -> ModuleType:
    """The commands of the project file, whose package is above this one."""
    from importlib import import_module

    return import_module("plait.project.commands")


def _has_site(argv: Sequence[str]) -> bool:
    """Whether the documents are those of a site, so that no argument is needed."""
    return any(word.partition("=")[0] == "--site" for word in argv)


def arguments(table: Command, argv: list[str]) -> list[int]:
    """Where the positional arguments of a command line stand."""
    found: list[int] = []
    start = 0
    while start < len(argv):
        place = table.first_argument(argv[start:])
        if place is None:
            break
        found.append(start + place)
        start += place + 1
    return found


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

        hint = did_you_mean(first[0], NAMES)
        if hint is not None:
            raise UsageError(f'unknown command "{first[0]}"', expected=", ".join(NAMES), hint=hint)


def _detected(argv: list[str]) -> str:
    """The command that a command line without one means."""
    if not argv:
        raise UsageError("which command is to be explained?", expected=", ".join(NAMES))
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
            expected=f"{', '.join(NAMES)} or run NAME, then its flags and arguments",
            hint=did_you_mean(first, NAMES) or f"such as render -f config/ {first}",
        ) from None
    if "\nsteps:" in "\n" + text:
        return "compose"
    return "layer" if "layeringDefinition" in text else "patch"
