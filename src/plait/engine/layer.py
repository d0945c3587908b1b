"""`plait layer`: the request, and its evaluation. See docs/layer.md."""

from __future__ import annotations

from itertools import chain

from plait.content import source, sources, variables
from plait.engine.common import (
    ALLOW_ALL_LINKS,
    ALLOW_LINKS,
    ALLOW_OUTPUT,
    ISOLATE,
    KEEP_FORMAT,
    LIMIT,
    OUTPUT_BY,
    OUTPUT_FILES,
    QUIET,
    REPOSITORY,
    SAFETY,
    SITE,
    SOURCE_MAP,
    WARNINGS,
    WATCH,
    keep_limits,
    keep_originals,
    links_of,
    output_by_of,
    result_of,
    site_of,
)
from plait.engine.options import (
    DELIVERY,
    READ_PATH,
    TEXT,
    TEXTS,
    Heading,
    Request,
    declared,
    located,
    switch,
    texts,
)
from plait.errors import PlaitError, ReadError, UsageError, conceal, public
from plait.layering import ORDERS, STRINGS, EnvironmentSecrets, FileSecrets, Job, Options, Selection, plain_values
from plait.yaml import deduplicate, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.context import Context
    from plait.engine.results import Documents
    from plait.layering.secrets import SecretSource
    from plait.workspace.shared import Shared

FORMS = ("yaml", "json")


class Layer(Request):
    """Layered documents: inheritance, replacement and substitution between them, as Deckhand has them."""

    __slots__ = ()
    command = "layer"
    summary = "Render layered documents: inheritance, replacement and substitution between them."
    usage = "PATH..."

    inputs = declared("", TEXTS, "the inputs", is_argument=True, setting="files", path=READ_PATH)
    _1 = Heading("Inputs")
    site = SITE
    repository = REPOSITORY
    _2 = Heading("Checks")
    validate = switch("validate", "check the form of all documents first")
    validate_data = switch("validate-data", "check rendered data against the DataSchema documents")
    lenient = switch("lenient", "warn about missing substitution sources instead of failing")
    relaxed = switch("relaxed", "ignore documents that match a selector but cannot be the parent")
    strict = switch("strict", "like --validate; also fail when a parentSelector matches nothing")
    _3 = Heading("Deckhand")
    like_deckhand = switch("like-deckhand", "give every value, and the documents in the order, that Deckhand gives")
    compare_deckhand = switch(
        "compare-deckhand",
        "print the values for which Deckhand gives something else, each with the line responsible",
        part=DELIVERY,
    )
    _4 = Heading("What is printed")
    schemas = texts("schema", "print documents of this schema, namespace/Kind or namespace", value="SCHEMA")
    names = texts("name", "print documents of this name", value="NAME")
    layers = texts("layer", "print documents of this layer", value="LAYER")
    labels = texts("label", "print documents that have this label", value="KEY=VALUE")
    short = switch("short", "print schema, name and data only")
    order = declared(
        "order",
        TEXT,
        f"order of documents: {', '.join(ORDERS)}",
        value="ORDER",
        default=("dependency",),
        choices=tuple(ORDERS),
    )
    tree = switch("tree", "print who inherits from whom", part=DELIVERY)
    dot = switch("dot", "the same for Graphviz", part=DELIVERY)
    output = declared(
        "output",
        TEXT,
        f"form of the output: {' or '.join(FORMS)}",
        short="o",
        value="FORM",
        default=("yaml",),
        choices=FORMS,
    )
    output_files = OUTPUT_FILES.replaced(
        help="write each document to a file of its own in a directory, SCHEMA/NAME.yaml; keep what is already there"
    )
    output_by = OUTPUT_BY
    keep_format = KEEP_FORMAT
    source_map = SOURCE_MAP
    watch = WATCH
    _5 = Heading("Secrets")
    cleartext_secrets = switch("cleartext-secrets", "print encrypted documents and what was substituted from them")
    secrets_files = texts("secrets-file", "resolve secret references from a YAML map", value="PATH", path=READ_PATH)
    secrets_env = texts("secrets-env", "resolve secret references from variables PREFIX + UUID", value="PREFIX")
    _6 = Heading(SAFETY)
    allow_links = ALLOW_LINKS
    allow_all_links = ALLOW_ALL_LINKS
    output_links = ALLOW_OUTPUT
    limits = LIMIT
    isolated = ISOLATE
    warnings = WARNINGS
    quiet = QUIET


def evaluate(request: Layer, context: Context, shared: Shared | None = None) -> Documents:
    """The result of a request; nothing is printed or written. shared: inputs of other runs. Raises PlaitError."""
    keep_limits(request, context)
    if request.tree or request.dot or request.compare_deckhand:
        raise UsageError("--tree, --dot and --compare-deckhand print no documents")
    job = job_of(request, context, shared)
    keep_originals(request, context, request.output, STRINGS)
    result = job.run(context)
    return result_of(result, output_by_of(request), lambda documents: job.text(documents, context.originals), context)


def form_of(request: Layer) -> str:
    """The form of the output. Raises UsageError for an unknown one, or if there is no output."""
    form: str = request.output
    if form not in FORMS:
        from plait.spell import did_you_mean

        with located(request, Layer.output):
            raise UsageError(f'unknown form "{form}"', expected=", ".join(FORMS), hint=did_you_mean(form, FORMS))
    answers = [("tree", request.tree), ("dot", request.dot), ("compare-deckhand", request.compare_deckhand)]
    other = next((name for name, is_on in answers if is_on), None)
    forms = [("output-files", Layer.output_files), ("output", Layer.output)]
    written = next((name for name, option in forms if request.has(option)), None)
    if other is not None and written is not None:
        raise UsageError(f"--{written} cannot be combined with --{other}, which prints no documents")
    return form


def job_of(request: Layer, context: Context, shared: Shared | None = None) -> Job:
    """The job of a request. shared: inputs of other runs. Raises PlaitError."""
    site = site_of(request, context)
    if not request.arguments and site is None:
        raise UsageError(
            "plait layer needs the documents to render",
            expected="files, directories, or - for standard input",
            hint="plait layer documents/",
        )
    links = links_of(request)
    given = (text for path in request.arguments for text in sources(path, links=links))
    return Job(
        given if site is None else chain(site.sources(links), given),
        Options(
            lenient=request.lenient,
            relaxed=request.relaxed,
            strict=request.strict,
            like_deckhand=request.like_deckhand,
            cleartext_secrets=request.cleartext_secrets,
            secret_sources=_secret_sources(request),
        ),
        selection=_selection(request),
        validate=request.validate,
        validate_data=request.validate_data,
        order=request.order,
        short=request.short,
        unwrap=site is not None,
        known=None if shared is None or request.keep_format or context.trace is not None else shared.documents,
    )


def _selection(request: Layer) -> Selection:
    labels = []
    with located(request, Layer.labels) as given:
        for text in given:
            key, equals, value = text.partition("=")
            if not equals or not key:
                raise UsageError(f'"{text}" is not a label', expected="KEY=VALUE")
            labels.append((key, value))
    return Selection(schemas=request.schemas, names=request.names, layers=request.layers, labels=labels)


def _secret_sources(request: Layer) -> list[SecretSource]:
    found: list[SecretSource] = []
    with located(request, Layer.secrets_files) as paths:
        for path in paths:
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
                    found.append(FileSecrets(path, document.value))
            except PlaitError as error:
                raise conceal(error) from None
    found.extend(EnvironmentSecrets(prefix, variables(prefix)) for prefix in request.secrets_env)
    return found
