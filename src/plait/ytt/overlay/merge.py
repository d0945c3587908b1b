"""Plain documents merged into the output: `--merge`.

A merge is an overlay whose matchers come from keys: each document gets the steps that an annotated overlay would have,
and an overlay application executes them.

- A document is merged into its counterpart in the output (`plait.ytt.overlay.merge_targets`).
- Maps are merged, missing keys are added, null removes a key.
- Items of an array are merged by their keys (`Rules`); an array without a rule is replaced.
- Replaced values are used as they are written.
"""

from __future__ import annotations

from plait.base.errors import OverlayError, PlaitError
from plait.base.similar_names import did_you_mean
from plait.tree.nodes import Array, ArrayItem, Map, MapItem, key_id, kind_name, walk
from plait.ytt.overlay.annotation_removal import with_annotations
from plait.ytt.overlay.apply import nested, of_document, run_of
from plait.ytt.overlay.changed_collections import DocumentsEdit
from plait.ytt.overlay.error_stack import key_text
from plait.ytt.overlay.expectations import UNSET, MatchCount
from plait.ytt.overlay.item_keys import WHOLE
from plait.ytt.overlay.matchers import REQUIRED, KeysMatcher, OtherKeys, Same
from plait.ytt.overlay.merge_targets import counterpart
from plait.ytt.overlay.plan import MISSING_OK, NO_KEY, OverlayStep, plain_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from plait.base.errors import Warn
    from plait.tree.nodes import Document, DocumentSet, Item, Value
    from plait.tree.provenance import Trace
    from plait.ytt.overlay.application import OverlayApplication
    from plait.ytt.overlay.item_keys import Rule, Rules

PATCH = "$patch"
REMOVALS = "$deleteFromPrimitiveList/"
_DIRECTIVES = ("delete", "merge", "replace")
_RETAINED = "$retainKeys"
_ORDER = "$setElementOrder/"
# The expected count of removals: they add nothing if nothing matches.
_WHERE_THERE = MatchCount(UNSET, UNSET, 1)
_ANY = MatchCount("0+", UNSET, UNSET)


def merge_documents(
    left: Sequence[DocumentSet],
    merges: Sequence[Document],
    rules: Rules,
    *,
    trace: Trace | None = None,
    warn: Warn | None = None,
) -> list[DocumentSet]:
    """Merges plain documents, in order, into the documents of files, one set per file.

    trace, warn: as in `plait.ytt.overlay.apply`. Raises OverlayError, with the path through the merged document as
    stack.
    """
    run = run_of(trace=trace, warn=warn, overlays=merges)
    edit = DocumentsEdit([*left])
    document = merges[0]
    if trace is not None:
        trace.label = "merge"
    try:
        for document in merges:
            run.perform(edit, [_document_step(run, edit, document, rules, trace)])
    except PlaitError as error:
        if error.hint is not None and error.code == "wrong-node-kind":
            # Plain documents have no annotations.
            error.hint = "to replace the other one: $patch: replace in it, or as an item of an array"
        raise of_document(error, run) from None
    except RecursionError:
        raise nested(document.position) from None
    finally:
        if trace is not None:
            trace.label = None
    edit.drop_empty()
    return edit.results()


def _document_step(
    run: OverlayApplication, edit: DocumentsEdit, document: Document, rules: Rules, trace: Trace | None
) -> OverlayStep:
    """The step for a merged document. Raises OverlayError."""
    left, matcher, said = counterpart(run, edit, document)
    step = _Plan(rules, left, trace).step(document, (), said)
    step.matcher = matcher
    if step.action == "replace":
        # A replacement of a document stays at its position.
        step.cleaned = with_annotations(step.clean(), step.clean().value, left.annotations)
    return step


class _Plan:
    """The steps for merging into one document. left: the document before the merge."""

    __slots__ = ("_left", "_rules", "_trace")

    def __init__(self, rules: Rules, left: Document, trace: Trace | None) -> None:
        self._rules = rules
        self._left = left
        self._trace = trace

    def step(self, item: Item, path: tuple[str, ...], known: Container[object] = ()) -> OverlayStep:
        """The step for an item and its descendants. path: to its value. known: items that exist, because they
        identified it.
        """
        value = item.value
        if value is None and type(item) is MapItem:
            return _removal(item)
        if type(value) is Array:
            return self._array_step(item, value, path)
        if type(value) is not Map:
            return plain_step(item)
        directive = value.find(PATCH)
        if directive is not None:
            value = Map([one for one in value.items if one is not directive], value.source, value.line)
            if _directive(directive) == "delete":
                return _removal(item)
            if directive.value == "replace":
                return _replacement(item, value)
        step = OverlayStep(item, MISSING_OK, erases=False)
        if type(item) is MapItem:
            step.key = key_id(item.key)
        steps = [self._below(one, value, path, known) for one in value.items]
        step.planned = [one for one in steps if one.item not in known]
        step.found_by = [one for one in value.items if one in known]
        return self._with_addition(step, value, steps)

    def _below(self, item: MapItem, parent: Map, path: tuple[str, ...], known: Container[object]) -> OverlayStep:
        """The step for an item of a map. path: to the map."""
        name = key_text(item.key)
        if name.startswith(REMOVALS):
            return self._removals(item, name.removeprefix(REMOVALS), parent)
        if name == _RETAINED:
            return _retaining(item, parent)
        _check_name(item)
        return self.step(item, (*path, name), known)

    def _removals(self, item: MapItem, name: str, parent: Map) -> OverlayStep:
        """The step that removes values from the array named `name`. parent: the map that contains the item."""
        values = {key_id(one.value): one for one in _values_of(item)}
        beside = parent.find(name)
        for one in beside.value.items if beside is not None and type(beside.value) is Array else ():
            other = values.get(key_id(one.value))
            if other is not None:
                raise OverlayError(
                    f"a value of {name} is both removed and added",
                    at=other.position,
                    also=[one.position.labelled("added here")],
                    code="strategic-merge",
                )
        step = OverlayStep(MapItem(name, item.value, item.source, item.line), MISSING_OK, erases=False)
        step.planned = [_removal(one) for one in values.values()]
        same = Same()
        for removal in step.planned:
            removal.matcher, removal.expected = same, _ANY
        return self._with_addition(step, Array([]), step.planned)

    def _array_step(self, item: Item, value: Array, path: tuple[str, ...]) -> OverlayStep:
        rule = self._rules.at(self._left, path)
        others = [one for one in value.items if not _is_replacing(one)]
        if len(others) < len(value.items):
            return _replacement(item, value.with_items(others))
        if rule is WHOLE:
            return _replacement(item, value, alike=True)
        step = OverlayStep(item, MISSING_OK, erases=False)
        if type(item) is MapItem:
            step.key = key_id(item.key)
        step.planned = self._values(others) if rule.is_set else self._items(others, rule, path)
        return self._with_addition(step, value, step.planned)

    def _values(self, items: Sequence[ArrayItem]) -> list[OverlayStep]:
        """The steps for values of a set."""
        same = Same()
        steps = [_replacement(item, item.value) for item in items]
        for step in steps:
            step.matcher, step.expected = same, _ANY
        return steps

    def _items(self, items: Sequence[ArrayItem], rule: Rule, path: tuple[str, ...]) -> list[OverlayStep]:
        """The steps for items identified by keys."""
        matcher = KeysMatcher(rule.keys, ".".join(path))
        names = [name for name, default in rule.keys if default is REQUIRED]
        seen: dict[object, ArrayItem] = {}
        steps = []
        for item in items:
            identity = matcher.identity(item)
            other = seen.setdefault(identity, item)
            if other is not item:
                raise matcher.twice([other, item], at=item.position)
            step = self.step(item, path, [item.value.find(name) for name in names])  # type: ignore[union-attr]
            step.matcher = matcher
            text = identity[0]
            if step.action == "merge" and len(identity) == 1 and type(text) is str and step.expected is MISSING_OK:
                step.key, step.optional = text, True
            steps.append(step)
        return steps

    def _with_addition(self, step: OverlayStep, value: Map | Array, steps: Sequence[OverlayStep]) -> OverlayStep:
        """The step, extended by the item that it adds if nothing matches: the result of its own steps without a left
        value.
        """
        added = [one.clean() for one in steps if one.action != "remove" and one.expected is not _WHERE_THERE]
        if steps and not added:
            step.expected = _WHERE_THERE
            step.cleaned = step.item.with_value(None)
        else:
            step.optional = step.key is not NO_KEY
            if added != step.item.value.items:  # type: ignore[union-attr]
                step.cleaned = step.item.with_value(value.with_items(added))  # type: ignore[arg-type]
        if step.cleaned is not None and self._trace is not None:
            self._trace.copied(step.cleaned, step.item)
        return step


def _removal(item: Item) -> OverlayStep:
    step = OverlayStep(item, MISSING_OK, erases=False)
    step.action = "remove"
    return step


def _replacement(item: Item, value: Value, *, alike: bool = False) -> OverlayStep:
    """The step that replaces the existing value, of any type. alike: require a value of the same type."""
    for one in walk(value):
        if type(one) is MapItem:
            _check_name(one, within="what is replaced as a whole")
    step = OverlayStep(item, MISSING_OK, erases=False)
    step.action = "replace"
    step.or_add = True
    step.alike = alike
    if type(item) is MapItem and not alike:
        step.key = key_id(item.key)
        step.leaf = step.whole = True
    if value is not item.value:
        step.cleaned = item.with_value(value)
    return step


# ---- directives


def _values_of(item: MapItem) -> Sequence[ArrayItem]:
    """The values that a directive lists. Raises OverlayError."""
    if type(item.value) is not Array:
        raise OverlayError(
            f"{key_text(item.key)} has an array", at=item.position, found=kind_name(item.value), code="strategic-merge"
        )
    return item.value.items


def _retaining(item: MapItem, parent: Map) -> OverlayStep:
    """The step that removes the keys of a map that `$retainKeys` does not list. parent: the map that contains the item."""
    retained = frozenset(key_id(one.value) for one in _values_of(item))
    for other in parent.items:
        if other.value is not None and key_id(other.key) not in retained and not _is_directive(other.key):
            raise OverlayError(
                f'the key "{key_text(other.key)}" is set but not listed in $retainKeys',
                at=item.position,
                also=[other.position.labelled("given here")],
                code="strategic-merge",
            )
    step = _removal(item)
    step.matcher = OtherKeys(retained)
    step.expected = _ANY
    return step


def _directive(item: MapItem) -> Value:
    """The value of a `$patch` key. Raises OverlayError for an unknown directive."""
    if item.value not in _DIRECTIVES:
        hint = did_you_mean(item.value, _DIRECTIVES) if type(item.value) is str else None
        raise OverlayError(
            f"unknown value of {PATCH}",
            at=item.position,
            expected=", ".join(_DIRECTIVES),
            found=item.value if type(item.value) is str else kind_name(item.value),
            hint=hint,
            code="strategic-merge",
        )
    return item.value


def _is_replacing(item: ArrayItem) -> bool:
    """True if an item contains `$patch: replace`, so that the other items of its array replace the left ones."""
    directive = item.value.find(PATCH) if type(item.value) is Map else None
    if directive is None or _directive(directive) != "replace":
        return False
    if len(item.value.items) > 1:  # type: ignore[union-attr]
        raise OverlayError(
            "in an array, $patch: replace is an item of its own",
            at=directive.position,
            hint="- $patch: replace",
            code="strategic-merge",
        )
    return True


def _check_name(item: MapItem, within: str = "") -> None:
    """Raises OverlayError for a key that is a directive. within: a position where directives are not allowed."""
    name = item.key
    if type(name) is str and name.startswith(_ORDER):
        hint = "leave it out: items keep their order, and new ones come last"
        raise OverlayError("$setElementOrder is not supported", at=item.position, hint=hint, code="strategic-merge")
    if within and _is_directive(name):
        raise OverlayError(f"{key_text(name)} has no meaning in {within}", at=item.position, code="strategic-merge")


def _is_directive(key: Value) -> bool:
    return key in (PATCH, _RETAINED) or (type(key) is str and key.startswith(REMOVALS))
