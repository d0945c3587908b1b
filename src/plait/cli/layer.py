"""`plait layer`: render layered documents (spec layering).

Reads files, directories, standard input and Airship sites, renders all documents together, and prints the concrete ones
or writes each into a file. Checks before and after rendering, secrets, choice and form of what is printed are flags.
"""

from __future__ import annotations

from itertools import chain

from plait.cli.options import SAFETY, Command
from plait.cli.shared import (
    ALLOW_OUTPUT,
    KEEP_FORMAT,
    LIMITS,
    LINKS,
    OUTPUT_BY,
    SITES,
    SOURCE_MAP,
    WARNINGS,
    WATCH,
    keep_limits,
    keep_originals,
    keep_warnings,
    links_of,
    output_by_of,
    tell_warnings,
    trace_of,
    write_source_map,
)
from plait.cli.streams import watched, write_out
from plait.content import source, sources, variables
from plait.context import Context
from plait.engine.options import READ_PATH, SWITCH, TEXT, TEXTS, WRITTEN_PATH, Option
from plait.errors import PlaitError, ReadError, UsageError, conceal, public
from plait.layering import ORDERS, STRINGS, EnvironmentSecrets, FileSecrets, Job, Options, Selection, plain_values
from plait.yaml import deduplicate, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.engine.options import Request
    from plait.engine.results import Documents
    from plait.layering.secrets import SecretSource
    from plait.nodes import DocumentSet

FORMS = ("yaml", "json")

LAYER = Command(
    "plait layer",
    "Render layered documents: inheritance, replacement and substitution between them.",
    (
        "Inputs",
        *SITES,
        "Checks",
        Option("validate", SWITCH, "check the form of all documents first"),
        Option("validate-data", SWITCH, "check rendered data against the DataSchema documents"),
        Option("lenient", SWITCH, "warn about missing substitution sources instead of failing"),
        Option("relaxed", SWITCH, "ignore documents that match a selector but cannot be the parent"),
        Option("strict", SWITCH, "like --validate; also fail when a parentSelector matches nothing"),
        "Deckhand",
        Option("like-deckhand", SWITCH, "give every value, and the documents in the order, that Deckhand gives"),
        Option(
            "compare-deckhand",
            SWITCH,
            "print the values for which Deckhand gives something else, each with the line responsible",
        ),
        "What is printed",
        Option("schema", TEXTS, "print documents of this schema, namespace/Kind or namespace", value="SCHEMA"),
        Option("name", TEXTS, "print documents of this name", value="NAME"),
        Option("layer", TEXTS, "print documents of this layer", value="LAYER"),
        Option("label", TEXTS, "print documents that have this label", value="KEY=VALUE"),
        Option("short", SWITCH, "print schema, name and data only"),
        Option(
            "order",
            TEXT,
            f"order of documents: {', '.join(ORDERS)}",
            value="ORDER",
            default=("dependency",),
            choices=tuple(ORDERS),
        ),
        Option("tree", SWITCH, "print who inherits from whom"),
        Option("dot", SWITCH, "the same for Graphviz"),
        Option(
            "output",
            TEXT,
            f"form of the output: {' or '.join(FORMS)}",
            short="o",
            value="FORM",
            default=("yaml",),
            choices=FORMS,
        ),
        Option(
            "output-files",
            TEXT,
            "write each document to a file of its own in a directory, SCHEMA/NAME.yaml; keep what is already there",
            value="DIRECTORY",
            path=WRITTEN_PATH,
        ),
        OUTPUT_BY,
        KEEP_FORMAT,
        SOURCE_MAP,
        WATCH,
        "Secrets",
        Option("cleartext-secrets", SWITCH, "print encrypted documents and what was substituted from them"),
        Option("secrets-file", TEXTS, "resolve secret references from a YAML map", value="PATH", path=READ_PATH),
        Option("secrets-env", TEXTS, "resolve secret references from variables PREFIX + UUID", value="PREFIX"),
        SAFETY,
        *LINKS,
        ALLOW_OUTPUT,
        *LIMITS,
        *WARNINGS,
    ),
    arguments="PATH...",
)


def main(argv: Sequence[str]) -> int:
    """Run `plait layer`; the exit status. Raises PlaitError."""
    flags = LAYER.parse(argv)
    if flags.on("help"):
        write_out(LAYER.help_text())
        return 0
    keep_limits(flags)
    as_json = _form(flags) == "json"
    pattern, to_files = output_by_of(flags), flags.given("output-files")
    context = Context()
    keep_warnings(flags, context)
    context.trace = trace_of(flags)
    try:
        job = _job(flags, context)
        keep_originals(flags, context, flags.text("output"), STRINGS)
        if flags.on("tree") or flags.on("dot"):
            from plait.layering import dot, tree

            planned = job.plan(context)
            context.check_warnings()
            chosen = [document for document in planned.documents if job.selection.takes(document)]
            write_out((dot if flags.on("dot") else tree)(planned, chosen))
            return 0
        if flags.on("compare-deckhand"):
            return _compare(job, context)
        with watched(context):
            result = job.run(context)
        context.check_warnings()
        if pattern is not None or to_files:
            from plait.destinations import layered_places, places_by

            placed = layered_places(result.items) if pattern is None else places_by(pattern, result.items)
        text = _json(result) if as_json else job.text(result, context.originals)
        write_source_map(flags, context.trace, result, None if as_json else text, as_json=as_json)
    finally:
        tell_warnings(flags, context)
    if to_files:
        from plait.cli.files import write_files
        from plait.destinations import files_of

        write_files(
            flags.text("output-files"), files_of(placed, lambda documents: job.text(documents, context.originals))
        )
    else:
        write_out(text)
    return 0


def _json(result: DocumentSet) -> str:
    from plait.formats import FORMATS

    return FORMATS["json"](result)


def _form(flags: Request) -> str:
    """The form of the output. Raises UsageError for one that there is not, or where there is no output."""
    form = flags.text("output")
    if form not in FORMS:
        from plait.spell import did_you_mean

        raise UsageError(f'unknown form "{form}"', expected=", ".join(FORMS), hint=did_you_mean(form, FORMS))
    other = next((name for name in ("tree", "dot", "compare-deckhand") if flags.on(name)), None)
    written = next((name for name in ("output-files", "output") if flags.given(name)), None)
    if other is not None and written is not None:
        raise UsageError(f"--{written} cannot be combined with --{other}, which prints no documents")
    return form


def evaluate(argv: Sequence[str], context: Context) -> Documents:
    """What a command line makes, with the run's state given; nothing is printed or written. Raises PlaitError."""
    from plait.cli.files import result_of

    flags = LAYER.parse(argv)
    keep_limits(flags, context)
    if flags.on("tree") or flags.on("dot") or flags.on("compare-deckhand"):
        raise UsageError("--tree, --dot and --compare-deckhand print no documents")
    job = _job(flags, context)
    keep_originals(flags, context, flags.text("output"), STRINGS)
    result = job.run(context)
    return result_of(result, output_by_of(flags), lambda documents: job.text(documents, context.originals), context)


def _compare(job: Job, context: Context) -> int:
    """Print what Deckhand gives otherwise; 1 when there is something."""
    from plait.layering.comparison import to_text

    if job.options.relaxed or job.options.like_deckhand:
        raise UsageError("--compare-deckhand cannot be combined with --relaxed or --like-deckhand")
    with watched(context):
        found = job.compare(context)
    write_out(to_text(found))
    return 1 if found else 0


def _job(flags: Request, context: Context) -> Job:
    site = None
    if flags.given("site") or flags.given("repository"):
        from plait.cli.sites import site_of

        site = site_of(flags, context)
    if not flags.arguments and site is None:
        raise UsageError(
            "plait layer needs the documents to render",
            expected="files, directories, or - for standard input",
            hint="plait layer documents/",
        )
    links = links_of(flags)
    given = (text for path in flags.arguments for text in sources(path, links=links))
    return Job(
        given if site is None else chain(site.sources(links), given),
        Options(
            lenient=flags.on("lenient"),
            relaxed=flags.on("relaxed"),
            strict=flags.on("strict"),
            like_deckhand=flags.on("like-deckhand"),
            cleartext_secrets=flags.on("cleartext-secrets"),
            secret_sources=_secret_sources(flags),
        ),
        selection=_selection(flags),
        validate=flags.on("validate"),
        validate_data=flags.on("validate-data"),
        order=flags.text("order"),
        short=flags.on("short"),
        unwrap=site is not None,
        known=None if flags.on("keep-format") else _known(context),
    )


def _known(context: Context) -> dict[object, DocumentSet] | None:
    """The documents that earlier runs have read, where there are such runs and nobody records where values come from."""
    if context.shared is None or context.trace is not None:
        return None
    from plait.workspace.shared import Shared

    return context.shared.documents if isinstance(context.shared, Shared) else None


def _selection(flags: Request) -> Selection:
    labels = []
    for text in flags.texts("label"):
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f'"{text}" is not a label', expected="KEY=VALUE")
        labels.append((key, value))
    return Selection(
        schemas=flags.texts("schema"), names=flags.texts("name"), layers=flags.texts("layer"), labels=labels
    )


def _secret_sources(flags: Request) -> list[SecretSource]:
    sources: list[SecretSource] = []
    for path in flags.texts("secrets-file"):
        from plait.nodes import Map, kind_name

        text = source(path).hidden()
        try:
            for document in deduplicate(read(text, plain=plain_values)).items:
                if type(document.value) is not Map:
                    raise ReadError(
                        public("a secrets file is a map of references to data"),
                        at=document.position,
                        expected=public("a map"),
                        found=public(kind_name(document.value)),
                    )
                sources.append(FileSecrets(path, document.value))
        except PlaitError as error:
            raise conceal(error) from None
    sources.extend(EnvironmentSecrets(prefix, variables(prefix)) for prefix in flags.texts("secrets-env"))
    return sources
