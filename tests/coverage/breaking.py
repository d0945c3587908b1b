"""Breaking what a point stands for, in the text; by rules that know nothing of how points are found (see claims.py).

Each rule gives texts: one for each way of each point that it can break, in the order of the text. What is broken fails with
`MARK` as soon as it is evaluated, or gives something else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import yaml

from plait.base.source import Source
from plait.tree.nodes import to_plain
from plait.yaml.reader import read

MARK = "plait-broken"
OTHER = "plait-other"  # says nothing in a message: it need not have been evaluated
FAIL = f'fail("{MARK}")'
_MOST_LINES = 8


class Text:
    """One file. kind: yaml, star or text."""

    def __init__(self, name: str, text: str) -> None:
        self.kind = "star" if name.endswith(".star") else "yaml" if name.endswith((".yml", ".yaml")) else "text"
        self.lines = text.split("\n")

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def with_line(self, number: int, *texts: str) -> str:
        """The text with other lines in the place of one."""
        return "\n".join([*self.lines[: number - 1], *texts, *self.lines[number:]])

    def indent(self, number: int) -> str:
        line = self.line(number)
        return line[: len(line) - len(line.lstrip())]

    # ---- statements and nodes

    def statement(self, line: int) -> list[str]:
        text = self.line(line)
        if self.kind == "text":
            found = re.findall(r"\(@-?(?!=)\s*(\w*)", text)
            if len(found) != 1 or "(@=" in text or found[0] in ("else", "end"):
                return []
            if found == ["elif"]:
                return self._of_statement(line, ast.If, "test", (FAIL, FAIL))[:1]
            return [self.with_line(line, re.sub(r"\(@", f"(@ {FAIL} @)(@", text, count=1))]
        code = re.match(r"\s*#@ " if self.kind == "yaml" else r"\s*", text)
        if code is None:
            return []
        if elif_ := re.match(r"elif(/end)? ", text[code.end() :].lstrip()):
            return [self.with_line(line, f"{code[0]}{elif_[0]}{FAIL}:")]
        return [self.with_line(line, f"{self.indent(line)}{'#@ ' if self.kind == 'yaml' else ''}{FAIL}", text)]

    def nodes(self, line: int) -> list[str]:
        text = self.line(line)
        if self.kind == "yaml":
            if re.search(r"#@ \w+/end", self.line(line - 1)):
                return []  # that is about the next line
            return [self.with_line(line, f"{self.indent(line)}#@ {FAIL}", text)]
        if "(@" not in text and "@)" not in text:
            return [self.with_line(line, f"{text}(@= {FAIL} @)")]
        if text.count("(@") == 1 and re.search(r"\(@-?=.*@\)", text):
            return [self.with_line(line, re.sub(r"\(@(-?)=.*?(-?)@\)", rf"(@\1= {FAIL} \2@)", text))]
        return []

    def function(self, line: int) -> list[str]:
        if self.kind == "text" or not self.line(line).rstrip().endswith(":") or "def/end" in self.line(line):
            return []
        mark = "#@ " if self.kind == "yaml" else "  "
        return [self.with_line(line, self.line(line), f"{self.indent(line)}{mark}{FAIL}")]

    # ---- parts of expressions

    def _code(self, line: int) -> Iterator[tuple[int, str]]:
        """Pieces of code that begin on a line: where each begins, and its lines, as deep as they stand."""
        text = self.line(line)
        if self.kind == "star":
            yield len(self.indent(line)), "\n".join([text.lstrip(), *self.lines[line : line + _MOST_LINES]])
        elif self.kind == "text":
            for found in re.finditer(r"\(@-?=?\s*(.*?)\s*-?@\)", text):
                yield found.start(1), found[1]
        else:
            mark = re.search(r"#@(?:@?[a-z]+/[\w/-]+)? ", text)
            if mark is not None:
                below = [re.sub("#@", "  ", one, count=1) for one in self.lines[line : line + _MOST_LINES]]
                yield mark.end(), "\n".join([text[mark.end() :], *below])

    def _parsed(self, line: int) -> Iterator[tuple[ast.AST, int, int]]:
        """The syntax trees of the code of a line, with the column of each less that of the tree, and its lines."""
        for start, code in self._code(line):
            lines = code.split("\n")
            indent = len(lines[0]) - len(lines[0].lstrip())
            for count in range(1, len(lines) + 1):
                tried = "\n".join([lines[0].lstrip(), *lines[1:count]]).rstrip()
                for before, after in (("if 1:\n ", ""), ("if 1:\n ", " pass"), ("if 1:\n   ", " pass"), ("f(\n ", ")")):
                    source = before + (tried if before != "if 1:\n   " else re.sub("^elif", "if", tried)) + after
                    try:
                        tree = ast.parse(source)
                    except (SyntaxError, ValueError):
                        continue
                    yield tree, start + indent - 1, count
                    break
                else:
                    continue
                break

    def _replaced(self, line: int, shift: int, node: ast.expr, new: str) -> str | None:
        """The text with an expression replaced. line, shift: where the first line of its code is, and begins."""
        if node.end_lineno is None or node.end_col_offset is None:
            return None
        first, last = line + node.lineno - 2, line + node.end_lineno - 2
        start = node.col_offset + (shift if first == line else 0)
        end = node.end_col_offset + (shift if last == line else 0)
        if not all(self.line(number).isascii() for number in range(first, last + 1)):
            return None
        whole = self.line(first)[start:] if first != last else self.line(first)[start:end]
        between = "" if first == last else "\n".join(["", *self.lines[first : last - 1], self.line(last)[:end]])
        old = re.sub(r"\n(\s*)#@", r"\n\1  ", whole + between).replace("\n", " ")
        made = self.line(first)[:start] + new.replace("$", old) + self.line(last)[end:]
        return "\n".join([*self.lines[: first - 1], made, *self.lines[last:]])

    def parts(self, line: int, name: str) -> list[str]:
        """For each part that begins on a line, in order. name: what it belongs to."""
        made: list[str] = []
        for first in range(max(1, line - _MOST_LINES), line + 1):
            for tree, shift, count in self._parsed(first):
                if first != line and first + count <= line:
                    continue
                for node in ast.walk(tree):
                    for found, part in _parts(node):
                        if found == name and part.lineno + first - 2 == line:
                            text = self._replaced(first, shift, part, FAIL)
                            made += [] if text is None else [text]
            if made:
                break
        return made

    def condition(self, line: int) -> list[str]:
        """The test of an `if`, so that it fails if it is true; so that it fails if it is not."""
        return self._of_statement(line, ast.If, "test", (f"(($) and {FAIL})", f"(($) or {FAIL})"))

    def loop(self, line: int) -> list[str]:
        """What a `for` goes through, so that it fails if there is anything; so that it fails if there is nothing."""
        return self._of_statement(line, ast.For, "iter", (f"[{FAIL} for _x in ($)]", f"(list($) or {FAIL})"))

    def _of_statement(self, line: int, kind: type, field: str, news: tuple[str, str]) -> list[str]:
        for tree, shift, _ in self._parsed(line):
            assert isinstance(tree, ast.Module)
            body = tree.body[0].body if isinstance(tree.body[0], ast.If) else []
            for node in body:
                if isinstance(node, kind):
                    made = [self._replaced(line, shift, getattr(node, field), new) for new in news]
                    return [text for text in made if text is not None]
        return []

    # ---- overlays, schemas, operations, layers

    def overlay(self, line: int) -> list[str]:
        """An assertion that fails in the place of the item's action; another name in the place of its key."""
        text, indent = self.line(line), self.indent(line)
        check = f"{indent}#@overlay/assert via=lambda left, right: {FAIL}"
        above = line - 1
        if text.startswith("#"):
            return []  # a document without --- has no line of its own
        if text.startswith("---") and "#@overlay/append" in self.line(above):
            return []  # it would be no overlay any more, and a document as before
        while self.line(above).lstrip().startswith("#@overlay/"):
            if re.match(r"\s*#@overlay/(merge|remove|replace|insert|append|assert)\b", self.line(above)):
                made = [self.with_line(above, check)]
                break
            above -= 1
        else:
            made = [self.with_line(line, check, text)]
        patterns = (
            (r"^(\s*- )([\w./-]+:(?:\s.*)?)$", rf"\1{OTHER}: 1\n{indent}  \2"),
            (r"^(\s*)([\w./-]+):(?=\s|$)", rf"\1\2-{OTHER}:"),
            (r"^(\s*- )(.+)$", rf"\1{OTHER} #!"),
        )
        for pattern, new in patterns:
            renamed = re.sub(pattern, new, text)
            if renamed != text:
                made.append(self.with_line(line, renamed))
                break
        return made

    def validation(self, line: int) -> list[str]:
        text = self.line(line)
        if "when" in text or "not_null" in text or "@schema/validation" not in text:
            return []
        return [self.with_line(line, f'{self.indent(line)}#@schema/validation ("x", lambda v: {FAIL})')]

    def operations(self) -> list[str]:
        """For each operation of the file: its path leads nowhere."""
        return [yaml.safe_dump(_with_path(found, one)) for found, one in self._operations()]

    def without_operations(self) -> list[str]:
        """For each operation of the file: it is not there."""
        return [yaml.safe_dump([other for other in found if other is not one]) for found, one in self._operations()]

    def _operations(self) -> Iterator[tuple[list[object], object]]:
        found = to_plain(read(Source("ops.yml", "\n".join(self.lines))).items[0].value)
        assert isinstance(found, list)
        for one in found:
            yield found, one

    def action(self, line: int) -> list[str]:
        place = self._path_from(line)
        return [self.with_line(place, re.sub(r"path: *[^,}]+", f"path: .{MARK}", self.line(place)))] if place else []

    def substitution(self, line: int) -> list[str]:
        place = self._path_from(line)
        if not place:
            return []
        text = self.line(place)
        if "}" in text:
            return [self.with_line(place, text.replace("}", f", pattern: {MARK}}}", 1))]
        indent = " " * text.index("path:")
        for near in (place - 1, place + 1):
            if re.match(rf"{indent[2:]}(  |- )pattern:", self.line(near)):
                return [self.with_line(near, re.sub("pattern:.*", f"pattern: {MARK}", self.line(near)))]
        return [self.with_line(place, text, f"{indent}pattern: {MARK}")]

    def _path_from(self, line: int) -> int:
        """The line of the `path` of what begins on a line; 0 if it is further away than the next ones."""
        return next((near for near in range(line, line + 4) if re.search(r"(^|[\s{])path: *\S", self.line(near))), 0)


def _with_path(found: list[object], one: object) -> list[object]:
    assert isinstance(one, dict)
    return [{**one, "path": f"/{MARK}/{MARK}/{MARK}"} if other is one else other for other in found]


def _parts(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.BoolOp):
        name = "and" if isinstance(node.op, ast.And) else "or"
        yield from ((name, value) for value in node.values[1:])
    elif isinstance(node, ast.IfExp):
        yield "if", node.body
        yield "else", node.orelse
    elif isinstance(node, ast.Lambda):
        yield "lambda", node.body
    elif isinstance(node, (ast.ListComp, ast.DictComp)):
        yield "for", node.elt if isinstance(node, ast.ListComp) else node.key
        yield from (("for", one.iter) for one in node.generators[1:])
        yield from (("if", test) for one in node.generators for test in one.ifs)
