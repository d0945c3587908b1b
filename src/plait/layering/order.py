"""The order of rendering: parents and sources before the documents that need them (spec layering 9.7, 10).

A depth-first walk in the order of the inputs, so that documents without relations stay in that order and everything else
moves up only as far as it must.
"""

from __future__ import annotations

from plait.errors import Step
from plait.layering.failures import failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.errors import LayeringError
    from plait.layering.document import Document

    Needs = Mapping[Document, Sequence[Document]]


def dependency_order(documents: Sequence[Document], needs: Needs) -> list[Document]:
    """The documents, each after everything in its `needs`.

    Raises LayeringError (SubstitutionDependencyCycle) naming the members of a cycle, in order, with their places.
    """
    done: set[Document] = set()
    open_: set[Document] = set()
    result: list[Document] = []
    for start in documents:
        if start in done:
            continue
        path: list[Document] = [start]
        open_.add(start)
        pending: list[Iterator[Document]] = [iter(needs.get(start, ()))]
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


def _cycle(members: list[Document]) -> LayeringError:
    """The same message whichever member was met first."""
    first = min(range(len(members)), key=lambda i: (members[i].schema, members[i].name, members[i].layer or ""))
    members = members[first:] + members[:first]
    names = " -> ".join(str(document) for document in [*members, members[0]])
    trail = [
        Step(f"{document} needs {following}", document.position)
        for document, following in zip(members, [*members[1:], members[0]], strict=True)
    ]
    return failure(
        "SubstitutionDependencyCycle",
        f"documents need each other: {names}",
        at=members[0].position,
        also=[document.position for document in members[1:]],
        hint="one of them must do without the other's data",
        trail=trail,
    )
