"""Errors of the parser, with go-yaml's phrases and the line of the mistake."""

from __future__ import annotations

from plait.base.errors import LimitError, ReadError
from plait.base.source import Position, Quoted, Source, Wording, public, quotation
from plait.base.suggestions import QUOTE_VALUE, Hint, Suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.yaml.libyaml import Mark

_QUOTE = Suggestion(QUOTE_VALUE)
_HINTS: dict[str, str] = {
    "mapping values are not allowed in this context": Hint('put the value in quotes if it contains ": "', _QUOTE),
    "could not find expected ':'": "a key is followed by a colon and a space (or a line break)",
    "did not find expected <document start>": "the next document starts with ---",
    "found unexpected ':'": Hint("put a space after the colon, or quotes around the text", _QUOTE),
    "did not find expected key": "check the indentation, and quotes within quotes",
    "did not find expected '-' indicator": "check the indentation: every item starts with a dash in the same column",
    "did not find expected hexdecimal number": "use single quotes, or write the backslash twice",
    "did not find expected alphabetic or numeric character": Hint(
        "put the text in quotes: * starts an alias, & an anchor", _QUOTE
    ),
    "did not find expected ',' or ']'": "a bracket is not closed, or a comma is missing",
    "did not find expected ',' or '}'": "a brace is not closed, or a comma is missing",
    "did not find expected node content": "a value is missing, or a bracket or brace is unmatched",
    "found unknown escape character": "use single quotes, or write the backslash twice",
}
CODE_WITHIN = "code extends to the end of the line, bracket included: put the items in brackets on lines of their own"
_SECOND_COLON = 'a second ": " in the line'
_IN_QUOTES = Hint("put the text in quotes", _QUOTE)
_CANNOT_START: dict[str, tuple[str, str]] = {
    "\t": ("a tab", "indent with spaces"),
    "@": ('"@"', _IN_QUOTES),
    "`": ('"`"', _IN_QUOTES),
    "%": ('"%"', _IN_QUOTES),
}


def syntax_error(error: Exception, source: Source, text: str, base: int, *, prepends: bool) -> Exception:
    """The error for an exception of the parser. Returns exceptions that are not about the text unchanged.

    text: the parsed text, whose first line is line `base` of the source. prepends: as in `_go_yaml`.
    """
    offset = getattr(error, "position", None)
    if offset is not None:
        return _bad_character(error, offset, source, text, base)
    problem = getattr(error, "problem", None)
    if problem is None:
        return LimitError("collections are nested too deep") if isinstance(error, RecursionError) else error
    problem = _native_phrase(str(problem), str(getattr(error, "context", None)))
    hint = _HINTS.get(problem)
    mark = getattr(error, "problem_mark", None)
    context = getattr(error, "context_mark", None)
    # At the end of the text, point at the last line that is not empty.
    end = len(text.rstrip())
    index = end if mark is None else min(mark.index, end)
    at = _position(index, source, text, base)
    reference = _go_yaml(error, problem, source, base, prepends)
    foreign: str | None = None
    if text[index : index + 1] in ("[", "{") or any(map(text.__contains__, _FOREIGN)):
        from plait.yaml import foreign_syntax

        conflict = foreign_syntax.conflict_error(ReadError, source, text, base, text.count("\n", 0, index), reference)
        if conflict is not None:
            return conflict
        foreign = foreign_syntax.foreign_hint(problem, _line(text, index), _before(text, index), text, index)
    found: str | None = None
    if problem == "found character that cannot start any token":
        found, hint = _CANNOT_START.get(text[index : index + 1], (None, None))
        hint = foreign or hint
    elif foreign is not None:
        hint = foreign
    elif problem.startswith("did not find expected") and (code := _code_within(text, index)) is not None:
        hint, context = CODE_WITHIN, None
        at = _position(code, source, text, base)
    elif problem == "mapping values are not allowed in this context":
        if _line(text, index).count(": ") > 1:
            found = _SECOND_COLON
        else:
            hint = _too_far_in(text, index) or hint
    elif problem == "could not find expected ':'" and _lacks_space(_line(text, index), text, context):
        hint = "an item has a space after its dash"
    elif problem in _LATE and problem[:7] == "did not":
        hint = _too_far_out(text, index) or hint
    elif problem == "found a tab character that violates indentation":
        hint = "indent with spaces"
    elif problem == "found unexpected end of stream" and context is not None:
        hint = "the quote that opens here is not closed"
        index, context = context.index, None
        at = _position(index, source, text, base)
    repaired = None if hint is CODE_WITHIN or foreign is not None else _repaired(problem, text, index)
    if repaired is not None:
        number, hint = repaired
        at, context, found = _position(index, source, text, base), None, None
        at = Position(source, at.line - text.count("\n", 0, index) + number - 1)
    also: list[Position] = []
    if context is not None:
        start = _position(context.index, source, text, base)
        if start.line != at.line:
            also.append(start.labelled("it begins here"))
    told = public(problem) if problem in _KNOWN else quotation(problem)
    return ReadError(
        told,
        at=at,
        also=also,
        found=found and (public(found) if found in ("a tab", _SECOND_COLON) else quotation(found)),
        hint=hint and _public(hint),
        reference=reference,
        code="invalid-yaml",
    )


_FOREIGN = ("<<<<<<<", "{{", "{%", "(@", "\u00a0")
# Problems that the parser may notice some lines below the mistake.
_LATE = frozenset(
    {
        "could not find expected ':'",
        "did not find expected '-' indicator",
        "did not find expected <document start>",
        "did not find expected key",
        "mapping values are not allowed in this context",
    }
)
# Texts longer than this are not searched for the line to repair.
_LONGEST = 1_000_000


def _repaired(problem: str, text: str, index: int) -> tuple[int, str] | None:
    """The number of a line above the one at `index` that is the likely mistake, from 1, and a hint; or None."""
    line = text.count("\n", 0, index) + 1
    if problem not in _LATE or len(text) > _LONGEST:
        return None
    from plait.yaml.lossless.recovery import KEY_BELOW_DASH, key_below_dash, repairs

    key = key_below_dash(text, line)
    if key:
        return key, KEY_BELOW_DASH
    repair = next(iter(repairs(text, 1)), None)
    if repair is None or repair.number >= line:
        return None
    whole = text.split("\n")[repair.number - 1]
    if repair.is_open:
        which = "quote" if whole.count('"') % 2 or whole.count("'") % 2 else "bracket"
        return repair.number, f"a {which} that opens here is not closed in this line"
    if _lacks_space(whole, "", None):
        return repair.number, "an item has a space after its dash"
    return (repair.number, "a key is followed by a colon and a space") if _is_joined(whole) else None


def _is_joined(line: str) -> bool:
    """True for a word, a colon and a value without a space between them."""
    words = line.split()
    start, colon, rest = (words or [""])[-1].partition(":")
    return start.isidentifier() and bool(colon and rest) and words[:-1] in ([], ["-"])


def _go_yaml(error: Exception, problem: str, source: Source, base: int, prepends: bool) -> str:
    """go-yaml's message with its line number, counted from 0, plus one for errors of its scanner.

    prepends: the program inserts `---` before a text that does not begin with it, and subtracts it from the line.
    """
    start = source.text.lstrip()
    added = 0 if not prepends or (start.startswith("---") and start[3:4].isspace()) else 1
    skipped = base - source.first_line + added
    marks = (getattr(error, "problem_mark", None), getattr(error, "context_mark", None))
    first, context = (0 if mark is None else max(mark.line + skipped, 0) for mark in marks)
    line = first + 1 if first and type(error).__name__ == "ScannerError" else first or context
    return f"yaml: line {line - added}: {problem}" if line else f"yaml: {problem}"


def _public(hint: str) -> Wording:
    """A hint as a Wording. A plain string is a constant of this module."""
    return hint if isinstance(hint, Wording) else public(hint)


def _line(text: str, index: int) -> str:
    """The line that contains an index."""
    end = text.find("\n", index)
    return text[text.rfind("\n", 0, index) + 1 : len(text) if end < 0 else end]


def _code_within(text: str, index: int) -> int | None:
    """The index of the last code on or before the line of `index`, if it starts inside open brackets; else None."""
    end = text.find("\n", index)
    code = text.rfind(" #@ ", 0, len(text) if end < 0 else end)
    before = text[text.rfind("\n", 0, code) + 1 : code] if code >= 0 else ""
    opened = before.count("{") + before.count("[") - before.count("}") - before.count("]")
    return code if opened > 0 else None


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _key_column(line: str) -> int:
    """The column of the first key of a line, after dashes."""
    return len(line) - len(line.lstrip(" -"))


def _before(text: str, index: int) -> str:
    """The last line above that is not a comment."""
    end = text.rfind("\n", 0, index) + 1
    while end > 0:
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start:end].rstrip()
        if line and line.lstrip()[0] != "#":
            return line
        end = start
    return ""


def _lacks_space(line: str, text: str, context: Mark | None) -> bool:
    """True if a line that has no colon begins like an item whose dash is not followed by a space."""
    lines = (line, "" if context is None else _line(text, context.index))
    return any(one.startswith("-") and one[1:2] not in ("", " ", "-") for one in map(str.strip, lines))


def _too_far_in(text: str, index: int) -> str | None:
    """The message for a key that is indented below a value; None for other errors."""
    line, before = _line(text, index), _before(text, index)
    inner = _indentation(line)
    if inner <= _key_column(before) or before.endswith(":"):
        return None
    above = Quoted(before.strip()[:60])
    return Wording("the key is indented further than the line above it, which has a value already: ", above)


def _too_far_out(text: str, index: int) -> str | None:
    """The message for a key further left than the first one; None for other errors."""
    line, before = _line(text, index), _before(text, index)
    if _indentation(line) >= _key_column(before) or ":" not in before or line.strip()[:1] == "-":
        return None
    above = Quoted(before.lstrip(" -")[:60])
    columns = f"this one in column {_indentation(line) + 1}, the one above in column {_key_column(before) + 1}"
    return Wording("the keys of a map begin in one column: ", public(columns), ": ", above)


def _native_phrase(problem: str, context: str) -> str:
    """The phrase of libyaml for a problem that PyYAML's parser words differently."""
    if problem.startswith("expected <block end>"):
        return _NATIVE_BLOCKS.get(context, problem)
    return next((phrase for start, phrase in _NATIVE.items() if problem.startswith(start)), problem)


# Messages of libyaml do not quote the text. Other messages may be PyYAML's, which quote characters of it.
_KNOWN = frozenset(
    {
        "block collection entries are not allowed in this context",
        "block mapping entries are not allowed in this context",
        "block sequence entries are not allowed in this context",
        "could not determine the implicit tag",
        "could not find expected ':'",
        "could not find expected directive name",
        "could not find expected whitespace or line break",
        "did not find URI escaped octet",
        "did not find digit or '.' character",
        "did not find expected '!'",
        "did not find expected '-' indicator",
        "did not find expected ',' or ']'",
        "did not find expected ',' or '}'",
        "did not find expected <document start>",
        "did not find expected <stream-start>",
        "did not find expected alphabetic or numeric character",
        "did not find expected comment or line break",
        "did not find expected digit or '.' character",
        "did not find expected hexdecimal number",
        "did not find expected key",
        "did not find expected node content",
        "did not find expected tag URI",
        "did not find expected version number",
        "did not find expected whitespace",
        "did not find expected whitespace or line break",
        "did not find the expected '>'",
        "found a tab character that violates indentation",
        "found a tab character where an indentation space is expected",
        "found an incorrect leading UTF-8 octet",
        "found an incorrect trailing UTF-8 octet",
        "found an indentation indicator equal to 0",
        "found character that cannot start any token",
        "found duplicate %TAG directive",
        "found duplicate %YAML directive",
        "found extremely long version number",
        "found incompatible YAML document",
        "found invalid Unicode character code",
        "found undefined tag handle",
        "found unexpected ':'",
        "found unexpected document indicator",
        "found unexpected end of stream",
        "found unknown directive name",
        "found unknown escape character",
        "mapping keys are not allowed in this context",
        "mapping values are not allowed in this context",
        "while scanning a directive",
    }
)
_NATIVE_BLOCKS = {
    "while parsing a block mapping": "did not find expected key",
    "while parsing a block collection": "did not find expected '-' indicator",
}
_NATIVE = {
    "found character '": "found character that cannot start any token",
    "found unknown escape character": "found unknown escape character",
    "mapping values are not allowed": "mapping values are not allowed in this context",
    "expected ',' or ']'": "did not find expected ',' or ']'",
    "expected ',' or '}'": "did not find expected ',' or '}'",
    "expected '<document start>'": "did not find expected <document start>",
    "expected the node content": "did not find expected node content",
}


def _position(index: int, source: Source, text: str, base: int) -> Position:
    return Position(source, base + text.count("\n", 0, index), index - text.rfind("\n", 0, index))


def _bad_character(error: Exception, offset: int, source: Source, text: str, base: int) -> ReadError:
    """The error for an invalid character.

    Positions differ: libyaml counts bytes. PyYAML's reader counts characters, and names them differently.
    """
    character = getattr(error, "character", 0)
    reason = str(getattr(error, "reason", ""))
    index = len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore"))
    if "special" in reason:
        reason, index = "control characters are not allowed", offset
    code = ord(character) if isinstance(character, str) else character
    if 0xD800 <= code <= 0xDFFF:
        reason = "invalid leading UTF-8 octet"
        return ReadError(
            public(reason),
            at=_position(index, source, text, base),
            reference=f"yaml: {reason}",
            code="invalid-character",
        )
    return ReadError(
        public(reason),
        at=_position(index, source, text, base),
        found=quotation(f"U+{code:04X}"),
        reference=f"yaml: {reason}",
        code="invalid-character",
    )
