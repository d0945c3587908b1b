"""`plait lint`: reports findings about the runs of a project."""

from __future__ import annotations

import os

from plait.authoring.lint import finding_reports
from plait.authoring.lint.codes import is_pattern
from plait.authoring.lint.fixing import fix
from plait.authoring.lint.linter import findings_of
from plait.authoring.lint.subject import LintProject
from plait.authoring.project.discovery import project_of
from plait.authoring.project.file import Project
from plait.authoring.project.run import Run
from plait.authoring.project.run_selection import choose
from plait.authoring.project.unknown_names import no_runs
from plait.base.errors import UsageError
from plait.base.input_view import permitted
from plait.base.similar_names import counted
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import write_file
from plait.cli.colour import styles_of
from plait.cli.common_flags import entered, shown
from plait.cli.progress import stepped, working
from plait.cli.runs import announced
from plait.cli.signals import cleanup_on_signal
from plait.cli.streams import line_width, note, write_folded, write_out
from plait.cli.tools import table
from plait.engine import DIALECTS
from plait.engine.common import ALLOW_OUTPUT, PROJECT, TRUST
from plait.engine.flags import Command
from plait.engine.options import Request, csv, switch, text
from plait.insight.diagnostic_formats import as_annotations, as_list, as_sarif

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.lint.finding import LintFinding
    from plait.base.input_view import InputView

FORMS = ("text", "json", "sarif", "github")
TARGETS = ("ytt", "bosh", "deckhand")


class Lint(Request):
    """The command line of `plait lint`."""

    __slots__ = ()
    command = "lint"
    summary = "Report unused code, order-dependent results, no-ops and ambiguous YAML."
    takes_words = True
    usage = "[RUN...] | [flags] render|patch|layer|compose [its flags and arguments]"
    project = PROJECT
    trust = TRUST
    select = csv("select", "report only these codes, code prefixes, rule names or families", value="CODES")
    ignore = csv("ignore", "do not report these", value="CODES")
    portable = csv(
        "portable",
        "also report what these programs would reject or interpret differently",
        value="PROGRAMS",
        choices=TARGETS,
    )
    fix = switch("fix", "apply the fixes that change no output")
    output = text(
        "output",
        "output format: text, json, sarif or github",
        short="o",
        value="FORMAT",
        default=("text",),
        choices=FORMS,
    )
    sarif = text("sarif", "also write the findings as SARIF to a file", value="FILE")
    watch = switch("watch", "lint again when an input changes, until interrupted")
    output_links = ALLOW_OUTPUT


LINT = Command(Lint)


def main(argv: Sequence[str]) -> int:
    """Runs `plait lint`. Returns the exit status: 1 if there are findings. Raises PlaitError."""
    flags, typed = _apart(argv)
    if entered(flags).help:
        return shown(LINT)
    asked = Asked(flags, typed)
    if flags.watch:
        from plait.cli.lint_watch import watch

        watch(asked.look, asked.tell, counts=asked.form == "text")
        return 0
    subject, found = asked.look()
    if flags.fix:
        with cleanup_on_signal():
            mended = fix(subject, found)
        if mended:
            note(f"plait: {counted(len(mended), 'finding')} mended\n")
            subject, found = asked.look()
    asked.tell(subject, found)
    return 1 if found else 0


class Asked:
    """A parsed command line. flags: the flags of lint; typed: the command line to check, or None."""

    def __init__(self, flags: Lint, typed: Sequence[str]) -> None:
        """Raises UsageError."""
        self.flags = flags
        self._typed = typed
        flags.require_choice(Lint.output)
        flags.require_choice(Lint.portable)
        self.form = flags.output
        if typed and flags.arguments:
            raise UsageError(
                "name runs, or a command", found=" ".join([*flags.arguments, typed[0]]), code="missing-argument"
            )
        if flags.watch and flags.fix:
            raise UsageError("--watch and --fix exclude each other", code="flag-conflict")

    def look(self, view: InputView | None = None) -> tuple[LintProject, list[LintFinding]]:
        """The findings. view: records the reads. Raises PlaitError."""
        flags = self.flags
        if self._typed:
            project = _typed(self._typed)
        else:
            with working("looking for runs"):
                project = project_of(flags.project, os.curdir)
            announced(project)
        try:
            chosen = choose(project, flags.arguments)
        except UsageError as error:
            code = next((one for one in flags.arguments if is_pattern(one)), None)
            if error.hint is None and code is not None:
                error.hint = f"{code} is a code; separate codes by commas: --select D107,{code}"
            raise
        runs = chosen.runs
        note(chosen.note())
        if not runs:
            raise no_runs()
        with permitted(project.permissions), working(f"checking {counted(len(runs), 'run')}") as context:
            subject = LintProject(project, stepped(context, runs), view)
            return subject, findings_of(subject, flags.select, flags.ignore, flags.portable)

    def tell(self, subject: LintProject, found: Sequence[LintFinding]) -> None:
        """Prints the findings, and writes them to files. Raises ReadError."""
        form, flags = self.form, self.flags
        messages = finding_reports.messages(subject, found)
        if flags.has(Lint.sarif):
            _write(flags.sarif, as_sarif(messages))
        if form == "text":
            write_folded(finding_reports.as_text(subject, found, styles_of(), line_width()), is_harmless=True)
        else:
            write_out({"json": as_list, "github": as_annotations, "sarif": as_sarif}[form](messages))


def _apart(argv: Sequence[str]) -> tuple[Lint, list[str]]:
    """The flags of lint, and the words of the checked command line."""
    flags, rest = LINT.apart(argv)
    while rest and rest[0] != "--":
        word = rest[0]
        if word in DIALECTS and len(rest) > 1 and rest[1] not in DIALECTS:
            return flags, rest
        if word.startswith("-"):
            break
        flags.use(Lint.argument, word)
        more, rest = LINT.apart(rest[1:])
        flags = flags.over(more.uses)
    return flags.over(LINT.parse(rest).uses), []


def _typed(words: Sequence[str]) -> Project:
    """A project with one run: a command line."""
    command, *rest = words
    return Project("", "", [Run(command, command, (), None, "", None, uses=entered(table(command).parse(rest)).uses)])


def _write(path: str, text: str) -> None:
    try:
        with cleanup_on_signal():
            write_file(path, [text.encode("utf-8", "replace")], new_mode=0o666)
    except OSError as error:
        raise failure(f'"{path}"', error) from None
