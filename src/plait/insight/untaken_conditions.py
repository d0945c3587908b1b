"""Finds the conditions of templates that leave a value out of the output.

Candidates come from the text: first an `if` around lines that contain parts of the PATH. Each is verified: the run is
evaluated with the other outcome, and the value must then exist.
"""

from __future__ import annotations

import os
import re
from time import process_time

from plait.base.errors import LimitError, PlaitError
from plait.base.lines import lines_of
from plait.base.source import Source
from plait.insight.blocks import code_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plait.insight.node_paths import Path

# Maximum number of evaluations, and of seconds of CPU time after which no other one starts.
_MOST_TRIES, _SECONDS = 60, 6
_WORD = re.compile(r"[A-Za-z0-9_-]{3,}")
_PART = re.compile(r"[A-Za-z0-9]{3,}")
_DATA_VALUE = re.compile(r"\bdata\.values((?:\.[A-Za-z_]\w*)+)")


class Condition:
    """An `if` or `elif` of a template, at a position. outcome: the outcome that the value needs, the opposite of the
    recorded one.
    """

    __slots__ = ("line", "outcome", "source")

    def __init__(self, source: Source, line: int, *, outcome: bool) -> None:
        self.source = source
        self.line = line
        self.outcome = outcome

    def data_values(self) -> list[str]:
        """The PATHs of the data values that its line reads."""
        return [one[1:] for one in _DATA_VALUE.findall(self.source.line(self.line) or "")]


class _Branch:
    """A branch: its first line, and the outcomes that lead to it by line."""

    __slots__ = ("end", "outcomes", "start")

    def __init__(self, start: int, outcomes: Mapping[int, bool]) -> None:
        self.start = start
        self.end = start
        self.outcomes = outcomes


def untaken_conditions(
    path: Path, files: Mapping[str, bytes | None], exists: Callable[[Mapping[str, bytes]], bool]
) -> list[Condition]:
    """The conditions that keep a value out of the output. With the opposite outcome of all of them, it exists. Empty if
    none was found.

    files: contents of the inputs by absolute path. exists: evaluates with replaced texts, and returns whether the value
    exists; raises PlaitError.
    """
    start = process_time()
    tries = 0

    def holds(name: str, lines: Sequence[str], outcomes: Mapping[int, bool]) -> bool:
        nonlocal tries
        tries += 1
        try:
            return exists({name: _with_outcomes(lines, outcomes).encode("utf-8", "surrogateescape")})
        except LimitError:
            raise
        except PlaitError:
            return False  # shows nothing about the value

    for name, lines, branch in _candidates(path, files):
        if tries >= _MOST_TRIES or process_time() - start > _SECONDS:
            break
        needed = dict(branch.outcomes)
        if not holds(name, lines, needed):
            continue
        for line in [*needed] if len(needed) > 1 else ():
            others = {one: outcome for one, outcome in needed.items() if one != line}
            if holds(name, lines, others):
                needed = others
        source = Source(os.path.relpath(name), "\n".join(lines))
        return [Condition(source, line, outcome=outcome) for line, outcome in sorted(needed.items())]
    return []


def _candidates(path: Path, files: Mapping[str, bytes | None]) -> Iterator[tuple[str, Sequence[str], _Branch]]:
    """Branches with their file's path and lines: those with most words of the PATH, or parts of words, first, then the
    shortest.
    """
    text = f"{path.selector or ''} {' '.join(map(str, path.steps))}"
    words = [*{*_WORD.findall(text)}, *{*_PART.findall(text)}]
    found: list[tuple[int, int, str, Sequence[str], _Branch]] = []
    for name, content in files.items():
        if content is None or b"if" not in content:
            continue
        lines = lines_of(content.decode("utf-8", "surrogateescape"))
        for branch in _branches(lines, is_program=name.endswith(".star")):
            text = "\n".join(lines[branch.start : branch.end])
            score = sum(word in text for word in words)
            found.append((-score, branch.end - branch.start, name, lines, branch))
    found.sort(key=lambda one: one[:3])
    yield from ((name, lines, branch) for _, _, name, lines, branch in found)


def _branches(lines: Sequence[str], *, is_program: bool) -> Iterator[_Branch]:
    """The branches of a text, each with the outcomes of the conditions around it."""
    # Of each open block: the outcomes around it, those of its conditions so far, and the current branch.
    open_blocks: list[tuple[Mapping[int, bool], dict[int, bool], _Branch | None]] = []
    for number, line in enumerate(lines, 1):
        code = code_on(line, is_program=is_program) or ""
        word = code.partition(" ")[0].rstrip(":")
        around = open_blocks[-1][2].outcomes if open_blocks and open_blocks[-1][2] is not None else {}
        if word == "if/end":
            branch = _Branch(number, {**around, number: True})
            branch.end = _end_of_node(lines, number)
            yield branch
        elif word == "if":
            open_blocks.append((around, {number: False}, _Branch(number, {**around, number: True})))
        elif word in ("for", "def", "while"):
            open_blocks.append((around, {}, _Branch(number, around)))
        elif word in ("elif", "else", "end") and open_blocks:
            outer, before, last = open_blocks.pop()
            if last is not None and before:
                last.end = number - 1
                yield last
            if word != "end":
                outcomes = {**outer, **before} | ({number: True} if word == "elif" else {})
                open_blocks.append(
                    (outer, before | ({number: False} if word == "elif" else {}), _Branch(number, outcomes))
                )


def _end_of_node(lines: Sequence[str], number: int) -> int:
    """The last line of the node after an annotation: of a document up to the next one, else by its
    indentation.
    """
    first = next(
        (at for at in range(number, len(lines)) if lines[at].strip() and not lines[at].lstrip().startswith("#")), None
    )
    if first is None:
        return len(lines)
    indent = len(lines[first]) - len(lines[first].lstrip())
    is_document = lines[first].startswith("---")
    for at in range(first + 1, len(lines)):
        line = lines[at]
        if line.startswith("---"):
            return at
        if not is_document and line.strip() and len(line) - len(line.lstrip()) <= indent and line.lstrip()[0] != "#":
            return at
    return len(lines)


def _with_outcomes(lines: Sequence[str], outcomes: Mapping[int, bool]) -> str:
    """The text with constants for conditions."""
    changed = [*lines]
    for number, outcome in outcomes.items():
        before, word, _ = re.split(r"\b(if/end|elif|if)\b", lines[number - 1], maxsplit=1)
        changed[number - 1] = f"{before}{word} {outcome}:"
    return "\n".join(changed) + "\n"
