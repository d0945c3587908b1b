"""`plait patch`: the request, and its evaluation. See docs/guide-patch.md."""

from __future__ import annotations

import os

from plait.base.content import names_of_variables, standard_input, variables
from plait.base.errors import OpsError, PlaitError, ReadError, UsageError, warning
from plait.base.extensions import parse_extensions
from plait.base.source import CLAUSE, FLAG, Frame, Source
from plait.engine import common
from plait.engine.common import Linked, extensions_of, keep_limits, links_of
from plait.engine.options import (
    DELIVERY,
    GO_FLAGS,
    NUMBER,
    READ_PATH,
    TEXT,
    TEXTS,
    WRITTEN_PATH,
    Heading,
    PathForm,
    declared,
    located,
    positional,
    switch,
    text,
    texts,
    value_map,
)
from plait.ops.job import PatchJob
from plait.ops.pointer import parse
from plait.ops.reader import TEMPLATE, DecodeError, decoded, expand_home, file_source
from plait.ops.variables import from_argument, from_environment, from_file, from_text_file
from plait.tree.nodes import DocumentSet, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plait.base.errors import Warn
    from plait.engine.options import Use
    from plait.engine.results import Documents
    from plait.engine.types import Input, Inputs, Texts
    from plait.ops.known_operations import KnownOperations
    from plait.ops.operations import Operation
    from plait.tree.context import Context
    from plait.tree.plain_data import Plain

    Known = Callable[["Patch", Context], KnownOperations | None]

_ACCEPTED = "accepted, no effect"


class Patch(Linked):
    """Operations and variables applied to a YAML document, with the flags of `bosh interpolate`."""

    __slots__ = ()
    command = "patch"
    summary = "Apply operations files to a YAML document, and fill its ((placeholders)) from variables."
    usage = "PATH"
    grammar = GO_FLAGS
    takes_words = True

    base: Input = positional("", TEXT, "the inputs", is_argument=True, setting="base", path=READ_PATH, kw_only=False)
    _1 = Heading("Operations")
    operations: Inputs = positional(
        "ops-file",
        TEXTS,
        "operations: a file, a directory of files, or a pattern",
        short="o",
        value="PATH",
        path=PathForm("read", is_pattern=True),
        setting="ops",
        kw_only=False,
        default=(),
    )
    variables: Mapping[str, Plain] | None = value_map("inline values, which override those of flags", setting="vars")
    null_values: bool = switch("null-values", "accept operations with `value: null`")
    extensions: Texts = extensions_of("patch")
    _2 = Heading("Variables")
    var = texts("var", "set a variable; the value is YAML", short="v", value="NAME=VALUE")
    var_file = texts("var-file", "set a variable to the text of a file", value="NAME=PATH", path=PathForm("read", "="))
    variables_files: Inputs = texts(
        "vars-file", "set variables from a YAML map", short="l", value="PATH", path=READ_PATH, setting="vars-files"
    )
    vars_env = texts(
        "vars-env", "set variables from environment variables PREFIX_name", value="PREFIX", environment="{}_*"
    )
    store: str | os.PathLike[str] | None = text(
        "vars-store",
        "read variables from a YAML file, and write generated values to it",
        value="PATH",
        path=WRITTEN_PATH,
    )
    secret_sources = common.SECRETS
    allow_exec = common.ALLOW_EXEC
    variables_first: bool = switch(
        "vars-first", "fill placeholders of the template before applying operations, and those in operations afterwards"
    )
    require_variables: bool = switch("var-errs", "fail if a variable has no value", is_in_steps=True)
    require_use: bool = switch("var-errs-unused", "fail if a variable is not used")
    _3 = Heading("Result")
    path: str | None = text("path", "print only the value at this path", value="OPS-PATH")
    expand = switch("expand", "instead of the result, print the plain operations that are applied", part=DELIVERY)
    sort: bool = switch(
        "input-order", "preserve the order of keys, with new keys last, instead of sorting them", is_negated=True
    )
    in_place = switch("in-place", "write the result to the template's file instead of printing it", part=DELIVERY)
    keep_format: bool = switch(
        "keep-format", "edit only the lines that operations and variables change; preserves comments"
    )
    json = switch("json", "print the result or the error as JSON", part=DELIVERY)
    source_map = common.SOURCE_MAP
    watch = common.WATCH
    _4 = Heading(common.SAFETY)
    _rows = Linked.rows
    quote_values = common.QUOTE_VALUES
    _5 = Heading(common.GENERAL)
    tty = switch("tty", 'print an empty line and "Succeeded" after the result', part=DELIVERY)
    version = switch("version", "print the version and ignore other arguments", is_last=True, setting="")
    # Flags of bosh for its server or its terminal.
    _6 = Heading(common.NO_EFFECT)
    non_interactive = switch("non-interactive", _ACCEPTED, short="n", has_effect=False)
    no_color = switch("no-color", _ACCEPTED, has_effect=False)
    sha2 = switch("sha2", _ACCEPTED, has_effect=False)
    column = texts("column", _ACCEPTED, value="COLUMN", has_effect=False)
    parallel = declared("parallel", NUMBER, _ACCEPTED, value="NUMBER", has_effect=False)
    config = text("config", _ACCEPTED, value="PATH", has_effect=False)
    environment = text("environment", _ACCEPTED, short="e", value="NAME", has_effect=False)
    ca_cert = text("ca-cert", _ACCEPTED, value="CERTIFICATE", has_effect=False)
    client = text("client", _ACCEPTED, value="NAME", has_effect=False)
    client_secret = text("client-secret", _ACCEPTED, value="SECRET", has_effect=False)
    deployment = text("deployment", _ACCEPTED, short="d", value="NAME", has_effect=False)


def evaluate(request: Patch, context: Context, known: Known | None = None) -> Documents:
    """Evaluates a request without printing or writing. Raises PlaitError."""
    from plait.engine.results import Documents

    keep_limits(request, context)
    job = job_of(request, context, known=known and known(request, context))
    return Documents(
        DocumentSet([job.document()]),
        write=lambda nodes: job.text(nodes.items[0].value),
        warnings=context.warnings,
        trace=context.trace,
    )


def _check_arguments(request: Patch) -> None:
    """Raises UsageError unless there is exactly one PATH."""
    if not request.arguments:
        raise UsageError(
            "the required argument `PATH` was not provided",
            hint="plait patch base.yml -o ops.yml",
            code="missing-argument",
        )
    if len(request.arguments) > 1:
        extra = request.arguments[1:]
        told = f"Command '*opts.InterpolateOpts' does not support extra arguments: {', '.join(extra)}"
        bare = next((name for name in request.value(Patch.var) if "=" not in name), None)
        hint = f"pass an operations file with a flag: -o {extra[0]}"
        if bare is not None:
            hint = f'"=" joins the name and the value of a variable: -v {bare}={extra[0]}'
        else:
            pattern = _expanded(request.value(Patch.operations), request.arguments)
            if pattern is not None:
                hint = f"the shell expands a pattern; in quotes it is one argument: -o '{pattern}'"
        raise UsageError(
            f"only one PATH is accepted: {', '.join(extra)}",
            hint=hint,
            reference=told,
            code="unexpected-argument",
        )


def _expanded(files: Sequence[str], arguments: Sequence[str]) -> str | None:
    """The pattern that the shell replaced by its files: one in a flag, and the others as arguments; None if it did not."""
    for file in files:
        folder, name = os.path.split(file)
        ending = os.path.splitext(name)[1]
        others = {os.path.basename(one) for one in arguments if os.path.split(one)[0] == folder}
        there = os.listdir(folder or ".") if ending and os.path.isdir(folder or ".") else []
        every = {one for one in there if one.endswith(ending) and not one.startswith(".")}
        if len(every) > 1 and every == {name, *(one for one in others if one.endswith(ending))}:
            return os.path.join(folder, f"*{ending}")
    return None


def job_of(
    request: Patch, context: Context, *, is_whole: bool = True, known: KnownOperations | None = None
) -> PatchJob:
    """The job of a request. Files are read in the order of its options, so that the first invalid one is reported.

    is_whole: False for the options before an invalid word of a command line. Raises PlaitError.
    """
    # bosh reads each file when it parses its option, and counts arguments at the end.
    is_late = request.program != "plait"
    if not is_late:
        _check_arguments(request)
    if request.in_place and request.base == "-":
        raise UsageError(
            "--in-place needs a file, not standard input", hint="name the file in place of -", code="flag-conflict"
        )
    if request.keep_format and request.has(Patch.path):
        raise UsageError("--keep-format prints the whole document, --path only a part", code="flag-conflict")
    if request.variables_first and request.expand:
        raise UsageError(
            "--expand prints operations for the unchanged template, but --vars-first changes it",
            hint="omit one of them",
            code="flag-conflict",
        )
    job = configured(request, context)
    job.done = [] if request.expand else None
    job.known = known
    arguments = 0
    for use in request.uses:
        take = _TAKE.get(use.option.attribute)
        arguments += use.option.is_argument
        if take is not None and not (use.option.is_argument and arguments > 1):
            _taken(take, job, use, request)
    if is_late and is_whole:
        _check_arguments(request)
    if isinstance(request.variables, Map):
        job.sources.give_map(request.variables)
    return job


def configured(request: Patch, context: Context) -> PatchJob:
    """A job with the switches of a request. Raises UsageError."""
    job = PatchJob(context)
    job.expect_values, job.expect_use = request.require_variables, request.require_use
    job.variables_first = request.variables_first
    job.sort = request.sort
    job.keep_format = request.keep_format
    if request.has(Patch.extensions):
        with located(request, Patch.extensions):
            job.extensions = parse_extensions(request.extensions, "patch")
    return job


def _taken(take: Callable[[PatchJob, str, Patch], None], job: PatchJob, use: Use, request: Patch) -> None:
    """Applies one option to the job. Raises PlaitError, with the flag in the stack."""
    try:
        take(job, use.value, request)
    except PlaitError as error:
        if use.option.is_argument:
            raise
        raise error.within(
            f"in the flag {use.option.shown}",
            use.origin,
            role=FLAG,
            reference=f"invalid argument for flag `{use.option.shown}' (expected {_GO_TYPES.get(use.option.name, '')})",
        ) from None


def _take_template(job: PatchJob, path: str, _request: Patch) -> None:
    if path == "-":
        job.template = Source("stdin", decoded(standard_input()))
    else:
        job.template = file_source(expand_home(path), TEMPLATE)
        job.template.name = path


def _take_operations(job: PatchJob, value: str, request: Patch) -> None:
    from plait.ops.operation_files import expand, read_operations

    def read(source: Source, warn: Warn) -> list[Operation]:
        return read_operations(source, null_values=request.null_values, extensions=job.extensions, warn=warn)

    for path in expand(value, links_of(request)) if value else [value]:
        try:
            source = file_source(path, "an ops file")
        except ReadError as error:
            doing = "Deserializing" if isinstance(error, DecodeError) else "Reading"
            raise error.within("", role=CLAUSE, reference=f"{doing} ops file '{path}'") if path else error from None
        try:
            job.operations += job.read(source, read, request.null_values)
        except OpsError as error:
            given = request.variables_files
            others = given if isinstance(given, (list, tuple)) else ()
            if error.code == "not-ops-file" and any(_is_read(read, str(other)) for other in others):
                error.hint = "the files are exchanged: -o takes the operations, and -l the variables"
            raise


def _is_read(read: Callable[[Source, Warn], list[Operation]], path: str) -> bool:
    """True if a file contains operations."""
    try:
        return bool(read(file_source(expand_home(path), "an ops file"), lambda _: None))
    except PlaitError:
        return False


def _take_variable(job: PatchJob, value: str, _request: Patch) -> None:
    given = from_argument(value)
    job.sources.give("var", given)
    name, _, text = value.partition("=")
    # A number such as 0x10 is meant to be printed in decimal.
    if type(given[name]) in (int, float) and text != str(given[name]) and "0x" not in text.lower():
        job.sources.numbers[name] = text
    if job.sources.traced is not None:
        job.sources.traced.flag("var", value)


def _take_variable_file(job: PatchJob, value: str, _request: Patch) -> None:
    job.sources.give("var-file", from_text_file(value))
    if job.sources.traced is not None:
        job.sources.traced.flag("var-file", value)


def _take_variables(job: PatchJob, value: str, _request: Patch) -> None:
    job.sources.give("vars-file", from_file(value, job.context.warn, job.sources.places))
    if job.sources.traced is not None:
        job.sources.traced.file(value)


def _take_environment(job: PatchJob, value: str, _request: Patch) -> None:
    environment = variables(f"{value}_")
    known = [one for one in names_of_variables() if one.startswith(value)] if value.endswith("_") else []
    if known and not environment:
        message = (
            f"--vars-env {value} sets nothing, because a variable begins with the prefix and an underscore: "
            f"--vars-env {value[:-1]} takes {min(known)}"
        )
        job.context.warn(warning(message, code="prefix-without-variables"))
    job.sources.give("vars-env", from_environment(value, environment))
    if job.sources.traced is not None:
        job.sources.traced.environment(value)


def _take_secrets(job: PatchJob, value: str, request: Patch) -> None:
    for values in common.secrets_from([value], request):
        job.sources.give_secrets(values)


def _take_store(job: PatchJob, value: str, _request: Patch) -> None:
    from plait.ops.store import VariableStore

    if not value:
        raise ReadError(
            "the path of the variables store is empty",
            expected="a path",
            reference="Expected file path to be non-empty",
            code="file-not-found",
        )
    job.sources.store = VariableStore(expand_home(value))
    if job.sources.traced is not None:
        job.sources.traced.store(value)


def _take_location(job: PatchJob, value: str, request: Patch) -> None:
    job.pointer = parse(value)
    job.asked = [Frame("in the flag --path", use.origin) for use in request.uses if use.option.name == "path"][-1:]


# BOSH's names for the types of flag values.
_GO_TYPES = {
    "ops-file": "[]opts.OpsFileArg",
    "path": "patch.Pointer",
    "var": "[]template.VarKV",
    "var-file": "[]template.VarFileArg",
    "vars-env": "[]template.VarsEnvArg",
    "vars-file": "[]template.VarsFileArg",
    "vars-store": "opts.VarsFSStore",
}

_TAKE: dict[str, Callable[[PatchJob, str, Patch], None]] = {
    "base": _take_template,
    "operations": _take_operations,
    "var": _take_variable,
    "var_file": _take_variable_file,
    "variables_files": _take_variables,
    "vars_env": _take_environment,
    "secret_sources": _take_secrets,
    "store": _take_store,
    "path": _take_location,
}
