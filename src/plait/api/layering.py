"""`plait.layer`: renders layered documents."""

from __future__ import annotations

import os
from itertools import chain

from plait.api.asynchronous import awaited
from plait.api.current_engine import current_reuse
from plait.api.documents import nodes_of_map
from plait.api.functions import function_of
from plait.api.inputs import context_of, each, originals_of, sources, trace_of
from plait.base.content import LinkPolicy
from plait.base.errors import UsageError
from plait.base.limits import budget_scope_from
from plait.base.source import Source
from plait.engine.layer import Layer, configured, documents_of
from plait.engine.results import Documents
from plait.layering.plain_scalars import STRINGS, with_floats
from plait.layering.secrets import FileSecrets
from plait.layering.sites import find_site
from plait.tree.nodes import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plait.engine.types import Input
    from plait.tree.nodes import DocumentSet
    from plait.tree.plain_data import Plain


@function_of(Layer, Documents)
def layer(request: Layer) -> Documents:
    """Renders layered documents together, as `plait layer` does. Returns the concrete ones.

    site: the directory of an Airship site, `site/NAME`, whose documents are collected as by Pegleg; inputs follow
        them.
    repositories: checkouts of the repositories that the site's definition names, by name.
    like_deckhand: values and order of documents exactly as in Deckhand; not with `relaxed`.
    schemas, names, layers, labels: return only matching documents.
    short: schema, name and data only.
    keep_format: as in `render`.
    secrets: the values of secret references.
    allow_links, warnings, limits, isolated: as in `render`.
    trace: record provenance, for `explain`.

    The other options are the flags of `plait layer`. Raises PlaitError.

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
    with budget_scope_from(request.limits):
        context = context_of(request.warnings)
        given = each(request.passed.get("inputs", ()))
        links = LinkPolicy(request.allow_links)
        texts = _texts(given, links)
        site, repositories, secrets = request.site, request.repositories, request.secrets
        if site:
            checkouts = {name: os.fspath(path) for name, path in (repositories or {}).items()}
            found = find_site(os.fspath(site), context.warn, repositories=checkouts, links=links)
            texts = chain(found.sources(links), texts)
        elif repositories:
            raise UsageError("repositories requires site", expected="site=", code="site-options")
        context.trace = trace_of(given) if request.trace else None
        secret_sources = [FileSecrets("secrets", _secrets(secrets))] if secrets else ()
        labels = list((request.labels or {}).items())
        reuse = current_reuse()
        known = None if reuse is None or request.trace or request.keep_format else reuse.layered()
        job = configured(request, texts, secret_sources, labels, unwrap=bool(site), known=known)
        context.originals = originals_of(request, STRINGS)
        nodes = job.run(context)
        context.check_warnings()
        return documents_of(nodes, job, context)


alayer = awaited(layer)


def _texts(given: Iterable[Input], links: LinkPolicy) -> Iterator[Source | DocumentSet]:
    for one in given:
        if isinstance(one, Documents):
            yield one.nodes
        else:
            yield from sources([one], links)


def _secrets(given: Mapping[str, Plain]) -> Map:
    """Secrets by reference, as read from a file."""
    found = with_floats(nodes_of_map(given, Source("secrets")))
    assert isinstance(found, Map)
    return found
