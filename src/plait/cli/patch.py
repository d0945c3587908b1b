"""`plait patch`: operations files and variables, with the flags of `bosh interpolate` (spec ops 15).

Read flags and template in the order of the command line, apply the operations, fill the placeholders, narrow the result to
one location if asked, print it. Any error ends with status 1, as in the reference.
"""

from __future__ import annotations

from plait.additions import TAGS
from plait.cli.endings import cleaned_up
from plait.cli.options import GENERAL, GO_FLAGS, NO_EFFECT, SAFETY, Command
from plait.cli.shared import (
    ALLOW_EXEC,
    ALLOW_OUTPUT,
    LIMITS,
    LINKS,
    QUOTE_VALUES,
    SECRETS,
    SOURCE_MAP,
    WARNINGS,
    WATCH,
    keep_limits,
    keep_warnings,
    links_of,
    tell_warnings,
    trace_of,
    with_of,
    write_source_map,
)
from plait.cli.streams import watched, write_out
from plait.content import standard_input, variables
from plait.context import Context
from plait.engine.options import NUMBER, READ_PATH, SWITCH, TEXT, TEXTS, WRITTEN_PATH, Option, PathForm
from plait.errors import LimitError, OpsError, PlaitError, ReadError, UsageError
from plait.nodes import DocumentSet
from plait.source import CLAUSE, FLAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.engine.options import Request
    from plait.engine.results import Documents
    from plait.nodes import Map
    from plait.ops import Job

PATCH = Command(
    "plait patch",
    "Change a YAML document by operations files, and fill its ((placeholders)) from variables.",
    (
        "Operations",
        Option(
            "ops-file",
            TEXTS,
            "operations: a file, a directory of files, or a pattern",
            short="o",
            value="PATH",
            path=PathForm("read", is_pattern=True),
        ),
        Option("null-values", SWITCH, "accept operations with `value: null`"),
        with_of("patch"),
        "Variables",
        Option("var", TEXTS, "set a variable; the value is YAML", short="v", value="NAME=VALUE"),
        Option(
            "var-file", TEXTS, "set a variable to the text of a file", value="NAME=PATH", path=PathForm("read", "=")
        ),
        Option("vars-file", TEXTS, "set variables from a YAML map", short="l", value="PATH", path=READ_PATH),
        Option("vars-env", TEXTS, "set variables from environment variables PREFIX_name", value="PREFIX"),
        Option(
            "vars-store",
            TEXT,
            "read variables from a YAML file, and add generated values to it",
            value="PATH",
            path=WRITTEN_PATH,
        ),
        SECRETS,
        ALLOW_EXEC,
        Option("vars-first", SWITCH, "fill the template before the operations; what they bring is filled after them"),
        Option("var-errs", SWITCH, "fail if a variable has no value"),
        Option("var-errs-unused", SWITCH, "fail if a variable is not used"),
        "Result",
        Option("path", TEXT, "print one location only", value="OPS-PATH"),
        Option("expand", SWITCH, "print the plain operations that are applied instead of the result"),
        Option("input-order", SWITCH, "keep the order of keys, new ones last, instead of sorting them"),
        Option("in-place", SWITCH, "write the result to the template's file instead of printing it"),
        Option("keep-format", SWITCH, "edit only the lines that operations and variables change; keep comments"),
        Option("json", SWITCH, "print the result or the error as JSON"),
        SOURCE_MAP,
        WATCH,
        SAFETY,
        *LINKS,
        ALLOW_OUTPUT,
        *LIMITS,
        *WARNINGS,
        QUOTE_VALUES,
        GENERAL,
        Option("tty", SWITCH, 'print an empty line and "Succeeded" after the result'),
        Option("version", SWITCH, "print the version, whatever else is on the command line", is_last=True, setting=""),
        # Flags of the reference that concern its server or its terminal.
        NO_EFFECT,
        Option("non-interactive", SWITCH, "accepted, no effect", short="n", has_effect=False),
        Option("no-color", SWITCH, "accepted, no effect", has_effect=False),
        Option("sha2", SWITCH, "accepted, no effect", has_effect=False),
        Option("column", TEXTS, "accepted, no effect", value="COLUMN", has_effect=False),
        Option("parallel", NUMBER, "accepted, no effect", value="NUMBER", has_effect=False),
        Option("config", TEXT, "accepted, no effect", value="PATH", has_effect=False),
        Option("environment", TEXT, "accepted, no effect", short="e", value="NAME", has_effect=False),
        Option("ca-cert", TEXT, "accepted, no effect", value="CERTIFICATE", has_effect=False),
        Option("client", TEXT, "accepted, no effect", value="NAME", has_effect=False),
        Option("client-secret", TEXT, "accepted, no effect", value="SECRET", has_effect=False),
        Option("deployment", TEXT, "accepted, no effect", short="d", value="NAME", has_effect=False),
    ),
    arguments="PATH",
    style=GO_FLAGS,
)


def main(argv: Sequence[str], given: Map | None = None) -> int:
    """Run `plait patch`; the exit status. given: variables that win over those of flags.

    Raises PlaitError with exit status 1, or 3 for a limit.
    """
    try:
        return _run(argv, given)
    except PlaitError as error:
        error.exit_status = 3 if isinstance(error, LimitError) else 1
        if "--json" not in argv:
            raise
        from plait.errors import render

        write_out(
            as_json(
                None,
                [
                    render(error, quote_values="--quote-values" in argv).removeprefix("plait: ").rstrip("\n"),
                    f"Exit code {error.exit_status}",
                ],
            )
        )
        return error.exit_status


def _run(argv: Sequence[str], given: Map | None) -> int:
    flags = PATCH.parse(argv)
    if flags.on("help"):
        write_out(PATCH.help_text())
        return 0
    if flags.on("version"):
        from plait.version import __version__

        write_result(flags, f"plait version {__version__}\n")
        return 0
    return finish(flags, prepare(flags, given))


def prepare(flags: Request, given: Map | None = None) -> Job:
    """Read everything that a command line names. given: variables that win over those of flags. Raises PlaitError."""
    keep_limits(flags)
    context = Context()
    keep_warnings(flags, context)
    context.trace = trace_of(flags)
    try:
        return _read(flags, context, given)
    except PlaitError:
        tell_warnings(flags, context)
        raise


def finish(flags: Request, job: Job) -> int:
    """Evaluate what was read, and write the result; the exit status. Raises PlaitError."""
    context = job.context
    try:
        with cleaned_up(), watched(context):
            document = job.document()
        context.check_warnings()
    finally:
        tell_warnings(flags, context)
    with cleaned_up():
        if job.done is not None:
            from plait.ops import to_nodes
            from plait.yaml import write_value
            from plait.yaml.tags import printable

            operations = to_nodes(job.done)
            write_out(write_value(printable(operations) if TAGS in job.additions else operations))
            return 0
        text = job.text(document.value)
        write_source_map(flags, context.trace, DocumentSet([document]), text)
        if flags.on("in-place"):
            _write_back(flags.arguments[0], text)
            return 0
    write_result(flags, text)
    return 0


def write_result(flags: Request, text: str) -> None:
    """Write a text in the way that the flags ask for."""
    if flags.on("json"):
        text = as_json(text, ["Succeeded"])
    elif flags.on("tty") or _is_terminal(flags):
        text += "\nSucceeded\n"
    write_out(text)


def _is_terminal(flags: Request) -> bool:
    """True if BOSH would take standard output, or its environment, for a terminal."""
    if flags.program == "plait":
        return False
    import sys

    from plait.cli.as_bosh import is_set

    return sys.stdout.isatty() or is_set("BOSH_TTY")


def evaluate(argv: Sequence[str], context: Context, given: Map | None = None) -> Documents:
    """What a command line makes, with the run's state given; nothing is printed or written.

    given: variables that win over those of flags. Raises PlaitError.
    """
    from plait.engine.results import Documents

    flags = PATCH.parse(argv)
    keep_limits(flags, context)
    job = _read(flags, context, given)
    return Documents(
        DocumentSet([job.document()]),
        write=lambda nodes: job.text(nodes.items[0].value),
        warnings=context.warnings,
        trace=context.trace,
    )


def _write_back(path: str, text: str) -> None:
    """Put the result in the place of the template; its mode is kept."""
    from plait.content import encoded
    from plait.ops.reading import expand_home
    from plait.writing import failure, write_file

    path = expand_home(path)
    try:
        write_file(path, [encoded(text)], new_mode=0o644)
    except OSError as error:
        raise failure(f'"{path}"', error, OpsError) from None


def _read(flags: Request, context: Context, given: Map | None) -> Job:
    """Read what flags and PATH name, in their order, so that the first wrong one is reported (spec ops 2)."""
    if not flags.arguments:
        raise UsageError("the required argument `PATH` was not provided", hint="plait patch base.yml -o ops.yml")
    if len(flags.arguments) > 1:
        extra = flags.arguments[1:]
        told = f"Command '*opts.InterpolateOpts' does not support extra arguments: {', '.join(extra)}"
        raise UsageError(
            f"one PATH is enough: {', '.join(extra)}",
            hint=f"an operations file is given with a flag: -o {extra[0]}",
            reference=told,
        )
    path = flags.arguments[0]
    if flags.on("in-place") and path == "-":
        raise UsageError("--in-place needs a file, not standard input")
    if flags.on("keep-format") and flags.given("path"):
        raise UsageError("--keep-format prints the whole document, --path a part of it")
    if flags.on("vars-first") and flags.on("expand"):
        raise UsageError(
            "--expand prints operations for the template as it is, --vars-first changes it before",
            hint="leave one of them out",
        )
    from plait.ops import Job

    job = Job(context)
    job.expect_values = flags.on("var-errs")
    job.expect_use = flags.on("var-errs-unused")
    job.variables_first = flags.on("vars-first")
    job.sort = not flags.on("input-order")
    job.keep_format = flags.on("keep-format")
    if flags.given("with"):
        from plait.additions import taken

        job.additions = taken(flags.texts("with"), "patch")
    job.done = [] if flags.on("expand") else None
    for use in flags.uses:
        flag, value = use.option, use.value
        if flag.is_argument:
            _read_template(job, path)
        take = _TAKE.get(flag.name)
        if take is not None and isinstance(value, str):
            try:
                take(job, value, flags)
            except PlaitError as error:
                raise error.within(
                    f"in the flag {flag.shown}",
                    role=FLAG,
                    reference=f"invalid argument for flag `{flag.shown}' (expected {_GO_TYPES.get(flag.name, '')})",
                ) from None
    if given is not None:
        job.sources.give_map(given)
    return job


def _read_template(job: Job, path: str) -> None:
    from plait.ops.reading import TEMPLATE, decoded, expand_home, file_source
    from plait.source import Source

    if path == "-":
        job.template = Source("stdin", decoded(standard_input()))
    else:
        job.template = file_source(expand_home(path), TEMPLATE)
        job.template.name = path


def _take_operations(job: Job, value: str, flags: Request) -> None:
    from plait.ops import expand, file_source, read_operations

    for path in expand(value, links_of(flags)) if value else [value]:
        try:
            source = file_source(path, "an ops file")
        except ReadError as error:
            raise error.within("", role=CLAUSE, reference=f"Reading ops file '{path}'") if path else error from None
        job.operations += read_operations(
            source, null_values=flags.on("null-values"), additions=job.additions, warn=job.context.warn
        )


def _take_variable(job: Job, value: str, _flags: Request) -> None:
    from plait.ops.variables import from_argument

    job.sources.give("var", from_argument(value))
    if job.sources.traced is not None:
        job.sources.traced.flag("var", value)


def _take_variable_file(job: Job, value: str, _flags: Request) -> None:
    from plait.ops.variables import from_text_file

    job.sources.give("var-file", from_text_file(value))
    if job.sources.traced is not None:
        job.sources.traced.flag("var-file", value)


def _take_variables(job: Job, value: str, _flags: Request) -> None:
    from plait.ops.variables import from_file

    job.sources.give("vars-file", from_file(value, job.context.warn))
    if job.sources.traced is not None:
        job.sources.traced.file(value)


def _take_environment(job: Job, value: str, _flags: Request) -> None:
    from plait.ops.variables import from_environment

    job.sources.give("vars-env", from_environment(value, variables(f"{value}_")))
    if job.sources.traced is not None:
        job.sources.traced.environment(value)


def _take_secrets(job: Job, value: str, flags: Request) -> None:
    from plait.secrets.sources import read_secrets

    for values in read_secrets([value], allow_exec=flags.on(ALLOW_EXEC.name)):
        job.sources.give_secrets(values)


def _take_store(job: Job, value: str, _flags: Request) -> None:
    from plait.ops import Store
    from plait.ops.reading import expand_home

    if not value:
        raise ReadError(
            "the path of the variables store is empty",
            expected="a path",
            reference="Expected file path to be non-empty",
        )
    job.sources.store = Store(expand_home(value))
    if job.sources.traced is not None:
        job.sources.traced.store(value)


def _take_location(job: Job, value: str, _flags: Request) -> None:
    from plait.ops import parse

    job.pointer = parse(value)


# What BOSH calls the types of the values of flags.
_GO_TYPES = {
    "ops-file": "[]opts.OpsFileArg",
    "path": "patch.Pointer",
    "var": "[]template.VarKV",
    "var-file": "[]template.VarFileArg",
    "vars-env": "[]template.VarsEnvArg",
    "vars-file": "[]template.VarsFileArg",
    "vars-store": "opts.VarsFSStore",
}

_TAKE: dict[str, Callable[[Job, str, Request], None]] = {
    "ops-file": _take_operations,
    "var": _take_variable,
    "var-file": _take_variable_file,
    "vars-file": _take_variables,
    "vars-env": _take_environment,
    "secrets": _take_secrets,
    "vars-store": _take_store,
    "path": _take_location,
}


def as_json(block: str | None, lines: list[str]) -> str:
    """The reference's wrapping of a result or an error (spec ops 15)."""
    from plait.yaml import write_json

    def array(texts: list[str]) -> str:
        return "[\n" + ",\n".join("        " + write_json(text).strip() for text in texts) + "\n    ]"

    blocks = "null" if block is None else array([block])
    return f'{{\n    "Tables": null,\n    "Blocks": {blocks},\n    "Lines": {array(lines)}\n}}'
