"""`plait layer`: the request, and its evaluation. See docs/guide-layer.md."""

from __future__ import annotations

from functools import partial

from plait.base.content import source, sources, variables
from plait.base.errors import PlaitError, ReadError, UsageError, conceal
from plait.base.source import public
from plait.engine import common
from plait.engine.common import Linked, keep_limits, keep_originals, links_of, output_by_of, result_of, site_of
from plait.engine.options import (
    DELIVERY,
    READ_PATH,
    TEXT,
    TEXTS,
    Heading,
    declared,
    keyword,
    located,
    positional,
    switch,
    texts,
)
from plait.layering.job import LayerJob
from plait.layering.plain_scalars import STRINGS, plain_values
from plait.layering.rendering import LayeringOptions
from plait.layering.secrets import EnvironmentSecrets, FileSecrets
from plait.layering.select import ORDERS, Selection
from plait.tree.nodes import Map, kind_name
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Literal

    from plait.base.source import Source
    from plait.engine.incremental import Engine
    from plait.engine.results import Documents
    from plait.engine.types import Inputs, Texts
    from plait.layering.known_documents import KnownDocuments
    from plait.layering.secrets import SecretSource
    from plait.layering.sites import LayeringSite
    from plait.tree.context import Context
    from plait.tree.nodes import DocumentSet
    from plait.yaml.output_paths import OutputPattern

FORMS = ("yaml", "json")


class Layer(Linked):
    """Layered documents, as in Deckhand: inheritance, replacement and substitution between them."""

    __slots__ = ()
    command = "layer"
    summary = "Render layered documents: inheritance, replacement and substitution between them."
    usage = "PATH..."

    inputs: Inputs = positional(
        "", TEXTS, "the inputs", is_argument=True, setting="files", path=READ_PATH, kw_only=False, default=()
    )
    _1 = Heading("Inputs")
    site: str | os.PathLike[str] | None = common.SITE
    repository = common.REPOSITORY
    _2 = Heading("Checks")
    validate: bool = switch("validate", "check the structure of all documents first")
    validate_data: bool = switch("validate-data", "check rendered data against the DataSchema documents")
    lenient: bool = switch("lenient", "warn about missing substitution sources instead of failing", is_in_steps=True)
    relaxed: bool = switch("relaxed", "ignore documents that match a selector but cannot be the parent")
    strict: bool = switch(
        "strict", "like --validate; also fail when a parentSelector matches nothing", is_in_steps=True
    )
    _3 = Heading("Deckhand")
    like_deckhand: bool = switch("like-deckhand", "produce exactly Deckhand's values and document order")
    compare_deckhand = switch(
        "compare-deckhand",
        "list the values that Deckhand renders differently, with the line responsible",
        part=DELIVERY,
    )
    _4 = Heading("Output")
    schemas: Texts = texts("schema", "print only documents of this schema, namespace/Kind or namespace", value="SCHEMA")
    names: Texts = texts("name", "print only documents of this name", value="NAME")
    layers: Texts = texts("layer", "print only documents of this layer", value="LAYER")
    label = texts("label", "print only documents with this label", value="KEY=VALUE")
    short: bool = switch("short", "print only schema, name and data")
    order: Literal["dependency", "input", "name", "schema", "layer"] = declared(
        "order",
        TEXT,
        f"order of documents: {', '.join(ORDERS)}",
        value="ORDER",
        default=("dependency",),
        choices=tuple(ORDERS),
    )
    tree = switch("tree", "print the inheritance tree", part=DELIVERY)
    dot = switch("dot", "print the inheritance tree in Graphviz format", part=DELIVERY)
    output = declared(
        "output",
        TEXT,
        f"output format: {' or '.join(FORMS)}",
        short="o",
        value="FORMAT",
        default=("yaml",),
        choices=FORMS,
    )
    output_files = common.OUTPUT_FILES.replaced(
        help="write each document to its own file in a directory, SCHEMA/NAME.yaml; other files there are preserved"
    )
    output_by = common.OUTPUT_BY
    keep_format: bool = common.KEEP_FORMAT
    source_map = common.SOURCE_MAP
    watch = common.WATCH
    _5 = Heading("Secrets")
    cleartext_secrets: bool = switch(
        "cleartext-secrets", "print encrypted documents and values substituted from them", is_in_steps=True
    )
    secrets_files = texts("secrets-file", "resolve secret references from a YAML map", value="PATH", path=READ_PATH)
    secrets_env = texts(
        "secrets-env",
        "resolve secret references from environment variables PREFIX + UUID",
        value="PREFIX",
        environment="{}*",
    )
    _6 = Heading(common.SAFETY)
    labels: Mapping[str, str] | None = keyword()
    repositories: Mapping[str, str | os.PathLike[str]] | None = keyword()
    _rows = Linked.rows


def evaluate(request: Layer, context: Context, engine: Engine | None = None) -> Documents:
    """Evaluates a request without printing or writing. engine: shared by several evaluations. Raises PlaitError."""
    keep_limits(request, context)
    if request.tree or request.dot or request.compare_deckhand:
        raise UsageError("--tree, --dot and --compare-deckhand print no documents", code="flag-conflict")
    job = job_of(request, context, engine)
    keep_originals(request, context, request.output, STRINGS)
    return documents_of(job.run(context), job, context, output_by_of(request))


def documents_of(
    nodes: DocumentSet, job: LayerJob, context: Context, pattern: OutputPattern | None = None
) -> Documents:
    """The result of a job, with one file per document if there is a pattern. Raises UsageError."""
    reusing = job.reusing_writer(context)
    write = reusing or (lambda documents: job.text(documents, context.originals))
    documents = result_of(nodes, pattern, write, context)
    documents._reusing = reusing
    return documents


def format_named(request: Layer) -> str:
    """The format of the output. Raises UsageError for an unknown one, or without an output."""
    form: str = request.output
    request.require_choice(Layer.output)
    answers = [("tree", request.tree), ("dot", request.dot), ("compare-deckhand", request.compare_deckhand)]
    other = next((name for name, is_on in answers if is_on), None)
    forms = [("output-files", Layer.output_files), ("output", Layer.output)]
    written = next((name for name, option in forms if request.has(option)), None)
    if other is not None and written is not None:
        raise UsageError(
            f"--{written} cannot be combined with --{other}, which prints no documents", code="flag-conflict"
        )
    return form


def job_of(request: Layer, context: Context, engine: Engine | None = None) -> LayerJob:
    """The job of a request. engine: shared by several evaluations. Raises PlaitError."""
    site = site_of(request, context)
    if not request.arguments and site is None:
        raise UsageError(
            "plait layer needs the documents to render",
            expected="files, directories, or - for standard input",
            hint="plait layer documents/",
            code="missing-argument",
        )
    return configured(
        request,
        _texts(request, site, engine),
        _secret_sources(request),
        _labels(request),
        unwrap=site is not None,
        known=None if engine is None or request.keep_format else engine.layered(),
    )


def _texts(request: Layer, site: LayeringSite | None, engine: Engine | None) -> Iterator[Source]:
    """The texts of a site, and those of the arguments. Raises ReadError, LimitError."""
    links = links_of(request)
    given = [(path, partial(sources, path, links=links)) for path in request.arguments]
    if site is not None:
        given.insert(0, (f"--site {site.directories}", partial(site.sources, links)))
    for argument, found in given:
        if engine is None or argument == "-":
            yield from found()
        else:
            yield from engine.texts((argument, *request.allow_links, request.allow_all_links), found)


def configured(
    request: Layer,
    texts: Iterable[Source | DocumentSet],
    secret_sources: Sequence[SecretSource],
    labels: Sequence[tuple[str, str]],
    *,
    unwrap: bool,
    known: KnownDocuments | None = None,
) -> LayerJob:
    """A job with the switches of a request. texts, unwrap, known: as in the job. labels: the labels of the returned
    documents.
    """
    return LayerJob(
        texts,
        options_of(request, secret_sources),
        selection=Selection(schemas=request.schemas, names=request.names, layers=request.layers, labels=labels),
        validate=request.validate,
        validate_data=request.validate_data,
        order=request.order,
        short=request.short,
        unwrap=unwrap,
        known=known,
    )


def options_of(request: Layer, secret_sources: Sequence[SecretSource] = ()) -> LayeringOptions:
    """The rendering options of a request."""
    return LayeringOptions(
        lenient=request.lenient,
        relaxed=request.relaxed,
        strict=request.strict,
        like_deckhand=request.like_deckhand,
        cleartext_secrets=request.cleartext_secrets,
        secret_sources=secret_sources,
    )


def _labels(request: Layer) -> list[tuple[str, str]]:
    labels = []
    with located(request, Layer.label) as given:
        for text in given:
            key, equals, value = text.partition("=")
            if not equals or not key:
                raise UsageError(f'"{text}" is not a label', expected="KEY=VALUE", code="invalid-value")
            labels.append((key, value))
    return labels


def _secret_sources(request: Layer) -> list[SecretSource]:
    found: list[SecretSource] = []
    with located(request, Layer.secrets_files) as paths:
        for path in paths:
            text = source(path).hidden()
            try:
                for document in deduplicate(read(text, plain=plain_values)).items:
                    if type(document.value) is not Map:
                        raise ReadError(
                            public("a secrets file is a map of references to data"),
                            at=document.position,
                            expected=public("a map"),
                            found=public(kind_name(document.value)),
                            hint="write REFERENCE: DATA for each, without a dash before it",
                            code="secrets-source",
                        )
                    found.append(FileSecrets(path, document.value))
            except PlaitError as error:
                raise conceal(error) from None
    found.extend(EnvironmentSecrets(prefix, variables(prefix)) for prefix in request.secrets_env)
    return found
