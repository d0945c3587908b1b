"""One family of errors, one layout, one place that prints.

An error says what is wrong and where; `also` names further places that have a part in it, `document` what was being
changed, `expected`, `found` and `hint` say what would have been right, and the trail says how evaluation came there.
Levels further out add to the trail; they do not wrap text in text.
"""

from __future__ import annotations

from plait.source import Position, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self, TypedDict

    class Facts(TypedDict, total=False):
        """What an error may say besides its message, for those who hand it on to `PlaitError`."""

        at: Position | None
        also: Iterable[Position]
        document: str | None
        expected: str | None
        found: str | None
        hint: str | None
        trail: Iterable[Step]
        findings: Sequence[Finding]


# Shown in the place of a secret.
HIDDEN = "(secret)"


class Step:
    """One step of a trail: what was being done ("in document", "in f"), and where."""

    __slots__ = ("at", "text")

    def __init__(self, text: str, at: Position | None = None) -> None:
        self.text = text
        self.at = at


class Finding:
    """One thing that is wrong, with its place: errors that collect (schema checks, several names) hold a list of them.

    origins: what it depends on, as of an error.
    """

    __slots__ = ("also", "at", "expected", "found", "hint", "message", "origins", "trail")

    def __init__(
        self,
        message: str,
        *,
        at: Position | None = None,
        also: Iterable[Position] = (),
        expected: str | None = None,
        found: str | None = None,
        hint: str | None = None,
        trail: Iterable[Step] = (),
    ) -> None:
        self.message = message
        self.at = at
        self.also = list(also)
        self.expected = expected
        self.found = found
        self.hint = hint
        self.trail = list(trail)
        self.origins: tuple[object, ...] | None = None

    def made_of(self, *origins: object) -> Self:
        """The same finding, with what it depends on."""
        self.origins = origins
        return self

    def report(self) -> str:
        """The whole message, with places, source lines and hints, as the command line prints it."""
        return _page(_block("", self, quote_values=False))


class PlaitError(Exception):
    """Anything a user can put right. The command line prints it with `render` and exits with `exit_status`.

    message: what is wrong, in the user's words; where a reference's wording is part of its contract, that wording.
    document: the document that was being changed, and the place in it, where one among many was.
    trail: steps from the innermost to the outermost.
    origins: what the error depends on, as `plait.provenance` records it; None if that is not known. A run that uses
    secrets shows an error in full only if its origins are known and none is secret (see `plait.provenance.marks`).
    decided_at: the outermost condition that depends on a secret and leads to the error, if there is one.
    """

    exit_status = 1
    origins: tuple[object, ...] | None = None
    decided_at: Position | None = None

    def __init__(
        self,
        message: str,
        *,
        at: Position | None = None,
        also: Iterable[Position] = (),
        document: str | None = None,
        expected: str | None = None,
        found: str | None = None,
        hint: str | None = None,
        trail: Iterable[Step] = (),
        findings: Sequence[Finding] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.also = list(also)
        self.document = document
        self.expected = expected
        self.found = found
        self.hint = hint
        self.trail = list(trail)
        self.findings = list(findings)

    def __str__(self) -> str:
        return self.message

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            from plait.spell import no_attribute

            if name in ("line", "file", "path", "column"):
                raise AttributeError(
                    f"an error has no attribute {name!r}; where it is says at: at.source.shown, at.line"
                )
            raise no_attribute(self, name)

    def report(self, *, quote_values: bool = False) -> str:
        """The whole message, with places, source lines and hints, as the command line prints it.

        quote_values: also quote the lines of values files, and values of the environment.
        """
        return render(self, quote_values=quote_values)

    def made_of(self, *origins: object) -> Self:
        """The same error, with what it depends on: no origins if that is the text of inputs that are not secret.

        The first call counts, since the innermost code knows best.
        """
        if self.origins is None:
            self.origins = origins
        return self

    def within(self, text: str, at: Position | None = None) -> Self:
        """Add an outer step to the trail; returns the same error, to be raised again."""
        self.trail.append(Step(text, at))
        return self


def as_finding(error: PlaitError) -> Finding:
    """What an error says by itself, without the findings that it has."""
    return Finding(
        error.message,
        at=error.at,
        also=error.also,
        expected=error.expected,
        found=error.found,
        hint=error.hint,
        trail=error.trail,
    )


class UsageError(PlaitError):
    """A wrong flag or argument."""

    exit_status = 2


class ReadError(PlaitError):
    """An input that cannot be read: a missing file, broken YAML, a refused link."""


class StarlarkError(PlaitError):
    """A program that does not scan, parse, resolve, or that fails while it runs."""


class TemplateError(PlaitError):
    """A template whose comments and nodes do not make a program."""


class OverlayError(PlaitError):
    """An overlay that cannot be applied."""


class SchemaError(PlaitError):
    """A schema that is none, or data values that do not conform; see `findings`."""


class OpsError(PlaitError):
    """An ops file, pointer or variable that cannot be used."""


class LayeringError(PlaitError):
    """Documents that cannot be layered, substituted or validated.

    kind: the name of the rule, as the service reports it (`InvalidDocumentParent`); see `plait.layering.failures`.
    """

    kind = ""


class LimitError(PlaitError):
    """A limit on time, size or depth was reached. limit: its name in `--limit NAME=VALUE`, or ""."""

    exit_status = 3
    limit = ""


_NO_LINE = 1 << 40


def conceal(error: PlaitError) -> PlaitError:
    """The same error without any text of the input: for files of secrets, a line of which may be one."""

    def blank(at: Position | None) -> Position | None:
        return (
            Position(Source(at.source.name, "", _NO_LINE), at.line) if at is not None and at.source is not None else at
        )

    import re

    # A single character is punctuation that was expected. What was quoted may have had quotes in it: between the first and
    # the last nothing else is left.
    message = re.sub(r"(['\"`])(.)\1", "\0\\2\0", error.message, flags=re.DOTALL)
    for quote in "'\"`":
        message = re.sub(f"{quote}.*{quote}", f"{quote}...{quote}", message, flags=re.DOTALL)
    error.message = message.replace("\0", "'")
    error.at = blank(error.at)
    error.also = []
    error.document = None
    error.hint = error.hint if error.hint is None or '"' not in error.hint else None
    error.findings = []
    return error


def render(error: PlaitError, program: str = "plait", *, quote_values: bool = False) -> str:
    """The whole message for a person, ending in a line break (design 9)."""
    out = _block(f"{program}: ", error, quote_values)
    for finding in error.findings:
        out.append("")
        out.extend(_block("", finding, quote_values))
    return _page(out)


def _page(out: list[str]) -> str:
    lines = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE].rstrip()} ..." for line in out]
    return "\n".join(lines) + "\n"


# Lines of an input can have millions of characters.
_LONGEST_LINE = 400
# A recursion repeats its steps; more of the same line than this tell nothing.
_SAME_STEPS = 3


def _place_of_trail(error: PlaitError | Finding) -> Position | None:
    """Where an error came out of what has no place of its own, such as a value that a program made."""
    if isinstance(error, PlaitError) and error.findings:
        return None
    return next((step.at for step in error.trail if step.at is not None and step.at.source is not None), None)


def _quoted(at: Position | None, quote_values: bool) -> str | None:
    """The line to quote for a place, if it is known; of a private one its key."""
    text = at.text if at is not None else None
    source = at.source if at is not None else None
    if text is None or source is None or quote_values or not source.private:
        return text
    return _key_of(text, source.name.startswith("("))


def _key_of(text: str, is_flag: bool) -> str:
    """A line with dots in the place of its value: `- key: ...`, `key=...` of a flag."""
    rest = text.lstrip(" ")
    head = text[: len(text) - len(rest)]
    while rest.startswith("- "):
        head, rest = f"{head}- ", rest[2:]
    end = rest.find("=" if is_flag else ":")
    key, value = rest[: end + 1], rest[end + 1 :]
    if key[:-1].translate(_IN_KEYS) or len(key) < 2 or (value and not is_flag and value[0] != " "):
        return f"{head}..." if rest else text
    return f"{head}{key}{'' if is_flag else ' '}..." if value.strip() else head + key


_IN_KEYS = dict.fromkeys(map(ord, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"))


def _block(prefix: str, error: PlaitError | Finding, quote_values: bool) -> list[str]:
    first, *rest = error.message.split("\n")
    at = error.at if error.at is not None and error.at.source is not None else _place_of_trail(error)
    place = f"{at}: " if at is not None else ""
    out = [f"{prefix}{place}{first}", *(f"  {line}".rstrip() for line in rest)]
    quoted = [(str(at), text) for at in (error.at, *error.also) if (text := _quoted(at, quote_values)) is not None]
    quoted = list(dict.fromkeys(quoted))
    missing = [str(at) for at in error.also if at.source is not None and _quoted(at, quote_values) is None]
    if quoted:
        width = max(len(place) for place, _ in quoted)
        out += ["", *(f"    {place:<{width}}  | {text}".rstrip() for place, text in quoted), ""]
    document = error.document if isinstance(error, PlaitError) else None
    labels = [("document:", document), ("expected:", error.expected), ("found:", error.found), ("hint:", error.hint)]
    if missing:
        labels.append(("see also:", ", ".join(dict.fromkeys(missing))))
    for label, text in labels:
        if text is not None:
            head, *more = text.split("\n")
            out.append(f"  {label:<9} {head}")
            out += [f"            {line}" for line in more]
    if error.trail:
        out.append("  trail:")
        known = [step.at is not None and step.at.source is not None for step in error.trail]
        places = [str(step.at) if there else "" for step, there in zip(error.trail, known, strict=True)]
        width = max(map(len, places))
        texts = max(len(step.text) for step in error.trail)
        last, times = "", 0
        for step, place in zip(error.trail, places, strict=True):
            text = _quoted(step.at, quote_values)
            line = f"    {place:<{width}}  {step.text:<{texts}}" + (f"  | {text.strip()}" if text is not None else "")
            times = times + 1 if line == last else 1
            if times <= _SAME_STEPS:
                out.append(line.rstrip())
            elif times == _SAME_STEPS + 1:
                out.append(f"    {'':<{width}}  ...")
            last = line
    while out[-1] == "":
        out.pop()
    return out
