"""Provenance of layering actions and substitutions. Imported only if a run is traced."""

from __future__ import annotations

from plait.layering.data_paths import action_path, compile_path
from plait.layering.document import text_of
from plait.tree.nodes import Array, Map, MapItem, walk, walk_once
from plait.tree.nodes import Document as Node
from plait.tree.provenance import Change, Contributor, Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeVar

    from plait.layering.data_paths import DataPath
    from plait.layering.document import LayeredDocument, Substitution
    from plait.tree.nodes import ArrayItem, DocumentSet, Item, Value
    from plait.tree.provenance import Origin, Trace

    ItemKind = TypeVar("ItemKind", MapItem, ArrayItem)

_HIDDEN = "kept secret"


class StepTracer:
    """Records the changes of one layering step. Changes in place are reported to it; others are found by comparing
    trees.

    explain: the origins of a new item besides `because`, given the replaced item. own: the ids of items and collections
    that have their own origin. whole: the record of a step that replaces all data. by: the cause of removals; by
    default the first of `because`.
    """

    __slots__ = ("action", "because", "by", "document", "explain", "own", "trace", "whole")

    def __init__(
        self,
        trace: Trace,
        document: LayeredDocument,
        action: str,
        because: tuple[Origin, ...],
        explain: Callable[[Item, Item | None], tuple[Origin, ...]],
        own: set[int],
        whole: Change,
        by: Contributor | None = None,
    ) -> None:
        self.trace = trace
        self.document = document
        self.action = action
        self.because = because
        self.explain = explain
        self.own = own
        self.whole = whole
        self.by = by

    def between(self, before: Value, after: Value) -> None:
        """Records the differences of the document's data before and after the step."""
        by = self.by or self.because[0]
        if isinstance(by, Contributor):
            self.trace.effect(by, _with_data(self.document, before), _with_data(self.document, after))
        if _is_other(before, after):
            # The step replaced all data, not an item.
            self.trace.whole[self.document] = self.whole
        self.trace.relate(before, after, self.action, self.because, self.explain, self._says_itself, self.by)

    def became(self, new: Item, old: Item | None) -> None:
        """Records that an item was inserted in place."""
        made_of = (*self.because, *self.explain(new, old))
        self.trace.became(new, old, self.action, made_of, written=self._says_itself(new))

    def removed(self, item: Item) -> None:
        """Records that an item was removed in place."""
        by = self.by or self.because[0]
        self.trace.removed(item, Change(self.action, by.source, by.line, because=self.because))

    def same(self, new: Item, old: Item) -> None:
        """Records that an item is a copy."""
        self.trace.copied(new, old)
        if id(old) in self.own:
            self.own.add(id(new))

    def inserted(self, value: Value) -> None:
        """Records that a collection replaces another one completely."""
        if type(value) is Map or type(value) is Array:
            self.own.add(id(value))

    def _says_itself(self, new: Item | Value) -> bool:
        return id(new) in self.own


def acting(trace: Trace, child: LayeredDocument, action: ArrayItem, method: str, text: str, data: Value) -> StepTracer:
    """The tracer for an action of a document. data: the document's own."""
    because: list[Origin] = [Contributor(f"{method} {text}", action.source, action.line)]
    if method != "delete":
        because += _origins(data, action_path(text), child.node)
    # The child's own data would exist without the action, too.
    taken = Contributor(f"{method} {text}", action.source, action.line, structural=True)
    items = [*walk_once(data)]
    own = {*map(id, items), *(id(item.value) for item in items if type(item.value) in (Map, Array))}

    def explain(new: Item, _old: Item | None) -> tuple[Origin, ...]:
        # An item of the child's own data has its own origin.
        return (taken,) if id(new) in own else (*because[1:], taken)

    name = f"layering {method}"
    whole = Change(name, action.source, action.line, because=tuple(because))
    return StepTracer(trace, child, name, (), explain, own, whole, by=taken)


def _with_data(document: LayeredDocument, data: Value) -> Node:
    """A document with this data, as it would be printed."""
    top = document.node.value
    items = [item for item in top.items if item.key != "data"] if type(top) is Map else []
    return Node(Map([*items, MapItem("data", data)]), document.node.source, document.node.line)


def left_out(trace: Trace, documents: Iterable[LayeredDocument]) -> None:
    """Records data that is missing in the result without having been removed: abstract and replaced documents, and data
    of a child that none of its actions uses.
    """
    not_taken: list[Effect] = []
    for document in documents:
        by = None
        if document.parent is not None and document.actions:
            first = document.actions[0]
            none = Contributor("actions, none of which uses it", first.source, first.line)
            not_taken.append(Effect(none, document.node, _with_data(document, document.data)))
        if document.abstract:
            at = document.place("layeringDefinition", "abstract")
            by = Contributor("abstract document", at.source, at.line)
        elif document.replaced_by is not None:
            at = document.replaced_by.place("replacement")
            by = Contributor(f"replaced by {document.replaced_by}", at.source, at.line)
        if by is not None:
            trace.effect(by, _with_data(document, document.data), None)
    # An earlier action had read it before it was removed.
    trace.effects[:0] = not_taken


def _is_other(before: Value, after: Value) -> bool:
    """True if a value was replaced entirely."""
    return before is not after and not (type(before) is type(after) and (type(after) is Map or type(after) is Array))


def copied(trace: Trace, value: Value) -> Value:
    """A value with new items, so that changes in one document are not recorded for others that use it."""
    known: dict[int, Value] = {}

    def copy(value: Value) -> Value:
        if id(value) in known:
            return known[id(value)]
        if type(value) is Map:  # noqa: SIM114 - the items of each are of one kind
            known[id(value)] = value.with_items([copied_item(item) for item in value.items])
        elif type(value) is Array:
            known[id(value)] = value.with_items([copied_item(item) for item in value.items])
        return known.get(id(value), value)

    def copied_item(item: ItemKind) -> ItemKind:
        new = item.with_value(copy(item.value))
        trace.copied(new, item)
        return new

    return copy(value)


def substituting(
    trace: Trace, document: LayeredDocument, entry: Substitution, dest: Map, source: LayeredDocument, value: Value
) -> StepTracer:
    """The tracer for one destination of a substitution. value: the inserted value."""
    at = entry.place("src")
    because: list[Origin] = [Contributor(f"substitution from {source}", at.source, at.line)]
    others = {id(item) for one in entry.dest if one is not dest for item in walk(one)}
    because += [
        Contributor("substitution", item.source, item.line)
        for item in _lines(entry)
        if item.line != at.line and id(item) not in others
    ]
    because += _earlier(trace, source.data, compile_path(entry.path or ""))
    origins = tuple(_origins(source.data, compile_path(entry.path or ""), source.node))
    in_text = dest.find("pattern") is not None
    own = set(map(id, walk_once(value)))

    def explain(new: Item, old: Item | None) -> tuple[Origin, ...]:
        if type(new.value) is Map or type(new.value) is Array:
            return ()
        if id(new) in own:
            taken = trace.copies.get(new)
            return origins if taken is None else (taken,)
        return (old, *origins) if in_text and old is not None else origins

    whole = Change("substitution", at.source, at.line, because=(*because, *origins))
    # Parts created by a path have no source; inserted parts have their own origin.
    told = StepTracer(trace, document, "substitution", tuple(because), explain, own, whole)
    told.inserted(value)
    return told


def _earlier(trace: Trace, value: Value, path: DataPath) -> list[Origin]:
    """The origins of the earlier substitution that inserted the value at a path into its own document, inside a map or
    list.
    """
    found: Change | None = None
    for step in path.steps:
        item: Item | None = None
        if type(step) is str and type(value) is Map:
            item = value.find(step)
        elif type(step) is int and type(value) is Array and -len(value.items) <= step < len(value.items):
            item = value.items[step]
        if item is None:
            break
        value = item.value
        change = trace.changes.get(trace.original(item))
        if change is not None:
            found = change if change.action == "substitution" and (type(value) is Map or type(value) is Array) else None
    return [] if found is None else [one for one in found.because if isinstance(one, Contributor)]


def _note_hidden(trace: Trace, old: Item, new: Item, because: tuple[Origin, ...]) -> None:
    """Records a value printed instead of a hidden one."""
    if _is_other(old.value, new.value):
        trace.record(new, Change(_HIDDEN, new.source, new.line, was=old, because=because))
    else:
        trace.relate(old.value, new.value, _HIDDEN, because, written=lambda _: True)


def _hiding(document: LayeredDocument, known: Mapping[tuple[str, str], LayeredDocument]) -> tuple[Origin, ...]:
    """The lines that make a document secret: its own policy, and those of its parents and of its sources."""
    found: list[Origin] = []
    seen: set[LayeredDocument] = set()
    todo = [document]
    while todo:
        one = todo.pop()
        if one in seen or not one.secret:
            continue
        seen.add(one)
        if one.encrypted:
            at = one.place("storagePolicy")
            found.append(Contributor(f"{_HIDDEN}: {one}", at.source, at.line, structural=True))
        if one.parent is not None:
            todo.append(one.parent)
        todo += [source for item in one.substitutions if (source := known.get(_source_of(item))) is not None]
    return tuple(found)


def _source_of(item: ArrayItem) -> tuple[str, str]:
    """The schema and the name of the source of a substitution."""
    source = item.value.find("src") if type(item.value) is Map else None
    if source is None or type(source.value) is not Map:
        return "", ""
    return text_of(source.value.find("schema")) or "", text_of(source.value.find("name")) or ""


def _lines(entry: Substitution) -> list[Item]:
    return [item for item in walk(entry.item.value) if type(item.value) is not Map and type(item.value) is not Array]


def _origins(value: Value, path: DataPath, node: Item) -> list[Origin]:
    """The item at a path, or all items inside it."""
    item: Item | None = None
    top = node.value
    if type(top) is Map:
        item = top.find("data")
    for step in path.steps:
        found: Item | None = None
        if type(step) is str and type(value) is Map:
            found = value.find(step)
        elif type(step) is int and type(value) is Array and -len(value.items) <= step < len(value.items):
            found = value.items[step]
        if found is None:
            return [value] if type(value) is Map or type(value) is Array else []
        item, value = found, found.value
    if type(value) is Map or type(value) is Array:
        return [value]
    return [] if item is None else [item]


def inherited(
    trace: Trace, documents: Iterable[LayeredDocument], result: DocumentSet, *, secret: Iterable[LayeredDocument] = ()
) -> None:
    """Records the origin of each written document's data: the parent it starts from.

    secret: all documents of the evaluation, including those not written.
    """
    documents, secret = list(documents), list(secret)
    known = {(document.schema, document.name): document for document in secret}
    for document in secret:
        if document.parent is not None and document not in documents:
            # It is not printed, so its data cannot be explained.
            trace.lineage[document.node] = (set(), _parentage(document, document.parent))
    for document, node in zip(documents, result.items, strict=False):
        trace.copied(node, document.node)
        top, was = node.value, document.node.value
        if type(top) is not Map or type(was) is not Map:
            continue
        data = top.find("data")
        hiding = _hiding(document, known) if top is not was and document.secret else ()
        for item in top.items:
            old = was.find(item.key)
            if old is not None and item is not old:
                if item is not data:
                    _note_hidden(trace, old, item, hiding)
                trace.copied(item, old)
        if data is None:
            continue
        was_data = was.find("data")
        target: Item = data
        if data.value is not document.data and was_data is not None:
            target = was_data
            at = document.place("storagePolicy")
            # The digest of a short secret can be guessed: it is in the output, and nowhere else.
            inside = document.data
            by = (inside, *hiding) if trace.marks is not None and isinstance(inside, (Map, Array)) else hiding
            trace.record(data, Change(_HIDDEN, at.source, at.line, was=was_data, because=by))
        if document in trace.whole:
            trace.record(target, trace.whole[document])
        elif document.parent is not None:
            because = _parentage(document, document.parent)
            trace.record(target, Change("layered", target.source, target.line, because=because))
            own = document.node.value.find("data") if type(document.node.value) is Map else None
            trace.lineage[node] = ({id(item) for item in walk(own.value)} if own is not None else set(), because)


def _parentage(document: LayeredDocument, parent: LayeredDocument) -> tuple[Origin, ...]:
    """The lines that make one document the parent of another."""
    because: list[Origin] = []
    for key in ("layer", "parentSelector"):
        at = document.place("layeringDefinition", key)
        because.append(Contributor(f"parent {parent}", at.source, at.line))
    for action in document.actions:
        # If there are several actions, none depends on this one.
        several = len(document.actions) > 1
        because.append(Contributor("layering action", action.source, action.line, structural=several))
    because += [Contributor("labels of the parent", item.source, item.line) for item in _labels(parent)]
    return tuple(because)


def _labels(document: LayeredDocument) -> list[Item]:
    """The labels by which a document is selected."""
    metadata = document.metadata.find("labels")
    if metadata is None:
        return []
    found: dict[int, Item] = {}
    for item in (metadata, *walk(metadata.value)):
        if type(item.value) is not Map:
            found.setdefault(item.line, item)
    return list(found.values())
