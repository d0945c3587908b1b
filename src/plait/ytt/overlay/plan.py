"""Plans an overlay: reads the action, the matcher and the expected number of matches of each right item once.

Plans are created level by level, on demand. A subtree that is only inserted is never planned, as in ytt: annotations in
it have no effect, not even invalid ones (docs/reference/overlays.md).
"""

from __future__ import annotations

from plait.base.errors import OverlayError
from plait.base.extensions import EMBEDDED
from plait.base.similar_names import did_you_mean
from plait.tree.deferred_values import Deferred
from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem, key_id, kind_name
from plait.ytt.overlay.annotation_removal import NAMESPACE, erased_item
from plait.ytt.overlay.changed_collections import key_value
from plait.ytt.overlay.expectations import ANY_DEFAULT, KEYWORDS, UNSET, MatchCount, expectation
from plait.ytt.overlay.matchers import NOTHING, MapKey, matcher_of
from plait.ytt.starlark.values import is_callable, type_of
from plait.ytt.yaml_fragments import starlark_type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.tree.annotations import Annotation, Annotations
    from plait.tree.nodes import Collection, Item
    from plait.ytt.overlay.matchers import Matcher

MATCH = "overlay/match"
INSIDE = "overlay/inside"
DEFAULTS = "overlay/match-child-defaults"
# The annotations that name an action; the name of the action follows the slash.
ACTION_ANNOTATIONS = ("overlay/merge", "overlay/remove", "overlay/replace", "overlay/insert", "overlay/append",
                      "overlay/assert")  # fmt: skip
# Equal to no key.
NO_KEY = object()
MISSING_OK = MatchCount(UNSET, True, UNSET)
# The expected count of nested map items without annotations, which are added if missing. Other items have the default.
ADDS = MatchCount(UNSET, True, UNSET)


class OverlayStep:
    """The plan for one right item.

    matcher: None for the default, the same key (for a document: the only document). expected: None for exactly one
    match. children: settings for the items below (match-child-defaults). form: format of the left string, if the right
    item's children are matched in its embedded document. error: an error in the item's annotations, raised when the
    item is applied.

    Most items are merged with the one item that has the same key, or the same string under a key:

    key: this key, as in the index of a map, or this string; NO_KEY for all other items. optional: the item is added
    when nothing matches. bare: if its value replaces the left one, the right item itself may replace a left item
    without annotations. whole: the right item may replace any item. found_by: items of the right item that only serve
    to find the left one. alike: a replacement requires a value of the same type, or null. erases: overlay annotations
    are removed from the added items.
    """

    __slots__ = (
        "action",
        "after",
        "alike",
        "bare",
        "before",
        "children",
        "cleaned",
        "erases",
        "error",
        "expected",
        "form",
        "found_by",
        "item",
        "key",
        "kind",
        "leaf",
        "matcher",
        "optional",
        "or_add",
        "planned",
        "via",
        "whole",
    )  # fmt: skip

    def __init__(self, item: Item, defaults: MatchCount, *, erases: bool = True) -> None:
        self.item = item
        self.erases = erases
        kind: type = type(item.value)
        self.kind = kind
        self.leaf = kind is not Map and kind is not Array and kind is not Deferred
        self.action = "merge"
        self.matcher: Matcher | None = None
        self.expected: MatchCount | None = None if defaults is ANY_DEFAULT else defaults
        self.children = defaults
        self.via: object = None
        self.form: str | None = None
        self.or_add = False
        self.before = False
        self.after = False
        self.error: OverlayError | None = None
        self.key: object = NO_KEY
        self.optional = False
        self.bare = False
        self.whole = False
        self.alike = False
        self.found_by: Sequence[Item] = ()
        self.planned: list[OverlayStep] | None = None
        self.cleaned: Item | None = None

    def plan(self) -> list[OverlayStep]:
        """The steps for the items of the right value, a map or an array."""
        plan = self.planned
        if plan is None:
            plan = self.planned = steps_of(self.item.value, self.children, erases=self.erases)  # type: ignore[arg-type]
        return plan

    def clean(self) -> Item:
        """The right item as inserted: without overlay annotations if these are removed, with all others."""
        if self.cleaned is None:
            self.cleaned = erased_item(self.item) if self.erases else self.item
        return self.cleaned


def plain_step(item: Item) -> OverlayStep:
    """The step for an item of a right tree that is merged plainly: maps are merged, everything else replaces, and
    missing items are added.
    """
    step = OverlayStep(item, MISSING_OK, erases=False)
    if type(item) is MapItem:
        step.key = key_id(item.key)
        step.optional = True
    if type(item.value) is Map:
        step.planned = [plain_step(inner) for inner in item.value.items]
    else:
        step.action = "replace"
        step.or_add = step.leaf = step.whole = True
    return step


def steps_of(right: Collection, defaults: MatchCount, *, exact: bool = False, erases: bool = True) -> list[OverlayStep]:
    """A step for each item of a right collection.

    exact: documents apply to the only left document (docs/reference/data-values.md). erases: as in `OverlayStep`.
    """
    steps = []
    for item in right.items:
        own = defaults
        if defaults is ADDS and not _has_default_counts(item):
            own = ANY_DEFAULT
        step = OverlayStep(item, own, erases=erases)
        step.children = defaults
        annotations = item.annotations
        steps.append(step)
        if annotations is not None or type(item) is not MapItem:
            try:
                _read(step, annotations or {}, own, exact=exact)
            except OverlayError as error:
                point_at_annotation(error, step)
                step.error = error
                continue
        if step.action == "merge" and (step.expected is None or step.expected.one):
            if type(item) is MapItem and step.matcher is None:
                key = item.key
                step.key = key_id(key)
                step.bare = type(key) is str and (
                    annotations is None or (erases and all(name.startswith(NAMESPACE) for name in annotations))
                )
            elif type(item) is ArrayItem and type(step.matcher) is MapKey:
                text = key_value(item.value, step.matcher.key)
                if type(text) is str:
                    step.key = text
            step.optional = step.expected is not None and step.expected.none and step.key is not NO_KEY
    return steps


def _has_default_counts(item: Item) -> bool:
    """True if a map item is merged without settings for its number of matches."""
    annotations = item.annotations or {}
    return type(item) is MapItem and not any(name in annotations for name in (MATCH, *ACTION_ANNOTATIONS))


def _read(step: OverlayStep, annotations: Annotations, defaults: MatchCount, *, exact: bool) -> None:
    actions = [name for name in ACTION_ANNOTATIONS if name in annotations]
    if len(actions) > 1:
        raise OverlayError(
            "Expected to find only one overlay operation",
            also=[annotations[name].position.labelled("an action") for name in actions],
            found=", ".join(f"@{name}" for name in actions),
            code="several-actions",
        )
    if actions:
        step.action = actions[0][len(NAMESPACE) :]
    if step.action == "append" or (step.action == "insert" and type(step.item) is MapItem):
        if type(step.item) is MapItem:
            raise OverlayError(
                f"Found @overlay/{step.action} on map item ({step.item.position}); only array items can be annotated "
                f"with @overlay/{step.action}",
                hint=f"remove it: a map is merged; #@overlay/match missing_ok=True adds the key {step.item.key} if it is missing",
                code="misplaced-annotation",
            )
        return
    if DEFAULTS in annotations and step.action in ("merge", "assert"):
        _read_defaults(step, annotations[DEFAULTS], defaults)
    _read_match(step, annotations.get(MATCH), defaults, exact=exact)
    if actions:
        _read_action(step, annotations[actions[0]])
    if INSIDE in annotations:
        _read_inside(step, annotations[INSIDE])


def point_at_annotation(error: OverlayError, step: OverlayStep) -> None:
    """Moves the error to the line of the wrong annotation; the item's line becomes a related position."""
    item = step.item
    at = error.also[-1] if error.also else None
    if at is None:
        found = (item.annotations or {}).get(MATCH)
        at = found.position if found is not None else None
    if at is not None and at.source is not None and at.line > 0:
        error.at = at
        error.also = [place for place in error.also if place != at] + [item.position]


def _read_defaults(step: OverlayStep, annotation: Annotation, defaults: MatchCount) -> None:
    for name in annotation.kwargs:
        if name not in KEYWORDS:
            raise _unknown(annotation, name, KEYWORDS)
    step.children = expectation(annotation.kwargs, ANY_DEFAULT if defaults is ADDS else defaults)


def _read_match(step: OverlayStep, annotation: Annotation | None, defaults: MatchCount, *, exact: bool) -> None:
    item = step.item
    if annotation is None:
        if type(item) is ArrayItem:
            step.matcher = NOTHING
            step.expected = None
            return
        if type(item) is Document and not exact:
            raise _no_keywords(item)
        return
    kwargs = _match_arguments(annotation)
    if not kwargs and (type(item) is ArrayItem or (type(item) is Document and not exact)):
        raise _no_keywords(item, annotation)
    found = expectation(kwargs, defaults)
    step.expected = None if found is ANY_DEFAULT else found
    if type(item) is Document and exact:
        return
    if "by" in kwargs:
        step.matcher = matcher_of(kwargs["by"], item)
    elif type(item) is not MapItem:
        raise OverlayError(
            f"Expected '{MATCH}' annotation keyword argument 'by' to be specified",
            reference=f"Expected '{MATCH}' annotation keyword argument 'by' {' ' * (type(item) is Document)}"
            "to be specified",
            also=[annotation.position.labelled("the annotation")],
            hint='by="name" matches items with the same name, by=overlay.all all of them',
            code="overlay-argument",
        )


def _match_arguments(annotation: Annotation) -> Mapping[str, object]:
    """The keyword arguments. A single positional argument is the matcher."""
    kwargs = annotation.kwargs
    for name in kwargs:
        if name != "by" and name not in KEYWORDS:
            raise _unknown(annotation, name, ("by", *KEYWORDS))
    if annotation.args and "by" not in kwargs:
        kwargs = {"by": annotation.args[0], **kwargs}
    return kwargs


def _read_action(step: OverlayStep, annotation: Annotation) -> None:
    action = step.action
    allowed = _ACTION_KEYWORDS.get(action)
    if allowed is None:
        return
    kwargs = annotation.kwargs
    if action == "insert" and not kwargs:
        raise OverlayError(
            f"Expected '{annotation.name}' annotation to have at least one keyword argument (before=..., after=...)",
            hint=f"#@{annotation.name} before=True puts it before the matched item, after=True after it"
            + ("; #@overlay/append adds an item at the end, and matches none" if type(step.item) is ArrayItem else ""),
            also=[annotation.position.labelled("the annotation")],
            code="overlay-argument",
        )
    for name, value in kwargs.items():
        if name not in allowed:
            raise _unknown(annotation, name, allowed)
        if name == "via":
            if not is_callable(value):
                raise OverlayError(
                    f"Expected '{annotation.name}' annotation keyword argument 'via' to be function, "
                    f"but was {type_of(value)}",
                    reference=f"Expected '{annotation.name}' annotation keyword argument 'via' to be function, "
                    f"but was {starlark_type_name(value)}",
                    also=[annotation.position.labelled("the annotation")],
                    code="overlay-argument",
                )
            step.via = value
        elif type(value) is not bool:
            raise OverlayError(
                f"Expected '{annotation.name}' annotation keyword argument '{name}' to be a boolean, "
                f"but was {type_of(value)}",
                also=[annotation.position.labelled("the annotation")],
                code="overlay-argument",
            )
        elif name == "or_add":
            step.or_add = value
        elif name == "before":
            step.before = value
        else:
            step.after = value


def _read_inside(step: OverlayStep, annotation: Annotation) -> None:
    """Makes a step match inside embedded text, if the extension is enabled."""
    if annotation.source is None or EMBEDDED not in annotation.source.extensions:
        return
    from plait.yaml.embedded import FORMS

    name = annotation.args[0] if len(annotation.args) == 1 and not annotation.kwargs else None
    if type(name) is not str or name not in FORMS:
        raise OverlayError(
            f"Expected @{annotation.name} annotation to have one argument, the form of the text",
            also=[annotation.position.labelled("the annotation")],
            expected=", ".join(f'"{form}"' for form in FORMS),
            hint=did_you_mean(name, FORMS) if type(name) is str else None,
            code="overlay-argument",
        )
    if step.action != "merge":
        raise OverlayError(
            f"@{annotation.name} merges the content below it: it cannot be combined with @overlay/{step.action}",
            also=[annotation.position.labelled("the annotation")],
            code="overlay-argument",
        )
    if type(step.item.value) not in (Map, Array):
        raise OverlayError(
            f"Expected a map or array below @{annotation.name}, but was {kind_name(step.item.value)}",
            also=[annotation.position.labelled("the annotation")],
            code="overlay-argument",
        )
    step.action, step.form = "inside", name


_ACTION_KEYWORDS: dict[str, tuple[str, ...]] = {
    "replace": ("via", "or_add"),
    "insert": ("before", "after", "via"),
    "assert": ("via",),
}


def _unknown(annotation: Annotation, name: str, allowed: tuple[str, ...]) -> OverlayError:
    return OverlayError(
        f"Unknown '{annotation.name}' annotation keyword argument '{name}'",
        also=[annotation.position.labelled("the annotation")],
        expected=f"one of {', '.join(allowed)}",
        hint=did_you_mean(name, allowed)
        or f"@{annotation.name} accepts {' and '.join(f'{one}=...' for one in allowed)}",
        code="overlay-argument",
    )


def _no_keywords(item: Item, annotation: Annotation | None = None) -> OverlayError:
    return OverlayError(
        f"Expected '{MATCH}' annotation to have at least one keyword argument (by=..., expects=...)",
        also=[annotation.position.labelled("the annotation")] if annotation is not None else [],
        hint="put #@overlay/match by=overlay.all above its ---" if type(item) is Document else None,
        code="overlay-argument",
    )
