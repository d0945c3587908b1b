"""Text reports of a review, and the sentences that several formats share."""

from __future__ import annotations

import os
import re

from plait.base.similar_names import counted
from plait.base.text_diff import visible
from plait.review.bosh_rules import BOSH
from plait.review.cause_rows import any_item, cause_rows, differing_items, kind_of, where_of
from plait.review.consequences import RULES, Consequence
from plait.review.values import ADDED, CHANGED, MOVED, REMOVED, RENAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from plait.review.cause_rows import CauseRow
    from plait.review.result import Failure, FoundConsequence, OtherLines, Review, ValueChange

    T = TypeVar("T")

# Control characters, and those that change the direction of a text.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
# Effects of one cause in its row, in Markdown and HTML.
MOST_EFFECTS = 4
# Parts of documents in the line of a consequence.
MOST_PARTS = 6
# Entries of one list before the rest is only counted, in the text for a terminal.
_MOST = 10
_LONGEST_SUBJECT = 100
# Items or documents that are named, not only counted.
_MOST_NAMES = 12

TOGETHER = (
    "Lines without a common value are reverted together; --prove reverts each alone. "
    "Every cause was verified by an evaluation without it."
)
CUT = "The search for causes used up its budget of CPU time; --budget allows more."


def title(review: Review) -> str:
    """The compared revisions. Names of commits are shortened."""
    found = review.base if "..." in review.base else f"{review.base}...{review.head or 'working directory'}"
    return _COMMIT.sub(r"\1", found)


_COMMIT = re.compile(r"\b([0-9a-f]{10})[0-9a-f]{30}\b")


def summary(review: Review) -> list[str]:
    """The facts for the first line."""
    found = [counted(review.runs, "run")]
    failing = {name for one in review.failures for name in one.runs}
    changed = [name for name in review.changed if name not in failing]
    if review.runs > 1 and changed:
        found = [f"{len(changed)} of {counted(review.runs, 'run')} changed"]
    if failing:
        found.append(f"{counted(len(failing), 'run')} not compared")
    documents: dict[str, int] = {}
    values = 0
    orders = [one.of_keys for one in review.changes if one.kind == MOVED]
    for one in review.changes:
        if not one.path and one.kind in (ADDED, REMOVED, RENAMED):
            documents[one.kind] = documents.get(one.kind, 0) + 1
        elif one.kind != MOVED:
            values += one.values
    if review.changes:
        if values:
            found.append(f"{counted(values, 'value')} changed")
        found += [f"{counted(count, 'document')} {kind}" for kind, count in documents.items()]
        if orders:
            rows = ((orders.count(False), "order of {}", "list"), (orders.count(True), "order of keys in {}", "map"))
            what = " and the ".join(text.format(counted(count, name)) for count, text, name in rows if count)
            text = f"the {what} changed"
            found.append(text if values or documents else f"output unchanged except that {text}")
        left = len(review.not_verified)
        found.append("all causes verified" if not left else f"causes of {counted(left, 'change')} not verified")
    elif not review.failures and not review.added and not review.removed:
        found.append("output unchanged")
    return found


def change_text(change: ValueChange) -> str:
    """A change on one line."""
    where = f" ({change.where})" if change.where else ""
    if change.kind == CHANGED:
        return f"{change.place}: {change.before} → {change.after}{where}"
    if change.kind == MOVED:
        return f"{change.place}: {order_of(change)} changed{where}"
    if change.kind == RENAMED:
        return f"{change.before} renamed to {change.after}{where}"
    value = change.after if change.kind == ADDED else change.before
    shown = f": {value}" if value is not None and change.path else ""
    size = f" ({counted(change.values, 'value')})" if change.values > 1 and not shown else ""
    return f"{change.place} {change.kind}{shown}{size}{where}"


def effects(changes: Iterable[ValueChange]) -> list[tuple[str, list[ValueChange]]]:
    """The changes by effect, most frequent first: `metadata.labels.version: 1 → 2`, with the documents in which it
    does. Equal changes of several array items are one: `spec.ports[*].protocol: TCP → UDP (20 items)`.
    """
    groups: dict[tuple[str, str], list[ValueChange]] = {}
    for one in changes:
        groups.setdefault((_effect(one, any_item(one.path)), one.where), []).append(one)
    found = sorted(groups.values(), key=lambda group: -sum(one.values for one in group))
    return [(f"{_effect(some[0], path_of(some))}{items_text(some)}{_noted(where_of(some))}", some) for some in found]


def _noted(text: str) -> str:
    return f" ({text})" if text else ""


def path_of(changes: Sequence[ValueChange]) -> str:
    """The path of the changes of one effect, with `[*]` for several items."""
    return differing_items([one.path for one in changes])[0]


def items_text(changes: Sequence[ValueChange]) -> str:
    """The items that the changes of one effect are in, if there are several."""
    names = list(dict.fromkeys(differing_items([one.path for one in changes])[1]))
    if len(names) == 1:
        return ""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f" ({counted(len(names), 'item')}: {', '.join(names[:_MOST_NAMES])}{more})"


def short_digests(text: str) -> str:
    """A text with shortened digests, which still differ."""
    return _DIGEST.sub(r"\1…", text)


_DIGEST = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{32,56}\b")


def _effect(change: ValueChange, path: str) -> str:
    """The change at a path, without the document."""
    if not path:
        return change.kind
    value = change.after if change.kind == ADDED else change.before
    return {
        CHANGED: f"{path}: {change.before} → {change.after}",
        MOVED: f"{path}: {order_of(change)} changed",
    }.get(change.kind, f"{path} {change.kind}{'' if value is None else f': {value}'}")


def order_of(change: ValueChange) -> str:
    """The order that changed: of a list, or of the keys of a map, which means nothing to most programs."""
    return "order of keys" if change.of_keys else "order"


def by_kind(names: Iterable[str], most: int = 3) -> str:
    """Names of documents, counted by kind if there are more than `most`: "20 Deployments, 2 DaemonSets"."""
    found = list(dict.fromkeys(names))
    if len(found) <= most:
        return ", ".join(found)
    kinds: dict[str, int] = {}
    for name in found:
        kind = kind_of(name) or "document"
        kinds[kind] = kinds.get(kind, 0) + 1
    return ", ".join(f"{count} {kind if count == 1 else _plural(kind)}" for kind, count in kinds.items())


_Y = re.compile(r"(?<![aeiou])y\Z")


def _plural(kind: str) -> str:
    """The plural of a kind: Deployments, Ingresses, NetworkPolicies; Endpoints is one."""
    if kind.endswith(("ss", "x", "ch", "sh")):
        return f"{kind}es"
    return kind if kind.endswith("s") else _Y.sub("ie", kind) + "s"


def parts_text(subjects: Iterable[tuple[str, str]]) -> str:
    """Parts of documents, with each document's name before its first one."""
    found: list[str] = []
    last = ""
    for name, part in subjects:
        found.append(part if name == last else f"{name}: {part}")
        last = name
    return "; ".join(found)


def grouped_consequences(
    found: Iterable[FoundConsequence],
) -> list[tuple[str, str, list[FoundConsequence]]]:
    """The consequences of one rule for documents in different runs together: the sentence, the reason, and each."""
    groups: dict[tuple[str, str], list[FoundConsequence]] = {}
    for one in found:
        groups.setdefault((one.name, one.reason), []).append(one)
    rules = {(rule.name, rule.reason): rule for rule in RULES}
    rows: list[tuple[str, str, list[FoundConsequence]]] = []
    for key, some in groups.items():
        rule = rules.get(key)
        # Parts of a BOSH manifest that differ between runs would be counted more than once.
        if len(some) == 1 or rule is None or rule.kinds == BOSH:
            rows += [(one.text, one.reason, [one]) for one in some]
        else:
            every = [subject for one in some for subject in one.subjects]
            rows.append((Consequence(rule, list(dict.fromkeys(every))).text, key[1], some))
    return rows


def subjects_text(one: FoundConsequence) -> str:
    """The documents of a consequence with their parts."""
    parts = [found for found in one.subjects if found[1]]
    if parts:
        more = f"; {len(parts) - MOST_PARTS} more" if len(parts) > MOST_PARTS else ""
        return parts_text(parts[:MOST_PARTS]) + more
    return by_kind((name for name, _ in one.subjects), _MOST_NAMES)


FAILURES = {
    "head": "this change makes the run fail",
    "base": "the run works only with this change, so it was not compared",
    "both": "the run fails on both sides, so it was not compared",
}


def failure_title(one: Failure) -> str:
    """The sentence about a failure."""
    text = FAILURES[one.side]
    if one.side == "both" and one.caused is None:
        text += ", with a different error"
    return f"{text} ({one.where})" if one.where else text


def withheld_text(review: Review) -> str:
    """The sentence about runs with secrets."""
    return f"{counted(len(review.withheld), 'run')} with secrets: values computed from them are not compared"


def new_project_text(review: Review) -> str:
    """The sentence about a project file that BASE lacks."""
    sides = "BASE has" if review.project_from == "HEAD" else "BASE and HEAD have"
    return f"{sides} no {os.path.basename(review.new_project)}: both sides are evaluated with that of {review.project_from}"


# Headings of changed lines that changed no value, in all formats.
ELSEWHERE = "Same values, written elsewhere or otherwise"
NEEDED = "Needed: the run fails without these lines"
IDLE = "No effect on the output"
UNKNOWN = "Unknown: no evaluation showed what these lines do alone"


def to_text(review: Review) -> str:
    """The review for a terminal."""
    out = [f"plait review {title(review)}: {', '.join(summary(review))}"]
    if review.new_project:
        out += ["", new_project_text(review)]
    for failure in review.failures:
        out += ["", failure_title(failure)]
        out += [f"  {line}" for line in failure.report.rstrip().split("\n")]
        if failure.causes:
            out.append(f"  without the change of {', '.join(one.place for one in failure.causes)} it works")
    _section(
        out,
        "permissions that only HEAD requests, not granted (BASE must request them)",
        review.permissions,
        lambda one: [" ".join(one)],
    )
    _section(out, "new runs", review.added, lambda one: [one])
    _section(out, "removed runs", review.removed, lambda one: [one])
    _section(out, "consequences", review.consequences, _consequence_lines)
    _section(out, "causes", cause_rows(review.causes), _cause_lines)
    _section(out, "changes without a verified cause", effects(review.not_verified), _effect_lines)
    _section(out, _lower(ELSEWHERE), review.elsewhere, _other_lines)
    _section(out, _lower(NEEDED), review.needed, _other_lines)
    _section(out, _lower(IDLE), review.idle, _other_lines)
    _section(out, _lower(UNKNOWN), review.unknown, _other_lines)
    if review.withheld:
        out += ["", withheld_text(review)]
    if review.is_cut:
        out += ["", CUT]
    if review.causes and not review.proven:
        out += ["", TOGETHER]
    return "".join(f"{visible(line)}\n" for line in out)


def _lower(heading: str) -> str:
    return heading[0].lower() + heading[1:]


def _section(out: list[str], heading: str, rows: Sequence[T], lines: Callable[[T], list[str]]) -> None:
    if not rows:
        return
    out += ["", f"{heading}:"]
    for one in rows[:_MOST]:
        out += [f"  {line}" for line in lines(one)]
    if len(rows) > _MOST:
        out.append(f"  and {len(rows) - _MOST} more")


def _consequence_lines(one: FoundConsequence) -> list[str]:
    where = f" ({one.where})" if one.where else ""
    return [f"{one.severity}: {one.text}, {one.reason}{where} [{one.name}]", f"  {subjects_text(one)}"]


def _cause_lines(cause: CauseRow) -> list[str]:
    where = _noted(cause.own_where)
    lines = [
        f"{cause.place(lambda text, _: text, '({})'.format)}: {counted(cause.values, 'value')}{where}{cause.verified}"
    ]
    found = effects(cause.changes)
    for text, changes in found[:_MOST]:
        lines.append(f"  {by_kind(one.document for one in changes)}: {text}")
    if len(found) > _MOST:
        lines.append(f"  and {len(found) - _MOST} more")
    return lines


def _effect_lines(effect: tuple[str, list[ValueChange]]) -> list[str]:
    text, changes = effect
    return [change_text(changes[0]) if len(changes) == 1 else f"{by_kind(one.document for one in changes)}: {text}"]


def _other_lines(one: OtherLines) -> list[str]:
    note = "" if one.is_alone else " (reverted together with others)"
    return [f"{one.lines.place}{note}", *([f"  without it: {one.message}"] if one.message else [])]


def commit_message(review: Review) -> str:
    """A commit message for the rendered output: the facts, and a line for each cause."""
    out = [f"{title(review)}: {', '.join(summary(review)[:-1] or summary(review))}"[:_LONGEST_SUBJECT], ""]
    out += [f"{one.severity}: {one.text} ({subjects_text(one)})" for one in review.consequences]
    out += ["", *(f"{cause.place}: {counted(cause.values, 'value')}" for cause in review.causes)]
    return "\n".join(map(visible, out)).strip("\n") + "\n"
