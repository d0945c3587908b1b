"""`plait layer`: render layered documents (spec layering).

Reads files, directories and standard input, renders all documents together, and prints the concrete ones. Checks before
and after rendering, secrets, choice and form of what is printed are flags.
"""

from __future__ import annotations

import os

from plait.cli.limits import LIMITS, keep_limits
from plait.cli.links import LINKS, links_of
from plait.cli.options import SWITCH, TEXT, TEXTS, Command, Flag
from plait.cli.sourcemap import SOURCE_MAP, trace_of, write_source_map
from plait.cli.streams import warn, watched, write_out
from plait.content import source, sources
from plait.context import Context
from plait.errors import PlaitError, ReadError, UsageError, conceal
from plait.layering import ORDERS, EnvironmentSecrets, FileSecrets, Job, Options, Selection, plain_values
from plait.yaml import deduplicate, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.cli.options import Parsed
    from plait.layering.secrets import SecretSource
    from plait.nodes import DocumentSet

LAYER = Command(
    "plait layer",
    "Render layered documents: inheritance, replacement and substitution between them.",
    (
        Flag("validate", SWITCH, "check the form of all documents first"),
        Flag("validate-data", SWITCH, "check rendered data against the DataSchema documents"),
        Flag("lenient", SWITCH, "warn of missing substitution sources instead of failing"),
        Flag("relaxed", SWITCH, "ignore documents that match a selector and cannot be the parent"),
        Flag("like-deckhand", SWITCH, "give every value and the order of documents as Deckhand gives them"),
        Flag(
            "compare-deckhand", SWITCH, "print the values that Deckhand gives otherwise, each with the line behind it"
        ),
        Flag("strict", SWITCH, "like --validate; also fail when a parentSelector matches nothing"),
        Flag("schema", TEXTS, "print documents of this schema, namespace/Kind or namespace", value="SCHEMA"),
        Flag("name", TEXTS, "print documents of this name", value="NAME"),
        Flag("layer", TEXTS, "print documents of this layer", value="LAYER"),
        Flag("label", TEXTS, "print documents that have this label", value="KEY=VALUE"),
        Flag("short", SWITCH, "print schema, name and data only"),
        Flag(
            "order",
            TEXT,
            f"order of documents: {', '.join(ORDERS)}",
            value="ORDER",
            default=("dependency",),
            choices=tuple(ORDERS),
        ),
        Flag("cleartext-secrets", SWITCH, "print encrypted documents and what was substituted from them"),
        Flag("secrets-file", TEXTS, "resolve secret references from a YAML map", value="PATH"),
        Flag("secrets-env", TEXTS, "resolve secret references from variables PREFIX + UUID", value="PREFIX"),
        Flag("tree", SWITCH, "print who inherits from whom"),
        Flag("dot", SWITCH, "the same for Graphviz"),
        *LINKS,
        *LIMITS,
        SOURCE_MAP,
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
    context = Context()
    context.trace = trace_of(flags)
    try:
        job = _job(flags)
        if flags.on("tree") or flags.on("dot"):
            from plait.layering import dot, tree

            planned = job.plan(context)
            chosen = [document for document in planned.documents if job.selection.takes(document)]
            write_out((dot if flags.on("dot") else tree)(planned, chosen))
            return 0
        if flags.on("compare-deckhand"):
            return _compare(job, context)
        with watched(context):
            result = job.run(context)
        text = job.text(result)
        write_source_map(flags, context.trace, result, text)
    finally:
        warn(context)
    write_out(text)
    return 0


def documents(argv: Sequence[str], context: Context) -> DocumentSet:
    """What a command line would print, with the run's state given. Raises PlaitError."""
    flags = LAYER.parse(argv)
    keep_limits(flags, context)
    if flags.on("tree") or flags.on("dot") or flags.on("compare-deckhand"):
        raise UsageError("--tree, --dot and --compare-deckhand print no documents")
    return _job(flags).run(context)


def _compare(job: Job, context: Context) -> int:
    """Print what Deckhand gives otherwise; 1 when there is something."""
    from plait.layering.comparison import to_text

    if job.options.relaxed or job.options.like_deckhand:
        raise UsageError(
            "--compare-deckhand compares plait's own ways: --relaxed and --like-deckhand have no place in it"
        )
    with watched(context):
        found = job.compare(context)
    write_out(to_text(found))
    return 1 if found else 0


def _job(flags: Parsed) -> Job:
    if not flags.arguments:
        raise UsageError(
            "plait layer needs the documents to render",
            expected="files, directories, or - for standard input",
            hint="plait layer documents/",
        )
    links = links_of(flags)
    return Job(
        (text for path in flags.arguments for text in sources(path, links=links)),
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
    )


def _selection(flags: Parsed) -> Selection:
    labels = []
    for text in flags.texts("label"):
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f'"{text}" is no label', expected="KEY=VALUE")
        labels.append((key, value))
    return Selection(
        schemas=flags.texts("schema"), names=flags.texts("name"), layers=flags.texts("layer"), labels=labels
    )


def _secret_sources(flags: Parsed) -> list[SecretSource]:
    sources: list[SecretSource] = []
    for path in flags.texts("secrets-file"):
        from plait.nodes import Map, kind_name

        try:
            for document in deduplicate(read(source(path), plain=plain_values)).items:
                if type(document.value) is not Map:
                    raise ReadError(
                        "a secrets file is a map of references to data",
                        at=document.position,
                        expected="a map",
                        found=kind_name(document.value),
                    )
                sources.append(FileSecrets(path, document.value))
        except PlaitError as error:
            raise conceal(error) from None
    sources.extend(EnvironmentSecrets(prefix, os.environ) for prefix in flags.texts("secrets-env"))
    return sources
