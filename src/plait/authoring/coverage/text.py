"""Prints the report for a terminal: a table of files, with the uncovered lines of each."""

from __future__ import annotations

from plait.authoring.coverage.summary import ranges, secret_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.coverage.summary import FileSummary, Summary

_HEAD = ("File", "Lines", "Missed", "Branches", "Missed", "Used", "Missing")


def to_text(summary: Summary) -> str:
    """The table: a row per file with its uncovered lines and branches, and the totals in the last row."""
    rows = [_HEAD, *(_row(file.name, file.counts, file.percent, missing(file)) for file in summary.files)]
    rows.append(_row("all", summary.counts, summary.percent, ""))
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    out = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:], strict=True)]
        out.append("  ".join([*cells, row[-1]]).rstrip())
    note = secret_note(summary)
    return "".join(f"{line}\n" for line in [*out, *([note] if note else [])])


def _row(name: str, counts: tuple[int, int, int, int], percent: float, missing: str) -> tuple[str, ...]:
    lines, all_lines, branches, all_branches = counts
    missed = (all_lines, all_lines - lines, all_branches, all_branches - branches)
    share = f"{percentage_text(percent)} %" if all_lines or all_branches else "-"
    return (name, *map(str, missed), share, missing)


def percentage_text(percent: float) -> str:
    """A percentage with one decimal place. 100 only if everything is covered, 0 only if nothing is."""
    if 0 < percent < 100:
        percent = min(max(percent, 0.1), 99.9)
    return f"{percent:.1f}".removesuffix(".0")


def missing(file: FileSummary) -> str:
    """The uncovered lines of a file, with uncovered branches in parentheses after their line."""
    found = [(first, _range(first, last)) for first, last in ranges(file.missing_lines, list(file.lines))]
    by_line: dict[int, dict[str, None]] = {}
    for branch in file.missing_branches:
        by_line.setdefault(branch.line, {})[branch.name] = None
    alike: dict[str, list[int]] = {}
    for line, names in by_line.items():
        alike.setdefault(", ".join(names), []).append(line)
    for told, lines in alike.items():
        found += [(first, f"{_range(first, last)} ({told})") for first, last in ranges(lines, list(file.lines))]
    return ", ".join(text for _, text in sorted(found))


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
