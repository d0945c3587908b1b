"""Flags that several commands have: limits, symbolic links, Airship sites, warnings, `--source-map`; and what they mean."""

from __future__ import annotations

import os

from plait.additions import OF_COMMAND
from plait.cli.options import OUTPUT_LINKS
from plait.content import Links
from plait.engine.options import (
    CSV,
    LINKED_PATH,
    NUMBER,
    READ_PATH,
    SWITCH,
    TEXT,
    TEXTS,
    WRITTEN_PATH,
    Option,
    PathForm,
)
from plait.errors import UsageError
from plait.limits import Allowance, allowance, limited, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.cli.options import Command
    from plait.context import Context, Originals
    from plait.destinations import Pattern
    from plait.engine.options import Request
    from plait.nodes import DocumentSet, Map
    from plait.provenance import Trace
    from plait.yaml import Forms

LIMIT = Option(
    "limit",
    TEXTS,
    "set a limit, such as steps=1M, memory=512M or seconds=10; docs/reference/limits.md lists them",
    value="NAME=VALUE",
)
# `plait.cli.run` looks for it before a command does.
ISOLATE = Option(
    "isolate", SWITCH, "run in a separate process, which is stopped at the time limit whatever it is doing"
)
LIMITS = (LIMIT, ISOLATE)
# `plait.cli.main` looks for it before a command does; what it does is in a package above this one, known by name only.
WATCHER = "plait.watching.command"
WATCH = Option(
    "watch",
    SWITCH,
    "again whenever a file that was read changes, until interrupted; shows what differs",
    setting="",
)
JOBS = Option("jobs", NUMBER, "in so many processes", short="j", value="N", default=("1",))
# `plait.cli.main` looks for it before a command does.
TRUST = Option(
    "trust",
    SWITCH,
    "for this once, grant what the project file asks for outside of its repository; plait trust grants it for good",
    setting="",
)
QUOTE_VALUES = Option(
    "quote-values", SWITCH, "let messages quote lines of values files and values of environment variables"
)
SECRETS = Option(
    "secrets",
    TEXTS,
    "values that nobody else is to see: from sops:FILE, file:FILE, dir:DIRECTORY or exec:COMMAND",
    value="[KEY=]SOURCE",
    path=PathForm("read", is_source=True),
)
ALLOW_EXEC = Option("allow-exec", SWITCH, "let --secrets run commands", program="exec:*", setting="")
LINKS = (
    Option(
        "allow-symlink-destination",
        CSV,
        "allow symbolic links to this path or below it",
        value="PATH",
        path=LINKED_PATH,
    ),
    Option("dangerous-allow-all-symlink-destinations", SWITCH, "allow all symbolic links"),
)
ALLOW_OUTPUT = Option(
    OUTPUT_LINKS,
    CSV,
    "write to this path or below it through symbolic links that lead out of the Git repository",
    value="PATH",
    path=WRITTEN_PATH,
    setting="",
)
KEEP_FORMAT = Option(
    "keep-format",
    SWITCH,
    "print what is read as it stands, changing only the lines that have to: comments and quotes stay",
)
SOURCE_MAP = Option(
    "source-map",
    TEXT,
    "write a source map: where each value of the output comes from, as JSON",
    value="FILE",
    path=WRITTEN_PATH,
)
OUTPUT_BY = Option(
    "output-by",
    TEXT,
    'write each document to a file of its own, by its values: "{kind}/{name}.yml"',
    value="PATTERN",
)
CHECK_OUTPUT = Option(
    "check-output",
    TEXTS,
    "check the documents of the output by the schemas of their kinds: a file or directory of JSON Schemas, CRDs, OpenAPI",
    value="PATH",
    path=READ_PATH,
)
REPOSITORY = Option(
    "repository",
    TEXTS,
    "the checkout of a repository that a site definition names",
    value="NAME=DIR",
    path=PathForm("read", "="),
)
SITES = (
    Option("site", TEXT, "render an Airship site, site/NAME: what Pegleg collects for it", value="DIR", path=READ_PATH),
    REPOSITORY,
)
SHOW, HIDE, ERROR = _WAYS = ("show", "hide", "error")
WARNINGS = (
    Option(
        "warnings",
        TEXT,
        "what to do about warnings: show them on standard error, hide them, or make them an error: write nothing, exit with 1",
        value="HOW",
        default=(SHOW,),
        choices=_WAYS,
    ),
    Option("quiet", SWITCH, "the same as --warnings=hide"),
)


def keep_limits(flags: Request, context: Context | None = None) -> None:
    """Hold what the command does from here on to the limits that its flags set. Raises UsageError."""
    given = flags.texts(LIMIT.name)
    if given:
        run = limited(Allowance(parse(given), allowance().keeper)).__enter__()
        if context is not None:
            context.allowance = run


def within_limits(command: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """Run a command; the limits that it sets end with it. Raises what the command raises."""
    from plait.content import OUTPUT_LINKS as ALLOWED
    from plait.process import within_memory

    current = allowance()
    links = ALLOWED.set(ALLOWED.get())
    try:
        with limited(Allowance(current.limits, current.keeper)):
            return within_memory(lambda: command(argv))
    finally:
        ALLOWED.reset(links)


class following_links:  # noqa: N801 - reads as what it does
    """`with following_links():` lets typed paths lead out of a Git repository, as those of ytt and bosh do."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        from plait.content import OUTPUT_LINKS as ALLOWED

        self._token = ALLOWED.set(Links(every=True))

    def __exit__(self, *_: object) -> None:
        from plait.content import OUTPUT_LINKS as ALLOWED

        ALLOWED.reset(self._token)


_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def only_argument(command: Command, flags: Request, noun: str, default: str) -> str:
    """The argument of a command that takes one of them at most. Raises UsageError for more."""
    if len(flags.arguments) > 1:
        raise UsageError(f"{command.name} takes one {noun}", found=" ".join(flags.arguments))
    return flags.arguments[0] if flags.arguments else default


def size_of(flags: Request, name: str) -> int:
    """The bytes that a flag says, such as 500M. Raises UsageError."""
    text = flags.text(name)
    digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1)
    if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
        raise UsageError(f'invalid --{name} "{text}"', expected="a number of bytes, such as 500M")
    return int(digits) * unit


def jobs_of(flags: Request) -> int:
    """How many processes the flags ask for. Raises UsageError."""
    jobs = int(flags.text(JOBS.name), 0)
    if jobs < 1:
        raise UsageError("invalid --jobs", expected="a number of processes, at least 1", found=flags.text(JOBS.name))
    return jobs


def links_of(flags: Request) -> Links:
    """Which symbolic links the flags allow."""
    allowed, every = (flag.name for flag in LINKS)
    return Links(flags.texts(allowed), every=flags.on(every))


def with_of(command: str) -> Option:
    """The flag for the additions that a command has."""
    names = ", ".join(OF_COMMAND[command])
    return Option("with", TEXTS, f"take an addition to the dialect: {names}", value="NAME")


def output_by_of(flags: Request) -> Pattern | None:
    """Which file each document is written to, if the flags say so. Raises UsageError."""
    if not flags.given(OUTPUT_BY.name):
        return None
    from plait.destinations import Pattern

    return Pattern(flags.text(OUTPUT_BY.name))


def secrets_of(flags: Request) -> list[Map]:
    """The values of the sources of secrets that the flags name. Raises PlaitError."""
    if not flags.given(SECRETS.name):
        return []
    from plait.secrets.sources import read_secrets

    return read_secrets(flags.texts(SECRETS.name), allow_exec=flags.on(ALLOW_EXEC.name))


def trace_of(flags: Request) -> Trace | None:
    """What is to record the run, if a source map is wanted."""
    if not flags.given(SOURCE_MAP.name):
        return None
    from plait.provenance import Trace

    return Trace()


def write_source_map(
    flags: Request,
    trace: Trace | None,
    documents: DocumentSet,
    text: str | None = None,
    *,
    originals: Originals | None = None,
    as_json: bool = False,
) -> None:
    """Write the file, if it is wanted. text, originals, as_json: what is printed, if not the usual YAML. Raises ReadError."""
    if trace is not None and flags.given(SOURCE_MAP.name):
        from plait.cli.endings import cleaned_up
        from plait.tools.sourcemap import write_map

        if originals is not None:
            text = originals.write(documents)
        with cleaned_up():
            write_map(flags.text(SOURCE_MAP.name), trace, documents, text, as_json=as_json)


def keep_originals(flags: Request, context: Context, form: str, strings: Forms | None = None) -> None:
    """Have the run keep what it reads, if the output is to have its format.

    form: of the output. strings: how new strings are written, if not as go-yaml does. Raises UsageError for a form that
    has no format to keep.
    """
    if not flags.on(KEEP_FORMAT.name):
        return
    if form != "yaml":
        raise UsageError(
            f"--{KEEP_FORMAT.name} keeps the format of YAML", expected="-o yaml, or no -o", found=f"-o {form}"
        )
    from plait.yaml.forms import FORMS
    from plait.yaml.originals import Originals

    context.originals = Originals(strings or FORMS)


# What to do about warnings where no flag says it.
WARNINGS_VARIABLE = "PLAIT_WARNINGS"


def _way(flags: Request) -> str:
    """What to do about warnings: a flag decides, then the environment, then the default of the command."""
    return (not flags.given("warnings") and os.environ.get(WARNINGS_VARIABLE)) or flags.text("warnings")


def keep_warnings(flags: Request, context: Context) -> None:
    """Let the run refuse warnings if a flag or the environment says so. Raises UsageError for an unknown value."""
    way = _way(flags)
    if way not in _WAYS:
        from plait.spell import did_you_mean

        named = "--warnings" if flags.given("warnings") else WARNINGS_VARIABLE
        raise UsageError(f'unknown {named} "{way}"', expected=", ".join(_WAYS), hint=did_you_mean(way, _WAYS))
    if way == ERROR and flags.given("warnings") and flags.on("quiet"):
        raise UsageError("--quiet hides warnings, --warnings=error refuses them: give one of the two")
    context.refuses_warnings = way == ERROR and not flags.on("quiet")


def are_shown(flags: Request) -> bool:
    """True if warnings are printed."""
    return not flags.on("quiet") and _way(flags) != HIDE


def are_notes_shown(flags: Request) -> bool:
    """True if notes of the reference program itself are printed: unless somebody asks for none."""
    asked = flags.given("warnings") or os.environ.get(WARNINGS_VARIABLE)
    return are_shown(flags) or (flags.program != "plait" and not flags.on("quiet") and not asked)


def tell_warnings(flags: Request, context: Context) -> None:
    """Print the warnings of a run to standard error, each once, unless the flags say otherwise."""
    if are_shown(flags):
        from plait.cli.streams import warn

        warn(context)
    context.forget_warnings()
