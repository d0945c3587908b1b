"""Renders a set of documents: policy, parents, replacements, order, then each document once
(docs/reference/layering.md).

    rendered = render(read_documents(inputs), Options(), context)

Faults before rendering are collected for all documents. A document that fails does not stop documents that do not need
it. The raised error lists all findings, in an order that does not depend on the order of the inputs.
"""

from __future__ import annotations

from plait.base.errors import LayeringError, LimitError, warning
from plait.base.events import current_listener
from plait.base.limits import current_budget
from plait.layering.actions import ACTIONS, apply_actions
from plait.layering.failures import failure, raise_all
from plait.layering.misspelt_keys import warn_of_slips
from plait.layering.parents import choose_parents, labels_text, unmatched_selector, unmatched_text
from plait.layering.policy import check_layers, find_policy
from plait.layering.rendering_order import dependency_order, generation_order
from plait.layering.replacement import mark_replacements
from plait.layering.secrets import Redactor, is_reference, lines_of_secrets
from plait.layering.strategy import LayeringStrategy
from plait.layering.substitution import entries, substitute, substituted
from plait.tree.nodes import Array, DocumentSet, Map, MapItem
from plait.tree.nodes import Document as Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.layering.document import LayeredDocument, Substitution
    from plait.layering.known_documents import KnownDocuments
    from plait.layering.policy import LayeringPolicy
    from plait.layering.secrets import SecretSource
    from plait.tree.context import Context
    from plait.tree.nodes import Value
    from plait.tree.provenance import Trace


class LayeringOptions:
    """Options of rendering.

    lenient: continue without missing substitution sources and values. relaxed: the relaxed selection of parents.
    strict: a parent selector that matches nothing is an error instead of a warning. like_deckhand: values and order of
    documents exactly as in Deckhand. cleartext_secrets: the output shows the data of encrypted documents; messages and
    reports do not. secret_sources: queried in order.
    """

    __slots__ = ("cleartext_secrets", "lenient", "like_deckhand", "relaxed", "secret_sources", "strict")

    def __init__(
        self,
        *,
        lenient: bool = False,
        relaxed: bool = False,
        strict: bool = False,
        like_deckhand: bool = False,
        cleartext_secrets: bool = False,
        secret_sources: Sequence[SecretSource] = (),
    ) -> None:
        self.lenient = lenient
        self.relaxed = relaxed
        self.strict = strict
        self.like_deckhand = like_deckhand
        self.cleartext_secrets = cleartext_secrets
        self.secret_sources = secret_sources


class LayerGraph:
    """The state before rendering: the documents with their parents and replacements, and for each its substitutions,
    their sources, and its dependencies.
    """

    __slots__ = ("documents", "entries", "needs", "policy", "sources")

    def __init__(
        self,
        policy: LayeringPolicy,
        documents: list[LayeredDocument],
        sources: dict[tuple[str, str], LayeredDocument],
        found: dict[LayeredDocument, list[Substitution]],
        needs: dict[LayeredDocument, list[LayeredDocument]],
    ) -> None:
        self.policy = policy
        self.documents = documents
        self.sources = sources
        self.entries = found
        self.needs = needs


def plan(documents: Iterable[LayeredDocument], options: LayeringOptions, context: Context) -> LayerGraph:
    """Determines the policy, parents and replacements of the documents. Sets `parent` and `replaced_by`.

    Of two documents with the same schema, layer and name the first is used. Raises LayeringError. See
    docs/reference/layering.md.
    """
    given = list(documents)
    first_of: dict[tuple[str, str | None, str], LayeredDocument] = {}
    for document in given:
        first = first_of.setdefault(document.identity, document)
        if first is not document:
            advice = "rename or remove one of them"
            if document.selector is not None and first.selector is None:
                advice = f"a child of another document is in a lower layer than {document.layer}: correct its layer, or {advice}"
            context.warn(
                warning(
                    f"{document} is defined twice; this one is ignored, the first is at {first.position} ({advice})",
                    code="duplicate-document",
                    at=document.position,
                    also=[first.position.labelled("the one that is used")],
                )
            )
    distinct = list(first_of.values())
    for document in given:
        document.data, document.parent, document.replaced_by, document.result = document.written, None, None, None
        document.secret = document.encrypted
    policy = find_policy(distinct, context)
    check_layers(distinct, policy)
    # For Deckhand, a document that occurs twice counts as two parents.
    unmatched, index = choose_parents(given if options.like_deckhand else distinct, policy, relaxed=options.relaxed)
    if options.like_deckhand:
        for document in distinct:
            if document.parent is not None:
                document.parent = first_of[document.parent.identity]
    if unmatched:
        missing = [unmatched_selector(child, index) for child in unmatched]
        if options.strict:
            raise_all(missing)
        for child, error in zip(unmatched, missing, strict=True):
            if child.replacement:
                continue  # an error follows
            message = unmatched_text(child) + (
                (f": {labels_text(child.selector)}" if child.selector else "")
                + (f" ({error.hint})" if error.hint else "")
            )
            context.warn(warning(message, code="parent-not-found", at=error.at, suggestions=error.suggestions))
    mark_replacements(distinct, index)
    sources = {(d.schema, d.name): d.replaced_by or d for d in distinct if not d.abstract}
    found: dict[LayeredDocument, list[Substitution]] = {}
    needs: dict[LayeredDocument, list[LayeredDocument]] = {}
    for document in distinct:
        if document.control and not options.like_deckhand:
            continue
        before: list[LayeredDocument] = []
        parent = document.parent
        if parent is not None:
            stand_in = parent.replaced_by
            before.append(parent if stand_in is None or stand_in is document else stand_in)
        if document.substitutions:
            read = found[document] = list(entries(document))
            before += [source for entry in read if (source := sources.get(entry.key)) is not None]
        if before:
            needs[document] = before
    return LayerGraph(policy, distinct, sources, found, needs)


def ways_of(options: LayeringOptions, trace: Trace | None = None) -> LayeringStrategy:
    """The rules for copying values between documents. trace: records changes made in place."""
    if not options.like_deckhand:
        return LayeringStrategy(ACTIONS, substituted)
    from plait.layering.deckhand import DeckhandStrategy

    return DeckhandStrategy(trace=trace)


def render_plan(
    plan: LayerGraph,
    options: LayeringOptions,
    context: Context,
    ways: LayeringStrategy | None = None,
    known: KnownDocuments | None = None,
) -> list[LayeredDocument]:
    """Renders every document of the plan. Returns the documents that are neither abstract nor replaced.

    ways: by default those of the options. known: results of earlier evaluations. Raises LayeringError with all
    failures; failures of documents that depend on a failed one are not included.
    """
    failures: list[LayeringError] = []
    failed: set[LayeredDocument] = set()
    result: list[LayeredDocument] = []
    listener = current_listener()
    if listener is not None:
        from plait.layering.points import tell

        tell(listener, plan.documents, plan.entries)
    if context.trace is not None and any(document.encrypted for document in plan.documents):
        # First, because failed runs are also shown.
        context.trace.use_secrets()
        context.trace.hide_lines(lines_of_secrets(plan.documents))
    ways = ways_of(options, context.trace) if ways is None else ways
    context.total += len(plan.documents)
    order = dependency_order(plan.documents, plan.needs)
    if options.like_deckhand:
        order = generation_order(plan.documents, plan.needs)
    for document in order:
        context.begin(document)
        context.done += 1
        current_budget().check_time()
        if failed and not failed.isdisjoint(plan.needs.get(document, ())):
            failed.add(document)
            continue
        try:
            _render_one(document, plan, options, context, ways, known, hints=len(failures) < _HINTS)
        except LayeringError as error:
            failures.append(error)
            failed.add(document)
        except RecursionError:
            raise LimitError(f"document {document} is nested too deeply to be layered", at=document.position) from None
        if not document.abstract and document.replaced_by is None:
            result.append(document)
    raise_all(failures)
    ways.done(plan.documents)
    if context.trace is not None:
        from plait.layering.tracing import left_out

        left_out(context.trace, plan.documents)
    return result


def render(documents: Iterable[LayeredDocument], options: LayeringOptions, context: Context) -> list[LayeredDocument]:
    """The rendered documents, in dependency order, unrelated ones in the order of the inputs. See
    docs/reference/layering.md.
    """
    return render_plan(plan(documents, options, context), options, context)


def written(
    documents: Iterable[LayeredDocument], *, short: bool = False, cleartext_secrets: bool = False
) -> DocumentSet:
    """The documents as nodes to print: schema, metadata and data; short: schema, name and data only.

    A document without data stays so, unless it received some. Other top-level keys are passed on, except in the short
    form. The data and substitution paths of secret documents are hashed, unless cleartext_secrets is set.
    """
    out: list[Node] = []
    redactor: Redactor | None = None
    for document in documents:
        metadata, data = document.metadata, document.data
        is_hidden = document.secret and not cleartext_secrets
        result = document.result
        form = short, is_hidden
        if result is not None and result.output is not None and result.output[0] == form:
            out.append(result.output[1])
            continue
        if is_hidden:
            redactor = redactor or Redactor()
            metadata, data = redactor.hidden(document, data)
        node = document.node
        source, line = node.source, node.line
        if short:
            name = metadata.find("name")
            metadata = metadata.with_items([name] if name is not None else [])
        items = [
            MapItem("schema", document.schema, source, line),
            MapItem("metadata", metadata, source, metadata.line),
        ]
        top = node.value
        if data is not None or type(top) is not Map or top.find("data") is not None:
            items.append(MapItem("data", data, source, document.data_position.line))
        if not short and type(top) is Map and len(top.items) > len(items):
            items += [item for item in top.items if item.key not in _PARTS]
        printed = Node(Map(items, source, line), source, line)
        if result is not None:
            result.output = form, printed
        out.append(printed)
    return DocumentSet(out)


# Maximum number of hints, each of which examines every name.
_HINTS = 10
_PARTS = frozenset({"schema", "metadata", "data"})


def _render_one(
    document: LayeredDocument,
    plan: LayerGraph,
    options: LayeringOptions,
    context: Context,
    ways: LayeringStrategy,
    known: KnownDocuments | None,
    *,
    hints: bool,
) -> None:
    if document.control:
        return
    if document.encrypted and is_reference(document.data):
        known = None  # another evaluation may resolve it differently
        document.data = _resolved(document, options)
        if context.trace is not None and (type(document.data) is Map or type(document.data) is Array):
            context.trace.hide(document.data)
    inputs = _inputs_of(document, plan) if known is not None else []
    found = document.result = known.rendered(document.node, inputs) if known is not None else None
    if found is not None:
        document.data, document.secret = found.data, found.is_secret
    else:
        told = context.told
        _merge_and_substitute(document, plan, options, context, ways, hints=hints)
        if known is not None and context.told == told:
            document.result = known.keep_rendered(document.node, inputs, document.data, is_secret=document.secret)
    parent = document.parent
    if document.replacement and parent is not None:
        # The other children of the replaced document start from the replacement.
        parent.data = document.data
        parent.secret = parent.secret or document.secret


def _inputs_of(document: LayeredDocument, plan: LayerGraph) -> list[object]:
    """The values that determine how a document is rendered, besides the document as read. A lenient run differs only by
    warnings.
    """
    inputs: list[object] = []
    parent = document.parent
    if parent is not None:
        inputs += [parent.data, parent.secret]
    for entry in plan.entries.get(document, ()):
        source = plan.sources.get(entry.key)
        inputs += [None, None] if source is None else [source.data, source.secret]
    return inputs


def _merge_and_substitute(
    document: LayeredDocument,
    plan: LayerGraph,
    options: LayeringOptions,
    context: Context,
    ways: LayeringStrategy,
    *,
    hints: bool,
) -> None:
    parent = document.parent
    if parent is not None and document.actions:
        warn_of_slips(document, parent, context)
        document.data = apply_actions(document, parent, ways, context.trace)
        document.secret = document.secret or parent.secret
    read = plan.entries.get(document)
    if read is not None:
        document.data = substitute(
            document,
            read,
            plan.sources,
            ways,
            lenient=options.lenient,
            context=context,
            known=plan.documents if hints else (),
        )
        if not document.secret:
            document.secret = any(
                source.secret for entry in read if (source := plan.sources.get(entry.key)) is not None
            )


def _resolved(document: LayeredDocument, options: LayeringOptions) -> Value:
    reference = document.data
    assert type(reference) is str
    for source in options.secret_sources:
        found = source.resolve(reference)
        if found is not None:
            return found[0]
    asked = ", ".join(source.name for source in options.secret_sources)
    raise failure(
        "EncryptionSourceNotFound",
        f"the secret of {document} was not found: {reference}",
        at=document.data_position,
        expected=f"the reference in one of: {asked}" if asked else "a secret source (there is none)",
    )
