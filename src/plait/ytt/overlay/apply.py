"""Applying overlays: `apply` for trees, `apply_document` for data values, `apply_documents` among files
(docs/reference/overlays.md).

Neither side is changed. Left collections with changes are copied once per application; all others are shared.
"""

from __future__ import annotations

from plait.base.errors import LimitError, OverlayError, PlaitError, warning
from plait.base.events import current_listener
from plait.base.fast_paths import FAST
from plait.tree.nodes import COLLECTIONS, Array, Document, DocumentSet, Map
from plait.ytt.overlay.actions import wrong_kind
from plait.ytt.overlay.annotation_removal import is_annotated
from plait.ytt.overlay.application import OverlayApplication, located
from plait.ytt.overlay.changed_collections import DocumentsEdit
from plait.ytt.overlay.expectations import ANY_DEFAULT
from plait.ytt.overlay.fast import FastOverlayApplication
from plait.ytt.overlay.matchers import counts
from plait.ytt.overlay.near_misses import choice_warning, filter_warning
from plait.ytt.overlay.plan import ADDS, MATCH, OverlayStep, plain_step, steps_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType
    from typing import TypeAlias, TypeVar

    from plait.base.errors import Warn
    from plait.base.source import Position
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Trace
    from plait.ytt.overlay.application import OverlayListener
    from plait.ytt.overlay.changed_collections import Owned
    from plait.ytt.overlay.reapplication import Applied

    # The steps of overlays.
    Plans: TypeAlias = dict[Document, list[OverlayStep]]
    T = TypeVar("T")


def run_of(
    owned: Owned | None = None,
    trace: Trace | None = None,
    warn: Warn | None = None,
    overlays: Sequence[Item] = (),
) -> OverlayApplication:
    """A new overlay application. overlays: the overlays to be applied, for the listener."""
    listener: OverlayListener | None = None
    if trace is not None:
        from plait.ytt.overlay.tracing import OverlayTracer

        listener = OverlayTracer(trace)
        if trace.marks is not None:
            listener = _secrecy().SecretRecorder(trace, trace.marks)
    hearing = current_listener() if overlays else None
    if hearing is not None:
        from plait.ytt.overlay.points import OverlayPoints

        listener = OverlayPoints(hearing, overlays, listener)
    if listener is not None:
        return OverlayApplication(owned, listener, warn)
    if FAST:
        return FastOverlayApplication(owned, warn=warn)
    return OverlayApplication(owned, warn=warn)


def apply(
    left: Value,
    right: Value,
    *,
    exact_documents: bool = False,
    adds: bool = False,
    owned: Owned | None = None,
    trace: Trace | None = None,
    warn: Warn | None = None,
) -> Value:
    """The left value with the changes of the right one.

    Neither is changed. Unchanged parts are shared, and if nothing changes the result is `left` itself. Overlay
    annotations are removed from the items that right adds; those of left stay (see `erased`). Merged left items keep
    their other annotations, while replaced and added items have right's (docs/reference/schemas.md). A scalar on the
    right changes nothing.

    exact_documents: left and right are document sets with one left document, to which every right one is applied
    without `@overlay/match` (data values and schemas, docs/reference/data-values.md).
    adds: as in `apply_document`.
    owned: collections of left without other references; they are changed in place, and new ones are added.
    trace: records changes.
    warn: receives likely mistakes.

    Raises OverlayError, StarlarkError from the user's functions, both with the path through right as stack.

    >>> from plait.tree.nodes import from_plain, to_plain
    >>> to_plain(apply(from_plain({"a": 1, "b": {"c": 2}}), from_plain({"b": {"c": 3}})))
    {'a': 1, 'b': {'c': 3}}
    """
    if type(right) not in COLLECTIONS:
        return left
    if type(left) is not type(right):
        error = wrong_kind(None, left, right).made_of()
        error.at = right.position  # type: ignore[union-attr]
        raise error
    run = run_of(owned, trace, warn, () if exact_documents else right.items)  # type: ignore[union-attr]
    defaults = ADDS if adds else ANY_DEFAULT
    try:
        if type(left) is DocumentSet:
            edit = DocumentsEdit([left])
            run.perform(edit, steps_of(right, defaults, exact=exact_documents))  # type: ignore[arg-type]
            return edit.results()[0]
        return run.merge(left, steps_of(right, defaults))  # type: ignore[arg-type]
    except PlaitError as error:
        raise of_document(error, run, left) from None
    except RecursionError:
        raise nested(right.position) from None  # type: ignore[union-attr]


def of_document(error: PlaitError, run: OverlayApplication, left: Value = None) -> PlaitError:
    """The error with the document that was being changed, if known. left: the tree if it is not a document set."""
    if error.document is None and not isinstance(error, LimitError):
        from plait.ytt.overlay.diagnosis import document_in

        error.document = document_in(run, left)
    return error


def nested(at: Position) -> LimitError:
    return LimitError("the overlay or its target is nested too deeply", at=at)


def apply_document(
    left: Document,
    right: Document,
    *,
    plain: bool = False,
    adds: bool = False,
    trace: Trace | None = None,
    warn: Warn | None = None,
) -> Document:
    """Applies one right document to the left document, as for data values and schemas (docs/reference/data-values.md).

    plain: right has no annotations and is merged plainly (see `merge_plain`). adds: keys without matching annotations
    are added if left lacks them. trace, warn: as in `apply`. Raises as `apply` does.
    """
    if plain:
        return merge_plain(left, right, warn=warn)
    is_free = _is_free(trace, (left, right))
    if is_free:
        trace = None
    if trace is None and type(right.value) is type(left.value) in (Map, Array) and not is_annotated(right):
        # The same as below, without document sets.
        return _free(is_free, lambda: _merged(left, OverlayStep(right, ADDS if adds else ANY_DEFAULT), warn))
    both = DocumentSet([left]), DocumentSet([right])
    result = _free(is_free, lambda: apply(*both, exact_documents=True, adds=adds, trace=trace, warn=warn))
    # An overlay that removes the document leaves an empty one.
    return result.items[0] if result.items else left.with_value(None)  # type: ignore[union-attr, return-value]


def _is_free(trace: Trace | None, *documents: Iterable[Document]) -> bool:
    """True if a run that uses secrets need not record an overlay, because no secret affects it."""
    if trace is None or not trace.only_marks:
        return False
    return bool(_secrecy().is_free_of_secrets(trace, *(one for some in documents for one in some)))


def _secrecy() -> ModuleType:
    """The module of overlays on secrets. Loaded for a run that uses secrets."""
    from plait.ytt.overlay import secrecy

    return secrecy


def _free(is_free: bool, apply_: Callable[[], T]) -> T:
    """The result of an overlay that no secret affects. Its errors do not depend on a secret either."""
    try:
        return apply_()
    except OverlayError as error:
        raise (error.made_of() if is_free else error) from None


def merge_plain(left: Document, right: Document, *, warn: Warn | None = None) -> Document:
    """Merges a plain right document into the left one, as `--data-values-file` does (docs/reference/data-values.md).

    Maps merge. Arrays, scalars and nulls replace, with their position. Missing keys are added. A map replaces null. A
    map over a scalar or array is an error, in nested values too; a null document changes nothing. Returns the left
    document if nothing changes. Raises OverlayError with the path through right as stack.
    """
    value = right.value
    if value is None:
        return left
    if type(value) is not Map:
        return right
    try:
        return left.with_value(value) if left.value is None else _merged(left, plain_step(right), warn)
    except PlaitError as error:
        raise error.made_of() from None  # the message names keys and types, which are not secret


def _merged(left: Document, step: OverlayStep, warn: Warn | None) -> Document:
    """The left document with the map or array of a step's document merged in."""
    run = run_of(warn=warn)
    try:
        value = run.merge_value(left, step)
    except PlaitError as error:
        run.failed_at(left)
        raise of_document(located(error, step), run) from None
    except RecursionError:
        raise nested(step.item.position) from None
    return left if value is left.value else left.with_value(value)


def is_overlay(document: Document) -> bool:
    """True if a document of an output file is an overlay on the others. Only overlay annotations count."""
    annotations = document.annotations
    return annotations is not None and MATCH in annotations


def _warn_of_counting(overlay: Document, steps: Sequence[OverlayStep], warn: Warn) -> None:
    """Warns about a matcher that uses the index of documents from several files."""
    if any(step.matcher is not None and counts(step.matcher) for step in steps):
        warn(
            warning(
                "this matcher depends on the index of documents of several files, "
                "which ytt leaves to chance; match by their content: overlay.subset(...)",
                code="counted-documents",
                at=overlay.position,
            )
        )


def apply_documents(
    left: Sequence[DocumentSet],
    overlays: Sequence[Document],
    *,
    plans: Plans | None = None,
    applied: Applied | None = None,
    trace: Trace | None = None,
    warn: Warn | None = None,
    printed: bool = True,
    is_trial: bool = False,
) -> list[DocumentSet]:
    """Applies overlay documents to the documents of files, one set per file, in order.

    Each overlay sees the changes of the earlier ones. Inserted documents belong to the file of their neighbour,
    appended ones to the last file, those of `or_add` to the first. An unchanged set is the same object. If there is no
    set, added documents form a new one. Documents that are empty at the end, including computed ones, are dropped,
    because they are not printed. printed=False, for the result of a library: they stay, as if written empty.

    Unlike `apply`, this removes no overlay annotations on either side: the result of a library may be used as an
    overlay.

    plans: the plans of overlays that were applied to other documents before; updated. applied: what they did then, if
    it is to be reused; updated. trace, warn: as in `apply`. is_trial: the cause of an error is not searched for.

    Raises OverlayError, with the path through the overlay as stack; its last frame is the document.
    """
    sets = [*left]
    if not overlays:
        return sets
    is_free = _is_free(trace, overlays, *(one.items for one in left))
    if is_free:
        trace = None
    run = run_of(trace=trace, warn=warn, overlays=overlays)
    overlay = overlays[0]
    # Errors in a plan are raised once, so failed plans are not stored.
    known = {} if plans is None else plans.copy()
    made: Plans = {}
    if plans is not None:
        plans.clear()
    try:
        edit = DocumentsEdit(sets)
        if applied is not None:
            applied.begin(edit.items)
        for overlay in overlays:
            made[overlay] = steps = known.get(overlay) or steps_of(DocumentSet([overlay]), ANY_DEFAULT, erases=False)
            if warn is not None and overlay.annotations is not None:
                if len(sets) > 1:
                    _warn_of_counting(overlay, steps, warn)
                told = choice_warning(steps[0])
                # The names of documents are compared and printed, which secrets may not be.
                if told is None and (trace is None or trace.marks is None):
                    told = filter_warning(steps[0], edit.items)
                if told is not None:
                    warn(told)
            run.begin_overlay(overlay)
            if applied is None:
                run.perform(edit, steps)
            else:
                applied.perform(run, edit, steps[0])
    except PlaitError as error:
        if is_free and isinstance(error, OverlayError):
            error.made_of()
        is_open = not is_trial and (trace is None or trace.marks is None)  # causes may name secrets
        if isinstance(error, OverlayError) and error.code == "no-match" and len(overlays) > 1 and is_open:
            from plait.ytt.overlay.other_overlays import name_cause

            name_cause(error, overlays, overlay, lambda some: apply_documents(left, some, is_trial=True))
        raise of_document(error, run) from None
    except RecursionError:
        raise nested(overlay.position) from None
    if plans is not None:
        plans.update(made)
    if printed:
        edit.drop_empty()
    else:
        edit.forget_computed(trace)
    return edit.results()
