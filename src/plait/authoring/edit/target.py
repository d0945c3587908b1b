"""Evaluates a run with replaced texts, and compares its output."""

from __future__ import annotations

import os

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.analysis.verifying import with_texts
from plait.authoring.project.run import Run
from plait.base.input_view import InputView
from plait.insight.diff import diff
from plait.insight.explain import Explainer
from plait.insight.item_names import ItemNames
from plait.insight.node_paths import NodePath, all_places
from plait.insight.redaction import masked, masked_lines
from plait.tree.nodes import Array, Document, Map, MapItem, equal
from plait.tree.secrets import HIDDEN, uses_secrets
from plait.yaml.document_names import document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.engine.options import Use
    from plait.engine.results import Documents
    from plait.insight.diff import Difference
    from plait.tree.nodes import Item, Scalar, Value
    from plait.tree.provenance import Trace


class Output:
    """The output of a run: documents, and text files by path. trace, view: the trace and view of a recorded run.

    made: as the run returned it. top: the directory of the project file that names the files; None if the user named
    them.
    """

    __slots__ = ("_secrets", "documents", "made", "texts", "top", "trace", "view")

    def __init__(self, output: Documents, view: InputView, top: str | None) -> None:
        self.top = top
        self.made = output
        self.documents: list[Document] = output.nodes.items
        files: Mapping[str, str] = getattr(output, "files", {})
        self.texts = {path: text for path, text in files.items() if not path.endswith((".yml", ".yaml"))}
        self.trace: Trace | None = output.trace
        self.view = view
        self._secrets: frozenset[tuple[type, Scalar]] | None = None

    def is_secret(self, path: str, line: int) -> bool:
        """True if a line of a file is secret."""
        secrets = () if self.trace is None else self.trace.secrets
        return any(path_of(source) == path and first <= line < end for source, first, end in secrets)

    @property
    def names(self) -> ItemNames:
        """The names of the documents and items of the output."""
        return ItemNames() if self.trace is None else Explainer(self.trace).names

    @property
    def uses_secrets(self) -> bool:
        """True if the run uses secrets. Then outputs are compared by their marks, which both must have."""
        return uses_secrets(self.view) or uses_secrets(self.trace)

    @property
    def secrets(self) -> frozenset[tuple[type, Scalar]]:
        """The secret scalars of the output."""
        if self._secrets is None:
            explainer = None if self.trace is None or not self.trace.secrets else Explainer(self.trace)
            places = () if explainer is None else all_places(self.seen(self.documents), {})
            self._secrets = frozenset(
                (type(place.value), place.value)  # type: ignore[misc]
                for place in places
                if explainer is not None and explainer.hides(place)
            )
        return self._secrets

    @property
    def is_decided(self) -> bool:
        """True if a secret decides which items the output has."""
        marks = None if self.trace is None else self.trace.marks
        return marks is not None and marks.decides_places

    def text(self, name: str) -> str | None:
        """A text file as displayed, with secrets redacted; None if there is no such file."""
        return masked_lines(name, self.texts[name], self.trace, view=self.view) if name in self.texts else None

    def seen(self, documents: Sequence[Document]) -> Sequence[Document]:
        """Documents of this output without items whose existence depends on a secret."""
        return documents if self.trace is None else Explainer(self.trace).visible(documents)

    def place(self, seen: NodePath) -> NodePath:
        """The node path in this output for a node path in its displayed documents. It keeps the displayed name."""
        assert self.trace is not None
        copies = self.trace.copies

        def real(item: Item, within: Sequence[Item]) -> int:
            old = copies.get(item)
            return next(number for number, one in enumerate(within) if one is item or one is old)

        number = real(seen.document, self.documents)
        document = self.documents[number]
        around, way = document.value, []
        for item in seen.way:
            assert type(around) is Map or type(around) is Array
            way.append(around.items[real(item, around.items)])
            around = way[-1].value
        return Seen(seen, document, number, tuple(way))

    def shown(self, documents: Sequence[Document]) -> Sequence[Document]:
        """Documents of this output, redacted by their marks."""
        return masked(documents, self.trace, view=self.view)

    def without_secrets(self, documents: Sequence[Document]) -> Sequence[Document]:
        """Documents from another source, without scalars that are secret in this output."""
        if self.uses_secrets and not uses_secrets(self.trace):
            return masked(documents, None, view=self.view)
        documents = self.seen(documents)
        secrets = self.secrets
        if not secrets:
            return documents

        def without(value: Value) -> Value:
            if type(value) is Map or type(value) is Array:
                return value.with_values(without(item.value) for item in value.items)
            return HIDDEN if (type(value), value) in secrets else value

        return [document.with_value(without(document.value)) for document in documents]


class Seen(NodePath):
    """A node path of an output, named as in the displayed documents, which lack items decided by a secret."""

    __slots__ = ("_seen",)

    def __init__(self, seen: NodePath, document: Document, number: int, ancestors: tuple[Item, ...]) -> None:
        super().__init__(document, number, ancestors)
        self._seen = seen

    def named(self, names: ItemNames) -> Seen:
        return Seen(self._seen.named(names), self.document, self.number, self.way)

    @property
    def path(self) -> str:
        return self._seen.path

    @property
    def document_name(self) -> str | None:
        return self._seen.document_name

    @property
    def parts(self) -> tuple[str | None, str]:
        return self._seen.parts

    def __str__(self) -> str:
        return str(self._seen)


class Target:
    """A run with additional flags."""

    def __init__(self, run: Run, uses: Sequence[Use] = ()) -> None:
        self.run = run
        self.uses = uses
        # Inputs that cannot be read twice, such as a pipe.
        self._once: dict[str, bytes] = {}

    def evaluate(self, texts: Mapping[str, bytes], *, trace: bool = False, uses: Sequence[Use] = ()) -> Output:
        """The output with replaced texts. uses: additional flags. Raises PlaitError."""
        view = InputView({**self._once, **texts})
        made = with_texts(self.run, texts).evaluate(view=view, trace=trace, uses=[*self.uses, *uses])
        output = Output(made, view, None if self.run.at is None else self.run.directory)
        for path, data in view.files.items():
            if data is not None and path not in texts and not os.path.isfile(path):
                self._once[path] = data
        at = self.run.at
        if at is not None and at.source is not None:  # the project file contains values, too
            path = os.path.abspath(at.source.name)
            view.files[path] = texts.get(path, at.source.text.encode("utf-8", "surrogateescape"))
        return output


def with_value(
    documents: Sequence[Document], node_path: NodePath, value: Value, trace: Trace | None = None
) -> list[Document]:
    """The documents with another value at a path. trace: the trace of the documents; it records the copies made by this
    function.
    """

    def put(one: Item, new: Value) -> Item:
        made = one.with_value(new)
        if trace is not None:
            trace.copied(made, one)
        return made

    new: Value = value
    for depth in range(len(node_path.way) - 1, -1, -1):
        around = node_path.way[depth - 1].value if depth else node_path.document.value
        item = node_path.way[depth]
        if type(around) is Map or type(around) is Array:
            new = around.with_items([put(one, new) if one is item else one for one in around.items])  # type: ignore[misc]
    return [put(one, new) if one is node_path.document else one for one in documents]  # type: ignore[misc]


def without(documents: Sequence[Document], node_path: NodePath) -> list[Document]:
    """The documents without the value at a path."""
    above = NodePath(node_path.document, node_path.number, node_path.way[:-1])
    around = above.value
    assert type(around) is Map or type(around) is Array
    kept = around.with_items([one for one in around.items if one is not node_path.item])  # type: ignore[misc]
    return with_value(documents, above, kept)


def same(left: Sequence[Document], right: Sequence[Document]) -> bool:
    """True if both lists have equal documents in the same order."""
    return len(left) == len(right) and all(equal(a.value, b.value) for a, b in zip(left, right, strict=True))


def differences(left: Sequence[Document], right: Sequence[Document]) -> list[Difference]:
    """The differences between documents by key."""
    return diff(left, right, cleartext_secrets=True, in_order=True)


def changed_texts(left: Output, right: Output) -> list[str]:
    """The text files that differ between two outputs, as displayed."""
    names = dict.fromkeys((*left.texts, *right.texts))
    if not left.uses_secrets and not right.uses_secrets:
        return [name for name in names if left.texts.get(name) != right.texts.get(name)]
    return [name for name in names if left.text(name) != right.text(name)]


def value_at(output: Output, node_path: NodePath, before: Output) -> tuple[bool, Value, bool]:
    """Finds the value of an output at a node path of the output before, by keys and indexes.

    Returns True if it exists, the value or None, and True if it is secret.
    """
    document = _document_at(output.documents, node_path, len(before.documents))
    if document is None:
        return False, None, False
    way: list[Item] = [document]
    around = node_path.document.value
    for item in node_path.way:
        found = _step(around, item, way[-1].value)
        if found is None:
            return False, None, False
        around = item.value
        way.append(found)
    marks = None if output.trace is None else output.trace.marks
    is_secret = output.uses_secrets if marks is None else marks.is_secret_place(*way)
    return True, way[-1].value, is_secret


def _document_at(documents: Sequence[Document], node_path: NodePath, count: int) -> Document | None:
    """The document of a node path in another output: the one with its name; without a name, or if it is renamed, the
    one with its number. None if it is left out. count: the number of the documents before.
    """
    there = documents[node_path.number] if node_path.number < len(documents) else None
    name = document_name(node_path.document)
    if name is None or (there is not None and document_name(there) == name):
        return there
    found = next((one for one in documents if document_name(one) == name), None)
    return found or (there if len(documents) == count else None)


def _step(parent: Value, item: Item, value: Value) -> Item | None:
    if type(item) is MapItem:
        return value.find(item.key) if type(value) is Map else None
    if type(parent) is not Array or type(value) is not Array:
        return None
    number = number_of(parent, item)
    return value.items[number] if number < len(value.items) else None


def number_of(parent: Array, item: Item) -> int:
    """The index of an item in an array."""
    return next(number for number, one in enumerate(parent.items) if one is item)
