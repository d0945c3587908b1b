"""What one `patch` is given, and its steps: the command line, the API and what asks for histories run the same ones."""

from __future__ import annotations

from plait.errors import UsageError
from plait.nodes import Document
from plait.ops.definitions import interpolate
from plait.ops.patching import patch
from plait.ops.reading import read_first, write_text
from plait.ops.variables import Sources
from plait.ops.walk import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Item, Value
    from plait.ops.operations import Operation
    from plait.ops.pointer import Pointer
    from plait.provenance import Trace
    from plait.source import Source


class Job:
    """All that a run is given; whoever makes it fills in what it has.

    template: the text to change; base: what is read of it, or the document itself where there is no text.
    operations: in order. sources: what placeholders are filled from. pointer: the one location that is wanted.
    expect_values, expect_use: fail for a variable without a value, or without a use. sort: print keys sorted.
    keep_format: print the template with only the lines changed that have to. item: the one found at the location, for
    a run that is traced.
    """

    __slots__ = (
        "base",
        "expect_use",
        "expect_values",
        "item",
        "keep_format",
        "operations",
        "pointer",
        "sort",
        "sources",
        "template",
    )

    def __init__(self, trace: Trace | None = None) -> None:
        self.template: Source | None = None
        self.base: Value = None
        self.operations: list[Operation] = []
        self.sources = Sources()
        self.pointer: Pointer | None = None
        self.expect_values = False
        self.expect_use = False
        self.sort = True
        self.keep_format = False
        self.item: Item | None = None
        if trace is not None:
            from plait.ops.tracing import Variables

            self.sources.traced = Variables(trace)

    def run(self) -> Value:
        """The changed document, or what is at the location in it. Raises ReadError, OpsError. Spec ops 2, stages 2 to 8."""
        if self.template is not None:
            self.base = read_first(self.template)
        trace = None if self.sources.traced is None else self.sources.traced.trace
        value = patch(self.base, self.operations, trace=trace)
        value = interpolate(value, self.sources, expect_values=self.expect_values, expect_use=self.expect_use)
        if self.pointer is None:
            return value
        found = find(value, self.pointer)
        if trace is not None:
            from plait.ops.tracing import looked_up

            self.item = looked_up(trace, self.pointer, value, found)
        return found

    def document(self, source: Source | None = None) -> Document:
        """What `run` gives, as a document. source: where the base is from, if there is no template."""
        value = self.run()
        document = Document(value, self.template or source, 1)
        if self.sources.traced is not None:
            from plait.ops.tracing import finished

            finished(self.sources.traced.trace, document, self.item)
        return document

    def text(self, value: Value) -> str:
        """What is printed: a string that was asked for by its location as it is, anything else as YAML."""
        if self.keep_format:
            from plait.ops.edit import keep_format

            if self.template is None:
                raise UsageError(
                    "there is no text whose format could be kept", expected="a file, or a text by its name"
                )
            return keep_format(self.template, self.base, value)
        if self.pointer is not None and type(value) is str:
            return value + "\n"
        return write_text(value, sort=self.sort)
