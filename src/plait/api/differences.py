"""`plait.diff`: the differences between two inputs, as data, as text, as an ops file and as an overlay."""

from __future__ import annotations

from plait.api.arguments import checked
from plait.api.inputs import each, sources
from plait.api.isolation import with_error_facts
from plait.base.content import LinkPolicy
from plait.base.errors import UsageError
from plait.base.limits import budget_scope_from
from plait.engine.equality import Comparable
from plait.engine.notebook import changes_html
from plait.engine.results import Documents, plain
from plait.insight import diff as tool
from plait.insight.merge_patches import to_merge
from plait.insight.overlays import to_overlay
from plait.insight.redaction import masked
from plait.tree.nodes import Document, DocumentSet
from plait.yaml.template_code import warn_of_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import overload

    from plait.base.errors import Warning
    from plait.engine.types import Inputs, Limits, Texts
    from plait.tree.plain_data import Plain


class Difference(Comparable):
    """One difference. kind: "added", "removed" or "changed". document: its name. path: in the document, "" for the
    whole document.

    before, after: plain data; None if absent.
    """

    __slots__ = ("after", "before", "document", "kind", "path")

    def __init__(self, kind: str, document: str, path: str, before: Plain, after: Plain) -> None:
        self.kind = kind
        self.document = document
        self.path = path
        self.before = before
        self.after = after

    def __repr__(self) -> str:
        return f"<Difference {self.document}:{self.path} {self.kind}>"

    def _held(self) -> tuple[object, ...]:
        return self.kind, self.document, self.path, self.before, self.after


class Differences(Comparable):
    """The differences between two sets of documents: a sequence of `Difference`.

    warned: warnings about the inputs, for example that code of templates was not evaluated; each is a string, and its
    `diagnostic` has the code and the position. warnings: the same as plain strings.

    >>> import plait
    >>> found = plait.diff({"a.yml": "port: 80"}, {"b.yml": "port: 81"})
    >>> [(one.kind, one.path, one.before, one.after) for one in found]
    [('changed', 'port', 80, 81)]
    """

    __slots__ = ("_all", "_found", "_left", "_right", "warned")

    def __init__(
        self,
        left: Sequence[Document],
        right: Sequence[Document],
        *,
        cleartext_secrets: bool = False,
        warnings: Iterable[Warning] = (),
        shown: tuple[Sequence[Document], Sequence[Document]] | None = None,
    ) -> None:
        """shown: the documents without secrets, if they contain any."""
        self.warned = list(warnings)
        self._left = tool.printed(left)
        self._right = tool.printed(right)
        before, after = map(tool.printed, shown or (left, right))
        self._found = tool.diff(before, after, cleartext_secrets=cleartext_secrets)
        self._all = _plain(self._found)

    @property
    def warnings(self) -> list[str]:
        """The warnings as plain strings, which any serializer accepts."""
        return [str(one) for one in self.warned]

    def __repr__(self) -> str:
        shown = "".join(
            f"{', ' if number else ': '}{one.document}:{one.path} {one.kind}" for number, one in enumerate(self[:3])
        )
        return f"<Differences: {len(self)}{shown}{', ...' if len(self) > 3 else ''}>"

    def _repr_html_(self) -> str:
        return changes_html(self.to_text())

    def _held(self) -> list[Difference]:
        return self._all

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self._all)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Difference: ...

        @overload
        def __getitem__(self, index: slice) -> list[Difference]: ...

    def __getitem__(self, index: int | slice) -> Difference | list[Difference]:
        return self._all[index]

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """The text that the command line prints."""
        return tool.to_text(self._found)

    def to_operations(self, *, tests: bool = True) -> Documents:
        """The operations that turn the left document into the right one, for `patch`. Raises PlaitError unless there is
        one document on each side.

        tests: precede each change with a test of the old value.
        """
        try:
            return Documents(DocumentSet([Document(tool.operations(self._left, self._right, tests=tests))]))
        except UsageError as error:
            error.hint = "use to_overlay(), which accepts any number of documents"
            raise

    def to_merge(self) -> str:
        """The plain documents to merge into the left ones, with `merge=` of `render`. Raises PlaitError with the path of
        a difference that a merge cannot express.
        """
        try:
            return to_merge(self._left, self._right)
        except UsageError as error:
            error.hint = "use to_overlay(), which expresses any difference"
            raise

    def to_overlay(self) -> str:
        """An overlay that turns the left documents into the right ones, for `render`."""
        return to_overlay(self._left, self._right)


@with_error_facts
@checked
def diff(
    left: Inputs,
    right: Inputs,
    *,
    cleartext_secrets: bool = False,
    allow_links: Texts = (),
    limits: Limits | None = None,
) -> Differences:
    """The differences between two sets of documents, by key, not by line, as in `plait diff`.

    cleartext_secrets: show the data of encrypted documents, and the secrets of documents created with `trace=True`.
    allow_links, limits: as in `render`. Raises PlaitError.

    >>> found = plait.diff({"a.yml": "port: 80"}, {"b.yml": "port: 81"})
    >>> print(found.to_operations(tests=False), end="")
    - type: replace
      path: /port
      value: 81
    >>> plait.render([{"a.yml": "port: 80"}, {"overlay.yml": found.to_overlay()}]).to_dict()
    {'port': 81}
    """
    with budget_scope_from(limits):
        links = LinkPolicy(allow_links)
        warnings: list[Warning] = []
        a, shown = _documents(left, links, warnings)
        b, other = _documents(right, links, warnings)
        told = None if cleartext_secrets else (shown, other)
        return Differences(a, b, cleartext_secrets=cleartext_secrets, warnings=warnings, shown=told)


def between(left: Sequence[Document], right: Sequence[Document]) -> list[Difference]:
    """The differences as plain data."""
    return _plain(tool.diff(tool.printed(left), tool.printed(right)))


def _plain(found: Sequence[tool.Difference]) -> list[Difference]:
    return [Difference(one.kind, one.document, one.path, plain(one.before), plain(one.after)) for one in found]


def _documents(inputs: Inputs, links: LinkPolicy, warnings: list[Warning]) -> tuple[list[Document], list[Document]]:
    """The documents, and their redacted versions."""
    found: list[Document] = []
    shown: list[Document] = []
    for one in each(inputs):
        if isinstance(one, Documents):
            found += one.nodes.items
            shown += masked(one.nodes.items, one.trace)
            continue
        texts = list(sources([one], links))
        for text in texts:
            warn_of_code(text, warnings.append, "plait.render")
        read = tool.read(texts)
        found += read
        shown += read
    return found, shown
