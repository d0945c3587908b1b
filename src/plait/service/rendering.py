"""Rendered documents: computed in worker processes within limits, and cached in memory by revision.

After a change only the documents that depend on it, and their dependencies, are rendered again: see `dependencies`.
Cached results are never changed, and results with cleartext secrets are cached separately.
"""

from __future__ import annotations

import json
import os
import threading
from typing import NamedTuple

from plait.api.workers import call_in_worker
from plait.base.errors import LayeringError, PlaitError
from plait.layering.failures import STATUSES
from plait.service.api_errors import ApiError, code_of
from plait.service.cache import Cache
from plait.service.dependencies import Dependencies, ordered
from plait.service.documents import data_of, invalid, message_of, top_of, with_data
from plait.service.encryption import number_of, secrets_of
from plait.service.facts import facts_from
from plait.service.revision_store import (
    POLICY,
    RevisionDocument,
    changed_between,
    documents_of,
    documents_with,
    has_policy,
    has_secrets,
    newest_policy,
    time_of,
)
from plait.service.telemetry import Telemetry
from plait.service.yaml_bodies import text_of_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from plait.base.errors import Finding
    from plait.service.api_errors import Entry as Message
    from plait.service.encryption import KeyRing
    from plait.service.layered import Reply
    from plait.service.revision_store import StoredDocument

_CODE = "D002"


class RenderedRevisionDocument(NamedTuple):
    """A rendered document of a revision. entry: its source. encrypted: it is secret, or secrets are hidden and it is
    derived from one.
    """

    entry: RevisionDocument
    encrypted: bool
    text: str


class Layered:
    """The rendered documents of a revision. Immutable.

    revision, created_at: the number and time of the revision. variant: the variant of the rendering. shown: the
    documents, in order. needs: the dependencies of each. dependencies: the dependencies of the stored documents. base:
    the key of the rendering from which this one was derived. again: the entries rendered again or deleted since.
    """

    def __init__(
        self,
        revision: int,
        created_at: str,
        variant: str,
        documents: dict[int, RenderedRevisionDocument],
        needs: dict[int, tuple[int, ...]],
        dependencies: Dependencies,
        order: Sequence[int],
        base: str = "",
        again: frozenset[int] = frozenset(),
    ) -> None:
        self.revision, self.created_at, self.variant = revision, created_at, variant
        self.documents, self.needs, self.dependencies = documents, needs, dependencies
        self.base, self.again = base, again
        self.shown = [documents[number] for number in order if number in documents]
        self.size = sum(len(one.text) for one in self.shown)
        self._named: dict[str, list[int]] | None = None
        self._buckets: frozenset[str] | None = None

    @property
    def key(self) -> str:
        """The key of the rendering in the cache."""
        return f"{self.revision} {self.created_at} {self.variant}"

    @property
    def buckets(self) -> frozenset[str]:
        """The buckets that have rendered documents."""
        if self._buckets is None:
            self._buckets = frozenset(one.entry.bucket for one in self.shown)
        return self._buckets

    def named(self, names: Iterable[str]) -> list[RenderedRevisionDocument]:
        """The documents with one of these names, in order."""
        if self._named is None:
            found: dict[str, list[int]] = {}
            for place, one in enumerate(self.shown):
                found.setdefault(one.entry.name, []).append(place)
            self._named = found
        places = {place for name in names for place in self._named.get(name, ())}
        return [self.shown[place] for place in sorted(places)]


NOTHING = Layered(0, "", "", {}, {}, Dependencies(), ())
"""The rendering of the empty state before the first revision."""


class Renderer:
    """Renders, and caches the results.

    limits: the limits of one rendering. like_deckhand: values exactly as in Deckhand. maximum: capacity in characters.
    telemetry: receives each rendering.
    """

    def __init__(
        self,
        limits: Mapping[str, float],
        *,
        like_deckhand: bool = False,
        maximum: int = 128 << 20,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._telemetry = telemetry or Telemetry()
        self._limits = dict(limits)
        self._like_deckhand = like_deckhand
        self._kept: Cache[Layered] = Cache(lambda one: one.size, maximum)
        # More processes than processors would only use memory.
        self._room = threading.BoundedSemaphore(os.cpu_count() or 1)

    def of_revision(
        self, connection: Connection, keys: KeyRing, revision: int, *, cleartext: bool, names_keys: bool | None = None
    ) -> Layered:
        """The rendered documents of a revision. cleartext: show secrets. names_keys: errors may name keys of the data
        of secret documents; by default only if secrets are shown.

        Raises ApiError.
        """
        policy = None if has_policy(connection, revision) else newest_policy(connection)
        # If there are no secrets, both variants are the same.
        shows = cleartext or not has_secrets(connection, revision)
        variant = f"{shows} {'' if policy is None else policy.entry.digest}"
        created_at = time_of(connection, revision)
        key = f"{revision} {created_at} {variant}"
        with self._telemetry.span("render") as note, self._kept.making(key):
            found = self._kept.get(key)
            note("plait.cached", found is not None)
            self._telemetry.count("plait.renderings", cached=found is not None)
            if found is None:
                run = _Run(
                    self,
                    connection,
                    keys,
                    revision,
                    created_at,
                    variant,
                    policy,
                    shows=shows,
                    names_keys=cleartext if names_keys is None else names_keys,
                )
                found = run.after(self._base(connection, revision, variant)) or run.whole()
                self._kept.keep(key, found)
            note("plait.documents", len(found.documents))
        return found

    def _base(self, connection: Connection, revision: int, variant: str) -> Layered | None:
        """The nearest earlier revision that was rendered in the same way, or None. Revisions may have been deleted
        meanwhile.
        """
        if self._like_deckhand:
            return None  # documents that share maps change each other
        known = [one for one in self._kept.values() if one.variant == variant and one.revision < revision]
        for one in sorted(known, key=lambda one: -one.revision):
            if time_of(connection, one.revision) == one.created_at:
                return one
        return None

    def layered(self, documents: Sequence[StoredDocument], *, cleartext: bool, names_keys: bool = True) -> Reply:
        """Renders some documents. names_keys: as in `of_revision`. Raises ApiError."""
        given = {
            "names": [_name(one) for one in documents],
            "texts": [one.text for one in documents],
            "like_deckhand": self._like_deckhand,
            "cleartext": cleartext,
            "names_keys": names_keys,
            "limits": self._limits,
        }
        try:
            with self._room, self._telemetry.rendering():
                reply = call_in_worker("plait.service.layered.layered", given)
        except PlaitError as error:
            raise _refusal(error, documents) from None
        found: Reply = json.loads(reply["text"])
        return found

    def differing(self, first: Layered, second: Layered) -> set[int]:
        """The entries with a document in only one of two renderings."""
        again = self._since(second, first)
        if again is None:
            again = self._since(first, second)
        if again is None:
            return first.documents.keys() ^ second.documents.keys()
        return {number for number in again if (number in first.documents) != (number in second.documents)}

    def _since(self, layered: Layered, before: Layered) -> set[int] | None:
        """The entries rendered again or deleted since an earlier rendering; None if unknown."""
        found: set[int] = set()
        while layered is not before:
            found |= layered.again
            base = self._kept.get(layered.base) if layered.base else None
            if base is None:
                return None
            layered = base
        return found

    def histories(
        self, connection: Connection, keys: KeyRing, revision: int, path: str, *, cleartext: bool
    ) -> list[object]:
        """The histories of rendered values of a revision, as plain data. path: selects the values. Raises ApiError."""
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

    def forget(self) -> None:
        """Clears the cache."""
        self._kept.forget()


class _Run:
    """One rendering. policy: the policy of an earlier revision, if this one has none. shows: print secrets in clear."""

    def __init__(
        self,
        renderer: Renderer,
        connection: Connection,
        keys: KeyRing,
        revision: int,
        created_at: str,
        variant: str,
        policy: StoredDocument | None,
        *,
        shows: bool,
        names_keys: bool,
    ) -> None:
        self._renderer, self._connection, self._keys = renderer, connection, keys
        self._revision, self._created_at, self._variant = revision, created_at, variant
        self._policy, self._shows, self._names_keys = policy, shows, names_keys

    def whole(self) -> Layered:
        """Renders all documents of the revision. Raises ApiError."""
        documents = documents_of(self._connection, self._revision)
        dependencies = Dependencies((one.entry, facts_from(one.facts)) for one in documents)
        made, needs = self._layered(documents)
        return self._result(made, needs, dependencies, made)

    def after(self, base: Layered | None) -> Layered | None:
        """The rendering derived from an earlier revision, reusing documents that no change affects; None if that is not
        possible.

        If rendering fails, `whole` is used, whose errors are about all documents.
        """
        if base is None:
            return None
        gone, came = changed_between(self._connection, base.revision, self._revision)
        new = [(one.entry, facts_from(one.facts)) for one in came]
        changes = [*(base.dependencies.documents[entry.id] for entry in gone), *new]
        if any(entry.control == POLICY for entry, _ in changes):
            return None
        dependencies = base.dependencies.changed(gone, new)
        affected = dependencies.affected(changes)
        needed = dependencies.needed(affected)
        if 2 * len(needed) > len(dependencies.documents):
            return None
        policies = [entry.id for entry, _ in dependencies.documents.values() if entry.control == POLICY]
        wanted = needed | set(policies) | set(dependencies.schemas_of(affected))
        try:
            rendered, needs = self._layered(documents_with(self._connection, wanted)) if affected else ({}, {})
        except ApiError:
            return None
        left = affected | {entry.id for entry in gone}
        again = frozenset(left)
        made = {number: one for number, one in base.documents.items() if number not in again}
        made |= {number: one for number, one in rendered.items() if number in affected}
        all_needs = {number: some for number, some in base.needs.items() if number not in left}
        all_needs |= {number: some for number, some in needs.items() if number in affected}
        order = ordered(sorted(dependencies.documents), all_needs)
        return self._result(made, all_needs, dependencies, order, base.key, again)

    def _layered(
        self, documents: list[StoredDocument]
    ) -> tuple[dict[int, RenderedRevisionDocument], dict[int, tuple[int, ...]]]:
        """Rendered documents and the dependencies of each, by the numbers of their entries, in the order of rendering."""
        given = documents + ([self._policy] if self._policy is not None else [])
        reply = self._renderer.layered(
            _opened(self._connection, self._keys, given), cleartext=self._shows, names_keys=self._names_keys
        )
        entries = [one.entry for one in given]
        made = {
            entries[place].id: RenderedRevisionDocument(entries[place], secret, text)
            for place, secret, text in reply["documents"]
        }
        needs = {entries[place].id: tuple(entries[other].id for other in others) for place, others in reply["needs"]}
        return made, needs

    def _result(
        self,
        documents: dict[int, RenderedRevisionDocument],
        needs: dict[int, tuple[int, ...]],
        dependencies: Dependencies,
        order: Iterable[int],
        base: str = "",
        again: frozenset[int] = frozenset(),
    ) -> Layered:
        return Layered(
            self._revision, self._created_at, self._variant, documents, needs, dependencies, list(order), base, again
        )


def _opened(connection: Connection, keys: KeyRing, documents: Sequence[StoredDocument]) -> list[StoredDocument]:
    """The documents with their data in place of references; unknown references stay."""
    tops = {one.entry.id: top_of(one.text) for one in documents if one.encrypted}
    numbers = {entry: number for entry, top in tops.items() if (number := number_of(data_of(top))) is not None}
    found = secrets_of(connection, numbers.values())
    texts = {
        entry: text_of_nodes(with_data(tops[entry], keys.open(found[number])))
        for entry, number in numbers.items()
        if number in found
    }
    return [one._replace(text=texts.get(one.entry.id, one.text)) for one in documents]


def _policy_for(connection: Connection, entries: Iterable[RevisionDocument]) -> StoredDocument | None:
    """The policy for rendering documents without one: the newest known policy, or None."""
    return None if any(entry.control == POLICY for entry in entries) else newest_policy(connection)


def _refusal(error: PlaitError, documents: Sequence[StoredDocument]) -> ApiError:
    """The ApiError for an error of layering."""
    kind = error.kind if isinstance(error, LayeringError) else type(error).__name__
    if kind == "InvalidDocumentFormat" and error.findings:
        names = {_name(one): one.entry.identity for one in documents}
        return invalid([_message(finding, names) for finding in error.findings])
    entries: list[Message] = [
        {"message": one.detail or one.message, "plait": code_of(one)} for one in error.findings or (error,)
    ]
    return ApiError(kind, STATUSES.get(kind, 400), error.detail or error.message, entries=entries)


def _message(finding: Finding, names: Mapping[str, tuple[str, str, str]]) -> Message:
    return message_of(_CODE, finding, *names.get(finding.subject, ("", "", "")))


def _name(stored_document: StoredDocument) -> str:
    """The name of a document in messages."""
    schema, layer, name = stored_document.entry.identity
    return f"[{schema}, {layer}] {name}" if layer else f"[{schema}] {name}"
