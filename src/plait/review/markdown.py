"""A review as Markdown, for a comment on a pull request.

Consequences for running workloads come first, then causes, those with most values first and vendored files last, then
unverified changes. The text has at most 65,536 characters and states how many entries it leaves out.
"""

from __future__ import annotations

import re

from plait.base.similar_names import counted
from plait.review.cause_rows import UNFOLDED, cause_rows, where_of
from plait.review.reports import (
    CONTROL,
    CUT,
    ELSEWHERE,
    IDLE,
    MOST_EFFECTS,
    MOST_PARTS,
    NEEDED,
    UNKNOWN,
    by_kind,
    change_text,
    effects,
    failure_title,
    grouped_consequences,
    items_text,
    new_project_text,
    order_of,
    parts_text,
    path_of,
    short_digests,
    subjects_text,
    summary,
    title,
    withheld_text,
)
from plait.review.result import places_text
from plait.review.values import ADDED, CHANGED, MOVED, REMOVED, RENAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.review.cause_rows import CauseRow
    from plait.review.file_links import FileLinks
    from plait.review.result import Failure, FoundConsequence, Lines, OtherLines, Review, ValueChange

# The maximum of GitHub's comments, in characters.
LARGEST = 65_536
# Characters that closing tags and the final sentence need.
_RESERVED = 400
_MOST_LISTED = 200
# Folded parts of documents in the line of a consequence.
_MOST_PARTS = 30
# Places in the line of a list that is not folded.
_MOST_PLACES = 6
# Documents that are named, not only counted.
_MOST_DOCUMENTS = 8

_SIGNS = {"error": "❌", "warning": "⚠️", "note": "ℹ️"}


class _Comment:
    """A text of limited length. links: addresses of places. left_out: the number of entries that did not fit."""

    def __init__(self, links: FileLinks | None) -> None:
        self._links = links
        self._parts: list[str] = []
        self._size = 0
        self.left_out = 0

    def add(self, text: str, *, entries: int = 0) -> bool:
        """Adds a text if it fits; otherwise counts its entries as left out."""
        if self._size + len(text) > LARGEST - _RESERVED:
            self.left_out += entries
            return False
        self.end(text)
        return True

    def end(self, text: str) -> None:
        """Adds a closing text, which always fits."""
        self._parts.append(text)
        self._size += len(text)

    def place(self, text: str, lines: Sequence[Lines]) -> str:
        """A place, with a link to it if there is one."""
        return self.link(text, "" if self._links is None else self._links.of(lines))

    def place_of(self, failure: Failure) -> str:
        """The place of a failure."""
        file, line = failure.file, failure.line
        address = "" if self._links is None else self._links.at(file, line, line, is_base=failure.side == "base")
        return self.link(f"{file}:{line}", address)

    @staticmethod
    def link(text: str, address: str) -> str:
        """A code span that leads to an address, unless that is empty."""
        return f"[{code(text)}]({address})" if address else code(text)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)


def to_markdown(review: Review, links: FileLinks | None = None) -> str:
    """The review as a comment. links: addresses of the places, which are left out before entries are."""
    out = _written(review, links)
    return (out if links is None or not out.left_out else _written(review, None)).text


def _written(review: Review, links: FileLinks | None) -> _Comment:
    out = _Comment(links)
    facts = [f"**{one}**" if one.startswith("output unchanged") else one for one in summary(review)]
    out.add(f"**plait review** {code(title(review))} · {' · '.join(facts)}\n")
    if review.new_project:
        out.add(f"\n{plain(new_project_text(review))}.\n")
    for failure in review.failures:
        _add_failure(out, failure)
    if review.permissions:
        names = ", ".join(code(f"{access} {name}") for access, name in review.permissions[:UNFOLDED])
        out.add(
            f"\n⚠️ **HEAD's project file asks for more permissions**, which this review did not grant: {names}\n",
            entries=1,
        )
    _add_consequences(out, review)
    _add_causes(out, review)
    _add_list(
        out, "Changes without a verified cause", [code(change_text(one)) for one in review.not_verified], is_open=True
    )
    _add_list(out, "New runs", map(code, review.added))
    _add_list(out, "Removed runs", map(code, review.removed))
    # A run that was not compared may use lines that no other run does.
    scope = " in the compared runs" if review.failures else ""
    _add_places(out, ELSEWHERE + scope, review.elsewhere)
    _add_list(out, NEEDED, [_needed(out, one) for one in review.needed])
    _add_places(out, IDLE + scope, review.idle)
    _add_places(out, UNKNOWN, review.unknown)
    if review.withheld:
        out.add(f"\n{withheld_text(review)}.\n")
    if review.is_cut:
        out.add(f"\n{CUT}\n")
    if review.causes and not review.proven:
        out.add(
            "\n<sub>Verified: without these lines, an evaluation gave the values as before; “A with B”: only without both. "
            "Lines of different values were reverted in one evaluation. “removed”: lines of the old file.</sub>\n"
        )
    if out.left_out:
        out.end(
            f"\n{out.left_out} {'entry is' if out.left_out == 1 else 'entries are'} left out: a comment has at most {LARGEST} characters.\n"
        )
    return out


def _add_failure(out: _Comment, failure: Failure) -> None:
    sign = _SIGNS["note"] if failure.side == "base" else "❌"
    place = f" at {out.place_of(failure)}" if failure.file else ""
    before = ". Before" if failure.side == "base" else ""
    text = f"\n{sign} **{plain(failure_title(failure))}**{before}{place}: {code(failure.message)}\n"
    if failure.causes:
        text += f"Without the change of {', '.join(out.place(one.place, [one]) for one in failure.causes)} it works.\n"
    out.add(text, entries=1)


def _add_consequences(out: _Comment, review: Review) -> None:
    if not review.consequences:
        return
    out.add("\n")
    for text, reason, rows in grouped_consequences(review.consequences):
        first = rows[0]
        where = f", {plain(first.where)}" if len(rows) == 1 and first.where else ""
        head = f"- {_SIGNS[first.severity]} **{plain(text)}** ({plain(reason)}{where}): "
        # One line for all runs: what happens, then in which of them.
        notes = [f" ({plain(one.where)})" if len(rows) > 1 and one.where else "" for one in rows]
        cells = [f"{_subjects(one)}{note}" for one, note in zip(rows, notes, strict=True)]
        if not out.add(f"{head}{'; '.join(cells)}\n"):
            short = [f"{code(short_digests(subjects_text(one)))}{note}" for one, note in zip(rows, notes, strict=True)]
            out.add(f"{head}{'; '.join(short)}\n", entries=len(rows))


def _subjects(one: FoundConsequence) -> str:
    """The documents of a consequence with their parts, those after the first ones folded."""
    found = [subject for subject in one.subjects if subject[1]]
    parts = found[MOST_PARTS:]
    shown = code(short_digests(parts_text(found[:MOST_PARTS]) if found else subjects_text(one)))
    if not parts:
        return shown
    left = len(parts) - _MOST_PARTS
    rest = parts_text(parts[:_MOST_PARTS]) + (f"; {left} more" if left > 0 else "")
    return f"{shown} <details><summary>{len(parts)} more</summary>{code(short_digests(rest))}</details>"


_TABLE = "\n| cause | effect |\n|---|---|\n"


def _add_causes(out: _Comment, review: Review) -> None:
    rows = cause_rows(review.causes)
    own = [one for one in rows if not one.is_vendored]
    shown, folded = own[:UNFOLDED], [*own[UNFOLDED:], *(one for one in rows if one.is_vendored)]
    if not shown:
        shown, folded = folded[:UNFOLDED], folded[UNFOLDED:]
    # The name of the only document that changed says nothing.
    is_named = len({one.document for one in review.changes}) > 1
    if shown:
        out.add(_TABLE)
        for row in shown:
            out.add(_row(out, row, is_named=is_named), entries=1)
    if folded:
        values = sum(one.values for one in folded)
        head = f"\n<details><summary>{counted(len(folded), 'more row')}, {counted(values, 'value')}</summary>\n{_TABLE}"
        if out.add(head, entries=len(folded)):
            for row in folded:
                out.add(_row(out, row, is_named=is_named), entries=1)
            out.end("\n</details>\n")


def _row(out: _Comment, row: CauseRow, *, is_named: bool) -> str:
    found = effects(row.changes)
    cells = []
    for text, changes in found[:MOST_EFFECTS]:
        where = "" if row.where else where_of(changes)
        name = f" in {code(by_kind(one.document for one in changes))}" if is_named and changes[0].path else ""
        cells.append(f"{_effect(text, changes)}{f' ({plain(where)})' if where else ''}{name}")
    if len(found) > MOST_EFFECTS:
        cells.append(f"{len(found) - MOST_EFFECTS} more")
    notes = [f"{row.values} values"] if row.values > 1 else []
    notes += [plain(row.where)] if row.where else []
    left = row.place(out.place, "({})".format)
    right = "; ".join(cells) + (f" ({', '.join(notes)})" if notes else "")
    return f"| {left}{plain(row.verified)} | {right} |".replace("\n", " ") + "\n"


def _effect(text: str, changes: Sequence[ValueChange]) -> str:
    first = changes[0]
    path = path_of(changes)
    where = plain(items_text(changes))
    if first.path and first.kind == CHANGED:
        before, after = (code(short_digests(text or "")) for text in (first.before, first.after))
        return f"{code(path)} {before} → {after}{where}"
    if first.path and first.kind == MOVED:
        return f"{order_of(first)} {'in' if first.of_keys else 'of'} {code(path)}{where}"
    if first.path:
        value = first.after if first.kind == ADDED else first.before
        return f"{code(path)} {first.kind}{'' if value is None else f': {code(short_digests(value))}'}{where}"
    names = code(by_kind((one.document for one in changes), _MOST_DOCUMENTS))
    if first.kind in (ADDED, REMOVED):
        return f"{'new document' if first.kind == ADDED else 'document removed:'} {names}"
    if first.kind == RENAMED and len(changes) == 1:
        return f"renamed: {code(first.before or '')} is removed, {code(first.after or '')} is new"
    if first.kind == RENAMED:
        return f"renamed: {names}"
    if first.kind == MOVED:
        return f"order of {names} changed"
    return plain(text)


def _add_places(out: _Comment, heading: str, found: Sequence[OtherLines]) -> None:
    """Adds a list of places, one entry for the lines of each file that were reverted in the same way."""
    files: dict[tuple[bool, str], list[Lines]] = {}
    for one in found:
        # A whole file is an entry of its own.
        file = one.lines.file if one.lines.new or one.lines.old else one.lines.place
        files.setdefault((not one.is_alone, file), []).append(one.lines)
    rows = [
        f"{out.place(places_text(lines[0].file, lines), lines)}{' (reverted together with others)' if together else ''}"
        for (together, _), lines in sorted(files.items())
    ]
    _add_list(out, heading, rows, count=len(found))


def _needed(out: _Comment, one: OtherLines) -> str:
    place = out.place(one.lines.place, [one.lines])
    return f"{place}: without it {code(one.message)}" if one.message else place


def _add_list(out: _Comment, heading: str, rows: Iterable[str], *, is_open: bool = False, count: int = 0) -> None:
    """Adds a list, folded if it is long. count: the number of places in the rows; by default that of the rows."""
    found = list(rows)
    if not found:
        return
    if len(found) <= 3 and count <= _MOST_PLACES:
        out.add(f"\n{heading}: {', '.join(found)}\n", entries=len(found))
        return
    shown = found[:_MOST_LISTED]
    mark = " open" if is_open and len(found) <= UNFOLDED else ""
    if not out.add(f"\n<details{mark}><summary>{heading}: {count or len(found)}</summary>\n\n", entries=len(found)):
        return
    for row in shown:
        out.add(f"- {row}\n", entries=1)
    out.left_out += len(found) - len(shown)
    out.end("\n</details>\n")


# The places at which GitHub recognizes addresses, users and issues in a text; a comment there is not shown.
_LINKED = re.compile(r"(?<=[@#])(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=GH-)(?=\d)", re.IGNORECASE)
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#+!|~@&])")


def code(text: str) -> str:
    """A code span, which contains no markup, no mention and no end of a table's cell."""
    text = CONTROL.sub("�", text.replace("\n", "⏎"))
    fence = "`"
    while fence in text:
        fence += "`"
    inner = f" {text} " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") or not text else text
    return f"{fence}{inner}{fence}".replace("|", "\\|")


def plain(text: str) -> str:
    """A text without markup, links and mentions."""
    return _LINKED.sub("<!-- -->", _SPECIAL.sub(r"\\\1", CONTROL.sub(" ", text)))
