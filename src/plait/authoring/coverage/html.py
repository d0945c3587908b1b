"""Writes the HTML report: a table of files, and a page per file. The pages load no other resources."""

from __future__ import annotations

from hashlib import sha256
from html import escape

from plait.authoring.coverage.summary import secret_note
from plait.authoring.coverage.text import percentage_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.coverage.summary import FileSummary, Summary

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1b1b1b; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #ddd }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
.code td { border: 0; padding: 0 .6rem; vertical-align: top; font: 13px/1.45 ui-monospace, monospace }
.code td.text { white-space: pre-wrap; overflow-wrap: anywhere }
.code td.number { color: #595959; white-space: nowrap }
.used td.text { background: #e6f5e6 } .missed td.text { background: #fbe3e3 } .partly td.text { background: #fdf3d0 }
.note { color: #7a4b00 }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #16181c } a { color: #9ec1ff } th, td { border-color: #3a3d44 }
  .code td.number { color: #a5a8ae } .note { color: #ffcf7d }
  .used td.text { background: #173a20 } .missed td.text { background: #4a1f22 } .partly td.text { background: #453a12 }
}
"""

# Maximum total length of the names of runs.
_MOST_NAMES = 400


def to_html(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yields the pages: the name of each file, and its text."""
    rows = "".join(
        _row(f'<a href="{page_of(file)}">{escape(file.name)}</a>', file.counts, file.percent) for file in summary.files
    )
    total = _row("all", summary.counts, summary.percent)
    runs = ", ".join(dict.fromkeys(run for run in summary.runs if run))
    told = f": {escape(runs)}" if 0 < len(runs) < _MOST_NAMES else ""
    head = f"<h1>Coverage: {percentage_text(summary.percent)} %</h1><p>{_counted(summary)}{told}</p>"
    names = ("Lines", "Missed", "Branches", "Missed", "Used")
    columns = "".join(f'<th scope="col" class="number">{name}</th>' for name in names)
    table = f'<table><thead><tr><th scope="col">File</th>{columns}</tr></thead><tbody>{rows}{total}</tbody></table>'
    yield "index.html", _page("Coverage", head + table)
    for file in summary.files:
        yield page_of(file), _page(file.name, _body(file))


def page_of(file: FileSummary) -> str:
    """A readable and unique file name for a file's page."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in file.name)[-60:]
    return f"{plain}-{sha256(file.name.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}.html"


def _counted(summary: Summary) -> str:
    count = len(summary.runs)
    note = secret_note(summary)
    return f"{count} run{'' if count == 1 else 's'}{'; ' if note else ''}{note}"


def _row(name: str, counts: tuple[int, int, int, int], percent: float) -> str:
    lines, all_lines, branches, all_branches = counts
    cells = (all_lines, all_lines - lines, all_branches, all_branches - branches, f"{percentage_text(percent)} %")
    columns = "".join(f'<td class="number">{cell}</td>' for cell in cells)
    return f"<tr><td>{name}</td>{columns}</tr>\n"


def _body(file: FileSummary) -> str:
    head = f'<p><a href="index.html">all files</a></p><h1>{escape(file.name)}: {percentage_text(file.percent)} %</h1>'
    texts = file.source_lines()
    if texts is None:
        return head + "<p>The counted text is no longer available.</p>"
    gone: dict[int, list[str]] = {}
    missed: dict[int, list[str]] = {}
    for branch in file.branches:
        (gone if branch.count else missed).setdefault(branch.line, []).append(branch.name)
    rows = []
    for number, text in enumerate(texts, 1):
        count = file.lines.get(number)
        kind = "" if count is None else "missed" if not count else "partly" if number in missed else "used"
        note = ""
        if count and number in missed:
            note = f' <span class="note">never: {escape(", ".join(dict.fromkeys(missed[number])))}</span>'
        label = {"missed": ' title="not covered by any run"', "partly": ' title="partly covered"'}.get(kind, "")
        used = "" if count is None else f"{count}x"
        rows.append(
            f'<tr id="L{number}" class="{kind}"{label}><td class="number">{number}</td>'
            f'<td class="number">{used}</td>'
            f'<td class="text">{escape(text)}{note}</td></tr>\n'
        )
    return f'{head}<table class="code"><tbody>{"".join(rows)}</tbody></table>'


def _page(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{_STYLE}</style></head>\n<body>{body}</body></html>\n"
    )
