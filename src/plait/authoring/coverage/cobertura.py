"""Writes reports in Cobertura's format (coverage-04.dtd), which CI systems read: a package per directory, a class per
file.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.coverage.summary import FileSummary, Summary

_DOCTYPE = '<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">'


def to_cobertura(summary: Summary, *, directory: str, version: str, timestamp: int) -> str:
    """The report. directory: the base of paths. timestamp: in milliseconds."""
    packages: dict[str, list[FileSummary]] = {}
    for file in summary.files:
        packages.setdefault(file.name.rpartition("/")[0] or ".", []).append(file)
    return "".join(f"{line}\n" for line in _lines(summary, packages, directory, version, timestamp))


def _lines(
    summary: Summary, packages: dict[str, list[FileSummary]], directory: str, version: str, timestamp: int
) -> Iterator[str]:
    used, lines, gone, branches = summary.counts
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield _DOCTYPE
    yield (
        f'<coverage {_rates(summary.counts)} lines-covered="{used}" lines-valid="{lines}" branches-covered="{gone}" '
        f'branches-valid="{branches}" complexity="0" version="plait {_escaped(version)}" timestamp="{timestamp}">'
    )
    yield f"<sources><source>{_escaped(directory)}</source></sources>"
    yield "<packages>"
    for name, files in sorted(packages.items()):
        counts = [sum(column) for column in zip(*(file.counts for file in files), strict=True)]
        yield f'<package name="{_escaped(name)}" {_rates(counts)} complexity="0"><classes>'
        for file in files:
            yield from _class(file)
        yield "</classes></package>"
    yield "</packages>"
    yield "</coverage>"


def _class(file: FileSummary) -> Iterator[str]:
    yield (
        f'<class name="{_escaped(file.name.rpartition("/")[2])}" filename="{_escaped(file.name)}" '
        f'{_rates(file.counts)} complexity="0"><methods/><lines>'
    )
    by_line: dict[int, list[int]] = {}
    for branch in file.branches:
        by_line.setdefault(branch.line, []).append(branch.count)
    for line, count in file.lines.items():
        ways = by_line.get(line)
        if ways is None:
            yield f'<line number="{line}" hits="{count}" branch="false"/>'
        else:
            gone = sum(map(bool, ways))
            covered = f"{100 * gone // len(ways)}% ({gone}/{len(ways)})"
            yield f'<line number="{line}" hits="{count}" branch="true" condition-coverage="{covered}"/>'
    yield "</lines></class>"


def _rates(counts: Sequence[int]) -> str:
    used, lines, gone, branches = counts
    return f'line-rate="{_rate(used, lines)}" branch-rate="{_rate(gone, branches)}"'


def _rate(part: int, whole: int) -> str:
    return f"{part / whole if whole else 1:.4f}"


def _escaped(text: str) -> str:
    """Escapes text for XML, without characters that XML does not allow."""
    kept = "".join(char if char.isprintable() else "?" for char in text)
    return kept.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
