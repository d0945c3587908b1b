"""Options that several dialects share, and their evaluation."""

from __future__ import annotations

from plait.base.content import LinkPolicy
from plait.base.errors import UsageError
from plait.base.extensions import BY_COMMAND
from plait.base.limits import RunBudget, budget_scope, current_budget, parse
from plait.engine.options import (
    CSV,
    DELIVERY,
    LINKED_PATH,
    NUMBER,
    PROCESS,
    READ_PATH,
    SHARED,
    SWITCH,
    TEXT,
    TEXTS,
    WRITTEN_PATH,
    PathForm,
    Request,
    declared,
    keyword,
    located,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plait.engine.options import Declared
    from plait.engine.results import Documents
    from plait.engine.types import Limits, Texts, Warnings
    from plait.layering.sites import LayeringSite
    from plait.tree.context import Context
    from plait.tree.nodes import DocumentSet, Map
    from plait.tree.plain_data import Plain
    from plait.yaml.output_paths import OutputPattern
    from plait.yaml.scalar_styles import ScalarStyles

# Headings in help that commands share.
GENERAL = "General"
SAFETY = "Limits and safety"
NO_EFFECT = "Accepted for compatibility, no effect"

# Values of a switch.
TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})

# The formats of reports.
ANSWER_TEXT, ANSWER_JSON = "text", "json"
OUTPUT = declared(
    "output",
    TEXT,
    "output format: text or json",
    short="o",
    value="FORMAT",
    default=(ANSWER_TEXT,),
    choices=(ANSWER_TEXT, ANSWER_JSON),
)
LIMIT = declared(
    "limit",
    TEXTS,
    "set a limit, such as steps=1M, memory=512M or seconds=10; docs/reference/limits.md lists them",
    value="NAME=VALUE",
    attribute="limit",
    part=PROCESS,
)
ISOLATE = declared(
    "isolate",
    SWITCH,
    "evaluate in a separate process, which is killed at the time limit",
    attribute="isolate",
    part=PROCESS,
)
WATCH = declared(
    "watch",
    SWITCH,
    "evaluate again when an input changes, until interrupted; prints the difference",
    setting="",
    part=PROCESS,
)
JOBS = declared("jobs", NUMBER, "number of processes", short="j", value="N", default=("1",), part=PROCESS)
TRUST = declared(
    "trust",
    SWITCH,
    "grant the project's requested permissions for this invocation; plait trust grants them permanently",
    setting="",
    part=PROCESS,
)
PROJECT = declared(
    "project",
    TEXT,
    "project file or its directory (default: plait.yml here or in the nearest directory above)",
    value="PATH",
)
QUOTE_VALUES = declared(
    "quote-values",
    SWITCH,
    "allow messages to quote lines of values files and values of environment variables",
    attribute="quote_values",
    setting="",  # a project file cannot decide what messages quote
    part=PROCESS,
)
SECRETS = declared(
    "secrets",
    TEXTS,
    "read secret data values from sops:FILE, file:FILE, dir:DIRECTORY or exec:COMMAND",
    value="[KEY=]SOURCE",
    path=PathForm("read", is_source=True),
    attribute="secret_sources",
)
ALLOW_EXEC = declared(
    "allow-exec", SWITCH, "allow --secrets to run commands", program="exec:*", setting="", attribute="allow_exec"
)
ALLOW_LINKS = declared(
    "allow-symlink-destination",
    CSV,
    "allow symbolic links to this path or below it",
    value="PATH",
    path=LINKED_PATH,
    attribute="allow_links",
)
ALLOW_ALL_LINKS = declared(
    "dangerous-allow-all-symlink-destinations", SWITCH, "allow all symbolic links", attribute="allow_all_links"
)
# Its permissions are valid until the command ends (`plait.cli.common_flags.entered`).
ALLOW_OUTPUT = declared(
    "allow-symlink-output",
    CSV,
    "allow writing to this path or below it through symbolic links that lead out of the Git repository",
    value="PATH",
    path=WRITTEN_PATH,
    setting="",
    attribute="output_links",
    part=DELIVERY,
)
KEEP_FORMAT = declared(
    "keep-format",
    SWITCH,
    "preserve comments, quotes and layout; change only lines whose values change",
    attribute="keep_format",
)
SOURCE_MAP = declared(
    "source-map",
    TEXT,
    "write a source map to FILE: the origin of each output value, as JSON",
    value="FILE",
    path=WRITTEN_PATH,
    attribute="source_map",
    part=DELIVERY,
)
OUTPUT_BY = declared(
    "output-by",
    TEXT,
    'write each document to its own file, named by this pattern of its values: "{kind}/{name}.yml"',
    value="PATTERN",
    attribute="output_by",
    requires=("output_files", "emptied", "bulk_out"),
)
OUTPUT_FILES = declared(
    "output-files",
    TEXT,
    "write the results as files into a directory; other files there are preserved",
    value="DIRECTORY",
    path=WRITTEN_PATH,
    attribute="output_files",
    part=DELIVERY,
)
CHECK_OUTPUT = declared(
    "check-output",
    TEXTS,
    "check output documents against resource schemas: a file or directory of JSON Schemas, CRDs or OpenAPI documents",
    value="PATH",
    path=READ_PATH,
    attribute="check_output",
)
SITE = declared(
    "site",
    TEXT,
    "render an Airship site, site/NAME, from the documents that Pegleg collects for it",
    value="DIR",
    path=READ_PATH,
)
REPOSITORY = declared(
    "repository",
    TEXTS,
    "directory of a repository that a site definition names",
    value="NAME=DIR",
    path=PathForm("read", "="),
)
SHOW, HIDE, ERROR = WAYS = ("show", "hide", "error")
WARNINGS = declared(
    "warnings",
    TEXT,
    "show, hide or error; error writes no output and exits with 1",
    value="MODE",
    default=(SHOW,),
    choices=WAYS,
    attribute="warnings_shown",
    part=PROCESS,
)
# For plait called by the name of a reference program.
WARNINGS_HIDDEN = WARNINGS.replaced(default=(HIDE,))


class Dialect(Request):
    """Options of every dialect: limits, warnings, and keywords of the API."""

    __slots__ = ()
    output_links = ALLOW_OUTPUT
    limit = LIMIT
    isolate = ISOLATE
    warnings_shown = WARNINGS
    quiet = SHARED.quiet.replaced(setting="quiet")
    warnings: Warnings = keyword("keep")
    limits: Limits | None = keyword()
    trace: bool = keyword(default=False)
    isolated: bool = keyword(default=False)


class Linked(Dialect):
    """Options of a dialect that reads directories and secret sources."""

    __slots__ = ()
    allow_links: Texts = ALLOW_LINKS
    allow_all_links = ALLOW_ALL_LINKS
    secrets: Mapping[str, Plain] | None = keyword()
    _rows = Dialect.rows


def extensions_of(command: str) -> Declared:
    names = ", ".join(BY_COMMAND[command])
    return declared(
        "with",
        TEXTS,
        f"enable an extension of the dialect: {names}",
        value="NAME",
        attribute="extensions",
        is_in_steps=True,
    )


# ---- evaluation


def site_of(request: Request, context: Context) -> LayeringSite | None:
    """The Airship site of a request, or None. Raises UsageError, ReadError."""
    if not request.has(SITE):
        if request.has(REPOSITORY):
            raise UsageError(
                "--repository requires --site",
                hint="plait layer --site site/NAME --repository NAME=DIR",
                code="site-options",
            )
        return None
    from plait.layering.sites import find_site

    with located(request, REPOSITORY) as texts:
        repositories = repositories_of(texts)
    with located(request, SITE):
        return find_site(request.value(SITE), context.warn, repositories=repositories, links=links_of(request))


def repositories_of(texts: Iterable[str]) -> dict[str, str]:
    """The checkout directories by repository name. Raises UsageError."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, directory = text.partition("=")
        if not equals or not name or not directory:
            raise UsageError(
                f'"{text}" does not name a checkout',
                expected="NAME=DIR, such as global=../global-manifests",
                code="site-repository",
            )
        found[name] = directory
    return found


def keep_limits(request: Request, context: Context | None = None) -> None:
    """Applies the limits of a request from now on. Raises UsageError."""
    if request.has(LIMIT):
        with located(request, LIMIT) as texts:
            limits = parse(texts)
        run = budget_scope(RunBudget(limits, current_budget().keeper)).__enter__()
        if context is not None:
            context.run_budget = run


def links_of(request: Request) -> LinkPolicy:
    """The policy for symbolic links."""
    return LinkPolicy(request.value(ALLOW_LINKS), every=request.value(ALLOW_ALL_LINKS))


def output_by_of(request: Request) -> OutputPattern | None:
    """The pattern for the file of each document, or None. Raises UsageError."""
    if not request.has(OUTPUT_BY):
        return None
    from plait.yaml.output_paths import OutputPattern

    with located(request, OUTPUT_BY):
        return OutputPattern(request.value(OUTPUT_BY))


def secrets_of(request: Request) -> list[Map]:
    """The values of all secret sources of a request. Raises PlaitError."""
    if not request.has(SECRETS):
        return []
    with located(request, SECRETS) as arguments:
        return secrets_from(arguments, request)


def secrets_from(arguments: Iterable[str], request: Request) -> list[Map]:
    """The values of secret sources that a request names. Raises PlaitError."""
    from plait.engine.secret_sources import read_secrets

    return read_secrets(arguments, allow_exec=request.value(ALLOW_EXEC))


def keep_originals(request: Request, context: Context, form: str, strings: ScalarStyles | None = None) -> None:
    """Records the texts of inputs if the output preserves their formatting.

    form: the output format. strings: styles of new strings; by default those of go-yaml. Raises UsageError for a format
    that cannot preserve formatting.
    """
    if not request.value(KEEP_FORMAT):
        return
    if form != "yaml":
        raise UsageError(
            f"--{KEEP_FORMAT.name} requires YAML output",
            expected="-o yaml, or no -o",
            found=f"-o {form}",
            code="keep-format",
        )
    from plait.yaml.preserved_text import PreservedTexts
    from plait.yaml.scalar_styles import FORMS

    context.originals = PreservedTexts(strings or FORMS)


def result_of(
    nodes: DocumentSet, pattern: OutputPattern | None, write: Callable[[DocumentSet], str], context: Context
) -> Documents:
    """The result of an evaluation, with one file per document if there is a pattern. Raises UsageError."""
    from plait.engine.results import Documents, Rendered

    if pattern is None:
        return Documents(nodes, write=write, warnings=context.warnings, trace=context.trace)
    from plait.yaml.output_paths import files_of, places_by

    placed = places_by(pattern, nodes.items, context.secrets)
    return Rendered(
        nodes,
        files=lambda: files_of(placed, write),
        paths=[path for path, _ in placed],
        write=write,
        warnings=context.warnings,
        trace=context.trace,
    )
