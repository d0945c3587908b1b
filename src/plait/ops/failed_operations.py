"""Errors of operations that cannot be applied."""

from __future__ import annotations

from plait.base.errors import OpsError, full, own_suggestions, part_of, replacing
from plait.base.source import Position, Wording, public, quotation
from plait.ops.path_hints import found_elsewhere
from plait.ops.pointer import IndexToken, KeyToken, MatchingIndexToken, Pointer
from plait.ops.walk import PathNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ops.operations import Operation
    from plait.ops.working_copy import WorkingCopy


def _creating(pointer: Pointer, error: PathNotFoundError) -> str:
    """The path with "?" after the missing part, which creates the rest; only as far as it if the rest has an index."""
    text, found = str(pointer), str(error.optional)
    rest = text.removeprefix(found) if text.startswith(f"{found}/") else ""
    has_index = any(type(one) is IndexToken for one in pointer.tokens[error.depth :])
    return f"{found}?" if has_index else f"{found}?{rest.removesuffix('?')}"


def located(error: OpsError, operation: Operation, draft: WorkingCopy) -> OpsError:
    """The error of an operation with its position, and with a hint."""
    hint = full(error, "hint")
    if isinstance(error, PathNotFoundError):
        if error.optional and operation.kind == "replace":
            tokens = operation.pointer.tokens
            hint = public(f"{_creating(operation.pointer, error)} adds it")
            named = tuple(one for one in tokens if type(one) is not KeyToken or one.name)
            if len(named) < len(tokens):
                path = str(Pointer(named))
                hint = quotation(
                    replacing(str(operation.pointer), [path], f'"//" is an empty key: did you mean {path}?')
                )
        if error.depth < len(operation.pointer.tokens):
            other = found_elsewhere(draft.result(), operation.pointer)
            if other is not None:
                hint = quotation(replacing(str(operation.pointer), [other], f"did you mean {other}?"))
    last = operation.pointer.tokens[-1] if operation.pointer.tokens else None
    if hint is None and operation.kind == "remove" and type(last) is MatchingIndexToken and not last.modifiers:
        hint = public(f"{operation.pointer}? removes it if present")
    number = "" if operation.number is None else f" [{operation.number}]"
    words = "" if operation.words is None else f" ({operation.words})"
    at = Position(operation.source, operation.line) if operation.source is not None else None
    return OpsError(
        Wording(public(f"{operation.kind} operation{number} failed{words}: "), part_of(error, "message")),
        at=at,
        also=error.also,
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
