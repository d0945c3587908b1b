"""A review as one HTML page, which loads nothing and works offline, by keyboard and without JavaScript.

All texts are escaped. The policy of the page allows no script and no style but its own, by their hashes. Documents
after the first are text in `noscript` until they are opened, so that a large page opens at once.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import quote

from plait.base.similar_names import counted
from plait.review.cause_rows import UNFOLDED, cause_rows, kind_of, where_of
from plait.review.markdown import to_markdown
from plait.review.reports import (
    CONTROL,
    CUT,
    ELSEWHERE,
    IDLE,
    MOST_EFFECTS,
    MOST_PARTS,
    NEEDED,
    TOGETHER,
    UNKNOWN,
    by_kind,
    change_text,
    effects,
    failure_title,
    items_text,
    new_project_text,
    order_of,
    path_of,
    short_digests,
    subjects_text,
    summary,
    title,
    withheld_text,
)
from plait.review.values import ADDED, CHANGED, REMOVED, RENAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plait.review.cause_rows import CauseRow
    from plait.review.result import Block, DocumentChange, FoundConsequence, OtherLines, Review, ValueChange

# Documents whose lines are in the page from the beginning.
_OPEN = 8
# Values of an axis or runs in a filter.
_MOST_CHOICES = 30
# Names of documents with the same change, and of runs in the text that is searched.
_MOST_NAMES = 200

_SIGNS = {"error": "×", "warning": "!", "note": "i"}
_SHOWN = {CHANGED: "Changed", RENAMED: "Renamed", ADDED: "Added", REMOVED: "Removed", "generated": "Generated files"}
_MARK = (
    '<svg viewBox="0 0 22 22" aria-hidden="true"><path class="a" d="M4 2.5c0 6 14 5 14 11 0 3-2 4.5-2 6"/>'
    '<path class="b" d="M11 2.5c0 3-7 4-7 8.5s7 4.5 7 8.5"/>'
    '<path class="c" d="M18 2.5c0 5.5-14 6-14 12 0 2 1.5 3.5 2 5"/></svg>'
)
# Characters of a value beside its path.
_LONGEST = 80
_KEY = re.compile(r"(\s*(?:- )*)([\w./-]+)(?=:(?: |$))")


class _Row:
    """A row of the list of documents. document: the one whose lines are shown. names: the names of all with the same
    change. consequences: indexes in the review. choices: the values by which a filter finds it.
    """

    __slots__ = ("choices", "consequences", "document", "names")

    def __init__(self, document: DocumentChange) -> None:
        self.document = document
        self.names = [document.name]
        self.consequences: list[int] = []
        self.choices: dict[str, list[str]] = {}

    @property
    def causes(self) -> list[int]:
        """The indexes of all causes."""
        return sorted({number for change in self.document.changes for number in change.causes})


def to_html(review: Review) -> str:
    """The review as a page. `review.documents` has the lines of documents."""
    folder = Path(__file__).parent
    style, script = ((folder / name).read_text("utf-8") for name in ("page.css", "page.js"))
    rows = _rows(review)
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer">'
        f"<title>plait review: {_text(title(review))}</title><style>{style}</style></head>\n<body>"
        f"{_header(review)}"
        f'<div class="page">{_filters(review, rows)}<main id="main" tabindex="-1">{"".join(_main(review, rows))}</main></div>\n'
        f'<template id="markdown">{escape(to_markdown(review))}</template>\n<script>{script}</script></body></html>\n'
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _text(text: str) -> str:
    """A text that contains no markup and no control characters, and does not change the direction of writing."""
    return escape(CONTROL.sub("�", text.replace("\t", "    ").replace("\n", "⏎")))


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


# ---- documents with the same changes


def _rows(review: Review) -> list[_Row]:
    """The documents, those with the same changes of values once; the most severe consequences first, vendored last."""
    found: dict[object, _Row] = {}
    for document in review.documents:
        same: object = document.key
        if document.kind == CHANGED and document.blocks:
            changes = ((one.kind, one.path, one.before, one.after, tuple(one.causes)) for one in document.changes)
            same = (_kind(document.name), document.where, *changes)
        row = found.get(same)
        if row is None:
            row = found[same] = _Row(document)
        else:
            row.names.append(document.name)
    of_name: dict[str, list[int]] = {}
    for number, one in enumerate(review.consequences):
        for name, _ in one.subjects:
            of_name.setdefault(name, []).append(number)
    environments = _environments(review)
    for row in found.values():
        document = row.document
        wanted = {*row.names, *(change.place for change in document.changes)}
        row.consequences = sorted({number for name in wanted for number in of_name.get(name, ())})
        is_generated = bool(row.causes) and all(review.causes[number].is_vendored for number in row.causes)
        row.choices["kind"] = [_kind(document.name)]
        row.choices["show"] = ["generated" if is_generated else document.kind]
        runs = {*document.runs}
        row.choices["env"] = [name for name, members in environments.items() if not runs.isdisjoint(members)]
    end = len(review.consequences)
    return sorted(
        found.values(), key=lambda row: (row.choices["show"] == ["generated"], min(row.consequences, default=end))
    )


def _kind(name: str) -> str:
    return kind_of(name) or "other"


def _environments(review: Review) -> Mapping[str, set[str]]:
    """The choices of the environment filter: axis values, or the runs themselves. Each has the names of the selected
    runs.
    """
    of_axes: dict[str, dict[str, set[str]]] = {}
    changed = {run for one in review.documents for run in one.runs}
    for name, choices in review.axes.items():
        for axis, value in choices.items():
            of_axes.setdefault(axis, {}).setdefault(value, set()).add(name)
    found = {
        f"{axis}={value}": runs & changed
        for axis, values in of_axes.items()
        if len(values) <= _MOST_CHOICES
        for value, runs in values.items()
        if runs & changed
    }
    if not found and len(changed) <= _MOST_CHOICES:
        found = {name: {name} for name in sorted(changed)}
    return found


# ---- the frame


def _header(review: Review) -> str:
    return (
        '<a class="skip" href="#main">Skip to the review</a>'
        f'<header class="top"><span class="logo">{_MARK}<span>plait</span><span class="quiet">review</span></span>'
        f'<span class="rev">{_text(title(review))}</span><div class="find js-only">'
        '<input class="field" id="search" type="search" placeholder="Search documents, paths, files   /" '
        'aria-label="Search documents, paths, files" aria-keyshortcuts="/" autocomplete="off" spellcheck="false">'
        '<button class="btn" id="copy" type="button">Copy as Markdown</button></div></header>'
    )


def _filters(review: Review, rows: Sequence[_Row]) -> str:
    names = list(_environments(review))
    groups = [
        ("env", "Environment", [(name, name) for name in names]),
        ("show", "Show", [*_SHOWN.items()]),
        ("kind", "Kind", [(name, name) for name in sorted({one for row in rows for one in row.choices["kind"]})]),
    ]
    out = []
    for name, label, choices in groups:
        boxes = []
        for value, text in choices:
            count = sum(len(row.names) for row in rows if value in row.choices[name])
            if count:
                boxes.append(
                    f'<label><input type="checkbox" name="{name}" value="{_choice(value)}" checked>'
                    f'<span>{_text(text)}</span><span class="n">{count}</span></label>'
                )
        if boxes:
            out.append(
                f'<details data-name="{name}" open><summary>{label}<span>: all ▾</span></summary>'
                f'<fieldset aria-label="{label}">{"".join(boxes)}</fieldset></details>'
            )
    return f'<aside class="js-only" aria-label="Filters">{"".join(out)}<button class="btn" id="clear" type="button" disabled>Clear filters</button></aside>'


def _choice(value: str) -> str:
    """A value of a filter as one word, without spaces and commas, which separate values in the page and its address."""
    return quote(value, safe="=:@/+", errors="surrogateescape")


def _main(review: Review, rows: Sequence[_Row]) -> Iterator[str]:
    facts = summary(review)
    badge = ""
    if review.changes:
        kind, sign = ("ok", "✓ ") if not review.not_verified else ("warning", "! ")
        badge = f'<span class="badge {kind}">{sign}{_text(facts.pop())}</span>'
    yield f"<h1>{_text(_headline(review))}</h1>"
    yield f'<p class="meta">{"".join(f"<span>{_text(one)}</span>" for one in facts)}{badge}</p>'
    yield from _important(review, rows)
    table = cause_rows(review.causes)
    numbers = {number: row for row, one in enumerate(table, 1) for number in one.numbers}
    yield from _causes(table, numbers, rows)
    yield from _documents(review, numbers, rows)
    yield _list("Not verified", "no cause was found within the budget", map(_change, review.not_verified))
    yield _list("New runs", "", map(_code, review.added))
    yield _list("Removed runs", "", map(_code, review.removed))
    yield '<div class="cols">'
    yield _list(ELSEWHERE, "nothing to review", map(_other, review.elsewhere))
    yield _list(IDLE, "proven by an evaluation without them", map(_other, review.idle))
    yield _list(NEEDED, "they change no value themselves", map(_other, review.needed))
    yield _list(UNKNOWN, "", map(_other, review.unknown))
    yield "</div>"
    if review.withheld:
        yield f'<p class="note">{withheld_text(review)}.</p>'
    if review.is_cut:
        yield f'<p class="note">{_text(CUT)}</p>'
    if review.causes and not review.proven:
        yield f'<p class="note">{_text(TOGETHER)}</p>'
    keys = (("/", "search"), ("j", "next document"), ("k", "previous document"), ("o", "open or close it"))
    shown = " · ".join(f'<span class="kbd">{key}</span> {text}' for key, text in keys)
    yield f'<p class="note js-only">{shown}</p>'


def _headline(review: Review) -> str:
    broken = next((one for one in review.failures if one.side == "head"), None)
    if broken is not None:
        text = failure_title(broken)
    elif review.consequences:
        # Of each rule the entry with the most runs.
        texts = {one.name: one.text for one in reversed(review.consequences)}
        names = dict.fromkeys(one.name for one in review.consequences)
        text = ", ".join([texts[name] for name in names][:2])
    else:
        text = next((one for one in summary(review) if not one.endswith((" run", " runs"))), "output unchanged")
    return text[:1].upper() + text[1:]


def _important(review: Review, rows: Sequence[_Row]) -> Iterator[str]:
    """Failures, permissions and consequences."""
    items = []
    if review.new_project:
        items.append(
            f'<li><span class="ic note" aria-hidden="true">{_SIGNS["note"]}</span><div>{_text(new_project_text(review))}</div></li>'
        )
    for failure in review.failures:
        kind, sign = ("ok", "✓") if failure.side == "base" else ("error", "×")
        text = failure_title(failure)
        causes = f"<p>Without the change of {', '.join(_code(one.place) for one in failure.causes)} it works.</p>"
        report = "\n".join(map(_text, failure.report.rstrip().split("\n")))
        items.append(
            f'<li><span class="ic {kind}" aria-hidden="true">{sign}</span><div><strong>{_text(text[:1].upper() + text[1:])}</strong>'
            f"{causes if failure.causes else ''}<pre>{report}</pre></div></li>"
        )
    if review.permissions:
        names = ", ".join(_code(" ".join(one)) for one in review.permissions)
        items.append(
            '<li><span class="ic warning" aria-hidden="true">!</span><div><strong>HEAD’s project file asks for more permissions</strong>'
            f"<p>This review did not grant them: {names}</p></div></li>"
        )
    for number, one in enumerate(review.consequences):
        where = f" ({one.where})" if one.where else ""
        count = sum(len(row.names) for row in rows if number in row.consequences)
        choice = (
            f'<button class="link js-only" type="button" data-choose="e{number}">{counted(count, "document")}</button>'
        )
        items.append(
            f'<li><span class="ic {one.severity}" aria-hidden="true">{_SIGNS[one.severity]}</span>'
            f'<div><strong>{_text(one.text[:1].upper() + one.text[1:])}</strong> <span class="quiet">{one.severity}</span>'
            f"<p>{_text(one.reason + where)}{_subjects(one)}</div>{choice if count else ''}</li>"
        )
    if items:
        yield f'<ul class="panel cons">{"".join(items)}</ul>'


def _subjects(one: FoundConsequence) -> str:
    """The documents of a consequence, with their parts on a line each. Closes the paragraph before it."""
    parts = [(name, part) for name, part in one.subjects if part]
    if not parts:
        return f": {_code(subjects_text(one))}</p>"
    is_named = len({name for name, _ in parts}) > 1
    items = [
        f"<li>{f'{_code(name)} ' if is_named else ''}{_text(short_digests(part))}</li>"
        for name, part in parts[:MOST_PARTS]
    ]
    if parts[MOST_PARTS:]:
        rest = ", ".join(_text(short_digests(part)) for _, part in parts[MOST_PARTS:_MOST_NAMES])
        items.append(f"<li><details><summary>{len(parts) - MOST_PARTS} more</summary>{rest}</details></li>")
    place = f" in {_code(parts[0][0])}" if parts[0][0] and not is_named else ""
    return f"{place}</p><ul>{''.join(items)}</ul>"


# ---- causes


def _causes(found: Sequence[CauseRow], numbers: Mapping[int, int], rows: Sequence[_Row]) -> Iterator[str]:
    """The table of causes. numbers: that of the row of each cause."""
    if not found:
        return
    own = sum(not one.is_vendored for one in found)
    shown = min(own or len(found), UNFOLDED)
    counts: dict[int, int] = {}
    for row in rows:
        for number in {numbers[one] for one in row.causes}:
            counts[number] = counts.get(number, 0) + len(row.names)
    table = [_cause(number, one, counts.get(number, 0)) for number, one in enumerate(found, 1)]
    yield '<h2 id="causes">Causes <span class="quiet">most values first; each verified by reverting it</span></h2>'
    yield f'<div class="panel causes">{_cause_table(table[:shown])}</div>'
    if table[shown:]:
        values = sum(one.values for one in found[shown:])
        more = sum(len(one.causes) for one in found[shown:])
        yield (
            f'<details class="panel causes fold" id="more-causes"><summary>{counted(more, "more cause")}, '
            f"{counted(values, 'value')}</summary><noscript>{_cause_table(table[shown:])}</noscript></details>"
        )


def _cause_table(rows: Sequence[str]) -> str:
    head = '<th scope="col" class="where">Changed lines</th><th scope="col">Effect</th><th scope="col" class="num">Values</th>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _cause(number: int, cause: CauseRow, documents: int) -> str:
    found = effects(cause.changes)
    lines = [f"<li>{_effect(text, changes, cause)}</li>" for text, changes in found[:MOST_EFFECTS]]
    if len(found) > MOST_EFFECTS:
        lines.append(f"<li>{len(found) - MOST_EFFECTS} more</li>")
    badge = ' <span class="badge">vendored or generated</span>' if cause.is_vendored else ""
    choice = f'<button class="link js-only" type="button" data-choose="c{number}">Show {counted(documents, "document")}</button>'
    place = cause.place(lambda text, _: _code(text), '<span class="quiet">{}</span>'.format)
    runs = f' <span class="quiet">{_text(cause.where)}</span>' if cause.where else ""
    return (
        f'<tr id="c{number}" tabindex="-1"><td><div><span class="tile">{number}</span><span>{place}{runs}{badge}'
        f'<span class="quiet">{_text(cause.verified)}</span></span></div></td>'
        f"<td><ul>{''.join(lines)}</ul>{choice if documents else ''}</td>"
        f'<td class="num">{cause.values}</td></tr>'
    )


def _effect(text: str, changes: Sequence[ValueChange], cause: CauseRow) -> str:
    first = changes[0]
    names = f" in {_code(by_kind(one.document for one in changes))}"
    path = path_of(changes)
    runs = "" if cause.where else where_of(changes)
    where = _text(items_text(changes) + (f" ({runs})" if runs else ""))
    if first.path and first.kind == CHANGED:
        return f"{_code(path)} {_both(first)}{where}{names}"
    if first.path:
        word = f"{order_of(first)} changed" if first.kind not in (ADDED, REMOVED) else first.kind
        value = first.after if first.kind == ADDED else first.before
        return f"{_code(path)} {word}{'' if value is None else f' {_code(_brief(value))}'}{where}{names}"
    return f"{_text(text)}{names}"


def _brief(text: str) -> str:
    text = short_digests(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _both(change: ValueChange) -> str:
    return (
        f'<code class="was">{_text(_brief(change.before or ""))}</code> <span class="quiet">→</span> '
        f'<code class="now">{_text(_brief(change.after or ""))}</code>'
    )


# ---- documents


def _documents(review: Review, numbers: Mapping[int, int], rows: Sequence[_Row]) -> Iterator[str]:
    yield '<p class="state" id="state" role="status"></p>'
    if not rows:
        return
    yield '<h2 id="documents">Changed documents <span class="quiet">the lines that changed, and those around them</span></h2>'
    for number, row in enumerate(rows):
        yield _document(review, numbers, row, number)


def _document(review: Review, numbers: Mapping[int, int], row: _Row, number: int) -> str:
    document = row.document
    badges = []
    for one in row.consequences:
        found = review.consequences[one]
        badges.append(f'<span class="badge {found.severity}">{_SIGNS[found.severity]} {_text(found.name)}</span>')
    if document.kind != CHANGED:
        badges.append(f'<span class="badge">{document.kind}</span>')
    values = sum(one.values for one in document.changes)
    same = f" · same in {len(row.names) - 1} more" if len(row.names) > 1 else ""
    badges.append(f'<span class="badge">{counted(values, "value")}{same}</span>')
    if document.where:
        badges.append(f'<span class="badge">{_text(document.where)}</span>')
    body = "".join(_body(review, numbers, row))
    if number >= _OPEN:
        body = f"<noscript>{body}</noscript>"
    only = [f"c{one}" for one in sorted({numbers[one] for one in row.causes})] + [f"e{one}" for one in row.consequences]
    data = {name: " ".join(map(_choice, values)) for name, values in row.choices.items()}
    data["only"] = " ".join(only)
    data["q"] = " ".join([*document.runs[:_MOST_NAMES], *(review.causes[one].place for one in row.causes)])
    attributes = "".join(f' data-{name}="{_text(value)}"' for name, value in data.items())
    return (
        f'<details class="panel doc" id="d{number + 1}"{attributes} open><summary aria-keyshortcuts="j k o"><h3>{_text(document.name)}</h3>'
        f'<span class="r">{"".join(badges)}</span></summary>{body}</details>\n'
    )


def _body(review: Review, numbers: Mapping[int, int], row: _Row) -> Iterator[str]:
    document = row.document
    if document.blocks:
        lines: list[str] = []
        for block in document.blocks:
            lines += _lines(review, numbers, block)
        heads = "".join(
            f'<th scope="col" colspan="{span}" class="{name}">{text}</th>'
            for span, name, text in ((2, "", "Before"), (2, "", "After"), (1, "wc", "Cause"))
        )
        columns = '<col class="nc"><col><col class="nc"><col><col class="wc">'
        yield f'<table class="diff"><colgroup>{columns}</colgroup><thead><tr>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    unplaced = document.unplaced
    if unplaced:
        items = "".join(
            f"<li>{_change(one)} {_cause_links(review, numbers, one)}</li>" for one in unplaced[:_MOST_NAMES]
        )
        yield f'<ul class="more">{items}</ul>'
    if len(row.names) > 1:
        names = ", ".join(map(_code, row.names[1 : _MOST_NAMES + 1]))
        more = f" and {len(row.names) - 1 - _MOST_NAMES} more" if len(row.names) > _MOST_NAMES + 1 else ""
        yield f'<div class="more">The same change in {names}{more}</div>'
    if len(document.runs) > 1:
        yield f'<div class="more">The lines are those of run {_code(document.run)}.</div>'


def _lines(review: Review, numbers: Mapping[int, int], block: Block) -> Iterator[str]:
    if block.left_out:
        kind = "equal" if block.is_same else "more changed"
        yield f'<tr class="g"><td colspan="5">{counted(block.left_out, f"{kind} line")}</td></tr>'
        return
    cause = "" if block.change is None else _cause_links(review, numbers, block.change)
    for number in range(max(len(block.old), len(block.new))):
        old = block.old[number] if number < len(block.old) else None
        new = block.new[number] if number < len(block.new) else None
        if block.is_same and new is not None:
            text = _yaml(new)
            yield (
                f'<tr class="s"><td>{block.old_start + number}  </td><td>{text}</td>'
                f"<td>{block.new_start + number}  </td><td>{text}</td><td></td></tr>"
            )
            continue
        left, right = _marked(old, new)
        yield (
            '<tr class="d">'
            + (
                '<td class="v"></td><td class="v"></td>'
                if old is None
                else f"<td>{block.old_start + number} <b>−</b></td><td>{left}</td>"
            )
            + (
                '<td class="v"></td><td class="v"></td>'
                if new is None
                else f"<td>{block.new_start + number} <b>+</b></td><td>{right}</td>"
            )
            + f"<td>{cause if not number else ''}</td></tr>"
        )


def _cause_links(review: Review, numbers: Mapping[int, int], change: ValueChange) -> str:
    if not change.causes:
        return '<span class="quiet">not verified</span>'
    found = []
    for number in change.causes[:3]:
        cause = review.causes[number]
        first, *others = cause.places
        place = first.rpartition("/")[2] + (f" and {len(others)} more" if others else "")
        found.append(
            f'<a href="#c{numbers[number]}" title="{_text(cause.place)}"><span class="tile">{numbers[number]}</span><span>{_text(place)}</span></a>'
        )
    return "<br>".join(found)


def _yaml(line: str) -> str:
    """A line with its key in colour."""
    found = _KEY.match(line)
    if found is None:
        return _text(line)
    return f"{_text(found[1])}<i>{_text(found[2])}</i>{_text(line[found.end() :])}"


def _marked(old: str | None, new: str | None) -> tuple[str, str]:
    """Both versions of a line with the words that differ marked."""
    if old is None or new is None:
        return "" if old is None else _yaml(old), "" if new is None else _yaml(new)
    start = 0
    most = min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    while start and _is_word(old[start - 1]):
        start -= 1
    while end and _is_word(old[-end]):
        end -= 1
    return _with_mark(old, start, len(old) - end), _with_mark(new, start, len(new) - end)


def _is_word(char: str) -> bool:
    return char.isalnum() or char in "._-"


def _with_mark(line: str, start: int, end: int) -> str:
    if start >= end:
        return _yaml(line)
    found = _KEY.match(line)
    if found is None or found.end() > start:
        return f"{_text(line[:start])}<mark>{_text(line[start:end])}</mark>{_text(line[end:])}"
    return f"{_yaml(line[:start]) if line[:start].endswith((':', ' ')) else _text(line[:start])}<mark>{_text(line[start:end])}</mark>{_text(line[end:])}"


# ---- lists


def _change(change: ValueChange) -> str:
    if change.kind == CHANGED:
        where = _text(f" ({change.where})") if change.where else ""
        return f"{_code(change.place)} {_both(change)}{where}"
    return _code(change_text(change))


def _other(one: OtherLines) -> str:
    note = "" if one.is_alone else ' <span class="quiet">reverted together with others</span>'
    message = f"<br>without it: {_code(one.message)}" if one.message else ""
    return f"{_code(one.lines.place)}{note}{message}"


def _list(heading: str, note: str, items: Iterable[str]) -> str:
    rows = [f"<li>{one}</li>" for one in items]
    if not rows:
        return ""
    shown = f'<ul class="panel rows">{"".join(rows[:UNFOLDED])}</ul>'
    if rows[UNFOLDED:]:
        rest = "".join(rows[UNFOLDED:])
        shown += f'<details class="panel rows fold"><summary>{len(rows) - UNFOLDED} more</summary><noscript><ul>{rest}</ul></noscript></details>'
    return f'<section><h2>{heading} <span class="quiet">{note}</span></h2>{shown}</section>'
