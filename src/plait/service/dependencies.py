"""Dependencies among the documents of a revision, from stored facts. They determine the documents to render again after
a change.

The result is conservative, as in `flows`: layers are ignored, and a selector reaches every document with its labels,
whatever its schema, because a document that cannot be a parent is an error of the child.
"""

from __future__ import annotations

from plait.layering.document import DATA_SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from typing import TypeVar

    from plait.service.facts import Facts, Key
    from plait.service.revision_store import RevisionDocument

    K = TypeVar("K", bound=Hashable)


class Dependencies:
    """The documents of a revision by the attributes that others refer to. Immutable: `changed` returns a new object."""

    def __init__(self, documents: Iterable[tuple[RevisionDocument, Facts]] = ()) -> None:
        self.documents: dict[int, tuple[RevisionDocument, Facts]] = {}
        self._named: dict[Key, list[int]] = {}
        self._labelled: dict[str, list[int]] = {}
        # Documents by their substitution sources, and by one label of their parent selector.
        self._readers: dict[Key, list[int]] = {}
        self._children: dict[str, list[int]] = {}
        self._of_schema: dict[str, list[int]] = {}
        for entry, facts in documents:
            self.documents[entry.id] = entry, facts
            for table, key in self._places(entry, facts):
                table.setdefault(key, []).append(entry.id)

    def _places(self, entry: RevisionDocument, facts: Facts) -> Iterator[tuple[dict[Hashable, list[int]], Hashable]]:
        """The tables that contain a document, each with the document's key."""
        tables: tuple[tuple[object, Iterable[Hashable]], ...] = (
            (self._named, [(entry.schema, entry.name)]),
            (self._of_schema, [entry.schema]),
            (self._labelled, facts.labels),
            (self._readers, facts.sources),
            (self._children, [min(facts.selector)] if facts.selector else []),
        )
        for table, keys in tables:
            for key in keys:
                yield table, key  # type: ignore[misc]

    def changed(self, gone: Iterable[RevisionDocument], came: Iterable[tuple[RevisionDocument, Facts]]) -> Dependencies:
        """A copy without some documents, and with others."""
        made = Dependencies()
        made.documents = dict(self.documents)
        for name in ("_named", "_labelled", "_readers", "_children", "_of_schema"):
            setattr(made, name, dict(getattr(self, name)))
        for entry in gone:
            _, facts = made.documents.pop(entry.id)
            for table, key in made._places(entry, facts):
                rest = [one for one in table[key] if one != entry.id]
                if rest:
                    table[key] = rest
                else:
                    del table[key]
        for entry, facts in came:
            made.documents[entry.id] = entry, facts
            for table, key in made._places(entry, facts):
                table[key] = [*table.get(key, ()), entry.id]
        return made

    def readers(self, entry: RevisionDocument, facts: Facts) -> Iterator[int]:
        """The documents whose rendering or validation depends on a document, which may be a deleted one."""
        key = entry.schema, entry.name
        yield from self._named.get(key, ())
        yield from self._readers.get(key, ())
        for pair in facts.labels:
            for child in self._children.get(pair, ()):
                if self.documents[child][1].selector <= facts.labels:
                    yield child
        if entry.schema.startswith(DATA_SCHEMA):
            yield from self._of_schema.get(entry.name, ())

    def read(self, number: int) -> Iterator[int]:
        """The documents that rendering or checking a document may need."""
        entry, facts = self.documents[number]
        yield from self._named[entry.schema, entry.name]
        for key in facts.sources:
            yield from self._named.get(key, ())
        if facts.selector:
            lists = [self._labelled.get(pair, []) for pair in facts.selector]
            for parent in min(lists, key=len):
                if self.documents[parent][1].labels >= facts.selector:
                    yield parent

    def schemas_of(self, numbers: Iterable[int]) -> Iterator[int]:
        """The documents that contain the schemas of these documents' data."""
        wanted = {self.documents[number][0].schema for number in numbers}
        for schema, ids in self._of_schema.items():
            if schema.startswith(DATA_SCHEMA):
                yield from (one for one in ids if self.documents[one][0].name in wanted)

    def affected(self, changes: Iterable[tuple[RevisionDocument, Facts]]) -> set[int]:
        """The documents that must be rendered again after a change. changes: the added or removed documents, with their
        facts.
        """
        found: set[int] = set()
        pending = list(changes)
        while pending:
            entry, facts = pending.pop()
            for number in (*self.readers(entry, facts), *([entry.id] if entry.id in self.documents else [])):
                if number not in found:
                    found.add(number)
                    pending.append(self.documents[number])
        return found

    def needed(self, numbers: Iterable[int]) -> set[int]:
        """These documents, and all documents needed to render them."""
        found = set(numbers)
        pending = list(found)
        while pending:
            for number in self.read(pending.pop()):
                if number not in found:
                    found.add(number)
                    pending.append(number)
        return found


def ordered(ids: Iterable[int], needs: dict[int, tuple[int, ...]]) -> list[int]:
    """Documents in the order of layering: each after its dependencies. There must be no cycle."""
    done: set[int] = set()
    result: list[int] = []
    for start in ids:
        if start in done:
            continue
        if start not in needs:
            done.add(start)
            result.append(start)
            continue
        path, pending = [start], [iter(needs[start])]
        done.add(start)
        while pending:
            following = next(pending[-1], None)
            if following is None:
                pending.pop()
                result.append(path.pop())
            elif following not in done:
                done.add(following)
                path.append(following)
                pending.append(iter(needs.get(following, ())))
    return result
