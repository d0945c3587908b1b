"""`plait fmt`: formats YAML files."""

from __future__ import annotations

import os

from plait.authoring.edit.edited_files import write_all
from plait.authoring.formatting.formatter import format_text
from plait.base.content import SkippingLinkPolicy
from plait.base.errors import LimitError, PlaitError, ReadError, UsageError, warning
from plait.base.text_diff import Paint, hunks, visible
from plait.cli.colour import cleaning, in_colour
from plait.cli.messages import complain_of, complain_of_warning
from plait.cli.progress import working
from plait.cli.signals import cleanup_on_signal
from plait.cli.streams import write_answer, write_out
from plait.engine.common import ALLOW_ALL_LINKS, ALLOW_LINKS, ALLOW_OUTPUT, ISOLATE, LIMIT, SAFETY, keep_limits
from plait.engine.flags import Command
from plait.engine.options import Heading, Request, switch, texts
from plait.ytt.workspace.input_files import YAML
from plait.ytt.workspace.inputs import Inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.formatting.formatter import FormattedText
    from plait.ytt.workspace.input_files import InputFile


class Fmt(Request):
    """The command line of `plait fmt`."""

    __slots__ = ()
    command = "fmt"
    summary = "Format YAML files. Only spaces and line breaks change."
    usage = "PATH..."
    file = texts("file", "a file, a directory, or - for standard input; the same as PATH", short="f", value="PATH")
    write = switch("write", "write the files that change", short="w")
    check = switch("check", "list the files that would change; exit with 1 if there are any")
    diff = switch("diff", "print the changes as a diff")
    _1 = Heading(SAFETY)
    allow_links = ALLOW_LINKS
    allow_all_links = ALLOW_ALL_LINKS
    output_links = ALLOW_OUTPUT
    limit = LIMIT
    isolate = ISOLATE


FMT = Command(Fmt)


# Maximum number of skipped links in a message.
_NAMED = 5


def main(flags: Fmt) -> int:
    """Runs `plait fmt`. Returns the exit status: 1 if a file cannot be read, or would change with --check.

    Raises UsageError.
    """
    keep_limits(flags)

    named = [*flags.file, *flags.arguments]
    if not named:
        raise UsageError(
            "no file to format", hint="plait fmt -w config/ formats all YAML files of a directory", code="nothing-to-do"
        )
    if flags.write and "-" in named:
        raise UsageError("-w needs files, not standard input", code="standard-input")
    links = SkippingLinkPolicy(flags.allow_links, every=flags.allow_all_links)
    found = Inputs(links=links, offline=True).files(named)
    for path in links.passed[:_NAMED]:
        complain_of_warning(warning(f"{path} is a link and is not followed: format its target", code="skipped-link"))
    if len(links.passed) > _NAMED:
        message = f"{len(links.passed) - _NAMED} more links are not followed"
        complain_of_warning(warning(message, code="skipped-link"))
    files = [file for file in found if file.type == YAML]
    others = [file.source.shown for file in found if file.type != YAML and not file.in_directory]
    shows = flags.write or flags.check or flags.diff
    if not files or others:
        raise UsageError(
            f"{others[0]} is not a YAML file" if others else "the inputs contain no YAML file",
            expected="names that end in .yml or .yaml",
            found=", ".join(named),
            code="nothing-to-do",
        )
    if len(files) > 1 and not shows:
        raise UsageError(
            f"{len(files)} files: choose --write, --check or --diff",
            expected="-w writes the files, --check lists those that would change, --diff prints the changes",
            hint="plait render fmt prints files as ytt fmt does",
            code="missing-argument",
        )
    status, colour = 0, in_colour()
    with working("formatting", len(files)) as context:
        for file, formatted in _formatted(files):
            context.done += 1
            if formatted is None:
                status = 1
            elif not shows:
                write_out(formatted.text)
            elif formatted.is_changed:
                if flags.check:
                    status = 1
                _tell(file, formatted, is_diff=flags.diff, colour=colour)
                if flags.write and not _is_written(file, formatted, named):
                    status = 1
    return status


def _formatted(files: Sequence[InputFile]) -> Iterator[tuple[InputFile, FormattedText | None]]:
    """Each file with its formatted text. Reports files that are not YAML, and yields None for them."""
    for file in files:
        try:
            formatted = format_text(file.source.text, file.source.shown)
        except LimitError:
            raise
        except PlaitError as error:
            complain_of(error)
            yield file, None
            continue
        if formatted.left_alone:
            message = f"{file.source.shown} is not formatted: {formatted.left_alone}"
            complain_of_warning(warning(message, code="not-formatted"))
        yield file, formatted


def _tell(file: InputFile, formatted: FormattedText, *, is_diff: bool, colour: bool) -> None:
    """Prints the name of a changed file, or the difference."""
    name = file.source.shown
    if not is_diff:
        write_answer(f"{name}\n")
        return

    paint = Paint(cleaning(), colour=colour)
    out = [f"{paint.bold}--- {paint.clean(name)}{paint.plain}", f"{paint.bold}+++ {paint.clean(name)}{paint.plain}"]
    for hunk in hunks(formatted.before, formatted.text, shorten=False):
        out += [hunk.header, *(paint(sign, f"{sign}{visible(line)}") for sign, line in hunk.lines)]
    write_answer("".join(f"{line}\n" for line in out), is_harmless=True)


def _is_written(file: InputFile, formatted: FormattedText, named: Sequence[str]) -> bool:
    """True if the file was written. Prints errors, so that the remaining files are written.

    named: the paths given by the user.
    """
    try:
        with cleanup_on_signal():
            path = file.source.shown
            tops = [one for one in named if path.startswith(os.path.join(one, "")) or one in (os.curdir, "")]
            content = formatted.text.encode("utf-8", "surrogateescape")
            write_all({path: (file.bytes(), content)}, max(tops, key=len) if file.in_directory and tops else None)
    except ReadError as error:
        complain_of(error)
        return False
    return True
