"""`plait compose`: the steps of a pipeline file, in one run."""

from __future__ import annotations

import os
import sys

from plait.cli.limits import LIMITS, QUOTE_VALUES, keep_limits
from plait.cli.options import SWITCH, TEXT, TEXTS, Command, Flag
from plait.cli.sourcemap import SOURCE_MAP, trace_of, write_source_map
from plait.cli.streams import watched, write_out
from plait.context import Context
from plait.errors import UsageError
from plait.nodes import DocumentSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.cli.options import Parsed
    from plait.nodes import Document
    from plait.tools.compose import Changes
    from plait.tools.pipeline import Step

COMPOSE = Command(
    "plait compose",
    "Run the steps of a pipeline file: render, layer, patch, overlay and values, in its order.",
    (
        Flag("data-value", TEXTS, "set one data value to a string", short="v", value="KEY=VALUE"),
        Flag("data-value-yaml", TEXTS, "set one data value, read as YAML", value="KEY=YAML"),
        Flag("data-values-file", TEXTS, "set data values from plain YAML", short="d", value="PATH"),
        Flag("step", TEXT, "stop after this step", value="NAME"),
        Flag("diff", SWITCH, "print what each step changed instead of the result"),
        Flag("cleartext-secrets", SWITCH, "with --diff: show the data of encrypted documents"),
        Flag(
            "output",
            TEXT,
            "form of the output: yaml or json",
            short="o",
            value="FORM",
            default=("yaml",),
            choices=("yaml", "json"),
        ),
        *LIMITS,
        QUOTE_VALUES,
        SOURCE_MAP,
    ),
    arguments="PIPELINE",
)


def main(argv: Sequence[str]) -> int:
    """Run `plait compose`; the exit status. Raises PlaitError."""
    flags = COMPOSE.parse(argv)
    if flags.on("help"):
        write_out(COMPOSE.help_text())
        return 0
    form = flags.text("output")
    if form not in ("yaml", "json"):
        raise UsageError(f'unknown form "{form}"', expected="yaml, json")
    keep_limits(flags)
    context = Context(print_line=lambda line: print(line, file=sys.stderr))
    context.trace = trace_of(flags)
    changes = None
    if flags.on("diff"):
        from plait.tools.compose import Changes

        changes = Changes(cleartext_secrets=flags.on("cleartext-secrets"))
    with watched(context):
        result = _run(flags, context, changes)
    write_source_map(flags, context.trace, result)
    for warning in context.warnings:
        sys.stderr.write(f"plait: warning: {warning}\n")
    if changes is not None:
        write_out(_shown(changes), is_harmless=True)
        return 0
    from plait.output import FORMATS

    write_out(FORMATS[form](result))
    return 0


def documents(argv: Sequence[str], context: Context) -> DocumentSet:
    """What a command line would print, with the run's state given. Raises PlaitError."""
    flags = COMPOSE.parse(argv)
    keep_limits(flags, context)
    return _run(flags, context, None)


def _run(flags: Parsed, context: Context, show: Callable[[Step, list[Document]], None] | None) -> DocumentSet:
    from plait.tools.compose import compose
    from plait.tools.pipeline import read

    if len(flags.arguments) != 1:
        raise UsageError(
            "plait compose runs one pipeline file",
            expected="plait compose plait.yml",
            found=" ".join(flags.arguments) or None,
        )
    from plait.workspace import Inputs
    from plait.workspace.values_flags import ValuesFlags, read_values

    given = ValuesFlags(
        files=flags.texts("data-values-file"),
        values=flags.texts("data-value"),
        values_yaml=flags.texts("data-value-yaml"),
    )
    values = read_values(given, Inputs(), os.environ, warn=context.warn)
    return compose(read(flags.arguments[0]), context, values=values, until=flags.text("step") or None, watch=show)


def _shown(changes: Changes) -> str:
    """What each step changed, a heading a step."""
    from plait.cli.diff import cleaning, in_colour
    from plait.tools.diff import to_text

    colour, clean = in_colour("auto"), cleaning()
    return "".join(
        f"# {clean(name)}\n{to_text(differences, colour=colour, clean=clean) or '  nothing changed' + chr(10)}"
        for name, differences in changes.steps
    )
