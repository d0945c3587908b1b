"""Selection of the parent of each document (docs/reference/layering.md).

The parent of a document with a `parentSelector` is the document with all those labels in the closest layer above. As in
Deckhand, a match that cannot be a parent (another schema, the same layer or a lower one) is an error, and so are two
matches in one layer, even if a closer layer has exactly one. So only documents that could all be parents may share a
label. The relaxed rule (docs/reference/layering.md) ignores documents that cannot be parents, and counts only in the
chosen layer. Under both rules no match is not an error: the document keeps its own data.

Candidates come from an index of labels. The label with the fewest documents is used.
"""

from __future__ import annotations

from plait.base.similar_names import did_you_mean, listed
from plait.layering.failures import failure, raise_all, shown
from plait.layering.policy import schema_position
from plait.tree.nodes import Map, equal, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.errors import LayeringError
    from plait.layering.document import LayeredDocument
    from plait.layering.policy import LayeringPolicy
    from plait.tree.nodes import Value


class LabelIndex:
    """Documents by label. hints: the remaining number of hints, each of which visits every label."""

    __slots__ = ("_by_name", "_by_pair", "hints")

    def __init__(self, documents: Iterable[LayeredDocument]) -> None:
        by_pair: dict[tuple[object, object], list[LayeredDocument]] = {}
        for document in documents:
            labels = document.labels
            if labels is None or document.layer is None:
                continue
            for item in labels.items:
                by_pair.setdefault((key_id(item.key), key_id(item.value)), []).append(document)
        self._by_pair = by_pair
        self._by_name = {document.name: document for document in documents if document.labels is not None}
        self.hints = 10

    def matching(self, selector: Map) -> list[LayeredDocument]:
        """The documents that have every label of the selector, in the order of the inputs."""
        by_pair = self._by_pair
        pairs = [(key_id(item.key), key_id(item.value)) for item in selector.items]
        shortest: list[LayeredDocument] | None = None
        for pair in pairs:
            found = by_pair.get(pair)
            if found is None:
                return []
            if shortest is None or len(found) < len(shortest):
                shortest = found
        if shortest is None or len(pairs) == 1:
            return shortest or []
        wanted = set(pairs)
        return [document for document in shortest if wanted <= _pairs(document)]

    def nearest(self, selector: Map, child: LayeredDocument) -> str | None:
        """A hint with the most similar label of another document, for a selector that matches nothing."""
        if not self.hints:
            return None
        self.hints -= 1
        for item in selector.items:
            if (key_id(item.key), key_id(item.value)) in self._by_pair:
                continue
            if item.key == "labels" and type(item.value) is Map and item.value.items:
                return f'write labels in the selector itself, without "labels:": {labels_text(item.value)}'
            named = self._by_name.get(str(item.value)) if item.key == "name" else None
            if named is not None and named.labels is not None and named.labels.items:
                return f"a selector matches labels, not names: {labels_text(named.labels)}"
            pairs = [pair for pair, given in self._by_pair.items() if given != [child]]
            if type(item.value) in (int, float, bool) and (key_id(item.key), str(item.value).lower()) in self._by_pair:
                return f'the label is a string, which needs quotes here: {item.key}: "{str(item.value).lower()}"'
            values = [str(value) for key, value in pairs if key == key_id(item.key) and type(value) is str]
            alike = (
                did_you_mean(str(item.value), values)
                if values
                else did_you_mean(str(item.key), dict.fromkeys(str(key) for key, _ in pairs))
            )
            if alike is not None:
                return alike
        return self._nearest_document(selector)

    def _nearest_document(self, selector: Map) -> str | None:
        """Describes the document with the most matching labels, and the missing ones; or returns None."""
        shared: dict[LayeredDocument, int] = {}
        for item in selector.items:
            for document in self._by_pair.get((key_id(item.key), key_id(item.value)), ())[:_MOST]:
                shared[document] = shared.get(document, 0) + 1
        if not shared:
            return None
        best = max(shared, key=lambda document: shared[document])
        has = _pairs(best)
        lacks = [item for item in selector.items if (key_id(item.key), key_id(item.value)) not in has]
        if not lacks:
            return f"{best} has them, but a parent must be in a higher layer and have the same schema"
        return f"{best} comes closest, but lacks {', '.join(f'{item.key}: {item.value}' for item in lacks)}"


def _pairs(document: LayeredDocument) -> set[tuple[object, object]]:
    labels = document.labels
    return {(key_id(item.key), key_id(item.value)) for item in labels.items} if labels is not None else set()


# If thousands of documents share a label by mistake, there are as many failures, each with as many candidates.
_MOST = 50
# Documents with a selector that a hint about the order of the layers takes into account.
_SEARCHED = 1000
# The number of slashes in a schema: NAMESPACE/KIND/VERSION.
_SLASHES = 2
_SCHEMAS = "a parent has the schema of its child: correct one of them, or change the labels of the selector"


def choose_parents(
    documents: Sequence[LayeredDocument], policy: LayeringPolicy, *, relaxed: bool = False
) -> tuple[list[LayeredDocument], LabelIndex]:
    """Sets `parent` of every document with a selector. Returns the documents whose selector matches nothing, and the
    index.

    Raises LayeringError: InvalidDocumentParent, IndeterminateDocumentParent.
    """
    index = LabelIndex(documents)
    rank = policy.rank
    failures: list[LayeringError] = []
    unmatched: list[LayeredDocument] = []
    for child in documents:
        selector = child.selector
        if selector is None:
            continue
        matches = [match for match in index.matching(selector) if not _is_copy(match, child)]
        if not matches:
            unmatched.append(child)
            continue
        child_rank = rank[child.layer] if child.layer is not None else -1
        if relaxed:
            matches = [m for m in matches if m.schema == child.schema and rank[m.layer or ""] < child_rank]
            if not matches:
                unmatched.append(child)
                continue
        wrong = _impossible(child, matches, policy, documents, index)
        if wrong:
            failures += wrong
            if len(failures) >= _MOST:
                break
            continue
        if len(matches) == 1:
            child.parent = matches[0]
            continue
        best = max(rank[match.layer or ""] for match in matches)
        closest = [match for match in matches if rank[match.layer or ""] == best]
        layers = len({match.layer for match in matches})
        if len(closest) > 1 or (not relaxed and len(matches) > layers):
            found = len(closest) if relaxed else len(matches) - layers + 1
            failures.append(_too_many(child, matches, found))
            if len(failures) >= _MOST:
                break
            continue
        child.parent = closest[0]
    raise_all(failures)
    return unmatched, index


def unmatched_selector(child: LayeredDocument, index: LabelIndex) -> LayeringError:
    """The error for a parent selector that matches no document. It is a warning unless strict."""
    selector = child.selector
    assert selector is not None
    error = failure(
        "InvalidDocumentParent",
        unmatched_text(child),
        at=child.place("layeringDefinition", "parentSelector"),
        expected="a document in a higher layer with " + labels_text(selector),
        hint=index.nearest(selector, child),
    )
    error.code = "parent-not-found"
    return error


def unmatched_text(child: LayeredDocument) -> str:
    """The message for a selector that matches no document, as an error and as a warning."""
    return f"no document has the labels by which {child} selects its parent"


def labels_text(labels: Map) -> str:
    """The labels as `key: value` pairs for messages."""
    return ", ".join(f"{item.key}: {_shown(item.value)}" for item in labels.items)


def _shown(value: Value) -> str:
    """A label's value in a message. Labels are strings; any other value is shown as JSON."""
    return value if type(value) is str else shown(value)


def _is_copy(match: LayeredDocument, child: LayeredDocument) -> bool:
    """True if a document equals the child. A document does not select itself or a copy of itself."""
    return match is child or (match.identity == child.identity and equal(match.node.value, child.node.value))


def _impossible(
    child: LayeredDocument,
    matches: Sequence[LayeredDocument],
    policy: LayeringPolicy,
    documents: Sequence[LayeredDocument],
    index: LabelIndex,
) -> list[LayeringError]:
    found: list[LayeringError] = []
    rank = policy.rank
    child_rank = rank[child.layer] if child.layer is not None else -1
    for match in matches:
        if match.schema != child.schema:
            found.append(_other_schema(child, match, documents))
        elif rank[match.layer or ""] >= child_rank:
            found.append(_not_above(child, match, policy, _fitting(documents, index, policy)))
        if len(found) >= _MOST:
            break
    return found


def _other_schema(
    child: LayeredDocument, match: LayeredDocument, documents: Sequence[LayeredDocument]
) -> LayeringError:
    """The error for a match with another schema, at the schema that is more likely wrong."""

    def likelihood(document: LayeredDocument) -> tuple[bool, int]:
        schema = document.schema
        return schema.count("/") == _SLASHES, sum(one.schema == schema for one in documents)

    wrong, right = (match, child) if likelihood(match) < likelihood(child) else (child, match)
    at = schema_position(wrong)
    error = failure(
        "InvalidDocumentParent",
        f"{match} cannot be the parent of {child}: their schemas differ",
        at=at,
        also=[
            schema_position(right).labelled("the other schema"),
            child.place("layeringDefinition", "parentSelector").labelled("the selector"),
        ],
        expected=f"{right.schema}, the schema of the {'parent' if right is match else 'child'}",
        found=wrong.schema,
        hint=did_you_mean(wrong.schema, [right.schema]) or _SCHEMAS,
    )
    if wrong is match:
        error.cause = at  # of the failures of all its children
    return error


def _not_above(
    child: LayeredDocument, match: LayeredDocument, policy: LayeringPolicy, fitting: tuple[str, bool] | None
) -> LayeringError:
    """The error for a match whose layer is not above that of the child. fitting: as returned by `_fitting`."""
    order, layer = policy.order, match.layer or ""
    lower, upper = listed(order[policy.rank[layer] + 1 :]), ""
    places = {
        "the layer of the child": child.place("layeringDefinition", "layer"),
        "the layer of the parent": match.place("layeringDefinition", "layer"),
        "the layering policy": policy.order_position,
        "the selector": child.place("layeringDefinition", "parentSelector"),
    }
    wrong = "the layer of the child"
    if child.layer is None:
        reason = "the child has no layer"
        expected = f"a layer below {layer}"
        hint = f"add layer: {lower} to its layeringDefinition" if lower else None
    else:
        upper = listed(order[: policy.rank[child.layer]])
        reason = f"its layer {layer} is not above the child's layer {child.layer}"
        expected = f"a layer above {child.layer}"
        hint = f"the parent is in {layer}: put the child in {lower}" if lower else None
        if not lower and upper:
            wrong = "the layer of the parent"
            hint = f"the child is in {child.layer}: put the parent in {upper}"
    if fitting is not None:
        text, is_certain = fitting
        if is_certain:
            wrong = "the layering policy"
            hint = f"the most general layer is the first: layerOrder: {text}"
        elif hint is not None:
            hint += f", or correct the order: layerOrder: {text}"
    at = places.pop(wrong)
    error = failure(
        "InvalidDocumentParent",
        f"{match} cannot be the parent of {child}: {reason}",
        at=at,
        also=[place.labelled(name) for name, place in places.items()],
        expected=f"{expected}, in the order {', '.join(order)}",
        found=f"[{match.schema}] in layer {layer}",
        hint=hint
        or "a parent must be in a higher layer: add a layer to the order, or change the labels of the selector",
    )
    error.cause = at
    return error


def _fitting(
    documents: Sequence[LayeredDocument], index: LabelIndex, policy: LayeringPolicy
) -> tuple[str, bool] | None:
    """An order of the layers in which every parent is above its children, and whether the order of the policy suits none
    of them; None if there is no such order, or too many documents to search.
    """
    pairs: set[tuple[str | None, str | None]] = set()
    for child in [one for one in documents if one.selector is not None][:_SEARCHED]:
        matches = index.matching(child.selector) if child.selector is not None else []
        if len(matches) > _MOST:
            return None
        pairs |= {
            (match.layer, child.layer) for match in matches if match is not child and match.schema == child.schema
        }
    if any(child is None for _, child in pairs):
        return None
    rest = list(policy.order)
    if rest and (rest[-1], rest[0]) in pairs:
        rest.reverse()
    order: list[str] = []
    while rest:
        top = next((layer for layer in rest if not any((above, layer) in pairs for above in rest)), None)
        if top is None:
            return None
        rest.remove(top)
        order.append(top)
    rank = policy.rank
    return f"[{', '.join(order)}]", all(rank[above or ""] > rank[child or ""] for above, child in pairs)


def _too_many(child: LayeredDocument, matches: Sequence[LayeredDocument], found: int) -> LayeringError:
    matches = sorted(matches, key=str)
    return failure(
        "IndeterminateDocumentParent",
        f"too many documents could be the parent of {child}: {found}, expected 1",
        at=child.place("layeringDefinition", "parentSelector"),
        also=[match.place("labels").labelled("a candidate") for match in matches[:_MOST]],
        found=", ".join(str(match) for match in matches[:_MOST]),
        hint=f"give one of them a label that the others lack, and add it to the selector; all have {_selected(child)}",
    )


def _selected(child: LayeredDocument) -> str:
    return labels_text(child.selector) if child.selector is not None else ""
