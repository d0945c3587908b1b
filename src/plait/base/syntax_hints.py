"""Hints for code in the syntax of other languages, and for misplaced marks of templates. Loaded only for messages."""

from __future__ import annotations

import re

from plait.base.foreign_words import BLOCK, EXPRESSIONS, FACTS, FAILS, LONGEST, code_of, equivalent
from plait.base.text_hints import CODE, MOST, line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.base.errors import Diagnostic
    from plait.base.source import Source

# Starlark's own keywords.
_KEYWORD = "and|break|continue|def|elif|else|for|if|in|lambda|load|not|or|pass|return|while"
KEYWORDS = frozenset(_KEYWORD.split("|"))
# Python's syntax that users try, and its equivalent in Starlark. These words are reserved.
RESERVED: Mapping[str, str] = {
    "class": 'struct.make(...), from load("@ytt:struct", "struct"), creates a value with fields',
    "except": 'assert.try_to(...), from load("@ytt:assert", "assert"), continues after a failure',
    "from": 'modules and files are loaded: load("@ytt:json", "json"), load("file.star", "name")',
    "import": 'modules and files are loaded: load("@ytt:json", "json"), load("file.star", "name")',
    "as": 'to load under another name: load("file.star", new="old")',
    "del": "x.pop(KEY) removes an entry of a dict, x.remove(ITEM) one of a list",
    "finally": 'assert.try_to(...), from load("@ytt:assert", "assert"), continues after a failure',
    "global": "a function returns values, and changes only items of lists and dicts",
    "is": "compare with == and !=, also with None",
    "nonlocal": "a function returns values, and changes only items of lists and dicts",
    "raise": 'assert.fail("..."), from load("@ytt:assert", "assert"), ends the run',
    "with": "a block is opened by if, for, while or def",
    "yield": "a function returns a list of its values",
    "try": 'assert.try_to(...), from load("@ytt:assert", "assert"), continues after a failure',
}
_WORD = r"[A-Za-z_]\w*"
# Beginnings of statements in other languages.
_STATEMENTS = (
    (r"assert\b", f'there is no statement "assert": {FAILS}, as does assert.fail("...")'),
    (r"def\s.*\)\s*->\s*(?P<a>[^:]*)", 'functions have no types: remove "-> {a}"'),
    (rf"def\s+(?P<a>{_WORD})\s*\(.*{_WORD}\s*:\s*{_WORD}", "parameters have no types: def {a}(NAME, OTHER=1):"),
    (rf"(?:let|var|const|set|local)\s+(?P<a>{_WORD})\s*:?=\s*(?P<b>.*)", "an assignment has no keyword: {a} = {b}"),
    (rf"(?P<a>{_WORD})\s*:=\s*(?P<b>.*)", "an assignment is written with =: {a} = {b}"),
    (rf"(?P<a>{_WORD})\s*:\s*{_WORD}\s*=\s*(?P<b>.*)", "variables have no types: {a} = {b}"),
    (
        rf"(?P<a>{_WORD})\s*=\s*(?P<b>{_WORD})\s*=(?![=>])",
        "a statement has one assignment: {a} = ... and {b} = ... in two lines",
    ),
    (r"els(?:e)?if\s+(?P<a>.*)", "it is spelt elif: elif {a}"),
    (rf"(?:function|func|fn|fun|macro|define)\s+(?P<a>{_WORD}\s*\(.*?\))", "a function begins with def: def {a}:"),
    (rf"foreach\s*\(?(?P<a>{_WORD})\s+in\s+(?P<b>[^:)]+)", "a loop begins with for: for {a} in {b}:"),
    (
        rf"for\s*\(?(?:let|var|const)?\s*(?P<a>{_WORD})\s+of\s+(?P<b>[^:)]+)",
        "a loop is written with in: for {a} in {b}:",
    ),
    (r"unless\s+(?P<a>[^:]+)", "there is no unless: if not ({a}):"),
    (r"(?:switch|case|match|when)\s+\w", "there is no switch: if ...:, elif ...:, else:"),
    (r"if\s+(?P<a>.*?)\s+then\b", "a condition ends with a colon: if {a}:"),
    (
        r"(?P<a>(?:if|for|while|elif|else|def)\b[^{]*?)\s*\{\s*$",
        'a block begins with a colon, and ends with "end": {a}:',
    ),
    (rf"(?P<a>{_WORD})\s+(?P<b>\"[^\"]*\"|'[^']*')\s*$", "a call has parentheses: {a}({b})"),
    (r"range\s+(?P<a>\S.*)", "a loop is written: for e in {a}:"),
    (r"async\b|@", "functions have neither async nor decorators: def NAME():"),
    (r"end\s+\w+", BLOCK),
    (r"end\b", "no block is open here: remove it, or add the if, for or def that it closes"),
    (r"(?:else|elif)\b", "else and elif continue an if, and none is open here"),
)
# A loop of a comprehension.
_LOOP = r"\s+for\s+(?P<e>[\w, ]+?)\s+in\s"
# Parts of expressions in other languages.
_PARTS = (
    (
        rf"(?:^|[(=]\s*)(?P<a>{_WORD})\s*:\s*(?P<b>[^:{{}}\[\]=]+?){_LOOP}",
        "a dict is written in braces: {{{a}: {b} for {e} in ...}}",
    ),
    (
        rf"\(\s*(?P<a>{_WORD})\s*=\s*(?P<b>[^:{{}}\[\]=,]+?){_LOOP}",
        "a dict is written in braces: {{{a}: {b} for {e} in ...}}",
    ),
    (
        rf"(?:^|[(=,]\s*)(?P<a>(?:[^:{{}}\[\]=,()]|\([^()]*\))+?){_LOOP}",
        "a list is written in brackets: [{a} for {e} in ...]",
    ),
    (r"\{\{-?\s*(?P<a>[^{}]*?)\s*-?\}\}", "code has no braces around it: {a}"),
    (
        r"\$?\.Values\.(?P<a>[\w.]*\w)",
        'Helm\'s .Values are data.values, with load("@ytt:data", "data"): data.values.{a}',
    ),
    (r"\$?\.(?:Release|Chart|Capabilities|Files)\b", FACTS["Release"]),
    (r"(?P<a>\w[\w.]*)\s*(?:!==|<>)", "values are compared with == and !=: {a} != ..."),
    (r"(?P<a>\w[\w.]*)\s*===", "values are compared with == and !=: {a} == ..."),
    (rf"\(?\b(?P<a>{_WORD})\)?\s*=>", "a function in an expression is: lambda {a}: ..."),
    (rf"(?P<a>\w[\w.]*)\s*(?:->|::)\s*(?P<b>{_WORD})", "a field follows a dot: {a}.{b}"),
    (r"\*\*", "there is no power operator: multiply, as in x * x"),
    (r"\+\+|--", "there is no ++ and no --: x + 1, or x += 1 as a line of its own"),
    (r"\b(?P<a>\d+)_(?P<b>\d+)\b", "a number is written without _: {a}{b}"),
    (r"`(?P<a>[^`]*)`", 'a string is in quotes: "{a}"'),
    (r"\$\{?(?P<a>\w[\w.]*)", "a variable is written as its name alone: {a}"),
    (r"\$", "a variable is written as its name alone"),
    (r";", "a line has one statement, without a semicolon"),
    (r"^(?P<a>(?:[^()\[\]{}]|\([^()]*\)|\[[^\[\]]*\])+)(?<!,),$", "remove the comma at its end: {a}"),
    (r"^(?P<a>[-%/*|&+.,<>=)\]}]+)", 'a value is missing before "{a}"'),
)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
# Values side by side. Keywords are replaced by commas.
_PAIRS = (
    (r"""["']\s+["']""", "strings are joined with +"),
    (r"""["']\s+[A-Za-z_(]|[\w)\]]\s+["']""", "strings are joined with +, and a call has parentheses"),
    (rf"(?:^|[(|=,]\s*)(?P<a>{_WORD})\s+(?P<b>[A-Za-z_0-9][\w.]*)", "a call has parentheses: {a}({b})"),
    (r"""[\w)\]}"']\s+[\w"'(\[{]""", "two values need an operator or a comma between them"),
)
_KEYWORDS = re.compile(rf"\b(?:{_KEYWORD})\b")
_COMMENTED = re.compile(r"\s*#(?:[!#] ?@? ?|[ ]?@?[ ]?)(?P<code>(?:if|for|def|while) [^#]*:) *$")


def commented_opener(line: str) -> str | None:
    """The beginning of a block in a line that is a comment, or None."""
    found = _COMMENTED.fullmatch(line[:LONGEST])
    return None if found is None or line.lstrip().startswith("#@ ") else found["code"]


_OPERATORS = re.compile(r"""\"[^\"]*\"|'[^']*'|(?P<joins> ?(?:&&|\|\|) ?)|(?P<negates>!(?!=) ?)""")


def _word_of(found: re.Match[str]) -> str:
    """The word for an operator of other languages; a string in quotes is unchanged."""
    return "not " if found["negates"] else {"&&": " and ", "||": " or "}.get(found[0].strip(), found[0])


# The characters that a word processor puts in place of those on the keyboard.
_TYPED = str.maketrans("“”„‟‘’‚‛–\u00a0", "\"\"\"\"''''- ")


def foreign_syntax(line: str) -> str | None:
    """The hint for a line in the syntax of another language, or None."""
    code = code_of(line)
    outside = _QUOTED.sub("", code)
    if outside.translate(_TYPED) != outside:
        return f"quotes, dashes and spaces of a word processor are not code: {code.translate(_TYPED)}"
    if "#" in outside:
        return None  # a comment at the end, which the message is about
    worded = _OPERATORS.sub(_word_of, code)
    if worded != code:
        return f"operators are words: {worded}"
    for word in re.findall(_WORD, outside):
        if word in RESERVED:
            return f"'{word}' is a reserved word: {RESERVED[word]}"
    for word in re.findall(rf"(?:^|[(|=,]\s*)({_WORD})\s+[\w\"'.]", code):
        if word in EXPRESSIONS or word in FACTS:
            return equivalent(word, code)
    for pattern, hint in _STATEMENTS:
        if (found := re.match(pattern, code)) is not None:
            return hint.format_map(found.groupdict())
    for patterns, text in ((_PARTS, code), (_PAIRS, _KEYWORDS.sub(",", code))):
        for pattern, hint in patterns:
            if (found := re.search(pattern, text)) is not None:
                return hint.format_map(found.groupdict())
    return None


_RESERVED = re.compile(r"(?P<x>[A-Za-z_][\w.]*)\.(?P<name>[\w-]*)")
_WORDS = frozenset({"assert", *KEYWORDS, *RESERVED})


def syntax(diagnostic: Diagnostic) -> str | None:
    """The hint for code in the syntax of another language, or None."""
    at, line = diagnostic.at, line_of(diagnostic)
    if not line or at is None or at.source is None:
        return None
    code = code_of(line)
    glued = re.match(r" *#@(?P<code>(?:if|elif|else|for|def|while|return|load)\b.*)", line)
    if glued is not None:
        return f'code has a space after "#@": #@ {glued["code"]}'
    if re.match(r"(?:end|else|elif)\b", code):
        commented = _commented(at.source, at.line)
        if commented is not None:
            return commented
    indexed = _dotted_index(code)
    if indexed is not None:
        return indexed
    for found in _RESERVED.finditer(code):
        if _WORDS.isdisjoint(found["name"].split("-")):
            continue
        x, name = found["x"], found["name"]
        if "-" in name:
            return f'a key with a dash is written in brackets: {x}["{name}"]'
        return (
            f'a reserved word is written in brackets: {x}["{name}"]'
            if x.startswith("data.values")
            else (f'a field with the name of a reserved word: getattr({x}, "{name}")')
        )
    return foreign_syntax(line)


def _commented(source: Source, number: int) -> str | None:
    """The hint for an end whose block begins in a comment, or None."""
    depth = 0
    for above in range(number - 1, max(source.first_line, number - MOST) - 1, -1):
        line = source.line(above) or ""
        found = CODE.match(line)
        if found is None:
            opener = commented_opener(line) if not depth else None
            if opener is not None:
                return f"line {above} is a comment, and opens no block: write #@ {opener}"
        elif not found["whole"]:
            word = found["word"]
            depth += (word == "end") - (word in ("if", "for", "while", "def"))
            if depth < 0:
                return None
    return None


_DOTTED = re.compile(
    r"""\"[^\"]*\"|'[^']*'|(?<![\w.])(?P<list>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\.(?P<index>\d+)(?![\w.])"""
)


def _dotted_index(code: str) -> str | None:
    """The hint for an index that is written as a field, or None."""
    for found in _DOTTED.finditer(code):
        if found["index"] and not re.fullmatch("[vV][0-9]+", found["list"]):
            return f"an item of a list is written in brackets: {found['list']}[{int(found['index'])}]"
    return None
