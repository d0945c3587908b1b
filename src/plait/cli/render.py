"""`plait render`: templates, overlays, data values, schemas and libraries, with the flags of ytt (spec ytt 1).

Read the command line, read the inputs, let the workspace's phases make documents of them, write those. Any error ends
with status 1, as in the reference.
"""

from __future__ import annotations

import os
import sys
from time import perf_counter

from plait.additions import taken
from plait.cli.merging import MERGING, merges_of
from plait.cli.options import GENERAL, SAFETY, Command
from plait.cli.shared import (
    ALLOW_EXEC,
    ALLOW_OUTPUT,
    CHECK_OUTPUT,
    KEEP_FORMAT,
    LIMITS,
    LINKS,
    OUTPUT_BY,
    QUOTE_VALUES,
    SECRETS,
    SOURCE_MAP,
    WARNINGS,
    WATCH,
    are_notes_shown,
    keep_limits,
    keep_originals,
    keep_warnings,
    links_of,
    output_by_of,
    secrets_of,
    tell_warnings,
    trace_of,
    with_of,
    write_source_map,
)
from plait.cli.streams import watched, write_out
from plait.codecache import user_cache
from plait.content import variable, variables
from plait.context import Context
from plait.engine.options import CSV, SWITCH, TEXT, TEXTS, WRITTEN_PATH, Option, PathForm
from plait.errors import LimitError, PlaitError, UsageError
from plait.workspace import (
    Inputs,
    Job,
    Options,
    Result,
    values_of_map,
)
from plait.workspace.job import INSPECT_JSON_SCHEMA, INSPECT_SCHEMA, INSPECT_VALUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.codecache import CodeCache
    from plait.engine.options import Request
    from plait.nodes import Map
    from plait.workspace import InputFile, ReferencedValues

_EMPTIED = "dangerous-emptied-output-directory"
_SUBCOMMANDS = (
    ("fmt", "format YAML templates"),
    ("template", "the same as render without a command"),
    ("version", "print the version"),
    ("completion", "print a script that completes commands and flags in a shell"),
    ("help", "print help"),
)

_INPUT = PathForm("read", "=", may_be_url=True)
_FILE = Option(
    "file",
    TEXTS,
    "input: a file, a directory, an HTTP URL, or - for standard input",
    short="f",
    value="PATH",
    path=_INPUT,
)
OFFLINE = Option("offline", SWITCH, "refuse HTTP URLs")
_STRICT = Option("strict", SWITCH, "read the strict subset of YAML", short="s")
_DEBUG = Option("debug", SWITCH, "print what is being done to standard error")

RENDER_FLAGS = (
    "Inputs",
    _FILE,
    Option("file-mark", TEXTS, "change how an input is treated", value="PATH:KEY=VALUE"),
    _STRICT,
    Option("ignore-unknown-comments", SWITCH, "allow plain comments in templates"),
    Option("implicit-map-key-overrides", SWITCH, "let a repeated map key in a template override the earlier one"),
    Option("bulk-in", TEXT, "inputs as JSON; -f is ignored", value="JSON"),
    with_of("render"),
    "Data values",
    Option(
        "schema",
        TEXT,
        "the schema of data values: JSON Schema, OpenAPI or CRD",
        value="FILE[#POINTER]",
        path=PathForm("read", has_pointer=True),
    ),
    Option(
        "data-value", TEXTS, "set one data value to a string, [@library:]key.key=value", short="v", value="KEY=VALUE"
    ),
    Option("data-value-yaml", TEXTS, "set one data value, read as YAML", value="KEY=YAML"),
    Option(
        "data-value-file",
        TEXTS,
        "set one data value to the content of a file",
        value="KEY=PATH",
        path=PathForm("read", "="),
    ),
    Option(
        "data-values-file",
        TEXTS,
        "set data values from plain YAML",
        short="d",
        value="[@LIBRARY:]PATH",
        path=PathForm("read", ":"),
    ),
    Option("data-values-env", TEXTS, "set data values from environment variables PREFIX_key__key", value="PREFIX"),
    Option("data-values-env-yaml", TEXTS, "the same, with values read as YAML", value="PREFIX"),
    Option(
        "data-values-env-all",
        SWITCH,
        "set the data values of the schema from the environment variables of their names: app.port from APP_PORT",
    ),
    SECRETS,
    ALLOW_EXEC,
    Option("data-values-inspect", SWITCH, "print the final data values and stop"),
    Option(
        "data-values-schema-inspect",
        SWITCH,
        "print the schema of data values and stop; needs -o openapi-v3 or -o json-schema",
    ),
    Option("dangerous-data-values-disable-validation", SWITCH, "do not run the validations of data values"),
    "Merges",
    *MERGING,
    "Output",
    Option(
        "output",
        CSV,
        "form of the output: yaml, json or pos; openapi-v3 or json-schema with --data-values-schema-inspect",
        short="o",
        value="FORM",
        default=("yaml",),
        choices=("yaml", "json", "pos", "openapi-v3", "json-schema"),
    ),
    Option(
        "output-files",
        TEXT,
        "write the results as files into a directory; keep what is already there",
        value="DIRECTORY",
        path=WRITTEN_PATH,
    ),
    Option(
        _EMPTIED, TEXT, "replace a directory with the results, written as files", value="DIRECTORY", path=WRITTEN_PATH
    ),
    CHECK_OUTPUT,
    OUTPUT_BY,
    Option("files-inspect", SWITCH, "print the paths of the inputs and stop"),
    Option("bulk-out", SWITCH, "output as JSON, errors as well"),
    KEEP_FORMAT,
    SOURCE_MAP,
    WATCH,
    SAFETY,
    OFFLINE,
    *LINKS,
    ALLOW_OUTPUT,
    *LIMITS,
    *WARNINGS,
    QUOTE_VALUES,
    Option("no-code-cache", SWITCH, "compile templates afresh and keep nothing in the user's cache directory"),
    GENERAL,
    _DEBUG,
)

RENDER = Command(
    "plait render",
    "Render YAML and text templates with data values, schemas, overlays and libraries.",
    (*RENDER_FLAGS, Option("version", SWITCH, "print the version")),
    commands=_SUBCOMMANDS,
)
TEMPLATE = Command("plait render template", RENDER.summary, RENDER_FLAGS)
FMT = Command(
    "plait render fmt",
    "Format YAML templates; comments are kept.",
    (_FILE, _STRICT, SAFETY, OFFLINE, *LIMITS, GENERAL, _DEBUG),
)
VERSION = Command("plait render version", "Print the version.")

_COMMANDS = {"template": TEMPLATE, "fmt": FMT, "version": VERSION}

# The data value flags -> what `ValuesFlags` calls them, the lowest first.
_VALUES_FLAGS = {
    "data-values-file": "files",
    "data-values-env": "env",
    "data-values-env-yaml": "env_yaml",
    "data-value": "values",
    "data-value-yaml": "values_yaml",
    "data-value-file": "value_files",
}

_TEXT_FILES_WARNING = """
Warning: Found Non-YAML templates in input. Non-YAML templates are not rendered to standard output.
If you want to include those results, use the --output-files or --dangerous-emptied-output-directory flag.
"""


def main(argv: Sequence[str], given: Map | None = None) -> int:
    """Run `plait render`; the exit status. given: data values that win over those of flags.

    Raises PlaitError with exit status 1, or 3 for a limit.
    """
    try:
        return _dispatch(argv, given)
    except PlaitError as error:
        # The reference has no limits.
        error.exit_status = 3 if isinstance(error, LimitError) else 1
        raise


def _dispatch(argv: Sequence[str], given: Map | None) -> int:
    place = RENDER.first_argument(argv)
    name = "" if place is None else argv[place]
    rest = argv if place is None else [*argv[:place], *argv[place + 1 :]]
    if name == "fmt":
        from plait.cli.formatted import print_formatted

        flags = FMT.parse(rest)
        return _help(FMT) if flags.on("help") else print_formatted(flags, marks_end=True)
    if name == "template":
        return run_render(TEMPLATE, rest, given)
    if name == "version":
        return _help(VERSION) if VERSION.parse(rest).on("help") else _version()
    if name == "help":
        return _help(_COMMANDS.get(rest[0] if rest else "", RENDER))
    if name == "completion":
        from plait.cli.start import main_completion

        return main_completion(rest)
    return run_render(RENDER, argv, given)


def _help(command: Command) -> int:
    write_out(command.help_text())
    return 0


def _version() -> int:
    from plait.version import __version__

    write_out(f"plait version {__version__}\n")
    return 0


def run_render(command: Command, argv: Sequence[str], given: Map | None = None) -> int:
    """Run a command line by the table of `render`, or of the program in whose place it runs; the exit status."""
    flags = command.parse(argv)
    if flags.on("help"):
        return _help(command)
    if command is RENDER and flags.on("version"):
        return _version()
    keep_limits(flags)
    cache = (
        None
        if flags.on("no-code-cache")
        else user_cache(os.environ, [_directory_of(path) for path in flags.texts("file")])
    )
    try:
        return _rendered(flags, cache, given)
    finally:
        if cache is not None:
            cache.save()


def _directory_of(argument: str) -> str:
    """The path of an input; it may be behind the name that it is given."""
    return argument if os.path.isdir(argument) else argument.partition("=")[2]


def _rendered(flags: Request, cache: CodeCache | None, given: Map | None) -> int:
    start = perf_counter()
    debug = _print_error_line if flags.on("debug") else None
    inputs = inputs_of(flags)
    files = read_inputs(flags, inputs)
    if cache is not None:
        cache.open_pack([file.path for file in files])
    context = Context(print_line=_print_error_line, cache=cache)
    keep_warnings(flags, context)
    if not flags.uses:
        context.warn("there is nothing to render; inputs are given with a flag: plait render -f config/")
    context.trace = trace_of(flags)
    context.gives_output_alone = True
    try:
        with watched(context):
            result = result_of(flags, files, inputs, context, debug, given)
        _note_texts(flags, result, context)
        context.check_warnings()
    except PlaitError as error:
        if not flags.on("bulk-out"):
            tell_warnings(flags, context)
            raise
        from plait.cli.inspecting import bulk_error

        write_out(bulk_error(error, flags))
        return 0
    text = result.write("yaml")(result.documents) if result.has_tags and flags.given(SOURCE_MAP.name) else None
    write_source_map(
        flags, context.trace, result.documents, text, originals=result.originals, as_json=_prints_json(flags)
    )
    _write(flags, result)
    if debug is not None:
        debug(f"total: {perf_counter() - start:.3f} s")
    tell_warnings(flags, context)
    return 0


def inputs_of(flags: Request) -> Inputs:
    return Inputs(links=links_of(flags), offline=flags.on("offline"), named=flags.program == "ytt")


def read_inputs(flags: Request, inputs: Inputs) -> list[InputFile]:
    bulk = flags.text("bulk-in")
    if bulk:
        from plait.workspace.inputs import bulk_files

        return bulk_files(bulk)
    return inputs.files(flags.texts("file"))


def result_of(
    flags: Request,
    files: list[InputFile],
    inputs: Inputs,
    context: Context,
    debug: Callable[[str], None] | None,
    given: Map | None,
) -> Result:
    if flags.on("keep-format"):
        from plait.formats import choose_formats

        keep_originals(flags, context, choose_formats(flags.texts("output"))[0])
    job = job_of(flags, files, inputs, context, debug, given)
    if flags.on("files-inspect"):
        from plait.cli.inspecting import list_files

        return list_files(job)
    from plait.workspace.phases import run

    return run(job, context)


def job_of(
    flags: Request,
    files: list[InputFile],
    inputs: Inputs,
    context: Context,
    debug: Callable[[str], None] | None,
    given: Map | None,
) -> Job:
    """What the phases are given."""
    if flags.given("file-mark"):
        from plait.workspace.marks import apply_marks

        files = apply_marks(files, flags.texts("file-mark"))
    options = Options(
        strict=flags.on("strict"),
        ignore_unknown_comments=flags.on("ignore-unknown-comments"),
        implicit_map_key_overrides=flags.on("implicit-map-key-overrides"),
        disable_validation=flags.on("dangerous-data-values-disable-validation"),
        inspect=_inspection(flags),
        debug=debug,
        additions=taken(flags.texts("with"), "render") if flags.given("with") else frozenset(),
        values_schema=flags.text("schema"),
        output_schemas=flags.texts(CHECK_OUTPUT.name),
        output_by=output_by_of(flags),
        prefixes=[
            f"({name} arg) {one}"
            for name in ("data-values-env", "data-values-env-yaml")
            for one in flags.texts(name)
            if not one.startswith("@")
        ],
    )
    job = Job(files, options)
    if debug is not None:
        from plait.workspace.library import outline

        for line in outline(job.library):
            debug(line)
    if not flags.on("files-inspect"):
        lowest, *others = _VALUES_FLAGS
        job.values = _values(flags, inputs, context, (lowest,))
        if flags.on("data-values-env-all"):
            from plait.workspace.environment import Environment

            job.environment = Environment(variable, len(job.values))
        job.values += _values(flags, inputs, context, others)
        job.values += [values_of_map(values, secret=True) for values in secrets_of(flags)]
        job.tells_secrets = flags.on(QUOTE_VALUES.name)
        if given is not None:
            job.values.append(values_of_map(given))
        job.merges = merges_of(flags, inputs, context)
    return job


def _inspection(flags: Request) -> str | None:
    from plait.formats import JSON_SCHEMA, OPENAPI, choose_formats

    _, schema_format = choose_formats(flags.texts("output"))
    if flags.on("files-inspect"):
        return None
    if flags.on("data-values-schema-inspect"):
        if schema_format is None:
            raise UsageError(
                f"Data values schema export only supported in OpenAPI v3 format; "
                f"specify format with --output={OPENAPI} flag"
            )
        return INSPECT_JSON_SCHEMA if schema_format == JSON_SCHEMA else INSPECT_SCHEMA
    if schema_format is not None:
        raise UsageError(
            "Output type currently only supported for data values schema (i.e. include --data-values-schema-inspect)",
            found=f"-o {schema_format}",
        )
    return INSPECT_VALUES if flags.on("data-values-inspect") else None


def _values(flags: Request, inputs: Inputs, context: Context, names: Sequence[str]) -> list[ReferencedValues]:
    if not any(flags.given(name) for name in names):
        return []
    from plait.workspace.values_flags import ValuesFlags, read_values

    given = ValuesFlags(**{_VALUES_FLAGS[name]: flags.texts(name) for name in names})
    return read_values(given, inputs, variables, strict=flags.on("strict"), warn=context.warn)


def _prints_documents(flags: Request) -> bool:
    """Whether standard output gets the documents alone."""
    return not (flags.on("bulk-out") or flags.text("output-files") or flags.text(_EMPTIED))


def _prints_json(flags: Request) -> bool:
    from plait.formats import choose_formats

    elsewhere = flags.on("bulk-out") or flags.given("output-files") or flags.given(_EMPTIED)
    return not elsewhere and choose_formats(flags.texts("output"))[0] == "json"


def _note_texts(flags: Request, result: Result, context: Context) -> None:
    """Where warnings are refused, what `_write` tells of text files is one of them."""
    if context.refuses_warnings and result.texts and _prints_documents(flags):
        names = ", ".join(file.path for file in result.texts)
        context.warn(f"text files are not printed: {names}; --output-files writes them")


def _write(flags: Request, result: Result) -> None:
    from plait import formats

    emptied, kept = flags.text(_EMPTIED), flags.text("output-files")
    if flags.on("bulk-out"):
        write_out(formats.bulk_json(result.output_files()))
    elif emptied or kept:
        from plait.cli.files import replace_files, write_files

        if emptied:
            replace_files(emptied, result.output_files())
        else:
            write_files(kept, result.output_files())
    else:
        name, _ = formats.choose_formats(flags.texts("output"))
        write_out(result.write(name)(result.documents))
        if result.texts and are_notes_shown(flags):
            sys.stderr.write(_TEXT_FILES_WARNING)


def _print_error_line(line: str) -> None:
    sys.stderr.write(f"{line}\n")
