r"""Texts that libyaml reads differently from the parser of ytt and BOSH, a port of an older version.

    [a:, b]        a colon that ends a plain scalar in brackets is text; libyaml rejects it
    "it\'s"        is an apostrophe; libyaml rejects it
    "a\/b"         an escaped slash is rejected; libyaml accepts it
    !a,b[] c       commas and brackets are part of a tag; libyaml ends the tag there
    %YAML 1.2      is rejected; libyaml accepts it

Text that libyaml rejects is parsed again with substitute characters. The length stays the same, so no index changes.
The scalars are restored afterwards. The characters of a text decide which substitution is needed; usually none is.
"""

from __future__ import annotations

from plait.yaml.libyaml import DOCUMENT_START, SCALAR, Problem, ScannerError, open_keeping_marks, unused_character

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.yaml.libyaml import Event, Parser

# Maximum number of retries. Each substitution parses the text again up to that character.
_MOST_READINGS = 100
_BEYOND_TAGS = frozenset(",[]")
# Replaces a comma or bracket in a tag; the name of a tag that creates no value does not matter.
_IN_TAGS = "_"
_TAG_PROBLEMS = frozenset({"did not find expected whitespace or line break", "did not find expected tag URI"})


class _Mark:
    __slots__ = ("column", "index", "line")

    def __init__(self, text: str, index: int) -> None:
        self.index = index
        self.line = text.count("\n", 0, index)
        self.column = 0


class PatchedText:
    """A text patched so that libyaml parses it like ytt's parser.

    text: the patched text, of the same length as the original.
    """

    __slots__ = ("_backslash", "_colon", "_readings", "_whole", "text")

    def __init__(self, text: str) -> None:
        self._whole = text
        self.text = text
        self._readings = 0
        self._colon = self._backslash = ""

    def events(self, parser: Parser) -> Callable[[], Event]:
        """Parses the text; returns a function that returns the next event. That function raises libyaml's errors, and
        those that only ytt's parser raises.
        """
        text = self.text
        next_event = open_keeping_marks(parser, text)
        if "\\/" in text or "!" in text or "%YAML" in text:
            next_event = _checked(next_event, text)
        return self._restored(next_event) if self._colon or self._backslash else next_event

    def cover(self, error: Exception) -> bool:
        """Substitutes the character that caused an error of `events`. Returns False if the error has another cause."""
        mark = getattr(error, "problem_mark", None)
        if mark is None or self._readings >= _MOST_READINGS:
            return False
        text, at = self.text, int(mark.index)
        problem = getattr(error, "problem", None)
        if problem == "found unexpected ':'":
            self._colon = self._colon or unused_character(self._whole)
            self.text = f"{text[:at]}{self._colon}{text[at + 1 :]}"
        elif problem == "found unknown escape character":
            # PyYAML's own scanner reports the escaped character, libyaml the backslash.
            at = text.rfind("\\", 0, at + 1)
            if text[at + 1 : at + 2] != "'":
                return False
            self._backslash = unused_character(self._whole + self._colon)
            self.text = text[:at] + _without_escaped_apostrophes(text[at:], self._backslash)
        elif problem in _TAG_PROBLEMS and text[at : at + 1] in _BEYOND_TAGS:
            self.text = f"{text[:at]}{_IN_TAGS}{text[at + 1 :]}"
        else:
            return False
        self._readings += 1
        return True

    def _restored(self, next_event: Callable[[], Event]) -> Callable[[], Event]:
        """Restores the original text in the scalars of the events."""
        colon, backslash = self._colon, self._backslash

        def restore() -> Event:
            event = next_event()
            if event[0] != SCALAR:
                return event
            text = event[4]
            if colon and colon in text:
                text = text.replace(colon, ":")
            if backslash and backslash in text:
                text = text.replace(backslash, "" if event[7] == '"' else "\\")
            return event if text is event[4] else (*event[:4], text, *event[5:])

        return restore


def _without_escaped_apostrophes(text: str, stand_in: str) -> str:
    r"""The text with a substitute for the backslash of each `\'`, except after another backslash.

    Replaces all at once, because there may be many. Those outside double quotes are restored.
    """
    parts = text.split("\\\\")
    return "\\\\".join([part.replace("\\'", f"{stand_in}'") for part in parts])


def _checked(next_event: Callable[[], Event], text: str) -> Callable[[], Event]:
    """The events of a text, up to the first one that ytt's parser would reject."""

    def check() -> Event:
        event = next_event()
        kind = event[0]
        if kind == SCALAR:
            if event[7] == '"':
                _check_escapes(text, event[2].index, event[3].index)
            elif event[6] is not None and not event[4]:
                _check_tag(text, event[2].index, event[3].index)
        elif kind == DOCUMENT_START and event[4] not in (None, (1, 1)):
            raise Problem(None, None, "found incompatible YAML document", event[3])
        return event

    return check


def _check_escapes(text: str, start: int, end: int) -> None:
    if text.find("\\/", start, end) >= 0:
        written = text[start:end].replace("\\\\", "  ")
        at = written.find("\\/")
        if at >= 0:
            problem = "found unknown escape character"
            raise ScannerError("while parsing a quoted scalar", _Mark(text, start), problem, _Mark(text, start + at))


def _check_tag(text: str, start: int, end: int) -> None:
    """Raises an error for a tag in brackets that libyaml would silently end before a comma."""
    if text[end : end + 1] == "," and text[start:end].rsplit(maxsplit=1)[-1][:1] == "!":
        problem = "did not find expected whitespace or line break"
        raise ScannerError("while scanning a tag", _Mark(text, start), problem, _Mark(text, end))
