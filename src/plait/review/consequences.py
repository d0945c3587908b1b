"""Consequences of changed documents: which rules apply to them."""

from __future__ import annotations

from plait.review import armada_rules, bosh_rules, image_rules, kubernetes_rules
from plait.review.bosh_rules import BOSH
from plait.review.kubernetes_rules import requests_changed
from plait.review.rules import NOTE, SEVERITIES, Rule, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.review.rules import Data

RULES: Sequence[Rule] = sorted(
    (*kubernetes_rules.RULES, *bosh_rules.RULES, *image_rules.RULES, *armada_rules.RULES),
    key=lambda rule: SEVERITIES.index(rule.severity),
)

REQUESTS = Rule(
    "resource-requests-changed", NOTE, (), "total resource requests change", "total resource requests change",
    "requests of all containers times replicas", lambda old, new: (),  # noqa: ARG005 - of all documents together
)  # fmt: skip

NAMES = tuple(rule.name for rule in (*RULES, REQUESTS))


class Consequence:
    """A rule that applies. subjects: the documents, each with its part or ""."""

    __slots__ = ("rule", "subjects")

    def __init__(self, rule: Rule, subjects: Sequence[tuple[str, str]]) -> None:
        self.rule = rule
        self.subjects = list(subjects)

    @property
    def text(self) -> str:
        """The sentence, such as "22 workloads restart". A BOSH manifest is one document, so its parts are counted."""
        found: set[object] = set(self.subjects) if self.rule.kinds == BOSH else {name for name, _ in self.subjects}
        return self.rule.one if len(found) == 1 else self.rule.many.format(len(found))


def consequences(documents: Iterable[tuple[str, Data, Data]]) -> list[Consequence]:
    """The rules that apply to documents, most severe first. documents: name, old and new data; None on a side without
    it.
    """
    rows = list(documents)
    found: list[Consequence] = []
    for rule in RULES:
        subjects: list[tuple[str, str]] = []
        for name, old, new in rows:
            if not rule.kinds or kind_of(new if new is not None else old) in rule.kinds:
                subjects += [(name, part) for part in rule.condition(old, new)]
        if subjects:
            found.append(Consequence(rule, subjects))
    totals = requests_changed(rows)
    if totals:
        found.append(Consequence(REQUESTS, [("", totals)]))
    return sorted(found, key=lambda one: SEVERITIES.index(one.rule.severity))
