"""`plait.layer`."""

from __future__ import annotations

from plait.api.inputs import each, sources, trace_of
from plait.api.isolation import can_be_isolated
from plait.api.results import Documents
from plait.content import Links
from plait.context import Context
from plait.layering import FileSecrets, Job, Options, Selection
from plait.limits import limited_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plait.api.inputs import Input, Inputs
    from plait.nodes import DocumentSet
    from plait.source import Source


@can_be_isolated(Documents)
def layer(
    inputs: Inputs,
    *,
    validate: bool = False,
    validate_data: bool = False,
    lenient: bool = False,
    relaxed: bool = False,
    strict: bool = False,
    like_deckhand: bool = False,
    schemas: Sequence[str] = (),
    names: Sequence[str] = (),
    layers: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
    short: bool = False,
    order: str = "dependency",
    cleartext_secrets: bool = False,
    secrets: Mapping[str, object] | None = None,
    allow_links: Sequence[str] = (),
    limits: Mapping[str, float] | None = None,
    trace: bool = False,
    isolated: bool = False,  # noqa: ARG001 - can_be_isolated has seen to it
) -> Documents:
    """Render layered documents together, as `plait layer` does; the concrete ones come back.

    like_deckhand: every value and the order of documents as Deckhand gives them; not with `relaxed`.
    schemas, names, layers, labels: give back only the documents that have one of these. short: schema, name and data
    only. secrets: what secret references stand for. allow_links, limits, isolated: as in `render`. trace: keep
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
    from plait.api.reading import nodes_of_map

    with limited_to(limits):
        context = Context()
        given = each(inputs)
        context.trace = trace_of(given) if trace else None
        job = Job(
            _texts(given, Links(allow_links)),
            Options(
                lenient=lenient,
                relaxed=relaxed,
                strict=strict,
                like_deckhand=like_deckhand,
                cleartext_secrets=cleartext_secrets,
                secret_sources=[FileSecrets("secrets", nodes_of_map(secrets))] if secrets else (),
            ),
            selection=Selection(schemas=schemas, names=names, layers=layers, labels=list((labels or {}).items())),
            validate=validate,
            validate_data=validate_data,
            order=order,
            short=short,
        )
        nodes = job.run(context)
        return Documents(nodes, warnings=context.warnings, trace=context.trace, write=job.text)


def _texts(given: Iterable[Input | Documents], links: Links) -> Iterator[Source | DocumentSet]:
    for one in given:
        if isinstance(one, Documents):
            yield one.nodes
        else:
            yield from sources([one], links)
