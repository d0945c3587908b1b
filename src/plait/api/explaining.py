"""`plait.explain`: the histories of values."""

from __future__ import annotations

from plait.api.arguments import checked
from plait.api.isolation import with_error_facts
from plait.base.errors import LimitError, UsageError
from plait.base.source import Position
from plait.engine.equality import Comparable
from plait.engine.notebook import text_html
from plait.engine.results import Documents, plain
from plait.insight import explain as tool
from plait.insight import history_text
from plait.tree.secrets import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.plain_data import Plain


class Entry(Comparable):
    """One contribution to a value.

    action: such as "written" or "overlay/merge". place: file and line, or the flag. at: the place as a
    `plait.Position`, None for a flag. text: the line. value: the value at that time, as plain data; None for a line of
    code. state: "current", "overridden", or "input" if the next entry was computed from it. origins: the entries it was
    computed from.
    """

    __slots__ = ("action", "at", "origins", "place", "state", "text", "value")

    def __init__(self, entry: tool.HistoryEntry, *, secret: bool) -> None:
        self.action = entry.action
        self.place = entry.place
        flag = entry.source is None or entry.line <= 0
        self.at = None if flag else Position(entry.source, entry.line)
        secret = secret or entry.secret
        self.text = None if secret else entry.text
        self.value: Plain = HIDDEN if secret else plain(entry.value)
        self.state = entry.state
        self.origins = [Entry(inner, secret=secret) for inner in entry.origins]

    def __repr__(self) -> str:
        return f"<Entry {self.action} at {self.place}>"

    def _held(self) -> tuple[object, ...]:
        return self.action, self.place, self.text, self.value, self.state, self.origins


class History(Comparable):
    r"""The history of one value.

    document: the document's name, such as "Deployment/web"; None if it has none; for a line of a text file, its path.
    path: the path of the value in the document, or the line number. value: plain data. entries: oldest first; the last
    one is in the output. presence: the entries that decided the existence of the value. secret: its values are hidden.

    >>> import plait
    >>> template = "#@ port = 80\nport: #@ port + 1\n"
    >>> [history] = plait.explain(plait.render({"app.yml": template}, trace=True), "port")
    >>> print(history, end="")
    port: 81
      app.yml:2    expression  81  | port: #@ port + 1
        app.yml:1  code            | #@ port = 80
    """

    __slots__ = ("_history", "document", "entries", "path", "presence", "secret", "value")

    def __init__(self, history: tool.History) -> None:
        self._history = history
        place = history.place
        self.secret = history.secret
        self.document = place.document_name
        self.path = place.path
        try:
            self.value: Plain = plain(history.value)
            self.entries = [Entry(entry, secret=self.secret) for entry in history.entries]
            self.presence = [Entry(entry, secret=self.secret) for entry in history.presence]
        except RecursionError:
            raise LimitError("the value is nested too deeply for plain data", at=place.item.position) from None

    def __repr__(self) -> str:
        return f"<History of {self._history.place}>"

    def _repr_html_(self) -> str:
        return text_html(self.to_text())

    def _held(self) -> tuple[object, ...]:
        return self.document, self.path, self.value, self.entries, self.presence

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, presence: bool = False) -> str:
        """The table as printed by the command line. presence: include the entries that decided the existence of the
        value.
        """
        return history_text.to_text(self._history, presence=presence)

    def to_dict(self) -> dict[str, object]:
        """Plain data, as `plait explain -o json` prints it."""
        return history_text.to_data(self._history)


@with_error_facts
@checked
def explain(documents: Documents, path: str | None = None, *, cleartext_secrets: bool = False) -> list[History]:
    """The histories of the values at a path, as in `plait explain`; without a path, of all values.

    documents: the result of `render`, `patch`, `layer` or `compose` with `trace=True`; documents passed from one
        call to another keep their histories.
    path: such as `Deployment/web:spec.replicas`.
    cleartext_secrets: show the values of variables stores and of encrypted documents.

    Raises PlaitError.

    >>> rendered = plait.render({"a.yml": "port: 80"}, trace=True)
    >>> patched = plait.patch(rendered, plait.documents([{"type": "replace", "path": "/port", "value": 81}]), trace=True)
    >>> [history] = plait.explain(patched, "port")
    >>> [(entry.action, entry.place, entry.value, entry.state) for entry in history.entries]
    [('written', 'a.yml:1', 80, 'overridden'), ('replace', 'operations', 81, 'current')]
    """
    if not isinstance(documents, Documents):
        raise TypeError(f"explain needs a result of render, patch, layer or compose, not {type(documents).__name__}")
    if documents.trace is None:
        raise UsageError(
            "these documents have no provenance",
            hint="create them with trace=True, and without isolated=True",
            code="api-use",
        )
    return [
        History(found)
        for found in tool.histories(documents.trace, documents.nodes.items, path, cleartext_secrets=cleartext_secrets)
    ]
