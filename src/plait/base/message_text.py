"""Formats errors as text: position, source lines, expected, found, hint and stack."""

from __future__ import annotations

from plait.base.source import Advice, Position, suggested
from plait.base.styles import PLAIN, short_place, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plait.base.errors import Diagnostic, Finding, PlaitError
    from plait.base.styles import StyledLine, Styles


def message_text(
    error: PlaitError,
    program: str,
    *,
    quote_values: bool,
    codes: bool,
    styles: Styles | None,
    width: int | None,
    rename: Callable[[str], str] | None,
) -> str:
    """Implements `plait.base.errors.render`."""
    out = block(f"{program}: " if program else "", error, quote_values, codes, width)
    groups = [[finding] for finding in error.findings]
    if len(groups) > 1:
        from plait.base.equal_errors import grouped, mistake, other_places

        groups = grouped(error.findings, mistake)
    last = {first.code: first for first, *_ in groups}
    for first, *others in groups:
        out.append([])
        # Of several faults of one code, the last one has the usual hint.
        out.extend(block("", first, quote_values, codes, width, is_last=last[first.code] is first))
        if others:
            out.append([("label", "  also at: "), ("", f" {other_places(others)}")])
    return page(out, styles, rename)


def brief(error: PlaitError) -> str:
    """The message on one line: the heading or, if that only announces problems, the first of them and their number."""
    first: PlaitError | Finding = error.findings[0] if error.findings else error
    # The rest of a problem's message follows its first line.
    count = 1 + (first is not error and "\n" in first.message)
    lines = ["".join(text for _, text in line) for line in block("", first, quote_values=False)[:count]]
    text = " ".join(line.strip() for line in lines)
    more = len(error.findings) - 1
    return f"{text} (and {more} more)" if more > 0 else text


def page(out: Iterable[StyledLine], styles: Styles | None, rename: Callable[[str], str] | None = None) -> str:
    show = (styles or PLAIN).line
    if rename is not None:
        # First: of a path in a line that is shortened, a part may be left.
        out = [[(style, rename(text)) for style, text in line] for line in out]
    return "\n".join([show(shortened(line, _LONGEST_LINE)) for line in out]) + "\n"


def _line(place: str, text: str, label: str) -> StyledLine:
    """A quoted line, with its role in the error."""
    quoted: StyledLine = [("dim", f"    {place}  |"), ("", f" {text.rstrip()}".rstrip())]
    return [*quoted, ("label", f"  <-- {label}")] if label else quoted


# Lines of an input can have millions of characters.
_LONGEST_LINE = 400
# Maximum number of equal stack lines, because a recursion repeats its frames.
_SAME_STEPS = 3


def _quoted(at: Position | None, error: PlaitError | Finding, quote_values: bool) -> str | None:
    """The quoted line of a position, or None. Only the key of a private line is quoted.

    A private source that cannot be parsed has no keys: text that looks like a key may be part of a value.
    """
    text = at.text if at is not None else None
    source = at.source if at is not None else None
    if text is None or source is None or quote_values:
        return text
    if source.private and (error.is_concealed or error.is_unread):
        return None
    return _key_of(text, bool(source.flag)) if source.private else text


def _key_of(text: str, is_flag: bool) -> str:
    """A line with dots in place of its value: `- key: ...`, `key=...` of a flag."""
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


# Labels whose style differs from the others.
_LABELS = {"hint": "hint"}
# On a terminal, repeated positions take at most a third of the width.
_PLACES = 3


def block(
    prefix: str,
    error: PlaitError | Finding,
    quote_values: bool,
    codes: bool = False,
    width: int | None = None,
    *,
    is_last: bool = True,
) -> list[StyledLine]:
    """The lines of one diagnostic. is_last: no later one has the same code."""
    first, *rest = (error.text("message", complete=quote_values) or error.message).split("\n")
    at = error.place
    number = ""
    # The heading of a list has the code of its first finding, and no position.
    is_named = [error.code] != [one.code for one in error.findings[:1]]
    if codes and error.code and is_named:
        from plait.base.codes import number_of

        number = f" [{number_of(error.code)}]"
    begin: StyledLine = [("error", prefix), ("place", f"{at}: " if at is not None else "")]
    out: list[StyledLine] = [[*begin, ("", first), ("dim", number)], *([("", f"  {line}".rstrip())] for line in rest)]
    quoted = [
        (str(at), text, at.label if codes and at is not None else "")
        for at in (error.at, *error.also)
        if (text := _quoted(at, error, quote_values)) is not None
    ]
    # A line may have several roles; only the first is shown.
    quoted = list({row[:2]: row for row in reversed(quoted)}.values())[::-1]
    missing = [str(at) for at in error.also if at.source is not None and _quoted(at, error, quote_values) is None]
    if quoted:
        quoted = [(_narrow(place, width), text, label) for place, text, label in quoted]
        wide = max(len(place) for place, _, _ in quoted)
        out += [[], *(_line(f"{place:<{wide}}", text, label) for place, text, label in quoted), []]
    names = ("document", "expected", "found")
    labels = [(name, f"{name}:", error.text(name, complete=quote_values)) for name in names]
    labels.append(("hint", "hint:", hint_of(error, quote_values=quote_values, with_usual=is_last)))
    if missing:
        labels.append(("", "see also:", ", ".join(dict.fromkeys(missing))))
    for name, label, text in labels:
        if text is not None:
            head, *more = text.split("\n")
            out.append([(_LABELS.get(name, "label"), f"  {label:<9}"), ("", f" {head}")])
            out += [[("", f"            {line}")] for line in more]
    out += _stack(error, quote_values, width)
    while not out[-1]:
        out.pop()
    return out


def _stack(error: PlaitError | Finding, quote_values: bool, width: int | None) -> list[StyledLine]:
    """The lines about the frames of an error."""
    stack = [step for step in error.stack if step.text]
    if not stack:
        return []
    known = [step.at is not None and step.at.source is not None for step in stack]
    places = [_narrow(str(step.at), width) if there else "" for step, there in zip(stack, known, strict=True)]
    wide = max(map(len, places))
    texts = max(len(step.text) for step in stack)
    out: list[StyledLine] = [[("label", "  stack:")]]
    last: StyledLine = []
    times = 0
    for step, place in zip(stack, places, strict=True):
        text = _quoted(step.at, error, quote_values)
        words = f"{step.text:<{texts}}" if text is not None else step.text
        line: StyledLine = [("dim", f"    {place:<{wide}}"), ("", f"  {words}")]
        if text is not None:
            line += [("dim", "  |"), ("", f" {text.strip()}".rstrip())]
        times = times + 1 if line == last else 1
        if times <= _SAME_STEPS:
            out.append(line)
        elif times == _SAME_STEPS + 1:
            out.append([("", f"    {'':<{wide}}  ...")])
        last = line
    return out


def _narrow(place: str, width: int | None) -> str:
    """A repeated position, with its path shortened in the middle if it is too long for the terminal."""
    return place if width is None else short_place(place, width // _PLACES)


def hint_of(diagnostic: Diagnostic, *, quote_values: bool = False, with_usual: bool = True) -> str | None:
    """The hint to show: that of the diagnostic, or with_usual that of its code, or None.

    A withheld hint counts as none, because its existence may reveal a similar value.
    """
    found = diagnostic.text("hint", complete=quote_values)
    if found is not None:
        return found
    # A message can contain its own advice; a heading of findings leaves it to them.
    is_heading = diagnostic.at is None and getattr(diagnostic, "findings", None)
    if not with_usual or suggested((diagnostic.text("message", complete=True),)) or is_heading:
        return None
    from plait.base.usual_hints import usual_hint

    usual = usual_hint(diagnostic)
    return usual.told(diagnostic.keyword) if isinstance(usual, Advice) and diagnostic.keyword is not None else usual
