"""Warnings that follow from the text of a YAML file alone: code and markers in it that are text, annotations without
effect, and quotes that are none.
"""

from __future__ import annotations

import re

from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.tree.nodes import MapItem, walk
from plait.yaml.document_names import key_text
from plait.yaml.reading_warnings import quoted_texts
from plait.yaml.scalars import has_typographic_quotes
from plait.ytt.starlark.parsing import parse_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.templates import directives

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.tree.nodes import DocumentSet, Item
    from plait.yaml.comments import Comments

    # A line, the code of a warning, and its message.
    Remark = tuple[int, str, str]

# The code of a warning and its message, by the kind of fault.
_CERTAIN = {
    "braces": (
        "double-braces",
        '{{ }} is a map within a map here; quotes make it a string, and {{ .Values.x }} of Helm is #@ data.values.x after #@ load("@ytt:data", "data")',
    ),
    "flow": ("unevaluated-code", "braces make a map with the key KEY here; #@ KEY inserts the value"),
    "quotes": ("quoted-code", "this code is a string because it is in quotes; without them it is evaluated"),
}
_ALIAS = "*{0} is null, because an alias copies the text and not the result of code; assign it above: #@ {1} = {2}"

# The names that a template loads or defines.
_LOADED = re.compile(r"\bload\(([^()]*)\)")
_DEFINED = re.compile(r"\bdef[ ]+(\w+)\(")
_ASSIGNED = re.compile(r"#@[ ]+([A-Za-z_]\w*)[ ]*=(?!=)")
_DATA = re.compile(r"""["']@ytt:data["'][^()\n]{0,200}["']data["']""")
# A reference in the notation of another program.
_FOREIGN = re.compile(r"(?:\$\{|\$\(|\{\{)[ ]*(data\.values\.\w[\w.]{0,200})[ ]*(?:\}\}?|\))")
# The keywords of a statement before its expression.
_KEYWORDS = ("if/end ", "elif ", "if ", "for ")
# Templates within a text.
_OWN_CODE = re.compile(r"#@[ ]*(?:load\(|def )|#@(?:overlay|data|schema)/|\bload\(")
# A tag without a value.
_TAG = re.compile(r"[:-][ ]+!([A-Za-z]\S*)[ ]*$")
# Code, and a name in it.
_CODE = re.compile(r"#@[ ]+([^\n]+)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ANCHOR = re.compile(r"&(\w[\w-]{0,60})[ ]+#@[ ]+([^\n]{1,200})")
_SCHEMA, _OUTSIDE = "data/values-schema", "outside-schema"
# Maximum length of a value that is examined as an expression, and number of warnings per file.
_LONGEST, _MOST = 300, 5


def remarks(
    source: Source, documents: DocumentSet, comments: Comments | None, first: Mapping[str, Item], likely: Sequence[Item]
) -> list[Remark]:
    """The warnings about a file. comments: None if they have no meaning. first: the first item of each certain kind of
    fault. likely: the items whose value may be code.
    """
    found: list[Remark] = []
    for kind, item in first.items():
        code, message = _CERTAIN[kind]
        found.append((item.line, code, message.replace("KEY", str(item.key) if type(item) is MapItem else "")))
    found += _unevaluated(source, likely)
    if "#@schema/" in source.text and "def " not in source.text and comments is not None:
        found += _outside_schema(documents, comments)  # the result of a function may be a schema
    if has_typographic_quotes(source.text):
        found += quoted_texts(source, documents)
    return found


def _outside_schema(documents: DocumentSet, comments: Comments) -> Sequence[Remark]:
    """The annotations of schemas in data values, or the first one in a file without a schema."""
    in_values: list[Remark] = []
    in_others: list[Remark] = []
    roles = [directives.names(comments.at(document)) for document in documents.items]
    for role, document in zip(roles, documents.items, strict=True):
        if _SCHEMA in role:
            continue
        for node in (document, *walk(document.value)):
            for comment in comments.at(node):
                name = comment.text.partition(" ")[0]
                if not name.startswith("@schema/") or name not in directives.KNOWN:
                    continue
                if "data/values" in role:
                    where = f' above "{node.key}"' if type(node) is MapItem else ""
                    message = f"{name} has no effect in data values: put it{where} in the schema"
                    in_values.append((comment.line, _OUTSIDE, f"{message}, which is the document below #@{_SCHEMA}"))
                else:
                    message = f"{name} has no effect because no document of this file is a schema; to make one a schema"
                    in_others.append((comment.line, _OUTSIDE, f"{message}, put #@{_SCHEMA} above its ---"))
    return in_values or ([] if any(_SCHEMA in role for role in roles) else in_others[:1])


def _unevaluated(source: Source, items: Sequence[Item]) -> list[Remark]:
    """The warnings about code that is text. items: those whose value may be code."""
    found: list[tuple[int, str] | None] = []
    if items:
        names = _Names(source.text)
        found += [_of_tag(source, item, names) if not item.value else _in_string(source, item, names) for item in items]
    told = [*_anchors(source.text), *(one for one in found if one is not None)]
    return [(line, "unevaluated-code", message) for line, message in told[:_MOST]]


class _Names:
    """The names that the code of a template uses.

    has_data: it loads the data values.
    """

    def __init__(self, text: str) -> None:
        operands = [one for found in _LOADED.finditer(text) for one in found[1].split(",")[1:]]
        functions = {one.partition("=")[0].strip(" \"'#@\n") for one in operands}.union(_DEFINED.findall(text)) - {
            "data"
        }
        functions = {name for name in functions if name.isidentifier()}
        self.has_data = _DATA.search(text) is not None
        uses = [rf"(?:{'|'.join(sorted(functions))})(?:\.\w+)*\("] if functions else []
        if self.has_data:
            uses.append(r"data\.values\.\w")
        self._calls = re.compile(rf"(?<![\w.])(?:{'|'.join(uses)})") if uses else None
        assigned = sorted({*_ASSIGNED.findall(text)})
        self._assigned = re.compile(rf"#@ [^\n]*\b(?:{'|'.join(assigned)})\b") if assigned else None
        self._text = text

    def calls(self, text: str) -> bool:
        """True if a text calls a function of the template, or reads a data value."""
        return self._calls is not None and self._calls.search(text) is not None

    def uses(self, text: str) -> bool:
        """True if a text calls a function, reads a data value, or uses a variable of the template in code."""
        return self.calls(text) or (self._assigned is not None and self._assigned.search(text) is not None)

    def is_code(self, text: str) -> bool:
        """True if a text is an expression of this sort, and each of its names occurs in the template's code."""
        if not self.uses(f"#@ {text}") or "\n" in text:
            return False
        program = f"_ = ({text})\n"
        try:
            problems = parse_program([CodePart(program, 1)], Source("", program))[2]
        except PlaitError:
            return False
        words = {word for line in _CODE.findall(self._text) for word in _WORD.findall(line)}
        return all(one.code == "undefined-name" and one.word in words for one in problems)


def _anchors(text: str) -> Iterator[tuple[int, str]]:
    """Aliases of values that are code."""
    for found in _ANCHOR.finditer(text) if "&" in text else ():
        name, code = found[1], found[2].strip()
        alias = re.search(rf"[:,\[-][ ]+\*{re.escape(name)}(?![\w-])", text[found.end() :])
        if alias is not None:
            line = text.count("\n", 0, found.end() + alias.start()) + 1
            yield line, _ALIAS.format(name, name.replace("-", "_"), code)


def _in_string(source: Source, item: Item, names: _Names) -> tuple[int, str] | None:
    """The line of code in a string, and the message about it; None for other text."""
    value = str(item.value)
    if not names.uses(value):
        return None
    if "\n" in value:
        return None if "#@ " not in value or _OWN_CODE.search(value) else _in_block(source, item, value, names)
    if len(value) > _LONGEST:
        return None
    owner = _owner(item)
    foreign = _FOREIGN.search(value) if names.has_data else None
    if foreign is not None:
        parts = _FOREIGN.split(value)
        code = _formatted("{}".join(map(_literal, parts[::2])), ", ".join(parts[1::2]))
        return item.line, f"{foreign[0]} is text, and is not evaluated; write {owner}#@ {code}"
    before, sign, code = value.partition("#@ ")
    if sign:
        code = code.strip()
        if not names.is_code(code):
            return None
        whole = _formatted(_literal(before) + "{}", code)
        return item.line, f"#@ within a value is text, and is not evaluated; write {owner}#@ {whole}"
    line = source.line(item.line) or ""
    if f'"{value}' in line or f"'{value}" in line or not names.calls(value) or not names.is_code(value):
        return None
    return item.line, f"{value} is text here, because code begins with #@; write {owner}#@ {value}"


def _of_tag(source: Source, item: Item, names: _Names) -> tuple[int, str] | None:
    """The line of a negation that is a tag, and the message about it; None for other empty texts."""
    found = _TAG.search(source.line(item.line) or "")
    if found is None or not names.calls(found[1]) or not names.is_code(found[1]):
        return None
    owner = _owner(item)
    return item.line, f"!{found[1]} is a tag, and its value is an empty string; write {owner}#@ not {found[1]}"


def _owner(item: Item) -> str:
    """The key of an item with its colon, or the dash of an item of an array; "" for a key such as `y`, which is true."""
    if type(item) is not MapItem:
        return "- "
    return f"{key_text(item.key)}: " if type(item.key) is str else ""


def _formatted(text: str, arguments: str) -> str:
    return arguments if text == "{}" else f'"{text}".format({arguments})'


def _literal(text: str) -> str:
    """A part of the text of a format, as written in code."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("{", "{{").replace("}", "}}")


def _in_block(source: Source, item: Item, value: str, names: _Names) -> tuple[int, str] | None:
    """The first line of a longer text with code that uses a name of the file."""
    for row in value.split("\n"):
        _, sign, code = row.partition("#@ ")
        code = code.strip()
        expression = next((code[len(word) :] for word in _KEYWORDS if code.startswith(word)), code)
        if not sign or len(row) > _LONGEST or not names.is_code(expression.removesuffix(":")):
            continue
        name = f" above {key_text(item.key)}" if type(item) is MapItem else ""
        row = row.strip()
        lines = range(item.line, item.line + value.count("\n") + 3)
        line = next((number for number in lines if (source.line(number) or "").strip() == row), item.line)
        sign = "(@ " if code.endswith(":") else "(@= "
        return line, (
            f"#@ is text within this block; #@yaml/text-templated-strings{name} evaluates code in it, "
            f"written as {sign}{code} @)"
        )
    return None
