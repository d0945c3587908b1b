"""`plait lint`: findings of the runs of a project, on the command line."""

from __future__ import annotations

import os
import sys

from plait.cli.endings import cleaned_up
from plait.cli.project import PROJECT_FLAG
from plait.cli.streams import complain, write_folded, write_out
from plait.engine import DIALECTS
from plait.engine.common import ALLOW_OUTPUT, TRUST
from plait.engine.flags import Command
from plait.engine.options import CSV, SWITCH, TEXT, Option
from plait.errors import UsageError
from plait.project.choosing import choose
from plait.project.guessing import project_of
from plait.view import permitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.engine.options import Request
    from plait.lint.finding import Finding
    from plait.lint.subject import Subject
    from plait.project.file import Project
    from plait.view import View

FORMS = ("text", "json", "sarif", "github")
TARGETS = ("ytt", "bosh", "deckhand")

_FLAGS = (
    PROJECT_FLAG,
    TRUST,
    Option("select", CSV, "look for these alone: codes, beginnings of codes, names, families", value="CODES"),
    Option("ignore", CSV, "do not tell these", value="CODES"),
    Option("portable", CSV, "also tell what only plait takes", value="PROGRAMS", choices=TARGETS),
    Option("fix", SWITCH, "make the edits that change no output"),
    Option(
        "output",
        TEXT,
        "form of the findings: text, json, sarif or github",
        short="o",
        value="FORM",
        default=("text",),
        choices=FORMS,
    ),
    Option("sarif", TEXT, "also write the findings as SARIF to a file", value="FILE"),
    Option("watch", SWITCH, "again whenever a file that the runs read changes, until interrupted"),
    ALLOW_OUTPUT,
)
LINT = Command(
    "plait lint",
    "Find what has no part in any run, depends on chance, changes nothing, or is read in two ways.",
    _FLAGS,
    arguments="[RUN...] | [flags] render|patch|layer|compose [its flags and arguments]",
)


def main(argv: Sequence[str]) -> int:
    """Run `plait lint`; the exit status, 1 when something is found. Raises PlaitError."""
    own, typed = _apart(argv)
    flags = LINT.parse(own)
    if flags.on("help"):
        write_out(LINT.help_text())
        return 0
    asked = Asked(flags, typed)
    if flags.on("watch"):
        from plait.cli.lint_watch import watch

        watch(asked)
        return 0
    subject, found = asked.look()
    if flags.on("fix"):
        from plait.lint.fixing import fix
        from plait.spell import counted

        with cleaned_up():
            mended = fix(subject, found)
        if mended:
            sys.stderr.write(f"plait: {counted(len(mended), 'finding')} mended\n")
            subject, found = asked.look()
    asked.tell(subject, found)
    return 1 if found else 0


class Asked:
    """What a command line asks for. flags: its own; typed: the command line that it is to look at, if it does."""

    def __init__(self, flags: Request, typed: Sequence[str]) -> None:
        """Raises UsageError."""
        self.flags = flags
        self._typed = typed
        self.form = _one_of(flags.text("output"), FORMS, "form")
        self._targets = [_one_of(target, TARGETS, "program") for target in flags.texts("portable")]
        if typed and flags.arguments:
            raise UsageError("name runs, or a command", found=" ".join([*flags.arguments, typed[0]]))
        if flags.on("watch") and flags.on("fix"):
            raise UsageError("--watch and --fix do not go together")

    def look(self, view: View | None = None) -> tuple[Subject, list[Finding]]:
        """Find what there is. view: is told which files are read. Raises PlaitError."""
        from plait.lint.run import findings_of
        from plait.lint.subject import Subject

        flags = self.flags
        project = _typed(self._typed) if self._typed else project_of(flags.text("project"), os.curdir)
        chosen = choose(project, flags.arguments)
        runs = chosen.runs
        complain(chosen.note())
        if not runs:
            raise UsageError(
                "there is no run to look at",
                expected="a project file, plait.yml",
                hint="plait project says what was seen",
            )
        with permitted(project.permissions):
            subject = Subject(project, runs, view)
            return subject, findings_of(subject, flags.texts("select"), flags.texts("ignore"), self._targets)

    def tell(self, subject: Subject, found: Sequence[Finding]) -> None:
        """Print the findings, and write them to files. Raises ReadError."""
        from plait.lint import reports

        form, flags = self.form, self.flags
        if form == "sarif" or flags.given("sarif"):
            from plait.lint.sarif import as_sarif

            text = as_sarif(subject, found)
            if flags.given("sarif"):
                _write(flags.text("sarif"), text)
            if form == "sarif":
                write_out(text)
        if form == "json":
            write_out(reports.as_json(subject, found))
        elif form == "github":
            write_out(reports.as_annotations(subject, found))
        elif form == "text":
            write_folded(reports.as_text(subject, found))


def _apart(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The command's own words, and those of a command line that is to be looked at."""
    takes = {word for flag in LINT.flags if flag.kind != SWITCH for word in (f"--{flag.name}", f"-{flag.short}")}
    index = 0
    while index < len(argv):
        if argv[index] in DIALECTS and index + 1 < len(argv) and argv[index + 1] not in DIALECTS:
            return [*argv[:index]], [*argv[index:]]
        index += 2 if argv[index] in takes else 1
    return [*argv], []


def _one_of(text: str, known: Sequence[str], noun: str) -> str:
    if text not in known:
        from plait.spell import did_you_mean

        raise UsageError(f'unknown {noun} "{text}"', expected=", ".join(known), hint=did_you_mean(text, known))
    return text


def _typed(words: Sequence[str]) -> Project:
    """A project of one run: a command line."""
    from plait.cli.tracing import table
    from plait.project.file import Project
    from plait.project.run import Run

    command, *rest = words
    return Project("", "", [Run(command, command, (), None, "", None, uses=table(command).parse(rest).uses)])


def _write(path: str, text: str) -> None:
    from plait.writing import failure, write_file

    try:
        with cleaned_up():
            write_file(path, [text.encode("utf-8", "replace")], new_mode=0o666)
    except OSError as error:
        raise failure(f'"{path}"', error) from None
