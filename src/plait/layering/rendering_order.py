"""The order of rendering: parents and sources before the documents that need them (docs/reference/layering.md).

plait walks depth first in the order of the inputs, so that unrelated documents stay in that order, and others move only
as far as necessary. Deckhand's order differs, which matters if documents change each other.
"""

from __future__ import annotations

from plait.base.source import Frame
from plait.layering.failures import failure
from plait.layering.substitution import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.base.errors import LayeringError
    from plait.base.source import Position
    from plait.layering.document import LayeredDocument

    Needs = Mapping[LayeredDocument, Sequence[LayeredDocument]]


def dependency_order(documents: Sequence[LayeredDocument], needs: Needs) -> list[LayeredDocument]:
    """The documents, each after everything in its `needs`.

    Raises LayeringError (SubstitutionDependencyCycle) naming the members of a cycle, in order, with their positions.
    """
    done: set[LayeredDocument] = set()
    open_: set[LayeredDocument] = set()
    result: list[LayeredDocument] = []
    for start in documents:
        if start in done:
            continue
        path: list[LayeredDocument] = [start]
        open_.add(start)
        pending: list[Iterator[LayeredDocument]] = [iter(needs.get(start, ()))]
        while pending:
            following = next(pending[-1], None)
            if following is None:
                pending.pop()
                document = path.pop()
                open_.discard(document)
                done.add(document)
                result.append(document)
            elif following in open_:
                raise _cycle(path[path.index(following) :])
            elif following not in done:
                path.append(following)
                open_.add(following)
                pending.append(iter(needs.get(following, ())))
    return result


def generation_order(documents: Sequence[LayeredDocument], needs: Needs) -> list[LayeredDocument]:
    """The documents in Deckhand's order of rendering, without a cycle.

    Documents that no other one needs come last. Those that only they need come before them, and so on; each group is
    reversed; then the unrelated documents, in the order of the inputs. The relations of a document count in order of
    discovery: its parent, then its sources.
    """
    following: dict[LayeredDocument, dict[LayeredDocument, None]] = {}
    waiting: dict[LayeredDocument, int] = {}
    for document in documents:
        for needed in needs.get(document, ()):
            waiting.setdefault(document, 0)
            known = following.setdefault(document, {})
            if needed not in known:
                known[needed] = None
                waiting[needed] = waiting.get(needed, 0) + 1
    ready = [document for document, count in waiting.items() if count == 0]
    # The list grows during the iteration: each document is added after the last one that needs it.
    for document in ready:
        for needed in following.get(document, ()):
            waiting[needed] -= 1
            if waiting[needed] == 0:
                ready.append(needed)
    return ready[::-1] + [document for document in documents if document not in waiting]


def _need(document: LayeredDocument, other: LayeredDocument) -> Position:
    """The substitution of a document from another one, or the document, which is then its child."""
    for entry in entries(document):
        if entry.key == (other.schema, other.name):
            return entry.place("src")
    return document.position


def _cycle(members: list[LayeredDocument]) -> LayeringError:
    """The error for a cycle. The message does not depend on the member that was found first."""
    first = min(range(len(members)), key=lambda i: (members[i].schema, members[i].name, members[i].layer or ""))
    members = members[first:] + members[:first]
    names = " -> ".join(str(document) for document in [*members, members[0]])
    pairs = list(zip(members, [*members[1:], members[0]], strict=True))
    stack = [Frame(f"{document} needs {following}", _need(document, following)) for document, following in pairs]
    return failure(
        "SubstitutionDependencyCycle",
        f"documents depend on each other: {names}",
        at=_need(*pairs[0]),
        also=[_need(*pair).labelled("a part of the cycle") for pair in pairs[1:]],
        hint="one of them must not take data from the other"
        if len(members) > 1
        else "name another document: one cannot take data from itself",
        stack=stack,
    )
