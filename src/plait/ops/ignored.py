"""Warnings about parts of the input that have no effect and that bosh ignores silently.

Further documents of a file, repeated keys, unclosed placeholders, and placeholders in the value of a variable.
"""

from __future__ import annotations

from plait.base.errors import OpsError, ReadError, warning
from plait.base.source import Position, Source
from plait.base.suggestions import REPLACE, Suggestion
from plait.ops.near_misses import warn_of_near_misses
from plait.ops.placeholders import MARK, is_whole, marked, name_end, names
from plait.ops.pointer import MatchingIndexToken, Pointer
from plait.ops.text_places import place_of
from plait.ops.walk import find
from plait.tree.nodes import Array, Map, walk
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    from plait.base.errors import Warn, Warning
    from plait.ops.operations import Operation
    from plait.tree.nodes import DocumentSet, Item, Value

    class Sources(Protocol):
        """The sources of variables, as far as this module needs them."""

        def named(self) -> dict[str, Value]:
            """The explicit values."""

        def place_of(self, name: str, /) -> Position | None:
            """The line of a file that gives a variable its value, or None."""


def warn_of_reading(source: Source, documents: DocumentSet, warn: Warn, *, of_keys: bool) -> None:
    """Warns about ignored parts of a text if only its first document is read.

    of_keys: it may have duplicate keys, or quotes that are none.
    """
    if of_keys:
        from plait.yaml.reading_warnings import reading_warnings

        for text in _undashed(documents) or reading_warnings(source, documents, first=True):
            warn(text)
    line = second_document(source.text)
    if line is not None:
        at = Position(source, line)
        warn(
            warning(
                f"only the first document is read; the documents from this line on are ignored ({_joined(source, line)})",
                code="further-documents",
                at=at,
            )
        )


def _joined(source: Source, line: int) -> str:
    """The advice for documents from a line on, none of which is read."""
    lines = source.text.split("\n")
    lines[line - 1 :] = [one for one in lines[line - 1 :] if one.rstrip() != "---"]
    try:
        documents = read(Source(source.name, "\n".join(lines)), scalar_keys=True)
    except ReadError:
        return "put each one into a file of its own"
    is_one = len(documents.items) == 1 and deduplicate(documents) is documents
    return 'without "---" they are read as well' if is_one else "put each one into a file of its own"


def _undashed(documents: DocumentSet) -> list[Warning]:
    """Warnings about operations that lack a dash and so are part of the previous operation."""
    value = documents.items[0].value
    found = []
    for operation in value.items if type(value) is Array else ():
        kinds = [item for item in operation.value.items if item.key == "type"] if type(operation.value) is Map else []
        found += [
            warning(
                'another operation begins here, within the one before: put "- " in front of it',
                code="nested-operation",
                at=item.position,
            )
            for item in kinds[1:]
        ]
    return found


def second_document(text: str) -> int | None:
    """The line of the `---` before a second, non-empty document, or None."""
    if "\n---" not in text:
        return None
    begun, second = False, None
    for number, line in enumerate(text.split("\n"), 1):
        is_mark = line[:3] == "---" and line[3:4] in {"", " ", "\t", "\r"}
        if is_mark:
            if begun and second is None:
                second = number
            begun = True
            line = line[3:]
        elif line[:3] == "..." and line[3:4] in {"", " ", "\r"}:
            begun = True
            continue
        written = line.strip()
        if not written or written[0] == "#" or (written[0] == "%" and not begun):
            continue
        if second is not None:
            return second
        begun = True
    return None


def warn_of_matches(
    operations: Iterable[Operation], result: Value, warn: Warn, given: Sequence[Operation], before: Value
) -> None:
    """Warns about optional matches in arrays of scalars: they match nothing, so a value is added again in each run.

    operations: with such matches. result: the document after all operations. given, before: all operations, and the
    document before them, to find names that are similar to missing ones.
    """
    warn_of_near_misses(given, before, result, warn)
    for operation in operations:
        tokens = operation.pointer.tokens
        for depth, token in enumerate(tokens):
            if type(token) is not MatchingIndexToken or not token.optional or operation.kind == "test":
                continue
            try:
                array = find(result, Pointer(tokens[:depth]), slash=False)
            except OpsError:
                break
            first = array.items[0].value if type(array) is Array and array.items else None
            if first is None or type(first) is Map or type(first) is Array:
                continue
            where = operation.pointer.until(depth)
            removes = operation.kind == "remove"
            message = (
                f"the items of {where} are not maps, so {operation.pointer.until(depth + 1)} matches none and "
                + ("nothing is removed" if removes else "an item is added each time")
                + f" ({where}/{'INDEX removes' if removes else '- adds'} an item)"
            )
            at = Position(operation.source, operation.line) if operation.source is not None else None
            warn(warning(message, code="unmatched-item", at=at))
            break


# Operators of spruce that stand first in double parentheses.
_OPERATORS = frozenset({"calc", "concat", "grab", "inject", "join", "param", "prune", "static_ips", "vault"})
# Forms of placeholders in other tools, by their start. BOSH itself read the first one once.
_CLOSING = {"{{": "}}", "${": "}", "$(": ")"}


def warn_of_placeholders(texts: Sequence[tuple[Item, str]], sources: Sources, warn: Warn, root: Value = None) -> None:
    """Warns about placeholders that are never filled: unclosed ones, those with spaces in a longer text, those in other
    forms, and those in the value of a variable.

    root: the value to search for placeholders in other forms; None for none.
    """
    try:
        given = sources.named()
    except OpsError:
        given = {}  # the error is raised again, with its position, when placeholders are filled
    if root is not None:
        _warn_of_braces(root, given, warn)
    brought = _brought(given)
    known: set[str] | None = None
    filled: set[str] | None = None
    for item, text in texts:
        # Most texts have as many opening as closing parentheses of placeholders, and need no closer check.
        if text.count(MARK) != text.count("))"):
            if known is None:
                known = {*given, *(name.partition(".")[0] for _, one in texts for name in names(one))}
            wrong = _unclosed(text, known)
            if wrong is not None:
                closed = wrong.rstrip(")}]") + "))"
                message = f'"{wrong}" is not a placeholder and stays as it is; two parentheses close one: {closed}'
                _report(message, item, wrong, closed, warn)
        elif " " in text and text.startswith(MARK) and _is_operator(text) and given.keys().isdisjoint(names(text)):
            message = f'"{text}" is an operator of spruce and stays as it is: only ((NAME)) is filled'
            warn(warning(message, code="open-placeholder", at=place_of(item, text), word=text))
        elif " " in text and not is_whole(text):
            if filled is None:
                filled = {*given, *(name.partition(".")[0] for _, one in texts for name in _filled(one))}
            for wrong, name in _spaced(text):
                if name.partition(".")[0] in filled or wrong == text:
                    message = (
                        f'"{wrong}" is not a placeholder here and stays as it is; write it without spaces: (({name}))'
                    )
                    _report(message, item, wrong, f"(({name}))", warn)
        if not brought:
            continue
        found = names(text)
        for place, name in enumerate(found):
            # A placeholder inserted into a longer text is filled only if the text already contains its name later.
            lost = [one for one in brought.get(name.partition(".")[0], ()) if one not in found[place + 1 :]]
            if lost:
                others = ", ".join(f"(({one}))" for one in lost)
                at = place_of(item, f"(({name}))")
                written = sources.place_of(name.partition(".")[0])
                warn(
                    warning(
                        f"the value of (({name})) has {others} in it, which stays as it is: "
                        "values are not filled themselves; write the value without it",
                        code="placeholder-in-value",
                        at=written or at,
                        also=[] if written is None or at is None else [at.labelled("used here")],
                    )
                )
    for name in given:
        right = name.strip().removeprefix("((").removesuffix("))").strip()
        if right and right != name and name_end(right, 0) == len(right):
            message = f'no placeholder has the name "{name}": the name of a variable is written alone: {right}'
            warn(warning(message, code="misspelt-variable", at=sources.place_of(name), word=name))
    strings = [(item, item.value) for item in walk(root) if type(item.value) is str] if given else []
    foreign = [found for found in strings if any(opening in found[1] for opening in _CLOSING)]
    if foreign:
        used = {name.partition(".")[0] for _, one in texts for name in names(one)}
        for item, text in foreign:
            for wrong, name in _in_other_form(text):
                first = name.partition(".")[0]
                # A shell script or a template may have its own variable with the name of one that is filled elsewhere.
                if first in given and (wrong.startswith("{{") or first not in used):
                    message = f'"{wrong}" is not a placeholder and stays as it is; a variable is written (({name}))'
                    _report(message, item, wrong, f"(({name}))", warn)


def _report(message: str, item: Item, wrong: str, right: str, warn: Warn) -> None:
    suggestion = Suggestion(REPLACE, right, old=wrong)
    at = place_of(item, wrong)
    warn(warning(message, code="open-placeholder", at=at, word=wrong, suggestions=[suggestion]))


def _filled(text: str) -> list[str]:
    """The names of the placeholders that a string fills: in a longer text, only those without spaces."""
    found = names(text)
    return found if is_whole(text) else [name for name in found if f"(({name}))" in text or f"((!{name}))" in text]


def _spaced(text: str) -> list[tuple[str, str]]:
    """The placeholders with spaces in a string, with their names."""
    found: list[tuple[str, str]] = []
    at = text.find(MARK)
    while at >= 0:
        end = text.find("))", at)
        if end < 0:
            break
        at = text.rfind(MARK, at, end)
        inside = text[at + len(MARK) : end]
        name = inside.strip().removeprefix("!").strip()
        if name and name != inside.removeprefix("!") and name_end(name, 0) == len(name):
            found.append((text[at : end + 2], name))
        at = text.find(MARK, end)
    return found


def _in_other_form(text: str) -> Iterator[tuple[str, str]]:
    """The placeholders of other tools in a string, with their names."""
    for opening, closing in _CLOSING.items():
        at = text.find(opening)
        while at >= 0:
            end = text.find(closing, at)
            if end < 0:
                break
            name = text[at + len(opening) : end].strip()
            if name and name_end(name, 0) == len(name):
                yield text[at : end + len(closing)], name
            at = text.find(opening, at + len(opening))


def _is_operator(text: str) -> bool:
    return not _OPERATORS.isdisjoint(text[len(MARK) : -2].split(None, 1)[:1])


def _brought(given: dict[str, Value]) -> dict[str, list[str]]:
    """The placeholders in the values of variables that have a value themselves, by variable."""
    found: dict[str, list[str]] = {}
    for name, value in given.items():
        if type(value) is str:
            inner = names(value) if MARK in value else []
        else:
            inner = [one for _, text in marked(value) for one in names(text)]
        others = [one for one in dict.fromkeys(inner) if one != name and one.partition(".")[0] in given]
        if others:
            found[name] = others
    return found


def _warn_of_braces(root: Value, given: Iterable[str], warn: Warn) -> None:
    """Warns about the names of variables in single braces, which make maps with a key without a value: { name }."""
    names = frozenset(given)
    for item in walk(root) if names else ():
        inner = item.value.items if type(item.value) is Map else ()
        if len(inner) != 1 or inner[0].value is not None or inner[0].key not in names:
            continue
        name, source = inner[0].key, inner[0].source
        line = source.line(inner[0].line) if source is not None else None
        if line is not None and f"{{{name}}}" in line.replace(" ", ""):
            message = f"{{ {name} }} is a map with the key {name} here, not a placeholder; (({name})) is filled"
            warn(warning(message, code="open-placeholder", at=inner[0].position, word=str(name)))


def _unclosed(text: str, known: set[str]) -> str | None:
    """The first part of a text that looks like an unclosed placeholder, or None.

    Arithmetic and patterns contain double parentheses as well. In a longer text, only the name of a variable, or a
    brace instead of a parenthesis, shows that a placeholder was intended. known: the names of variables.
    """
    at = text.find(MARK)
    while at >= 0:
        start = at + len(MARK)
        start += text.startswith("!", start)
        end = name_end(text, start)
        closed = end
        while closed < len(text) and text[closed] in ")}]":
            closed += 1
        closing = text[end:closed]
        if end > start and not closing.startswith("))"):
            if not text[:at].strip() and not text[closed:].strip():
                return text.strip()
            if "}" in closing[:2]:
                return text[at:closed]
            name = text[start:end]
            if name.partition(".")[0] in known:
                return text[at:closed]
            for separator in "./":
                first = name.partition(separator)[0]
                if first in known:
                    return text[at : start + len(first)]
        at = text.find(MARK, at + 1)
    return None
