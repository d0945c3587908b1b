"""Infers runs: collects them from build files, and evaluates each in memory. Only successful ones are offered."""

from __future__ import annotations

import os
import re
from time import process_time

from plait.authoring.project.inference.build_files import MOST_BYTES, is_documentation, snippets_of
from plait.authoring.project.inference.example_files import with_examples
from plait.authoring.project.inference.programs import command_line
from plait.authoring.project.inference.shell import Shell, commands_of
from plait.authoring.project.inference.text_budget import MOST_TEXT, TextBudget
from plait.authoring.project.inference.walk import SKIPPED_DIRECTORIES, walk
from plait.authoring.project.run import Run, relative_to_cwd
from plait.authoring.project.settings import Setting, is_path_setting, path_in
from plait.base import content
from plait.base.errors import LimitError, PlaitError, heading
from plait.base.input_view import InputView
from plait.base.path_errors import read_failure
from plait.base.similar_names import listed
from plait.base.source import Position, Source
from plait.base.trust import permissions_of
from plait.tree.nodes import Array, ArrayItem, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.authoring.project.inference.build_files import Snippet
    from plait.authoring.project.inference.programs import CommandLine
    from plait.authoring.project.inference.shell import ShellCommand
    from plait.base.errors import ReadError

# Maximum number of files and command lines; a larger repository needs a project file.
_MOST_FILES = 20_000
_MOST_COMMANDS = 300
# Limits of one verification: inference runs before every command that has no project file.
LIMITS: Mapping[str, float] = {"seconds": 10}
# Seconds of processor time for all verifications of command lines together.
_MOST_SECONDS = 60
# The file was written by the run itself, or found through a link.
_WRITTEN = frozenset({"dangerous-emptied-output-directory", "output-files", "source-map", "vars-store"})
# The settings of `bosh int FILE --path PATH`.
_LOOKUP = frozenset({"base", "path"})
# The settings of `bosh int` that name files of variables.
_VARIABLES = frozenset({"vars-files", "var-file"})
# Errors that only the user can correct, with a flag that their expectation names.
_NEEDED = frozenset({"site-repository"})
_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
# The directory and the extension of a path that a loop has come to.
_PATH_PARTS = re.compile(r"^.*/(?=[^/])|\.ya?ml$")
_BOUND = f"the first {MOST_TEXT >> 20} MiB of text"


class RejectedRun:
    """A command line that is not offered as a run. command: the command of plait. at: its position. reason: a sentence
    fragment for messages.
    """

    __slots__ = ("at", "command", "reason", "shown")

    def __init__(self, command: str, shown: str, at: Position, reason: str) -> None:
        self.command = command
        self.shown = shown
        self.at = at
        self.reason = reason


class Inference:
    """The verified runs of a repository, by name, and the rejected command lines. top: absolute path of the repository.

    skipped: directories that were not searched, relative to the top. bound: the searched part of the repository, "" for
    all of it.
    """

    __slots__ = ("bound", "rejected", "runs", "skipped", "top")

    def __init__(self, top: str) -> None:
        self.top = top
        self.runs: list[Run] = []
        self.rejected: list[RejectedRun] = []
        self.skipped: list[str] = []
        self.bound = ""


def infer(top: str, *, verify: bool = True) -> Inference:
    """The runs in the build files of a directory; if there are none, those in its Markdown files.

    top: the directory of the repository. verify: evaluate each run in memory and reject those that fail; without it,
    all runs whose inputs exist are returned.
    """
    inference = Inference(os.path.abspath(top))
    budget = TextBudget()
    collector = _Collector(inference, budget, verify=verify)
    documentation: list[tuple[str, Snippet]] = []
    for path, snippet in _snippets(inference, budget):
        if is_documentation(path):
            documentation.append((path, snippet))
        elif not collector.add(path, snippet):
            break
    if not collector.runs:
        for path, snippet in documentation:
            if not collector.add(path, snippet):
                break
    inference.runs = list(collector.runs.values())
    _rename(inference.runs, inference.top)
    return inference


def _snippets(inference: Inference, budget: TextBudget) -> Iterator[tuple[str, Snippet]]:
    """The shell text of each build file with the file's absolute path, by path."""
    count = 0
    for here, directories, names in walk(inference.top):
        for name in [*directories]:
            if name in SKIPPED_DIRECTORIES:
                inference.skipped.append(os.path.relpath(os.path.join(here, name), inference.top))
        directories[:] = sorted(
            name
            for name in directories
            if name not in SKIPPED_DIRECTORIES and (not name.startswith(".") or name in (".github", ".circleci", ".ci"))
        )
        for name in sorted(names):
            count += 1
            if count > _MOST_FILES:
                inference.bound = f"the first {_MOST_FILES} files"
                return
            if budget.is_spent:
                inference.bound = _BOUND
                return
            path = os.path.join(here, name)
            for snippet in snippets_of(path, _content(path), inference.top, budget):
                yield path, snippet


def _content(path: str) -> bytes:
    """The content of a regular file; empty for anything else, and for a file that is too large or cannot be read."""
    try:
        if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > MOST_BYTES:
            return b""
        return content.file_content(path, path)
    except LimitError:
        raise
    except (OSError, PlaitError):
        return b""


class _Collector:
    """Collects runs without duplicates. count: the number of command lines."""

    def __init__(self, inference: Inference, budget: TextBudget, *, verify: bool) -> None:
        self.inference = inference
        self.budget = budget
        self.verify = verify
        self.runs: dict[tuple[object, ...], Run] = {}
        self.count = 0
        self._reasons: dict[tuple[object, ...], str] = {}
        self._spent = 0.0
        self._permissions = permissions_of("", inference.top)

    def add(self, path: str, snippet: Snippet) -> bool:
        """Adds the runs of a snippet, relative to the first directory in which they succeed. Returns False at the
        limit.
        """
        if self.count >= _MOST_COMMANDS:
            self.inference.bound = f"the first {_MOST_COMMANDS} command lines"
            return False
        if self.budget.is_spent:
            self.inference.bound = _BOUND
            return False
        top = self.inference.top
        source = Source(os.path.relpath(path, top))
        source.shown = os.path.relpath(path)
        directories = [snippet.directory] if snippet.directory is not None else _directories(path, top)
        commands = commands_of(snippet.text, snippet.line)
        readings = {directory: self._read(snippet, commands, directory) for directory in directories}
        # A script is started in one directory: the first one in which most of its inputs exist.
        missing = {directory: self._missing(reading, source) for directory, reading in readings.items()}
        ordered = sorted(directories, key=missing.__getitem__)
        for number, (line, _) in enumerate(readings[directories[0]]):
            self.count += 1
            reason = ""
            for directory in ordered:
                reading = readings[directory]
                if number < len(reading) and reading[number][0].line == line.line:
                    found = self._outcome(*reading[number], snippet, source)
                    reason = reason or found
                    if not found:
                        break
            else:
                shown = line.shown.replace(os.path.join(top, ""), "")
                self.inference.rejected.append(RejectedRun(line.command, shown, Position(source, line.line), reason))
        return True

    def _missing(self, reading: Sequence[tuple[CommandLine, str | None]], source: Source) -> int:
        """The number of inputs of command lines that do not exist."""
        count = 0
        for line, directory in reading:
            if directory is None or line.unknown:
                continue
            try:
                settings = line.settings(source, directory, self.inference.top)
            except PlaitError:
                continue
            read = [one for one in settings if is_path_setting(line.command, one.name) and one.name not in _WRITTEN]
            paths = [path_in(one.option, text) for one in read for text, _ in one.texts()]
            count += sum(not os.path.lexists(os.path.join(directory, path)) for path in paths)
        return count

    def _read(
        self, snippet: Snippet, commands: Sequence[ShellCommand], directory: str
    ) -> list[tuple[CommandLine, str | None]]:
        shell = Shell(directory, self.inference.top, snippet.script, budget=self.budget)
        lines = ((command_line(one), one.directory) for one in shell.run(commands, len(snippet.text)))
        return [(line, where) for line, where in lines if line is not None]

    def _outcome(self, line: CommandLine, directory: str | None, snippet: Snippet, source: Source) -> str:
        """Adds the run of a command line. Returns the reason if it is rejected, else ""."""
        if line.unknown:
            return f"{line.unknown[0]} is only known when the script runs"
        if directory is None:
            return "its directory is only known when the script runs"
        reason = self._tried(line, directory, snippet, source, has_stand_ins=False)
        if reason and line.stand_ins and not self._tried(line, directory, snippet, source, has_stand_ins=True):
            return ""
        return reason

    def _tried(
        self, line: CommandLine, directory: str, snippet: Snippet, source: Source, *, has_stand_ins: bool
    ) -> str:
        top = self.inference.top
        try:
            settings = line.settings(source, directory, top, has_stand_ins=has_stand_ins)
        except PlaitError as error:
            return error.message
        settings, examples = with_examples(line.command, settings, directory)
        settings, missing = _without_missing_variables(line.command, settings, directory, top)
        reason = _unreachable(line.command, settings, directory, top)
        if reason:
            return reason
        if {setting.name for setting in settings} <= _LOOKUP and len(settings) == len(_LOOKUP):
            return "it reads one value of a file"
        key = (line.command, directory, *((one.name, *(text for text, _ in one.texts())) for one in settings))
        at = f"{source.shown}:{line.line}"
        known = self.runs.get(key)
        if known is not None:
            places, _, rest = known.why.partition("; ")
            if at not in places.split(", "):
                known.why = f"{places}, {at}; {rest}" if rest else f"{places}, {at}"
            return ""
        if key not in self._reasons:
            left_out = f"without {', '.join(line.omitted)}"
            if has_stand_ins:
                left_out = f"with {', '.join(line.stand_ins)} instead of {', '.join(line.omitted)}"
            left = "; ".join(
                [f"with {example} for {path}, which is not in the repository" for path, example in examples.items()]
                + [f"without {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not in the repository"]
                * bool(missing)
                + [f"{left_out}, only known when the script runs"] * bool(line.omitted)
            )
            run = Run(
                "-".join(filter(None, (snippet.group or line.command, _PATH_PARTS.sub("", line.turn)))),
                line.command,
                settings,
                None,
                relative_to_cwd(directory),
                None,
                why=f"{at}; {left}" if left else at,
            )
            run.permissions = self._permissions
            reason = self._failure_of(run) if self.verify else ""
            self._reasons[key] = f"{left}, {reason}" if left and reason else reason
            if not self._reasons[key]:
                self.runs[key] = run
        return self._reasons[key]

    def _failure_of(self, run: Run) -> str:
        if self._spent > _MOST_SECONDS:
            return f"not verified: the command lines before it took {_MOST_SECONDS} s"
        start = process_time()
        try:
            return failure_of(run)
        finally:
            self._spent += process_time() - start


def _directories(path: str, top: str) -> list[str]:
    """Directories in which a script may be started: the top of the repository, then those from its own upwards."""
    found = [top]
    here = os.path.dirname(path)
    while here != top and here.startswith(top):
        found.append(here)
        here = os.path.dirname(here)
    return found


def _unreachable(command: str, settings: Sequence[Setting], directory: str, top: str) -> str:
    """The reason why an input is not available without the script, the network or other directories; "" if all are
    available.
    """
    inside = os.path.join(os.path.realpath(top), "")
    read = [one for one in settings if one.name != "secrets" and is_path_setting(command, one.name)]
    # Tried in each possible directory.
    if any(path_in(setting.option, text) == "-" for setting in read for text, _ in setting.texts()):
        return "it reads standard input"
    for setting in read:
        for text, _ in setting.texts():
            path = path_in(setting.option, text)
            if "://" in path:
                return f"{path} is on the network"
            place = os.path.join(directory, path)
            if not os.path.join(os.path.realpath(place), "").startswith(inside):
                return f"{path} is outside the repository"
            if setting.name not in _WRITTEN and _is_missing(place):
                missing: ReadError = read_failure(place)
                above = os.path.dirname(path.rstrip("/"))
                alike = [os.path.join(above, os.path.basename(one.new)) for one in missing.suggestions]
                return f"{path} is not in the repository" + (f"; did you mean {listed(alike)}?" if alike else "")
    if any(setting.name == "secrets" for setting in settings):
        return "it reads secrets"
    return ""


def _is_missing(path: str) -> bool:
    return not os.path.lexists(path) and not any(char in path for char in "*?[")


def _without_missing_variables(
    command: str, settings: Sequence[Setting], directory: str, top: str
) -> tuple[list[Setting], list[str]]:
    """The settings without files of variables that are not in the repository, and those files. Their placeholders stay."""
    inside = os.path.join(os.path.realpath(top), "")
    made, missing = list[Setting](), list[str]()
    for setting in settings:
        if command != "patch" or setting.name not in _VARIABLES:
            made.append(setting)
            continue
        left = {
            path
            for text, _ in setting.texts()
            if (path := path_in(setting.option, text)) != "-"
            and (
                not os.path.realpath(os.path.join(directory, path)).startswith(inside)
                or _is_missing(os.path.join(directory, path))
            )
        }
        missing += sorted(left)
        kept = [ArrayItem(text) for text, _ in setting.texts() if path_in(setting.option, text) not in left]
        if not left:
            made.append(setting)
        elif kept:
            made.append(Setting(setting.name, setting.option, [MapItem(setting.name, Array(kept))]))
    return made, missing


def failure_of(run: Run, *, prints: bool = False) -> str:
    """The error of evaluating a run in memory, or "". Nothing is written, and no program is started.

    prints: a run without documents counts as failed.
    """
    try:
        made = without_generation(run).evaluate(view=InputView(is_read_only=True), limits=LIMITS)
    except PlaitError as error:
        finding = error.findings[0] if error.findings else error
        needs = f"; expected: {finding.expected}" if finding.code in _NEEDED else ""
        return f"it fails: {heading(finding)}{needs}"
    return "it renders no document" if prints and not made.nodes.items else ""


def without_generation(run: Run) -> Run:
    """The run without a variables store that does not exist yet: a hundred certificates take half a minute.
    Placeholders stay in the output instead, unless they are errors.
    """
    stores = [one for one in run.settings if one.name == "vars-store"]
    if not stores or any(one.name == "var-errs" for one in run.settings):
        return run
    if any(os.path.lexists(path) for one in stores for path in run.paths(one)):
        return run
    left = [one for one in run.settings if one not in stores]
    made = Run(run.name, run.command, left, run.given, run.directory, run.at, why=run.why)
    made.permissions = run.permissions
    return made


def _rename(runs: Sequence[Run], top: str) -> None:
    """Gives each run a unique name, from its target, job or script; equal ones begin with the directory of the run."""
    names = [_NAME.sub("-", run.name).strip("-.") or run.command for run in runs]
    taken: dict[str, int] = {}
    for run, own in zip(runs, names, strict=True):
        place = os.path.relpath(os.path.abspath(run.directory or os.curdir), top)
        is_shared = names.count(own) > 1 and place != os.curdir
        name = f"{_NAME.sub('-', place).strip('-.')}-{own}" if is_shared else own
        taken[name] = taken.get(name, 0) + 1
        run.name = name if taken[name] == 1 else f"{name}-{taken[name]}"
