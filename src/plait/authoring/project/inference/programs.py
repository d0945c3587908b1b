"""Converts command lines of ytt, bosh and plait to runs of a project."""

from __future__ import annotations

import os
import re

from plait.authoring.project.settings import Setting
from plait.base.errors import UsageError
from plait.engine import dialect
from plait.engine.flags import Command
from plait.engine.options import LISTS, Option, Request
from plait.tree.nodes import Array, ArrayItem, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.project.inference.shell import Invocation, ShellWord
    from plait.base.source import Source
    from plait.engine.options import Use
    from plait.tree.nodes import Value

# Words that execute the rest of the line.
_PREFIXES = frozenset({"exec", "command", "time", "sudo", "nice", "nohup", "env", "builtin", "eval"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_YTT_TEMPLATE = frozenset({"t", "tpl", "template"})
_YTT_OTHER = frozenset({"version", "fmt", "help", "completion", "website"})
_BOSH_INTERPOLATE = frozenset({"int", "interpolate"})
# Commands of bosh that interpolate a manifest before they send it.
_BOSH_MANIFEST = frozenset(
    {"create-env", "delete-env", "deploy", "update-cloud-config", "update-cpi-config", "update-runtime-config"}
)
# Other flags of these commands: True if a value follows.
_BOSH_FLAGS = {
    "canaries": True,
    "dry-run": False,
    "fix": False,
    "fix-releases": False,
    "force-latest-variables": False,
    "max-in-flight": True,
    "name": True,
    "no-redact": False,
    "recreate": False,
    "recreate-persistent-disks": False,
    "skip-drain": True,
    "skip-upload-releases": False,
    "state": True,
    "type": True,
}
# Flags, by long and short name, whose value is a data value or a variable and not a path.
_VALUE_FLAGS = frozenset({"v", "data-value", "data-value-yaml", "var"})
# Those of them whose value is a text.
_TEXT_FLAGS = frozenset({"v", "data-value", "var"})
_VALUE_NAME = re.compile(r"[\w./-]+")
# Flags that are left out if their value is unknown: without a variable, its placeholder stays. A variables store may be
# missing, because the program writes it.
_OMITTED_FLAGS = _VALUE_FLAGS | {"vars-store", "vars-file", "l", "var-file"}
# Flags that read the environment of the running script, which a project may not read.
_ENVIRONMENT_FLAGS = frozenset({"data-values-env", "data-values-env-yaml", "vars-env"})
# Paths in one word that are made relative.
_MOST_PATHS = 8
# Flags that affect only the display of a result.
_IGNORED = frozenset({"debug", "tty", "json", "quiet", "progress", "warnings", "help", "version", "run", "watch"})


class CommandLine:
    """A command line of one of the programs.

    command: the command of plait. words: for that command, without `omitted`: data values, variables and their files
    and store that are known only when the script runs. unknown: other words that are known only then. stand_ins: a text
    for each omitted data value and variable, such as token=TOKEN. turn: as of the invocation, "" if no word has it.
    """

    __slots__ = ("command", "line", "omitted", "program", "shown", "stand_ins", "turn", "unknown", "words")

    def __init__(self, program: str, command: str, words: Sequence[ShellWord], line: int, turn: str = "") -> None:
        self.program = program
        self.turn = turn if any(turn in (word.text or "") and turn not in word.written for word in words) else ""
        self.command = command
        self.line = line
        self.omitted: list[str] = []
        self.stand_ins: list[str] = []
        self.words = self._known(words)
        self.unknown = [" ".join(word.written.split()) for word in self.words if _is_unknown(word)]
        self.shown = " ".join([program, *(" ".join(word.written.split()) for word in words if not word.is_more)])

    def _known(self, words: Sequence[ShellWord]) -> list[ShellWord]:
        known: list[ShellWord] = []
        rest = iter(words)
        for word in rest:
            text = word.text or word.written
            name, equals, value = text.lstrip("-").partition("=")
            if text.startswith("--") and name in _ENVIRONMENT_FLAGS:
                following = None if equals else next(rest, None)
                self.omitted.append(word.written if following is None else f"{word.written} {following.written}")
            elif not _is_unknown(word):
                known.append(word)
            elif word.written.startswith("--") and name in _OMITTED_FLAGS:
                self._omit(name, value)
            elif known and (flag := (known[-1].text or "").lstrip("-")) in _OMITTED_FLAGS:
                known.pop()
                self._omit(flag, word.written)
            else:
                known.append(word)
        return known

    def _omit(self, flag: str, value: str) -> None:
        self.omitted.append(value)
        name = value.lstrip("\"'").partition("=")[0]
        if flag in _TEXT_FLAGS and _VALUE_NAME.fullmatch(name):
            self.stand_ins.append(f"{name}={re.sub(r'[^A-Za-z0-9]+', '_', name).upper()}")

    def uses(self) -> list[Use]:
        """The options of the command line, in order. Raises UsageError for an unknown flag or an invalid value."""
        return Command(dialect(self.command)).read([str(word.text) for word in self.words]).uses

    def settings(self, source: Source, directory: str, top: str, *, has_stand_ins: bool = False) -> list[Setting]:
        """The settings of a run for this command line, each with its line in `source`.

        directory: in which the command runs; top: the top directory of the repository. Absolute paths below the top
        become relative to the directory, and so do those of a checkout with the name of the repository, as in a build
        of Concourse. Raises UsageError for a command line that the program itself would reject.
        """
        inside = os.path.join(top, "")
        way = os.path.relpath(top, directory)
        to_top = "" if way == os.curdir else os.path.join(way, "")
        words = [str(word.text).replace(inside, to_top, _MOST_PATHS) for word in self.words]
        words += [word for text in self.stand_ins if has_stand_ins for word in ("-v", text)]
        name = os.path.basename(top)
        if not os.path.lexists(os.path.join(top, name)):
            checkout = re.compile(rf"(?<![\w./-])(?:\./)?{re.escape(name)}/")
            words = [checkout.sub(to_top, word, count=1) for word in words]
        parsed = Command(dialect(self.command)).parse(words)
        lines = {text: word.line for text, word in zip(words, self.words, strict=False)}
        return _settings(self.command, parsed, source, lines, self.line)


def _is_unknown(word: ShellWord) -> bool:
    # Templates of Taskfiles and GitHub are filled in before the shell runs.
    return word.text is None or "{{" in word.text


def command_line(invocation: Invocation, commands: Sequence[str] = ("render", "patch", "layer")) -> CommandLine | None:
    """The command line that renders with one of the programs; None for any other command. commands: the commands of
    plait.
    """
    words = list(invocation.arguments)
    while words and (name := words[0].text) is not None:
        if name in _PREFIXES or _ASSIGNMENT.match(name):
            words.pop(0)
            while words and (words[0].text or "").startswith("-") and name in ("sudo", "env", "nice"):
                words.pop(0)
        else:
            break
    if not words or words[0].text is None:
        return None
    program = os.path.basename(words[0].text).removesuffix(".exe")
    rest = words[1:]
    if program == "ytt":
        return _of_ytt(rest, invocation)
    if program in ("bosh", "bosh2"):  # the name of ytt's second version while two versions existed
        return _of_bosh(rest, invocation)
    if program == "plait" and rest and (name := rest[0].text) and name in commands:
        return CommandLine(f"plait {name}", name, rest[1:], invocation.line, invocation.turn)
    return None


def _of_ytt(words: list[ShellWord], at: Invocation) -> CommandLine | None:
    if words and words[0].text in _YTT_TEMPLATE:
        words = words[1:]
    if not words or words[0].text in _YTT_OTHER or any(word.text in ("--help", "-h", "--version") for word in words):
        return None
    return CommandLine("ytt", "render", words, at.line, at.turn)


def _of_bosh(words: list[ShellWord], invocation: Invocation) -> CommandLine | None:
    patch = Command(dialect("patch"))
    # The command comes after the global flags. A word of unknown value may be a flag, but not a command.
    at = patch.first_argument([word.text or "-" for word in words])
    name = None if at is None else words[at].text
    if at is None or name not in _BOSH_INTERPOLATE | _BOSH_MANIFEST:
        return None
    rest = [*words[:at], *words[at + 1 :]]
    if name in _BOSH_MANIFEST:
        rest = _without_bosh_flags(rest)
    return CommandLine(f"bosh {name}", "patch", rest, invocation.line, invocation.turn)


def _without_bosh_flags(words: Sequence[ShellWord]) -> list[ShellWord]:
    """The words that affect interpolation."""
    found: list[ShellWord] = []
    rest = iter(words)
    for word in rest:
        name, equals, _ = (word.text or "").removeprefix("--").partition("=")
        if (word.text or "").startswith("--") and name in _BOSH_FLAGS:
            if _BOSH_FLAGS[name] and not equals:
                next(rest, None)
        else:
            found.append(word)
    return found


def _settings(command: str, parsed: Request, source: Source, lines: dict[str, int], line: int) -> list[Setting]:
    if command == "patch" and len(parsed.arguments) > 1:
        raise UsageError("more than one template", found=", ".join(parsed.arguments), code="one-document")
    found: dict[str, tuple[Option, list[ArrayItem]]] = {}
    for use in sorted(parsed.uses, key=lambda one: not one.option.is_argument):
        option, value = use.option, use.value
        if not option.setting or option.name in _IGNORED or not option.has_effect:
            continue
        at = line
        if isinstance(value, str) and not option.is_argument:
            at = next((number for text, number in lines.items() if value in text), line)
        found.setdefault(option.setting, (option, []))[1].append(ArrayItem(value, source, at))
    settings = []
    for name, (option, items) in found.items():
        held: Value = Array(items, source, line) if option.kind in LISTS else items[-1].value
        settings.append(Setting(name, option, [MapItem(name, held, source, items[-1].line)]))
    return settings
