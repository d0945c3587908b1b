"""Rendered documents: made in worker processes within limits, and kept in memory by what they were made from.

What is kept is never changed, and what was made with secrets shown is another thing than what was made without.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from typing import NamedTuple

from plait.api.layering import layer
from plait.api.workers import call_in_worker
from plait.errors import LayeringError, PlaitError
from plait.layering import Document
from plait.layering.document import POLICY
from plait.layering.failures import STATUSES
from plait.service.cache import Cache
from plait.service.documents import data_of, identity_of, invalid, is_policy, message_of, top_of, with_data
from plait.service.encryption import number_of, secrets_of
from plait.service.failures import Refusal
from plait.service.history import Entry, documents_of, entries_of, has_secrets, newest_of_schema
from plait.service.telemetry import Telemetry
from plait.service.texts import SEPARATOR, nodes_of, text_of_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from plait.engine.results import Documents
    from plait.errors import Finding
    from plait.nodes import Document as Node
    from plait.service.encryption import Keys
    from plait.service.failures import Entry as Message
    from plait.service.history import Stored

_CODE = "D002"


class Rendered(NamedTuple):
    """A rendered document. encrypted: it is a secret, or was made from one while secrets are hidden."""

    identity: tuple[str, str, str]
    encrypted: bool
    text: str


class Shown(NamedTuple):
    """A rendered document of a revision. entry: what it was made from."""

    entry: Entry
    encrypted: bool
    text: str


class Renderer:
    """Renders, and keeps what it has rendered.

    limits: of one rendering. like_deckhand: every value as Deckhand gives it. most: characters that may be kept.
    telemetry: hears of each.
    """

    def __init__(
        self,
        limits: Mapping[str, float],
        *,
        like_deckhand: bool = False,
        most: int = 128 << 20,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._telemetry = telemetry or Telemetry()
        self._limits = dict(limits)
        self._like_deckhand = like_deckhand
        self._kept: Cache[list[Rendered]] = Cache(_size, most)
        # More processes than processors would only take memory.
        self._room = threading.BoundedSemaphore(os.cpu_count() or 1)

    def of_revision(self, connection: Connection, keys: Keys, revision: int, *, cleartext: bool) -> list[Shown]:
        """The rendered documents of a revision. cleartext: show secrets. Raises Refusal."""
        entries = entries_of(connection, revision)
        policy = _policy_for(connection, entries)
        entries += [policy.entry] if policy is not None else []
        # Where there are no secrets, it is the same whether they are shown.
        shows = cleartext or not has_secrets(connection, revision)
        digest = hashlib.sha256(f"{shows} {' '.join(entry.digest for entry in entries)}".encode()).hexdigest()
        with self._telemetry.span("render") as note, self._kept.making(digest):
            rendered = self._kept.get(digest)
            note("plait.cached", rendered is not None)
            note("plait.documents", len(entries))
            self._telemetry.count("plait.renderings", cached=rendered is not None)
            if rendered is None:
                documents = documents_of(connection, revision) + ([policy] if policy is not None else [])
                opened = _opened(connection, keys, documents)
                with self._room, self._telemetry.rendering():
                    made = self._layered(opened, cleartext=shows)
                rendered = _rendered(made.to_yaml())
                self._kept.keep(digest, rendered)
        by_identity = {entry.identity: entry for entry in entries}
        return [Shown(by_identity[one.identity], one.encrypted, one.text) for one in rendered]

    def histories(
        self, connection: Connection, keys: Keys, revision: int, path: str, *, cleartext: bool
    ) -> list[object]:
        """The histories of rendered values of a revision, as plain data. path: which values. Raises Refusal."""
        found = documents_of(connection, revision)
        policy = _policy_for(connection, [one.entry for one in found])
        documents = _opened(connection, keys, found + ([policy] if policy is not None else []))
        given = {
            "texts": {_name(one): one.text for one in documents},
            "path": path,
            "like_deckhand": self._like_deckhand,
            "cleartext": cleartext,
            "limits": self._limits,
        }
        try:
            with self._telemetry.span("explain"), self._room:
                reply = call_in_worker("plait.service.histories.histories_of", given)
            histories: list[object] = json.loads(reply["text"])
        except PlaitError as error:
            raise _refusal(error, documents) from None
        return histories

    def _layered(self, documents: Sequence[Stored], *, cleartext: bool) -> Documents:
        try:
            return layer(
                {_name(one): one.text for one in documents},
                validate_data=True,
                like_deckhand=self._like_deckhand,
                cleartext_secrets=cleartext,
                limits=self._limits,  # type: ignore[arg-type]
                isolated=True,
            )
        except PlaitError as error:
            raise _refusal(error, documents) from None

    def forget(self) -> None:
        """Keep nothing of what was rendered."""
        self._kept.forget()


def _size(rendered: Sequence[Rendered]) -> int:
    return sum(len(one.text) for one in rendered)


def _opened(connection: Connection, keys: Keys, documents: Sequence[Stored]) -> list[Stored]:
    """The documents with their data in the place of references; those that are not ours stay."""
    tops = {one.entry.id: top_of(one.text) for one in documents if one.encrypted}
    numbers = {entry: number for entry, top in tops.items() if (number := number_of(data_of(top))) is not None}
    found = secrets_of(connection, numbers.values())
    texts = {
        entry: text_of_nodes(with_data(tops[entry], keys.open(found[number])))
        for entry, number in numbers.items()
        if number in found
    }
    return [one._replace(text=texts.get(one.entry.id, one.text)) for one in documents]


def _policy_for(connection: Connection, entries: Sequence[Entry]) -> Stored | None:
    """The policy that documents without one are rendered by: the newest that is known."""
    if any(is_policy(entry.schema) for entry in entries):
        return None
    return newest_of_schema(connection, POLICY)


def _rendered(text: str) -> list[Rendered]:
    if not text:
        return []
    # What stands in a document is indented, so that only the line between two of them begins so.
    texts = text.split("\n" + SEPARATOR)
    nodes = nodes_of(text, "rendered.yml").items
    return [
        Rendered(*_identity(node), one if one.endswith("\n") else one + "\n")
        for node, one in zip(nodes, texts, strict=True)
    ]


def _identity(node: Node) -> tuple[tuple[str, str, str], bool]:
    document = Document(node, 0)
    return identity_of(document), document.encrypted


def _refusal(error: PlaitError, documents: Sequence[Stored]) -> Refusal:
    """An error of layering as an answer."""
    kind = error.kind if isinstance(error, LayeringError) else type(error).__name__
    if kind == "InvalidDocumentFormat" and error.findings:
        names = {_name(one): one.entry.identity for one in documents}
        return invalid([_message(finding, names) for finding in error.findings])
    entries: list[Message] = [{"message": _without_kind(one.message, kind)} for one in error.findings]
    return Refusal(kind, STATUSES.get(kind, 400), _without_kind(error.message, kind), entries=entries or None)


def _message(finding: Finding, names: Mapping[str, tuple[str, str, str]]) -> Message:
    told = finding.message.removeprefix(f"{_CODE} ")
    # A name can hold another one.
    subject = max((name for name in names if told.startswith(f"{name}:")), key=len, default="")
    return message_of(_CODE, finding, *names.get(subject, ("", "", "")))


def _name(one: Stored) -> str:
    """What messages call a document."""
    schema, layer, name = one.entry.identity
    return f"[{schema}, {layer}] {name}" if layer else f"[{schema}] {name}"


def _without_kind(message: str, kind: str) -> str:
    return message.removeprefix(f"{kind}: ")
