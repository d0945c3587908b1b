"""Finds documents that contain or may reveal data of encrypted ones, from metadata only, without rendering.

The result is conservative. Layers are ignored, so that a later layering policy does not matter. A document that selects
its parent by labels may inherit from every document of its schema with these labels, and from their replacements. A
substitution may read every document with its source's schema and name.

`check` implements the rule for writing: a document must not read more than its writer may read. Otherwise a writer
without access could learn a secret bit by bit, from patterns of substitutions or of a `DataSchema`, or from the success
of rendering.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select

from plait.layering.document import DATA_SCHEMA
from plait.service import project_files
from plait.service.api_errors import ApiError
from plait.service.facts import Facts, facts_from
from plait.service.policy import USE_ENCRYPTED
from plait.service.revision_store import UNTRUSTED, facts_of_revision, has_secrets, newest
from plait.service.tables import ENTRIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from plait.service.identity import Identity
    from plait.service.revision_store import RevisionDocument

    Key = tuple[str, str]


class One(NamedTuple):
    """A document of a revision."""

    entry: RevisionDocument
    facts: Facts

    @property
    def encrypted(self) -> bool:
        return self.entry.encrypted

    @property
    def key(self) -> Key:
        """Schema and name, by which substitutions refer to the document."""
        return self.entry.schema, self.entry.name


class SecretFlows:
    """Finds flows of secrets. both_ways: for rendering as Deckhand does, where documents share maps, so that writes
    into a document may change its source.
    """

    def __init__(self, *, both_ways: bool = False) -> None:
        self._both_ways = both_ways

    def holders(self, connection: Connection, revision: int) -> frozenset[int]:
        """The ids of the entries of a revision that are encrypted, or whose rendered data may contain data of such
        documents.
        """
        if not has_secrets(connection, revision):
            return frozenset()
        documents = self._all_of(connection, revision)
        return frozenset(one.entry.id for one in self._holding(documents, list(_reading(documents))))

    def check(self, connection: Connection, identity: Identity) -> None:
        """Raises ApiError if a document of the newest revision reads secrets that its writer may not read.

        Call it at the end of each transaction that adds a revision.
        """
        untrusted = select(ENTRIES.c.id).where(ENTRIES.c.until.is_(None), UNTRUSTED).limit(1)
        if connection.execute(untrusted).scalar() is None or not has_secrets(connection, newest(connection)):
            return
        documents = self._all_of(connection, newest(connection))
        found = [str_of(one.entry) for one in self._revealing(documents) if not one.entry.trusted]
        if found:
            identity.require(USE_ENCRYPTED)
            raise ApiError(
                "SecretsNotReadable",
                409,
                f"these documents use encrypted documents that their writers may not read: {', '.join(found[:_SHOWN])}; "
                "write them again, or delete them first",
            )

    def _revealing(self, documents: Sequence[One]) -> Iterator[One]:
        """The documents whose rendering or validation reads data of an encrypted document."""
        edges = list(_reading(documents))
        holding = self._holding(documents, edges)
        revealing = {reader for reader, read in edges if read in holding}
        schemas = {one.entry.schema for one in holding}
        secret_schemas = {one.entry.name for one in holding if _is_data_schema(one)}
        has_secret_file = any(one.entry.schema == project_files.SCHEMA for one in holding)
        for one in documents:
            validates = _is_data_schema(one) and one.entry.name in schemas
            # The files of a project are one program, so each may read all others.
            is_beside = has_secret_file and one.entry.schema == project_files.SCHEMA
            if one in revealing or validates or is_beside or one.entry.schema in secret_schemas:
                yield one

    def _holding(self, documents: Sequence[One], edges: Sequence[tuple[One, One]]) -> set[One]:
        """The encrypted documents, and all documents that read them."""
        readers: dict[One, list[One]] = {}
        for reader, read in edges:
            readers.setdefault(read, []).append(reader)
            if self._both_ways:
                readers.setdefault(reader, []).append(read)
        pending = [one for one in documents if one.encrypted]
        found = set(pending)
        while pending:
            for reader in readers.get(pending.pop(), ()):
                if reader not in found:
                    found.add(reader)
                    pending.append(reader)
        return found

    def _all_of(self, connection: Connection, revision: int) -> list[One]:
        return [One(entry, facts_from(text)) for entry, text in facts_of_revision(connection, revision)]


# Maximum number of documents in a message.
_SHOWN = 10


def str_of(entry: RevisionDocument) -> str:
    """The name of a document in messages."""
    return f"[{entry.schema}, {entry.layer}] {entry.name}" if entry.layer else f"[{entry.schema}] {entry.name}"


def _reading(documents: Sequence[One]) -> Iterator[tuple[One, One]]:
    """Pairs of documents: one whose rendered data may contain data of the second one."""
    named: dict[Key, list[One]] = {}
    labelled: dict[tuple[str, str], list[One]] = {}
    for one in documents:
        named.setdefault(one.key, []).append(one)
        for pair in one.facts.labels:
            labelled.setdefault((one.entry.schema, pair), []).append(one)
    for one in documents:
        if one.facts.inherits:
            lists = [labelled.get((one.entry.schema, pair), []) for pair in one.facts.selector]
            parents = [parent for parent in min(lists, key=len) if parent.facts.labels >= one.facts.selector]
            for key in {parent.key for parent in parents if parent is not one}:
                yield from ((one, read) for read in named[key] if read is not one)
        for key in one.facts.sources:
            yield from ((one, read) for read in named.get(key, ()))


def _is_data_schema(one: One) -> bool:
    return one.entry.schema.startswith(DATA_SCHEMA)
