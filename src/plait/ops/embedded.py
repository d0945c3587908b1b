"""Operations on embedded documents: `/data/app.yml!yaml/server/port` (extension `embedded`).

`!FORMAT` after a part of a path parses the string at that path; the rest is a path in its document. Such an operation
becomes a plain one that sets the resulting string.
"""

from __future__ import annotations

import re

from plait.base.errors import LimitError, OpsError, PlaitError
from plait.base.extensions import EMBEDDED
from plait.base.similar_names import did_you_mean
from plait.base.source import Position
from plait.ops.expansion import ExpandingOperation
from plait.ops.operations import Operation, Replace
from plait.ops.pointer import KeyToken, Pointer
from plait.ops.walk import find
from plait.ops.working_copy import WorkingCopy
from plait.tree.nodes import Map, MapItem, kind_name
from plait.yaml.embedded import FORMS, parsed, rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.ops.operations import OperationSource
    from plait.tree.nodes import Value

_MARK = re.compile(rf"!({'|'.join(FORMS)})(?=/|$)")
_FORM = re.compile(r"!([a-z]+)(?=/|$)")


class ReplaceString(Replace):
    """The plain operation that replaces a string in which only a part changes."""

    __slots__ = ()
    is_partial = True


class EmbeddedOperation(ExpandingOperation):
    """An operation on the embedded document at a path. form: its format. operation: with its path in that document."""

    __slots__ = ("form", "operation")

    def __init__(self, pointer: Pointer, form: str, operation: Operation) -> None:
        super().__init__(
            pointer,
            source=operation.source,
            line=operation.line,
            number=operation.number,
            words=operation.words,
        )
        self.form = form
        self.operation = operation

    @property
    def kind(self) -> str:  # type: ignore[override]
        return self.operation.kind

    def at(self, pointer: Pointer, root: Value) -> list[Operation]:
        text = find(root, pointer)
        place = _place(root, pointer) or Position(self.source, self.line)
        if type(text) is not str:
            raise OpsError(
                f"there is no text at {pointer}",
                also=[place.labelled("the value")],
                expected=f"a text that holds {self.form}",
                found=kind_name(text),
                code="path-not-found",
            )
        try:
            tree = parsed(self.form, text, place)
            new = self._changed(tree)
            if new is tree:
                return []
            said = rewritten(self.form, text, tree, new, place)
            written = self.operation.item if isinstance(self.operation, Replace) else None
            item = None if written is None else MapItem(written.key, said, written.source, written.line)
            source, line, number, words = self.source, self.line, self.number, self.words
            return [ReplaceString(pointer, said, source=source, line=line, number=number, words=words, item=item)]
        except LimitError:
            raise
        except PlaitError as error:
            also = [at for at in (error.at, *error.also) if at is not None]
            raise OpsError(
                f"within the text at {pointer}: {error.message}",
                also=also,
                expected=error.expected,
                found=error.found,
                hint=error.hint,
                code=error.code,
            ) from None

    def _changed(self, tree: Value) -> Value:
        draft = WorkingCopy(tree)
        for one in self.operation.plain(tree):
            one.apply(draft)
        return draft.result()


def _place(root: Value, pointer: Pointer) -> Position | None:
    """The position of the value at a path, or None if it has no key."""
    last = pointer.tokens[-1] if pointer.tokens else None
    around = find(root, Pointer(pointer.tokens[:-1])) if isinstance(last, KeyToken) else None
    item = around.find(last.name) if isinstance(last, KeyToken) and isinstance(around, Map) else None
    return None if item is None else item.position


def inside_of(
    definition: OperationSource,
    build: Callable[[OperationSource, frozenset[str]], Operation],
    extensions: frozenset[str],
) -> Operation | None:
    """The operation of a definition whose path enters a string, or None.

    build: creates an operation from a definition and extensions. Raises OpsError.
    """
    path = definition.text("path")
    if path is None or ("!" not in path and "~8" not in path):
        return None
    found = _MARK.search(path)
    if found is None:
        unknown = _FORM.search(path)
        if unknown is not None:
            raise OpsError(
                f'operation [{definition.number}]: unknown format "{unknown[1]}" of embedded text: "{path}"',
                at=Position(definition.source, definition.fields["path"].line),
                expected=", ".join(FORMS),
                hint=did_you_mean(unknown[1], FORMS) or 'a "!" that belongs to a key is written "~8"',
                code="unknown-format",
            )
        return build(definition.with_path(path.replace("~8", "!")), extensions - {EMBEDDED})
    outer = definition.with_path(path[: found.start()].replace("~8", "!"))
    return EmbeddedOperation(outer.pointer(), found[1], build(definition.with_path(path[found.end() :]), extensions))
