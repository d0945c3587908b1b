"""Hints that depend on the lines around a diagnostic. Loaded only to print one."""

from __future__ import annotations

import re

from plait.base.foreign_words import code_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.base.errors import Diagnostic
    from plait.base.source import Position, Source

_KEY = re.compile(r"(?P<indent> *)(?P<dashes>(?:- +)*)(?P<key>[^\s:#'\"-][^\s:]*|\"[^\"]*\"|'[^']*'):(?: |$)")
CODE = re.compile(r" *#@ +(?P<word>if|elif|else|for|while|def|end)\b(?P<whole>/end)?")
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*) *[-+*/%|&]?=(?!=)")
# Maximum number of lines that are read for a hint.
MOST = 2000
_OVERRIDE = "to replace the earlier item, put #@yaml/map-key-override above the later one"


def line_of(diagnostic: Diagnostic) -> str:
    """The line of an error; "" if it is unknown."""
    at = diagnostic.at
    return (at.source.line(at.line) if at is not None and at.source is not None else None) or ""


def repeated_key(diagnostic: Diagnostic) -> str:
    """The likely cause of a duplicate key in a template."""
    later = diagnostic.at
    earlier = diagnostic.also[0] if len(diagnostic.also) == 1 else later
    if later is None or later.source is None or earlier is None or earlier.source is not later.source:
        return _OVERRIDE
    source, first, last = later.source, earlier.line, later.line
    if len(diagnostic.also) == 1 and first == last:
        if "(@" in (source.line(last) or ""):
            return f"a loop creates this key twice: make its values differ; {_OVERRIDE}"
        return (
            'a loop creates this key each time: begin the item with "- ", or compute the key: '
            "#@yaml/text-templated-strings above it, and (@= NAME @): as the key"
        )
    if first >= last or last - first > MOST:
        return _OVERRIDE
    return _unseparated(source, earlier, later) or _alternatives(source, first, last) or _OVERRIDE


def _unseparated(source: Source, earlier: Position, later: Position) -> str | None:
    """The hint for a missing `---` or dash: several keys repeat, beginning with the later one; or None."""
    before = dict(_keys(source, earlier.line, later.line))
    after = dict(_keys(source, later.line, later.line + MOST))
    if len(before.keys() & after.keys()) < 2:
        return None
    found = _KEY.match(source.line(later.line) or "")
    opened = _KEY.match(source.line(min(before.values())) or "")
    if found is None or opened is None:
        return None
    if opened["dashes"]:
        return f'begin line {later.line} with "- ": the keys of the item above it repeat'
    return f"put --- above line {later.line}: the keys of the document above it repeat" if not found["indent"] else None


def _keys(source: Source, first: int, last: int) -> Iterator[tuple[str, int]]:
    """Yields the keys in the column of the one in the first line, each with its line, up to the end of their map."""
    column = -1
    for number in range(first, last):
        line = source.line(number)
        if line is None or line.startswith("---"):
            return
        found = _KEY.match(line)
        if found is None:
            continue
        here = found.start("key")
        if column < 0:
            column = here
        if here < column or (here == column and found["dashes"] and number > first):
            return
        if here == column:
            yield found["key"].strip("\"'"), number


def _alternatives(source: Source, first: int, last: int) -> str | None:
    """The hint for an item after an `if` block with another item of the same key, or None."""
    opened: list[str] = []
    closed = second = 0
    for number in range(first, last):
        found = CODE.match(source.line(number) or "")
        if found is None or found["whole"]:
            continue
        if found["word"] == "end":
            if opened:
                opened.pop()
            elif not closed:
                closed = number
            else:
                return None
            second = 0 if not opened else second
        elif found["word"] not in ("elif", "else"):
            opened.append(found["word"])
            second = number
        elif not opened:
            return None
    if not closed or _opener(source, first) != "if" or len(opened) > 1:
        return None
    if not opened:
        return f'to run only one of the two, write "#@ else:" instead of line {closed}, and "#@ end" below the item of line {last}'
    if opened == ["if"]:
        return f'to run only one of the two, remove line {closed}, and write "#@ elif" instead of the "#@ if" in line {second}'
    return None


def _opener(source: Source, number: int) -> str:
    """The keyword that opens the block around a line, or ""."""
    depth = 0
    for above in range(number - 1, max(source.first_line, number - MOST) - 1, -1):
        found = CODE.match(source.line(above) or "")
        if found is None or found["whole"]:
            continue
        word = found["word"]
        depth += (word == "end") - (word in ("if", "for", "while", "def"))
        if depth < 0:
            return word
        if word in ("elif", "else") and not depth:
            return word
    return ""


def unbound(diagnostic: Diagnostic) -> str | None:
    """The hint for a function that assigns to a name of the file, or for a variable of a loop above; or None."""
    at = diagnostic.at
    if at is None or at.source is None:
        return None
    loop = _loop_above(at.source, at.line, diagnostic.word)
    if loop:
        return (
            f"{diagnostic.word} is the variable of the loop in line {loop}, which has not run: use it in the loop, "
            "or give it a value above the loop"
        )
    assigned = _ASSIGNED.match(line_of(diagnostic).lstrip().removeprefix("#@"))
    name = assigned[1] if assigned is not None else ""
    if not name or not re.search(rf"^(?:#@ )?{name} *=(?!=)", at.source.text, re.MULTILINE):
        return None
    return (
        f"an assignment makes {name} a variable of the function, and no function can change one of the file: "
        "return the new value, or change an item of a list or a dict"
    )


def _loop_above(source: Source, number: int, name: str) -> int:
    """The line of the last loop above a line that alone assigns to a variable; 0 if there is none."""
    assigns = re.compile(
        rf" *(?:#@ *)?(?P<for>for(?:/end)? +(?:\w+ *, *)*)?{re.escape(name)} *(?(for)(?:,[ \w,]*)?\bin\b|=(?!=))"
    )
    for above in range(number - 1, max(source.first_line, number - MOST) - 1, -1):
        found = assigns.match(source.line(above) or "")
        if found is not None:
            return above if found["for"] else 0
    return 0


def from_root(diagnostic: Diagnostic) -> str | None:
    """The hint for a load by a path from the root of the inputs, or None."""
    if re.search(r"load\([\"']/", line_of(diagnostic)) is None:
        return None
    return 'a path that begins with "/" starts at the input directory: the input must be the directory that contains this path'


_BOTH = re.compile(
    r"""(?P<key>(?:- +)?[\w./-]+): +(?P<text>[^\s"'{}#&*!|>%@`\\][^"'{}#\\]*[-_./:@+]) +#@ (?P<code>.+)"""
)


def two_values(diagnostic: Diagnostic) -> str | None:
    """The hint for a text that an expression continues, or None."""
    found = _BOTH.fullmatch(line_of(diagnostic)[:MOST].strip())
    if found is None:
        return None
    return f'write the whole text as one expression: {found["key"]}: #@ "{found["text"]}{{}}".format({found["code"].strip()})'


def hidden_module(diagnostic: Diagnostic) -> str | None:
    """The hint for a name that a template loads, and then assigns to above its use; or None."""
    at = diagnostic.at
    if at is None or at.source is None or not diagnostic.word:
        return None
    used = rf"(?<![\w.])([A-Za-z_]\w*)\.{re.escape(diagnostic.word)}\b"
    names = set(re.findall(used, code_of(line_of(diagnostic))))
    bound: dict[str, int] = {}
    for number in range(max(at.source.first_line, at.line - MOST), at.line):
        code = code_of(at.source.line(number) or "")
        for name in names:
            if re.match(r"load\s*\(", code):
                if "@ytt:" in code and (f'"{name}"' in code or f"'{name}'" in code):
                    bound[name] = 0
            elif name in bound and re.match(
                rf"(?:for\s+(?:\w+\s*,\s*)*)?{name}\s*(?:,[\w\s,]*)?(?:\bin\b|=(?!=))", code
            ):
                bound[name] = number
    for name, number in bound.items():
        if number:
            return f'line {number} assigns a different value to the name "{name}", which hides the module: use another name there'
    return None


_SHELL = re.compile(r"""[\s{,]["']?path["']?:[^$#]*(?P<name>\$(?:[A-Z_][A-Z0-9_]*|\{[A-Z_][A-Z0-9_]*\}))""")


def unexpanded(diagnostic: Diagnostic) -> str | None:
    """The hint for a variable of a shell in the path of an operation, or None."""
    found = _SHELL.search(f" {line_of(diagnostic)}"[:MOST])
    return None if found is None else f'no shell expands "{found["name"]}" in a file: write the value itself'


def anchor_before(diagnostic: Diagnostic) -> str | None:
    """The hint for an anchor that an earlier document of the file defines, or None."""
    at, name = diagnostic.at, f"&{diagnostic.word}"
    if at is None or at.source is None:
        return None
    has_separator = False
    for number in range(at.line - 1, max(at.source.first_line, at.line - MOST) - 1, -1):
        line = at.source.line(number) or ""
        if has_separator and name in line.partition(" #")[0].split():
            return f"{name} in line {number} ends with its document: repeat the anchor in this one"
        has_separator = has_separator or line.startswith("---")
    return None


def unclosed(diagnostic: Diagnostic) -> str | None:
    """The hint for code in a text that a parenthesis alone closes, or None."""
    row = line_of(diagnostic).rpartition("(@")[2].rstrip()
    code = row[:-1].rstrip()
    if not code or not row.endswith(")") or "@)" in row or row.count(")") <= row.count("("):
        return None
    return f'"@)" closes code, not ")": (@{code} @)'


HINTS: dict[str, Callable[[Diagnostic], str | None]] = {
    "duplicate-map-key": repeated_key,
    "path-matches": unexpanded,
    "text-directive": unclosed,
    "two-values": two_values,
    "unknown-anchor": anchor_before,
    "unknown-attribute": hidden_module,
    "unbound-variable": unbound,
    "input-not-found": from_root,
}
