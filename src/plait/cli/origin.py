"""`plait origin`: a report about the output, at the source lines behind it."""

from __future__ import annotations

import os

from plait.authoring.edit.setting import EditSession
from plait.authoring.origin import origin_reports as reports
from plait.authoring.origin.finding_origins import finding_origins
from plait.authoring.origin.report_files import MOST_FINDINGS, read_report
from plait.authoring.project.discovery import project_of
from plait.base.content import source, sources
from plait.base.similar_names import counted
from plait.cli.colour import styles_of
from plait.cli.common_flags import entered, shown
from plait.cli.progress import working
from plait.cli.project import is_run
from plait.cli.questions import split_question
from plait.cli.streams import line_width, note, write_folded, write_out
from plait.cli.targets import target_of
from plait.engine.common import OUTPUT, TRUST
from plait.engine.flags import Command
from plait.engine.options import Request
from plait.insight.diagnostic_formats import as_annotations, as_sarif

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FORMS = ("text", "json", "sarif", "github")


class Origin(Request):
    """The command line of `plait origin`."""

    __slots__ = ()
    command = "origin"
    summary = "Report another tool's findings about the output at the source lines to fix."
    usage = "[render|patch|layer|compose|run NAME] [its flags and arguments] REPORT"
    takes_words = True

    output = OUTPUT.replaced(
        help="output format, text, json, sarif or github; put it before COMMAND if COMMAND has its own -o",
        choices=FORMS,
    )
    trust = TRUST


ORIGIN = Command(Origin)


def main(argv: Sequence[str]) -> int:
    """Runs `plait origin`. Returns the exit status: 1 if there are findings. Raises PlaitError."""
    own, rest = ORIGIN.apart(argv)
    if entered(own).help or not argv:
        return shown(ORIGIN)
    if len(rest) == 1 and not is_run(rest[0]):
        # Only the REPORT: the project has one run.
        rest = ["run", project_of("", os.curdir).run("").name, *rest]
    question = split_question(own, rest)
    flags = question.own
    flags.require_choice(Origin.output)
    target = target_of(question)
    asked = str(question.asked)
    report = read_report(next(iter(sources("-"))) if asked == "-" else source(asked))
    with working(f"locating {counted(len(report.findings), 'finding')}"):
        found = [*finding_origins(EditSession(target), report.findings)] if report.findings else []
    form = flags.output
    if form == "text":
        write_folded(reports.as_text(found, styles_of(), line_width()), is_harmless=True)
    elif form == "json":
        from json import dumps

        write_out(dumps(reports.as_data(found), ensure_ascii=False, indent=1) + "\n")
    else:
        write_out({"github": as_annotations, "sarif": as_sarif}[form](reports.messages(found)))
    if report.left_out:
        note(f"plait: only the first {MOST_FINDINGS} findings are reported; {report.left_out} are left out\n")
    return 1 if found else 0
