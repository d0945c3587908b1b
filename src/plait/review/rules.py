"""Rules for consequences: a rule, and how conditions read documents.

A rule has a name, a severity, a sentence for one and for several subjects, and a condition on the document before and
after. The condition yields a subject for each occurrence: the part of the document that is affected, or "" for all of
it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    # Plain data, as of YAML.
    Data: TypeAlias = object
    Condition: TypeAlias = "Callable[[Data, Data], Iterable[str]]"

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)


class Rule:
    """A rule. one, many: sentences; `{}` of `many` is the number of documents. kinds: the kinds of the documents; empty
    for any.

    condition: yields a subject for each occurrence. near: a part of the paths of the changes that matter.
    """

    __slots__ = ("condition", "kinds", "many", "name", "near", "one", "reason", "severity")

    def __init__(
        self,
        name: str,
        severity: str,
        kinds: Iterable[str],
        one: str,
        many: str,
        reason: str,
        condition: Condition,
        near: str = "",
    ) -> None:
        self.name = name
        self.severity = severity
        self.kinds = frozenset(kinds)
        self.one = one
        self.many = many
        self.reason = reason
        self.condition = condition
        self.near = near


# ---- reading data


def at(data: Data, *path: str) -> Data:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def items_of(data: Data) -> Sequence[Data]:
    return data if isinstance(data, list) else ()


def named(data: Data) -> dict[object, Data]:
    """The items of a list by name."""
    return {name: one for one in items_of(data) if isinstance(name := at(one, "name"), str)}


def kind_of(data: Data) -> str:
    """The kind of a Kubernetes object, the schema of a layered document, or "" as of a BOSH manifest."""
    kind = at(data, "kind")
    if kind is None:
        kind = at(data, "schema")
    return kind if isinstance(kind, str) else ""


def is_on_both(old: Data, new: Data) -> bool:
    return old is not None and new is not None
