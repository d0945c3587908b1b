"""ytt's reports about data values that violate their schema, with surrounding lines and the expected type."""

from __future__ import annotations

from plait.base.similar_names import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.source import Position


# The title of the report about an invalid schema.
INVALID = "Invalid schema"


class SchemaFailure:
    """ytt's report about a value or declaration that a schema check rejects.

    at: the node. notes: the positions of annotations that contribute.
    summary: the title of a report with only this failure; None if the error's own `reference` is the title of all.
    calculated: the item, if a template created it, else empty.
    within: the number of enclosing reports of an invalid schema.
    """

    __slots__ = ("at", "calculated", "description", "expected", "found", "hints", "notes", "summary", "within")

    def __init__(
        self,
        at: Position,
        *,
        found: str,
        expected: str,
        description: str = "",
        hints: Sequence[str] = (),
        notes: Sequence[Position] = (),
        summary: str | None = None,
        calculated: str = "",
        within: int = 0,
    ) -> None:
        self.at = at
        self.found = found
        self.expected = expected
        self.description = description
        self.hints = hints
        self.notes = notes
        self.summary = summary
        self.calculated = calculated
        self.within = within


def within_report(reference: object) -> object:
    """The reference of a finding in one more enclosing report of an invalid schema."""
    if isinstance(reference, SchemaFailure):
        reference.within += 1
        return reference
    return _surrounded(reference) if isinstance(reference, str) else reference


def _surrounded(text: str) -> str:
    return f"\n{INVALID}\n{'=' * len(INVALID)}\n{text} \n\n"


def nearest(word: str, known: Sequence[str]) -> list[str]:
    """Ytt's hint for an unknown word: empty, or one line that names the nearest known word."""
    meant = spelled(word, known)
    return [f'did you mean "{meant}"?'] if meant else []


def schema_report(summary: str, failures: Sequence[SchemaFailure]) -> str:
    """The report of failures under a summary; for a failure with its own summary, only failures about its
    annotation.
    """
    first = failures[0]
    if first.summary is not None:
        summary = first.summary
        count = 1
        while first.notes and count < len(failures) and _is_of(failures[count], first):
            count += 1
        failures = failures[:count]
    out = ["", summary, "=" * len(summary.encode()), ""] if summary else [""]
    width = max(len(_number(failure.at)) for failure in failures)

    def pad(mark: str, number: str = "") -> str:
        return f"  {number:>{width}} {mark}"

    text = "\n".join(out)
    for failure in failures:
        lines = [failure.description] if failure.description else []
        if failure.calculated:
            lines += ["Data value calculated:", pad("#"), f"{pad('#')} {failure.calculated}", pad("#")]
        else:
            lines += [f"{failure.at.source.name if failure.at.source else ''}:", pad("|")]
            before: Position | None = None
            for at in (*sorted(failure.notes, key=lambda note: note.line), failure.at):
                if before is not None and not _is_next(at, before):
                    lines.append(f"{pad('|')} ...")
                lines.append(f"{pad('|', _number(at))} {at.text or ''}")
                before = at
            lines.append(pad("|"))
        text += "\n" + "\n".join(lines) + "\n\n"
        text += f"{pad('=')} found: {failure.found}" if failure.found else ""
        text += "\n"
        text += f"{pad('=')} expected: {failure.expected}" if failure.expected else ""
        text += "".join(f"\n{pad('=')} hint: {hint}" for hint in failure.hints)
        text += "\n"
    text += "\n"
    for _ in range(first.within):
        text = _surrounded(text)
    return text


def _is_of(schema_failure: SchemaFailure, first: SchemaFailure) -> bool:
    return schema_failure.summary == first.summary and schema_failure.notes == first.notes


def _number(at: Position) -> str:
    return str(at.line) if at.line > 0 else "?"


def _is_next(position: Position, other: Position) -> bool:
    return position.source is other.source and -1 <= position.line - other.line <= 1
