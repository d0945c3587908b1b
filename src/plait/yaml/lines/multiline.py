"""Multi-line scalars in documents read line by line: blocks after `|` or `>`, and continued quoted or plain text.

Both fold in the same way: a single line break becomes a space, and a sequence of line breaks loses one. In a block,
lines that begin with a space or a tab keep the surrounding breaks.
"""

from __future__ import annotations

from plait.yaml.lines.flow import end_of, parsed
from plait.yaml.lines.shapes import NoShapeError, plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def block(lines: Sequence[str], number: int, header: str, parent: int) -> tuple[str, int]:
    """The text of the block scalar whose header is on line `number`, and its last line. Raises NoShapeError.

    lines: the lines of the whole text, and one more. parent: the indentation of the item that contains the block.
    """
    first = lines[number + 1]
    indent = len(first) - len(first.lstrip(" "))
    if indent <= parent or indent == len(first) or first[indent] == "\t":
        raise NoShapeError
    pad = first[:indent]
    text: list[str] = []
    while True:
        line = lines[number + 1]
        if line.startswith(pad):
            text.append(line[indent:])
        elif line.strip(" "):
            break
        else:
            text.append("")
        number += 1
    if number == len(lines) - 2 and lines[number]:
        # If the text does not end in a line break, neither does the scalar.
        raise NoShapeError
    if not "".join(text).replace("\t", "").isprintable():
        raise NoShapeError
    blank = 0
    while not text[-1]:
        text.pop()
        blank += 1
    if number == len(lines) - 2:
        blank -= 1
    end = "" if header[1:] == "-" else "\n" if header[1:] == "" else "\n" * (1 + blank)
    return (_folded(text) if header[0] == ">" else "\n".join(text)) + end, number


def _folded(lines: list[str]) -> str:
    out = [lines[0]]
    deeper = lines[0][0] in " \t"
    breaks = 1
    for line in lines[1:]:
        if not line:
            breaks += 1
            continue
        was_deeper, deeper = deeper, line[0] in " \t"
        out.append("\n" * breaks if was_deeper or deeper else "\n" * (breaks - 1) or " ")
        out.append(line)
        breaks = 1
    return "".join(out)


def quoted(lines: Sequence[str], number: int, start: str, parent: int) -> tuple[str, int]:
    """The quoted string that starts on line `number` and ends on a later one, and its last line. Raises NoShapeError.

    start: the text on the first line. lines, parent: as in `block`.
    """
    quote = start[0]
    first = number
    escaped = quote == '"' and "\\" in start
    out: list[str] = []
    text, end = start[1:], -1
    while True:
        out.append(text.replace("''", "'") if quote == "'" else text)
        if end >= 0:
            break
        breaks = 0
        text = ""
        while not text:
            number += 1
            breaks += 1
            line = lines[number]
            text = line.strip(" ")
        if len(line) - len(line.lstrip(" ")) <= parent or not text.isprintable():
            raise NoShapeError
        out.append("\n" * (breaks - 1) or " ")
        if quote == '"':
            escaped = escaped or "\\" in text
            end = end_of(text, 0)
        else:
            end = text.find("'")
            while end >= 0 and text[end + 1 : end + 2] == "'":
                end = text.find("'", end + 2)
        if end >= 0:
            if end + 1 < len(text):
                raise NoShapeError
            text = text[:end]
    if not escaped:
        return "".join(out), number
    if lines[first][-1] == " ":
        # A backslash may precede the space.
        raise NoShapeError
    # The parser resolves escapes, also at the ends of lines.
    made = parsed("\n".join([start, *lines[first + 1 : number + 1]]), {})
    if type(made) is not str:
        raise NoShapeError
    return made, number


def continued(lines: Sequence[str], number: int, parent: int, closed: int) -> tuple[str, int]:
    """The plain scalar that is continued on line `number`, and its last line. Raises NoShapeError.

    lines, parent: as in `block`. closed: the scalar starts after this line.
    """
    above = number - 1
    while above > closed and not lines[above].strip(" "):
        above -= 1
    start = plain_text(lines[above]) if above > closed else None
    if start is None:
        raise NoShapeError
    out = [start]
    breaks = number - above
    last = above
    while True:
        line = lines[number]
        text = line.strip(" ")
        if text:
            if len(line) - len(line.lstrip(" ")) <= parent or text[0] == "#":
                break
            if ": " in text or " #" in text or text[-1] == ":" or not text.isprintable():
                raise NoShapeError
            out.append("\n" * (breaks - 1) or " ")
            out.append(text)
            breaks = 0
            last = number
        breaks += 1
        number += 1
    if last == above:
        raise NoShapeError
    return "".join(out), last
