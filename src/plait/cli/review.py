"""`plait review`: the effect of a change between two Git revisions on the output, and its causes."""

from __future__ import annotations

import os

from plait.base.errors import UsageError, did_you_mean
from plait.base.output_files import add_files
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import write_file
from plait.cli.messages import complain_of_warning
from plait.cli.progress import working
from plait.cli.signals import cleanup_on_signal
from plait.cli.streams import note, write_folded, write_out
from plait.engine.common import ALLOW_OUTPUT, PROJECT, TRUST
from plait.engine.flags import Command
from plait.engine.options import NUMBER, Request, csv, declared, switch, text, texts
from plait.insight.diagnostic_formats import as_annotations, as_sarif
from plait.review.annotations import messages
from plait.review.api import review
from plait.review.consequences import NAMES
from plait.review.cpu_budget import DEFAULT
from plait.review.file_links import links_of_job
from plait.review.html import to_html
from plait.review.markdown import to_markdown
from plait.review.reports import commit_message, to_text
from plait.review.rules import SEVERITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.review.result import RenderedSide
    from plait.review.result import Review as Result

FORMS = ("text", "markdown", "html", "json", "github", "sarif")


class Review(Request):
    """The command line of `plait review`."""

    __slots__ = ()
    command = "review"
    summary = "Show what a change between two Git revisions does to the output, and which lines cause it."
    usage = "BASE [HEAD]"
    is_long_running = True
    kept = 5  # both sides with their provenance, and one evaluation with parts of the change reverted
    project = PROJECT
    run = texts(
        "run",
        "select a run, the environments of a matrix, or all names that match a pattern",
        value="NAME",
    )
    where = texts("where", "select the environments with this value of an axis", value="AXIS=VALUE")
    prove = switch("prove", "verify each cause by reverting it alone")
    budget = declared(
        "budget",
        NUMBER,
        "CPU seconds for the search for causes; changes not verified by then are reported as such; 0 means no limit",
        value="SECONDS",
        default=(str(DEFAULT),),
    )
    output = text(
        "output",
        "output format: text, markdown, html, json, github or sarif",
        short="o",
        value="FORMAT",
        default=("text",),
        choices=FORMS,
    )
    fail_on = csv(
        "fail-on",
        "exit with status 1 for these consequences: names, or error, warning or note for all of at least this severity",
        value="NAMES",
    )
    output_files = text(
        "output-files",
        "also write the output of all selected runs on HEAD's side to files in a directory, as plait fleet places them;"
        " other files there are preserved",
        value="DIRECTORY",
    )
    message = text("message", "also write a commit message that lists the causes to a file", value="FILE")
    trust = TRUST
    output_links = ALLOW_OUTPUT


REVIEW = Command(Review)


def main(flags: Review) -> int:
    """Runs `plait review`. Returns the exit status: 1 if a consequence of --fail-on was found. Raises PlaitError."""
    flags.require_choice(Review.output)
    if not 1 <= len(flags.arguments) <= 2:
        raise UsageError(
            "plait review compares two Git revisions",
            expected="plait review BASE [HEAD]",
            found=" ".join(flags.arguments) or None,
            code="missing-argument",
        )
    if len(flags.arguments) == 2 and all(map(os.path.isfile, flags.arguments)):
        raise UsageError(
            "plait review compares Git revisions, not files",
            expected="a commit, a branch or a tag",
            found=" and ".join(flags.arguments),
            hint=f"plait diff {' '.join(flags.arguments)}",
            code="invalid-value",
        )
    _check_names(flags)
    return _reviewed(flags)


def _check_names(flags: Review) -> None:
    known = [*SEVERITIES, "failure", *NAMES]
    for name in flags.fail_on:
        if name not in known:
            raise UsageError(
                f'unknown value for --fail-on: "{name}"',
                expected=", ".join(known),
                hint=did_you_mean(name, known),
                code="unknown-choice",
            )


def _reviewed(flags: Review) -> int:
    with working("comparing the runs") as progress:
        found = review(
            *flags.arguments,
            project=flags.project,
            runs=flags.run,
            where=flags.where,
            prove=flags.prove,
            budget=flags.budget,
            trust=flags.trust,
            documents=flags.output == "html",
            output=flags.has(Review.output_files),
            progress=progress,
        )
    if flags.has(Review.message):
        _write_message(flags.message, found)
    _print(found, flags.output)
    if found.is_backwards:
        base, head = found.base.partition("...")[0], found.head
        note(f"plait: {head} is older than {base}; to see the changes forwards: plait review {head} {base}\n")
    elif found.commits[0] == found.commits[1]:
        base = found.base.partition("...")[0]
        note(f"plait: both sides are the same commit; plait review {base} compares it with the working directory\n")
    if found.output is not None:
        _write_output(flags.output_files, found.output)
    return 1 if flags.fail_on and found.fails_on(flags.fail_on) else 0


def _print(found: Result, form: str) -> None:
    if form == "markdown":
        write_out(to_markdown(found, links_of_job(found)))
    elif form == "html":
        write_out(to_html(found))
    elif form == "json":
        write_out(found.to_json())
    elif form in ("github", "sarif"):
        write_out(as_annotations(messages(found), notices=True) if form == "github" else as_sarif(messages(found)))
    else:
        write_folded(to_text(found))


def _write_output(directory: str, found: RenderedSide) -> None:
    for warning in found.warnings:
        complain_of_warning(warning)
    if found.error is not None:
        raise found.error
    with cleanup_on_signal():
        add_files(directory, found.files.items(), lambda _: None)


def _write_message(path: str, found: Result) -> None:
    try:
        with cleanup_on_signal():
            write_file(path, [commit_message(found).encode("utf-8", "replace")], new_mode=0o666, replaces_target=False)
    except (OSError, ValueError) as error:
        raise failure(f'the message "{path}"', error) from None
