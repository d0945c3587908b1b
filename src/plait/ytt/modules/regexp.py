"""`@ytt:regexp`: matches and replaces RE2 regular expressions (docs/reference/modules.md).

ytt uses RE2 too. Its time is linear in the text for every pattern.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.modules.members import exactly, module_of, text
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.step_budget import charge
from plait.ytt.starlark.values import is_callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module

    class Match(Protocol):
        def group(self, group: int, /) -> str | None: ...
        def start(self) -> int: ...
        def end(self) -> int: ...

    class Pattern(Protocol):
        groups: int
        groupindex: dict[str, int]
        programsize: int

        def search(self, text: str) -> Match | None: ...
        def finditer(self, text: str) -> list[Match]: ...


_LARGEST = 16 << 20

# Go's wording of RE2's errors, which ytt shows.
_REASONS = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "trailing \\": "trailing backslash at end of expression",
}

# What to write instead, by RE2's error. A character in brackets needs no backslash, in YAML and in code. Without a hint,
# the pattern has the syntax of another program.
_HINTS = {
    "missing )": "close the group with ), or write [(] for the character",
    "unexpected )": "open the group with (, or write [)] for the character",
    "missing ]": "close the brackets with ], as in [0-9], or write [[] for the character",
    "no argument for repetition operator": "SIGN repeats what is before it: .SIGN matches any text, and [SIGN] the character",
    "bad repetition operator": "keep the first sign of SIGN",
    "invalid repetition size": "a count is at most 1000, and the smaller one comes first, as in {1,3}",
    "invalid character class range": "the smaller character comes first, as in [a-z]; a - as a character comes last, as in [a-z-]",
    "trailing \\": "write [\\\\] for a backslash",
}


def hint_of(what: str, where: str) -> str | None:
    """The hint for an invalid expression, or None. what, where: RE2's error, and the part of the expression."""
    found = _HINTS.get(what)
    return None if found is None else found.replace("SIGN", where)


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("regexp", {"match": _match, "replace": _replace})


def _match(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
    pattern, subject = exactly(2, args)
    compiled = _compile(text(pattern))
    subject = _checked(text(subject))
    _charge(compiled, subject)
    return compiled.search(subject) is not None


def _replace(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    pattern, subject, by = exactly(3, args)
    pattern = text(pattern)
    compiled = _compile(pattern)
    subject = _checked(text(subject))
    _charge(compiled, subject)
    # An unbounded repetition, such as the first of `a.*b|a`, scans the rest of the text for each of its matches.
    ahead = any(sign in pattern for sign in "*+{")
    new = _calling(by) if is_callable(by) else _template(text(by), compiled)
    return _replaced(compiled, subject, new, ahead=ahead)


_A_MATCH = 128  # steps


def _charge(compiled: Pattern, subject: str) -> None:
    """Charges for compiling the pattern and for matching."""
    # RE2's time grows with both sizes if many alternatives are active at once.
    charge(compiled.programsize * 12 + (len(subject) >> 4) + (len(subject) * compiled.programsize >> 10))


def _calling(function: object) -> Callable[[Match], str]:
    def replacement(match: Match) -> str:
        return text(call(function, (match.group(0),)))

    return replacement


def _replaced(compiled: Pattern, subject: str, replacement: Callable[[Match], str], *, ahead: bool) -> str:
    out: list[str] = []
    end = 0
    for match in compiled.finditer(subject):
        charge(_A_MATCH + (len(subject) - match.start() >> 12 if ahead else 0))
        out.append(subject[end : match.start()])
        # An empty match at the end of another match does not count.
        if match.end() > end or match.start() == 0:
            out.append(replacement(match))
        end = match.end()
    out.append(subject[end:])
    return "".join(out)


def _template(template: str, compiled: Pattern) -> Callable[[Match], str]:
    """Parses `$1`, `${name}` and `$$`. Names are as long as possible: `$1x` is the group `1x`."""
    parts: list[str | int] = []
    rest = template
    while True:
        before, dollar, rest = rest.partition("$")
        parts.append(before)
        if not dollar:
            break
        if rest.startswith("$"):
            parts.append("$")
            rest = rest[1:]
            continue
        name, after = _name(rest)
        if not name:
            parts.append("$")
            continue
        rest = after
        group = int(name) if name.isascii() and name.isdigit() and len(name) < 9 else compiled.groupindex.get(name, -1)
        if 0 <= group <= compiled.groups:
            parts.append(group)

    def replacement(match: Match) -> str:
        return "".join([(match.group(part) or "") if isinstance(part, int) else part for part in parts])

    return replacement


def _name(rest: str) -> tuple[str, str]:
    """The name after a `$`, and the rest; an empty name if there is none."""
    braced = rest.startswith("{")
    start = end = 1 if braced else 0
    while end < len(rest) and (rest[end].isalnum() or rest[end] == "_"):
        end += 1
    name = rest[start:end]
    if braced:
        return (name, rest[end + 1 :]) if rest[end : end + 1] == "}" else ("", rest)
    return name, rest[end:]


def _checked(subject: str) -> str:
    if not subject.isascii() and any("\ud800" <= character <= "\udfff" for character in subject):
        raise StarlarkError("expected text, but these bytes are not UTF-8", code="not-utf8")
    return subject


def _compile(pattern: str) -> Pattern:
    try:
        import re2
    except ImportError:
        raise StarlarkError(
            "regular expressions need the package google-re2", hint="pip install google-re2", code="extra-not-installed"
        ) from None
    charge(len(pattern))
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _LARGEST
    try:
        compiled: Pattern = re2.compile(_checked(pattern), options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "replace")
        what, colon, where = str(reason).partition(": ")
        hint = hint_of(what, where)
        what = _REASONS.get(what, what)
        raise StarlarkError(
            f"error parsing regexp: {what}{f': `{where}`' if colon else ''}",
            hint=hint,
            code="invalid-regexp",
        ) from None
    return compiled
