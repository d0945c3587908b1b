"""Results of the API's functions: documents, as plain data and as text."""

from __future__ import annotations

from plait.base.content import encoded
from plait.base.errors import LimitError, PlaitError, UsageError
from plait.base.extensions import TAGS
from plait.base.limits import budget_scope, current_budget
from plait.base.source import Source
from plait.base.uncaught_errors import show_facts
from plait.engine.equality import Comparable
from plait.engine.notebook import yaml_html
from plait.insight.path_resolution import values_at
from plait.tree.nodes import DocumentSet, kind_name, to_plain
from plait.yaml.document_names import document_name
from plait.yaml.json import write_json
from plait.yaml.reader import read
from plait.yaml.writer import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Protocol, Self, TypeAlias, TypedDict, overload

    from plait.base.errors import Warning
    from plait.base.suggestions import Kind
    from plait.tree.nodes import Document, Value
    from plait.tree.plain_data import Plain
    from plait.tree.provenance import Trace
    from plait.yaml.reusing_writer import ReusingWriter

    # A text, or its parts: strings, [quotation, True if its source is private, None for the error's source], and [flag,
    # value].
    Words: TypeAlias = "str | list[str | tuple[str, str | bool | None]]"
    Place: TypeAlias = "tuple[str | None, str, bool, int, int | None, str | None, str]"

    class Fault(TypedDict):
        """A finding or error as data."""

        message: Words
        at: Place | None
        also: list[Place]
        expected: Words | None
        found: Words | None
        hint: Words | None
        is_secret: bool
        stack: list[tuple[str, Place | None, str, str]]
        reference: str | None
        code: str
        word: str
        subject: str
        detail: str
        suggestions: list[tuple[Kind, str, str]]

    class State(TypedDict, total=False):
        """A result as data. files: the files of `render` and `fmt`. steps: name and text of each, of `compose`.
        changed: for `fmt`. findings: the findings of checks. tags: the text has preserved tags.
        """

        text: str
        tags: bool
        warnings: list[Warning]
        printed: list[str]
        files: dict[str, str]
        steps: list[tuple[str, str]]
        changed: list[str]
        findings: list[Fault]

    class Result(Protocol):
        """A result that another process can send."""

        def state(self) -> State: ...

        @classmethod
        def of_state(cls, state: State) -> Self: ...


class Documents(Comparable):
    """Documents, in order.

    nodes: the tree, with positions; for an isolated call it is parsed from the printed text. warned: those warnings
    that a command line prints to standard error; each is a string, and its `diagnostic` has the code, the position and
    suggestions. warnings: the same as plain strings. printed: the lines that templates printed. trace: the provenance
    for `explain`, of a call with `trace=True`.

    Iterating returns each document as plain data (dict, list, str, int, float, bool, None); every call creates new
    data. Two results of the same class are equal if text, warnings, printed lines, files and steps are equal. Results
    of different classes, such as those of `render` and `read`, are equal if they print the same text. A notebook shows
    the text in colours.

    >>> import plait
    >>> documents = plait.read({"app.yml": "name: app"})
    >>> documents
    <Documents of 1: app>
    >>> documents[0]
    {'name': 'app'}
    >>> documents.value("name")
    'app'
    >>> print(documents, end="")
    name: app
    >>> documents == plait.documents({"name": "app"})
    True
    """

    __slots__ = ("_nodes", "_reusing", "_run", "_tags", "_text", "_write", "printed", "trace", "warned")

    def __init__(
        self,
        nodes: DocumentSet | str,
        *,
        warnings: Iterable[Warning] = (),
        printed: Iterable[str] = (),
        write: Callable[[DocumentSet], str] | None = None,
        trace: Trace | None = None,
        tags: bool = False,
    ) -> None:
        """tags: `write` prints maps with a tag as their key as tags."""
        self._tags = tags
        self._nodes = None if isinstance(nodes, str) else nodes
        self._text = nodes if isinstance(nodes, str) else None
        self.warned = list(warnings)
        self.printed = list(printed)
        self.trace = trace
        self._write = write
        # `write`, if it reuses texts.
        self._reusing: ReusingWriter | None = None
        self._run = current_budget()

    def state(self) -> State:
        """The state from which another process restores the documents. Raises PlaitError."""
        return {"text": self.to_yaml(), "tags": self._tags, "warnings": self.warned, "printed": self.printed}

    @classmethod
    def of_state(cls, state: State) -> Self:
        """The documents of a `state`. Their text is parsed on demand."""
        return cls(state["text"], tags=state["tags"], warnings=state["warnings"], printed=state["printed"])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Documents) and type(other) is not type(self):
            return self.to_yaml() == other.to_yaml()
        return super().__eq__(other)

    __hash__ = None

    def _held(self) -> State:
        return self.state()

    @property
    def warnings(self) -> list[str]:
        """The warnings as plain strings, which any serializer accepts."""
        return [str(one) for one in self.warned]

    @property
    def nodes(self) -> DocumentSet:
        """The tree."""
        if self._nodes is None:
            # Every document prints text.
            source = Source("documents.yml", self._text or "")
            source.extensions = frozenset([TAGS] if self._tags else [])
            with budget_scope(self._run.again()):
                self._nodes = read(source) if self._text else DocumentSet([])
        return self._nodes

    def __repr__(self) -> str:
        names = [document_name(document) or "-" for document in self.nodes.items[:_NAMED]]
        shown = ", ".join(repr(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}...")[1:-1] for name in names)
        more = ", ..." if len(self) > _NAMED else ""
        return f"<{type(self).__name__} of {len(self)}{': ' if names else ''}{shown}{more}>"

    def _repr_html_(self) -> str:
        return yaml_html(self.to_yaml(), self.warnings)

    def __len__(self) -> int:
        return len(self.nodes.items)

    def __iter__(self) -> Iterator[Plain]:
        return (_data(document) for document in self.nodes.items)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Plain: ...

        @overload
        def __getitem__(self, index: slice) -> list[Plain]: ...

    def __getitem__(self, index: int | slice) -> Plain | list[Plain]:
        if isinstance(index, str):
            raise TypeError(
                f"documents have numbers, not names: value({index!r}) finds a value by its PATH; to_dict() is the only "
                "document"
            )
        if isinstance(index, int) and not -len(self) <= index < len(self):
            raise IndexError(f"no document {index}; there are {len(self)}")
        found = self.nodes.items[index]
        return [_data(document) for document in found] if isinstance(found, list) else _data(found)

    def __str__(self) -> str:
        return self.to_yaml()

    def value(self, path: str) -> Plain:
        """The value at a PATH, as in `plait explain`, such as `Deployment/web:spec.replicas`.

        Raises UsageError if the path matches none or several values.
        """
        found = self.values(path)
        if len(found) > 1:
            error = UsageError(
                f'"{path}" means {len(found)} values',
                expected="one value",
                hint="values() returns all of them",
                code="ambiguous-path",
            )
            show_facts(error)
            raise error
        return found[0]

    def values(self, path: str) -> list[Plain]:
        """The values at a PATH, in order. Raises UsageError if there are none."""
        try:
            with budget_scope(self._run.again()):
                return [plain(value) for value in values_at(path, self.nodes.items)]
        except PlaitError as error:
            show_facts(error)
            raise

    def to_list(self) -> list[Plain]:
        """Every document as plain data."""
        return list(self)

    def to_dict(self) -> dict[object, Plain]:
        """The only document, which must be a map. Raises PlaitError for another number of documents or another
        type.
        """
        found = self.to_list()
        if len(found) != 1:
            raise PlaitError(
                "not one document",
                expected="one document",
                found=str(len(found)),
                hint="to_list() returns all of them",
                code="one-document",
            )
        value = found[0]
        if not isinstance(value, dict):
            at = self.nodes.items[0].position
            raise PlaitError(
                "the document is not a map",
                at=at if at.source is not None else None,
                expected="a map",
                found=kind_name(self.nodes.items[0].value),
                code="one-document",
            )
        return value

    def to_yaml(self) -> str:
        """The text that the command line prints."""
        if self._text is not None:
            return self._text
        return text_like(self, self.nodes)

    def to_bytes(self) -> bytes:
        """The text that the command line prints, as UTF-8."""
        if self._reusing is None:
            return encoded(self.to_yaml())
        with budget_scope(self._run.again()):
            return self._reusing.content(self.nodes)

    def to_json(self) -> str:
        """A JSON array of the documents, keys sorted."""
        with budget_scope(self._run.again()):
            return f"[{','.join(write_json(document.value) for document in self.nodes.items)}]"


def text_like(documents: Documents, nodes: DocumentSet) -> str:
    """The text of other nodes, printed in the format of a result and within its limits."""
    with budget_scope(documents._run.again()):
        if documents._write is not None:
            return documents._write(nodes)

        return write(nodes)


# Maximum number of document names in `repr`, and of characters of each.
_NAMED, _LONGEST = 6, 60


class Rendered(Documents):
    """The result of `render`. files: the text of each output file by path, YAML and text files.
    texts: the paths of text files, for a run of a project.
    """

    __slots__ = ("_files", "_paths", "texts")

    def __init__(
        self,
        nodes: DocumentSet | str,
        *,
        files: Mapping[str, str] | Callable[[], Iterable[tuple[str, str]]],
        warnings: Iterable[Warning] = (),
        printed: Iterable[str] = (),
        write: Callable[[DocumentSet], str] | None = None,
        trace: Trace | None = None,
        tags: bool = False,
        paths: Sequence[str] | None = None,
        texts: Sequence[str] = (),
    ) -> None:
        super().__init__(nodes, warnings=warnings, printed=printed, write=write, trace=trace, tags=tags)
        # Written on demand, because most callers need only the documents.
        self._files = files
        self._paths = paths
        self.texts = list(texts)

    @property
    def files(self) -> dict[str, str]:
        """The text of each output file by its path."""
        if not isinstance(self._files, dict):
            with budget_scope(self._run.again()):
                self._files = dict(self._files() if callable(self._files) else self._files)
        return self._files

    @property
    def paths(self) -> list[str]:
        """The path of each output file; does not write their texts."""
        return list(self.files if self._paths is None else self._paths)

    def state(self) -> State:
        """The state of `Documents`, plus the files."""
        return {**super().state(), "files": self.files}

    @classmethod
    def of_state(cls, state: State) -> Self:
        return cls(
            state["text"],
            files=state["files"],
            tags=state["tags"],
            warnings=state["warnings"],
            printed=state["printed"],
        )


def _data(document: Document) -> Plain:
    try:
        return plain(document.value)
    except RecursionError:
        raise LimitError("the document is nested too deeply for plain data", at=document.position) from None


def plain(value: Value) -> Plain:
    """The plain data of a value. Raises RecursionError."""
    return to_plain(value)  # type: ignore[return-value]
