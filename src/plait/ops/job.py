"""The request and the steps of one `patch` evaluation, shared by the command line, the API and provenance.

Operations are applied first, in order. See docs/reference/operations.md.
"""

from __future__ import annotations

from plait.base.errors import OpsError, UsageError, conceal
from plait.base.events import current_listener
from plait.base.extensions import TAGS
from plait.base.source import Advice, Flag, public
from plait.ops.placeholders import defines_variables, marked
from plait.ops.reader import keep_format, read_first, write_text
from plait.ops.variables import Sources
from plait.ops.walk import find
from plait.ops.working_copy import WorkingCopy
from plait.tree.context import Context
from plait.tree.nodes import Document, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from plait.base.errors import Warn
    from plait.base.source import Frame, Source
    from plait.ops.known_operations import KnownOperations
    from plait.ops.operations import Operation
    from plait.ops.pointer import Pointer
    from plait.ops.secrecy import Compared
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Control, Trace

    T = TypeVar("T")


def patch(
    value: Value, operations: Iterable[Operation], *, trace: Trace | None = None, done: list[Operation] | None = None
) -> Value:
    """Applies all operations to a value, in order. Returns the result; the value itself is not changed.

    trace: records the effects. done: receives the applied plain operations (see `ops.expansion`). Raises OpsError with
    the operation's file, line and number, the failed part of the path and the value there.
    """
    draft, base = WorkingCopy(value), value
    telling = None
    listener = current_listener()
    if listener is not None:
        from plait.ops.points import OperationPoints

        telling = OperationPoints(listener, [*operations], value)
    for operation in operations:
        if telling is not None:
            telling.begins(operation)
        by: tuple[Control, ...] = ()
        if trace is not None and trace.marks is not None:
            from plait.ops.secrecy import decided

            by = decided(operation, draft.result(), trace)
        try:
            several = operation.plain(draft.result()) if operation.is_wide else (operation,)
        except OpsError as error:
            raise _located(error, operation, draft, base, operations) from None
        for one in several:
            try:
                one.apply(draft)
            except OpsError as error:
                raise _located(error, one, draft, base, operations) from None
            if done is not None:
                done.append(one)
            if trace is not None:
                from plait.ops.tracing import record

                value = record(one, value, draft.result(), trace, by)
        if telling is not None:
            telling.did(operation, draft.result())
    return draft.result()


def _has_filled_keys(unfilled: Value) -> bool:
    """True if a key contains a placeholder."""
    return any(type(item) is MapItem and text is item.key for item, text in marked(unfilled))


def _may_be_unlikely(one: Operation) -> bool:
    """True if a warning about the value of an operation is possible: an added item, text like a number, a number like
    text.
    """
    value = getattr(one, "value", None)
    if type(value) is str:
        return value.lstrip("-").isdigit() or value in ("true", "false")
    if type(value) is int or type(value) is float:
        item = getattr(one, "item", None)
        line = item.source.line(item.line) if item is not None and item.source is not None else None
        return line is not None and not line.endswith(f" {value}")
    return one.pointer.adds_item


def _may_have_lossy_versions(text: str) -> bool:
    """True if a text may contain a version that is a number and ends in zero: `version: 1.10`."""
    values = [one.partition("\n")[0].partition(" #")[0].rstrip() for one in text.split("ersion: ")[1:]]
    return any(one[:1].isdigit() and one.endswith("0") and one.count(".") == 1 for one in values)


def _located(error: OpsError, one: Operation, draft: WorkingCopy, base: Value, given: Iterable[Operation]) -> OpsError:
    from plait.ops.failed_operations import located

    return located(error, one, draft, base, given)


class PatchJob:
    """The options and inputs of one evaluation of `plait patch`.

    template: the text to change. base: its document; the input itself if there is no template. sources: values of
    placeholders. pointer: the requested path. asked: its frames in errors. done: receives the applied plain operations,
    or None. item: the item at the path, if traced. known: the operations of earlier evaluations, or None. The others are
    options of `Patch`.
    """

    __slots__ = (
        "_read",
        "asked",
        "base",
        "context",
        "done",
        "expect_use",
        "expect_values",
        "extensions",
        "item",
        "keep_format",
        "known",
        "operations",
        "pointer",
        "sort",
        "sources",
        "template",
        "variables_first",
    )

    def __init__(self, context: Context | None = None) -> None:
        self.context = Context() if context is None else context
        self.template: Source | None = None
        self.base: Value = None
        self.known: KnownOperations | None = None
        self._read: set[str] = set()
        self.operations: list[Operation] = []
        self.sources = Sources()
        self.sources.context = self.context
        self.pointer: Pointer | None = None
        self.asked: list[Frame] = []
        self.expect_values = False
        self.expect_use = False
        self.sort = True
        self.keep_format = False
        self.variables_first = False
        self.extensions: frozenset[str] = frozenset()
        self.done: list[Operation] | None = None
        self.item: Item | None = None
        if self.context.trace is not None:
            from plait.ops.tracing import Variables

            self.sources.traced = Variables(self.context.trace)

    def run(self) -> Value:
        """The changed document, or the value at the path. Raises ReadError, OpsError."""
        if self.template is not None:
            self.context.begin(self.template.shown)
            self.template.extensions = self.extensions
            self.base = self.read(self.template, read_first)
        trace = self.context.trace
        if trace is not None and self.sources.uses_secrets:
            trace.use_secrets()
        value = self.base
        used: set[str] = set()
        if self.variables_first:
            value = self._filled(value, used, is_last=False)
        compared: Compared | None = None
        if self.variables_first and self.sources.uses_secrets:
            from plait.ops import secrecy

            compared = secrecy.Compared(self.operations)
        before = value
        self.context.begin("operations")
        try:
            if self.known is None:
                value = patch(value, compared or self.operations, trace=trace, done=self.done)
            else:
                value = self.known.patched(value, self.operations, patch)
        except OpsError as error:
            error = compared.told(error) if compared else error
            raise self._withheld(error, self.base) if self.variables_first else error from None
        texts = marked(value)
        matching = [one for one in self.operations if any(token.optional for token in one.pointer.tokens)]
        unlikely = [] if compared else [one for one in self.operations if _may_be_unlikely(one)]
        if texts or matching or not self.sources.are_empty():
            from plait.ops import ignored

            ignored.warn_of_matches(matching, value, self.context.warn, () if compared else self.operations, before)
            ignored.warn_of_placeholders(texts, self.sources, self.context.warn, None if compared else value)
        has_versions = self.template is not None and _may_have_lossy_versions(self.template.text)
        if unlikely or self.sources.places or self.sources.numbers or has_versions:
            from plait.ops import unlikely_values

            unlikely_values.warn_of_values(unlikely, before, value, self.context.warn)
            unlikely_values.warn_of_variables(self.sources, self.context.warn)
            if self.template is not None and has_versions:
                unlikely_values.warn_of_versions(self.template, value, self.context.warn)
        # Generated values are already stored.
        self.context.check_warnings()
        patched = value
        value = self._filled(value, used)
        self.context.check_warnings()
        if self.pointer is None:
            return value
        try:
            found = find(value, self.pointer)
        except OpsError as error:
            error.also = [one for one in error.also if one.source is self.template] or error.also
            error.stack += self.asked
            raise self._withheld(error, self.base, patched) from None
        if trace is not None:
            from plait.ops.tracing import looked_up

            self.item = looked_up(trace, self.pointer, value, found)
        return found

    def read(self, source: Source, read: Callable[[Source, Warn], T], *options: object) -> T:
        """The result of reading a source with these options, or that of an earlier evaluation. A file that is given twice
        is read twice: hints about its operations tell them apart by identity.
        """
        is_again = source.name in self._read
        self._read.add(source.name)
        if self.known is None or is_again:
            return read(source, self.context.warn)
        return self.known.read(source, (self.extensions, *options), self.context.warn, lambda warn: read(source, warn))

    def _filled(self, value: Value, used: set[str], *, is_last: bool = True) -> Value:
        """The document with its placeholders filled. is_last: as for `interpolate`."""
        if self.sources.are_empty() and not defines_variables(value) and not self.expect_values:
            return value
        from plait.ops.definitions import interpolate

        self.context.begin("variables")

        return interpolate(
            value,
            self.sources,
            expect_values=is_last and self.expect_values,
            expect_use=is_last and self.expect_use,
            used=used,
            is_last=is_last,
        )

    def _withheld(self, error: OpsError, *unfilled: Value) -> OpsError:
        """An error about a document with filled placeholders. Quotations that may contain values of variables are
        withheld.

        unfilled: the document before filling. If its keys had placeholders, keys are withheld, too.
        """
        if not self.sources.are_empty():
            if not self.sources.uses_secrets:
                error.reference = public(error.reference)  # called as `bosh`, plait quotes its input as bosh does
            conceal(error)
            if self.sources.uses_secrets and any(map(_has_filled_keys, unfilled)):
                error.found = error.hint = None
                error.suggestions = ()
        return error

    def document(self, source: Source | None = None) -> Document:
        """The result of `run` as a document. source: the source of the base if there is no template."""
        value = self.run()
        document = Document(value, self.template or source, 1)
        if self.sources.traced is not None:
            from plait.ops.tracing import finished

            finished(self.sources.traced.trace, document, self.item)
        return document

    def text(self, value: Value) -> str:
        """The printed text: a string selected by `--path` unquoted, any other value as YAML."""
        if self.keep_format:
            if TAGS in self.extensions:
                raise UsageError(
                    "a text whose format is kept has its tags",
                    hint=Advice("leave out ", Flag("with", TAGS)),
                    code="flag-conflict",
                )
            if self.template is None:
                raise UsageError(
                    "there is no text whose format can be kept",
                    expected="a file, or a named text",
                    code="keep-format",
                )
            return keep_format(self.template, self.base, value)
        if self.pointer is not None and type(value) is str:
            return value + "\n"
        return write_text(value, sort=self.sort, tags=TAGS in self.extensions)
