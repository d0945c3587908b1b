"""`plait compose`: the steps of a pipeline file, in one run."""

from __future__ import annotations

import sys

from plait.cli.options import SAFETY, Command
from plait.cli.shared import (
    ALLOW_OUTPUT,
    CHECK_OUTPUT,
    KEEP_FORMAT,
    LIMITS,
    OUTPUT_BY,
    QUOTE_VALUES,
    SOURCE_MAP,
    TRUST,
    WARNINGS,
    WATCH,
    keep_limits,
    keep_originals,
    keep_warnings,
    output_by_of,
    tell_warnings,
    trace_of,
    write_source_map,
)
from plait.cli.streams import watched, write_folded, write_out
from plait.content import variables
from plait.context import Context
from plait.engine.options import SWITCH, TEXT, TEXTS, WRITTEN_PATH, Option, PathForm
from plait.errors import UsageError
from plait.nodes import DocumentSet
from plait.view import current_permissions, permitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.engine.options import Request
    from plait.engine.results import Documents
    from plait.nodes import Document, Map
    from plait.tools.compose import Changes
    from plait.tools.pipeline import Step
    from plait.workspace import ReferencedValues

COMPOSE = Command(
    "plait compose",
    "Run the steps of a pipeline file: render, layer, patch, overlay and values, in its order.",
    (
        Option("data-value", TEXTS, "set one data value to a string", short="v", value="KEY=VALUE"),
        Option("data-value-yaml", TEXTS, "set one data value, read as YAML", value="KEY=YAML"),
        Option(
            "data-values-file",
            TEXTS,
            "set data values from plain YAML",
            short="d",
            value="PATH",
            path=PathForm("read", may_be_url=True),
        ),
        Option("run", TEXT, "which run of a file with several", value="NAME", setting=""),
        Option("step", TEXT, "stop after this step", value="NAME"),
        Option("diff", SWITCH, "print what each step changed instead of the result"),
        Option("cleartext-secrets", SWITCH, "with --diff: show the data of encrypted documents"),
        Option(
            "output",
            TEXT,
            "form of the output: yaml or json",
            short="o",
            value="FORM",
            default=("yaml",),
            choices=("yaml", "json"),
        ),
        Option(
            "output-files",
            TEXT,
            "write each document into a directory, to the file that --output-by says; keep what is already there",
            value="DIRECTORY",
            path=WRITTEN_PATH,
        ),
        CHECK_OUTPUT,
        OUTPUT_BY,
        KEEP_FORMAT,
        SOURCE_MAP,
        TRUST,
        WATCH,
        SAFETY,
        ALLOW_OUTPUT,
        *LIMITS,
        *WARNINGS,
        QUOTE_VALUES,
    ),
    arguments="PIPELINE",
)


def main(argv: Sequence[str], given: Map | None = None) -> int:
    """Run `plait compose`; the exit status. given: data values that win over those of flags. Raises PlaitError."""
    flags = COMPOSE.parse(argv)
    if flags.on("help"):
        write_out(COMPOSE.help_text())
        return 0
    form = flags.text("output")
    if form not in ("yaml", "json"):
        from plait.spell import did_you_mean

        raise UsageError(f'unknown form "{form}"', expected="yaml, json", hint=did_you_mean(form, ("yaml", "json")))
    pattern = output_by_of(flags)
    if flags.given("output-files") and (pattern is None or flags.on("diff")):
        raise UsageError(
            "--output-files of plait compose needs --output-by, and no --diff",
            expected='such as --output-by "{kind}/{name}.yml"',
        )
    keep_limits(flags)
    context = Context(print_line=lambda line: print(line, file=sys.stderr))
    keep_warnings(flags, context)
    context.trace = trace_of(flags)
    context.gives_output_alone = not flags.on("diff")
    keep_originals(flags, context, form)
    changes = None
    if flags.on("diff"):
        from plait.tools.compose import Changes

        changes = Changes(cleartext_secrets=flags.on("cleartext-secrets"))
    with watched(context):
        result = _run(flags, context, changes, given)
    context.check_warnings()
    if pattern is not None:
        from plait.destinations import places_by

        placed = places_by(pattern, result.items)
    write_source_map(flags, context.trace, result, originals=context.originals)
    tell_warnings(flags, context)
    if changes is not None:
        write_folded(_shown(changes), is_harmless=True)
        return 0
    from plait.formats import text_of

    if flags.given("output-files"):
        from plait.cli.files import write_files
        from plait.destinations import files_of

        write_files(
            flags.text("output-files"),
            files_of(placed, lambda documents: text_of(documents, originals=context.originals)),
        )
    else:
        write_out(text_of(result, form, context.originals))
    return 0


def evaluate(argv: Sequence[str], context: Context, given: Map | None = None) -> Documents:
    """What a command line makes, with the run's state given; nothing is printed or written.

    given: data values that win over those of flags. Raises PlaitError.
    """
    from plait.cli.files import result_of
    from plait.formats import text_of

    flags = COMPOSE.parse(argv)
    keep_limits(flags, context)
    form = flags.text("output")
    keep_originals(flags, context, form)
    result = _run(flags, context, None, given)
    return result_of(
        result, output_by_of(flags), lambda documents: text_of(documents, form, context.originals), context
    )


def _run(
    flags: Request, context: Context, show: Callable[[Step, list[Document]], None] | None, given: Map | None
) -> DocumentSet:
    if len(flags.arguments) != 1:
        raise UsageError(
            "plait compose runs one pipeline file",
            expected="plait compose plait.yml",
            found=" ".join(flags.arguments) or None,
        )
    from plait.permissions import READ, Need
    from plait.trust import permissions_of
    from plait.workspace import Inputs, values_of_map
    from plait.workspace.values_flags import ValuesFlags, read_values

    flagged = ValuesFlags(
        files=flags.texts("data-values-file"),
        values=flags.texts("data-value"),
        values_yaml=flags.texts("data-value-yaml"),
    )
    values = read_values(flagged, Inputs(), variables, warn=context.warn)
    if given is not None:
        values.append(values_of_map(given))
    path = flags.arguments[0]
    with permitted(None if current_permissions() is not None else permissions_of(path, typed=[Need(READ, path)])):
        result = _composed(flags, path, context, show, values)
    if flags.given(CHECK_OUTPUT.name):
        from plait.kinds.output import check_output

        check_output(result.items, flags.texts(CHECK_OUTPUT.name), context.warn, quotes=False)
    return result


def _composed(
    flags: Request,
    path: str,
    context: Context,
    show: Callable[[Step, list[Document]], None] | None,
    values: Sequence[ReferencedValues],
) -> DocumentSet:
    """What the steps of a pipeline file make. Raises PlaitError."""
    from plait.tools.compose import compose, has_secrets
    from plait.tools.pipeline import read

    pipeline = read(path, flags.text("run"))
    if show is not None and not flags.on("cleartext-secrets") and has_secrets(pipeline):
        raise UsageError("--diff shows what the secrets of the steps become", hint="--cleartext-secrets accepts it")
    return compose(
        pipeline,
        context,
        values=values,
        until=flags.text("step") or None,
        watch=show,
        tells_secrets=flags.on(QUOTE_VALUES.name),
    )


def _shown(changes: Changes) -> str:
    """What each step changed, a heading a step."""
    from plait.cli.colour import cleaning, in_colour
    from plait.tools.diff import to_text

    colour, clean = in_colour("auto"), cleaning()
    return "".join(
        f"# {clean(name)}\n{to_text(differences, colour=colour, clean=clean) or '  nothing changed' + chr(10)}"
        for name, differences in changes.steps
    )
