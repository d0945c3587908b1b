"""Errors of operations that cannot be applied."""

from __future__ import annotations

from plait.base.errors import OpsError, full, own_suggestions, part_of, replacing
from plait.base.source import Position, Wording, public, quotation
from plait.ops.path_hints import found_elsewhere, made_later, removed_by
from plait.ops.pointer import IndexToken, KeyToken, MatchingIndexToken, Pointer
from plait.ops.walk import PathNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.ops.operations import Operation
    from plait.ops.working_copy import WorkingCopy
    from plait.tree.nodes import Value


def _creating(pointer: Pointer, error: PathNotFoundError) -> str:
    """The path with "?" after the missing part, which creates the rest; only as far as it if the rest has an index."""
    text, found = str(pointer), str(error.optional)
    rest = text.removeprefix(found) if text.startswith(f"{found}/") else ""
    has_index = any(type(one) is IndexToken for one in pointer.tokens[error.depth :])
    return f"{found}?" if has_index else f"{found}?{rest.removesuffix('?')}"


def _without(operation: Operation, earlier: Operation) -> str:
    """The suggestion for an operation whose target an earlier operation removed."""
    if operation.kind == "remove" and str(operation.pointer) == str(earlier.pointer):
        return "leave out one of the two operations"
    return "put this operation before it, or leave one of the two out"


def located(
    error: OpsError, operation: Operation, draft: WorkingCopy, base: Value, operations: Iterable[Operation]
) -> OpsError:
    """The error of an operation with its position, and with a hint. base: the document before all operations."""
    hint = full(error, "hint")
    also = [*error.also]
    if isinstance(error, PathNotFoundError) and error.optional and operation.kind == "replace":
        tokens = operation.pointer.tokens
        hint = public(f"{_creating(operation.pointer, error)} adds it")
        text = str(operation.pointer)
        if "\\/" in text:
            path = text.replace("\\/", "~1")
            hint = quotation(replacing(text, [path], f'did you mean "{path}"? ~1 is a slash within a key'))
        named = tuple(one for one in tokens if type(one) is not KeyToken or one.name)
        if len(named) < len(tokens):
            path = str(Pointer(named))
            hint = quotation(replacing(str(operation.pointer), [path], f'"//" is an empty key: did you mean "{path}"?'))
    if error.code in ("path-not-found", "path-matches"):
        is_added = operation.kind == "replace" and getattr(error, "depth", 0) == len(operation.pointer.tokens)
        other = None if is_added else found_elsewhere(draft.result(), operation.pointer)
        earlier = None if operation.is_wide else removed_by(base, operations, operation)
        if earlier is not None and earlier.source is not None:
            by = Position(earlier.source, earlier.line)
            did = "removed" if earlier.kind == "remove" else "replaced"
            also = [by.labelled(f"the operation that {did} it"), *also]
            hint = public(f"{by} {did} it: {_without(operation, earlier)}")
        elif not operation.is_wide and (later := made_later(base, operations, operation)) is not None:
            hint = public("put this operation after the one that adds it")
            if later.source is not None:
                by = Position(later.source, later.line)
                also = [by.labelled("the operation that adds it"), *also]
                hint = public(f"put this operation after the one that adds it ({by})")
                if operation.source is not None and later.source is not operation.source:
                    hint = public(f"{by} adds it, but later: put {later.source.shown} before {operation.source.shown}")
        elif other is not None:
            hint = quotation(replacing(str(operation.pointer), [other], f'did you mean "{other}"?'))
    last = operation.pointer.tokens[-1] if operation.pointer.tokens else None
    if hint is None and operation.kind == "remove" and type(last) is MatchingIndexToken and not last.modifiers:
        hint = public(f"{operation.pointer}? removes it if present")
    number = "" if operation.number is None else f" [{operation.number}]"
    words = "" if operation.words is None else f" ({operation.words})"
    at = Position(operation.source, operation.line) if operation.source is not None else None
    return OpsError(
        Wording(public(f"{operation.kind} operation{number} failed{words}: "), part_of(error, "message")),
        at=at,
        also=also,
        expected=full(error, "expected"),
        found=full(error, "found"),
        hint=hint,
        stack=error.stack,
        reference=error.reference
        if at is None or at.source is None
        else f"Error 'operation{number} in {at.source.name} failed': {error.reference}",
        code=error.code,
        word=error.word,
        suggestions=own_suggestions(error),
    )
