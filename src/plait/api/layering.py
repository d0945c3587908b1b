"""`plait.layer`."""

from __future__ import annotations

import os
from itertools import chain

from plait.api.asynchronous import awaited
from plait.api.inputs import context_of, each, sources, trace_of
from plait.api.isolation import can_be_isolated
from plait.content import Links
from plait.engine.results import Documents
from plait.errors import UsageError
from plait.layering import STRINGS, FileSecrets, Job, Options, Selection
from plait.limits import limited_to
from plait.nodes import Map
from plait.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal

    from plait.engine.kinds import Input, Inputs, Limits, Plain, Texts, Warnings
    from plait.nodes import DocumentSet


@can_be_isolated(Documents)
def layer(
    inputs: Inputs = (),
    *,
    site: str | os.PathLike[str] | None = None,
    repositories: Mapping[str, str | os.PathLike[str]] | None = None,
    validate: bool = False,
    validate_data: bool = False,
    lenient: bool = False,
    relaxed: bool = False,
    strict: bool = False,
    like_deckhand: bool = False,
    schemas: Texts = (),
    names: Texts = (),
    layers: Texts = (),
    labels: Mapping[str, str] | None = None,
    short: bool = False,
    order: Literal["dependency", "input", "name", "schema", "layer"] = "dependency",
    cleartext_secrets: bool = False,
    keep_format: bool = False,
    secrets: Mapping[str, Plain] | None = None,
    allow_links: Texts = (),
    warnings: Warnings = "keep",
    limits: Limits | None = None,
    trace: bool = False,
    isolated: bool = False,  # noqa: ARG001 - can_be_isolated has seen to it
) -> Documents:
    """Render layered documents together, as `plait layer` does; the concrete ones come back.

    site: the directory of an Airship site, `site/NAME`, whose documents are rendered, as Pegleg collects them; inputs come
    after them. repositories: checkouts of the repositories that the site's definition names, by these names.
    like_deckhand: every value and the order of documents as Deckhand gives them; not with `relaxed`.
    schemas, names, layers, labels: return only the documents with one of these. short: schema, name and data
    only. keep_format: as in `render`. secrets: what secret references stand for. allow_links, warnings, limits, isolated: as in `render`. trace: keep
    histories, for `explain`. The other options are the flags of `plait layer`. Raises PlaitError.

    >>> policy = '''
    ... schema: deckhand/LayeringPolicy/v1
    ... metadata: {schema: metadata/Control/v1, name: order}
    ... data: {layerOrder: [site]}
    ... '''
    >>> port = '''
    ... schema: demo/Port/v1
    ... metadata: {schema: metadata/Document/v1, name: http, layeringDefinition: {layer: site}}
    ... data: 80
    ... '''
    >>> plait.layer({"policy.yml": policy, "port.yml": port}, names=["http"], short=True)[0]["data"]
    80
    """
    with limited_to(limits):
        context = context_of(warnings)
        given = each(inputs)
        links = Links(allow_links)
        texts = _texts(given, links)
        if site is not None:
            from plait.layering.sites import find_site

            checkouts = {name: os.fspath(path) for name, path in (repositories or {}).items()}
            found = find_site(os.fspath(site), context.warn, repositories=checkouts, links=links)
            texts = chain(found.sources(links), texts)
        elif repositories:
            raise UsageError("repositories belong to a site", expected="site=")
        context.trace = trace_of(given) if trace else None
        job = Job(
            texts,
            Options(
                lenient=lenient,
                relaxed=relaxed,
                strict=strict,
                like_deckhand=like_deckhand,
                cleartext_secrets=cleartext_secrets,
                secret_sources=[FileSecrets("secrets", _secrets(secrets))] if secrets else (),
            ),
            selection=Selection(
                schemas=schemas,
                names=names,
                layers=layers,
                labels=list((labels or {}).items()),
            ),
            validate=validate,
            validate_data=validate_data,
            order=order,
            short=short,
            unwrap=site is not None,
        )
        if keep_format:
            from plait.yaml.originals import Originals

            context.originals = Originals(STRINGS)
        nodes = job.run(context)
        context.check_warnings()
        return Documents(
            nodes,
            warnings=context.warnings,
            trace=context.trace,
            write=lambda documents: job.text(documents, context.originals),
        )


alayer = awaited(layer)


def _texts(given: Iterable[Input], links: Links) -> Iterator[Source | DocumentSet]:
    for one in given:
        if isinstance(one, Documents):
            yield one.nodes
        else:
            yield from sources([one], links)


def _secrets(given: Mapping[str, Plain]) -> Map:
    """Secrets by their references, as a file of them is read."""
    from plait.api.reading import nodes_of_map
    from plait.layering.scalars import with_floats

    found = with_floats(nodes_of_map(given, Source("secrets")))
    assert isinstance(found, Map)
    return found
