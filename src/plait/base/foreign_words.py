"""Words of Helm, Jinja, Ansible, Python and shells that users try in Starlark. Loaded only for messages."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Expressions, with x and y for the arguments. A module in front is loaded by its name.
EXPRESSIONS: Mapping[str, str] = {
    name: expression
    for names, expression in (
        ("toYaml to_yaml to_nice_yaml", "yaml.encode(x)"),
        ("fromYaml from_yaml", "yaml.decode(x)"),
        ("toJson mustToJson toRawJson to_json to_nice_json toPrettyJson jsonencode", "json.encode(x)"),
        ("fromJson mustFromJson from_json jsondecode", "json.decode(x)"),
        ("toToml", "toml.encode(x)"),
        ("b64enc b64encode base64encode", "base64.encode(x)"),
        ("b64dec b64decode base64decode", "base64.decode(x)"),
        ("sha256sum", "sha256.sum(x)"),
        ("md5sum", "md5.sum(x)"),
        ("regexMatch regex_search", "regexp.match(y, x)"),
        ("regexReplaceAll regex_replace", 'regexp.replace(y, x, "new")'),
        ("urlquery urlencode", "url.query_param_value_encode(x)"),
        ("ceil", "math.ceil(x)"),
        ("floor", "math.floor(x)"),
        ("upper", "x.upper()"),
        ("lower", "x.lower()"),
        ("title", "x.title()"),
        ("trim", "x.strip()"),
        ("trimPrefix trimSuffix", 'x.replace(y, "")'),
        ("hasPrefix startsWith startswith", "x.startswith(y)"),
        ("hasSuffix endsWith endswith", "x.endswith(y)"),
        ("replace", 'x.replace(y, "new")'),
        ("split splitList", 'x.split(",")'),
        ("join", '",".join(x)'),
        ("contains has hasKey", "y in x"),
        ("default coalesce", "x or y"),
        ("ternary iif", "x if condition else y"),
        ("empty", "not x"),
        ("eq", "x == y"),
        ("ne", "x != y"),
        ("lt", "x < y"),
        ("le", "x <= y"),
        ("gt", "x > y"),
        ("ge", "x >= y"),
        ("add", "x + y"),
        ("sub", "x - y"),
        ("mul", "x * y"),
        ("div", "x // y"),
        ("mod", "x % y"),
        ("printf sprintf", '"%s-%s" % (x, y)'),
        ("format", '"{}-{}".format(x, y)'),
        ("toString string unicode", "str(x)"),
        ("atoi int64", "int(x)"),
        ("float64 double", "float(x)"),
        ("boolean", "bool(x)"),
        ("length size count", "len(x)"),
        ("first head", "x[0]"),
        ("last", "x[-1]"),
        ("until untilStep xrange seq", "range(x)"),
        ("keys", "x.keys()"),
        ("combine merge mergeOverwrite", "dict(x, **y)"),
        ("dict2items", "x.items()"),
        ("items2dict", "dict(x)"),
        ("uniq unique", "{e: True for e in x}.keys()"),
        ("map", "[e for e in x]"),
        ("filter select", "[e for e in x if condition]"),
        ("abs", "max(x, -x)"),
        ("yes on", "True"),
        ("no off", "False"),
        ("pow", "x * x"),
        ("hex", '"%x" % x'),
        ("oct", '"%o" % x'),
        ("divmod", "(x // y, x % y)"),
        ("isinstance", 'type(x) == "int"'),
        ("typeOf kindOf typeof", "type(x)"),
        ("callable", 'type(x) == "function"'),
        ("frozenset", "set(x)"),
        ("iter", "list(x)"),
        ("next", "x[0]"),
        ("array", "[x, y]"),
        ("object map_of", "{x: y}"),
        ("sortAlpha sort", "sorted(x)"),
    )
    for name in names.split()
}

_ENVIRONMENT = (
    "templates cannot read the environment: use a data value, set by --data-values-env PREFIX or -v NAME=$NAME"
)
_CONSTANT = "templates have no time and no random numbers, so that equal inputs give equal output: use a data value"
_BLOCK = 'a block ends with "end": #@ end in YAML, (@ end @) in a text'
_FILE = 'data.read("FILE"), with load("@ytt:data", "data"), is the text of an input'
_QUOTES = "a value needs no quotes here: a string is printed with the quotes that it needs; str(x) converts a number to a string"
_INDENT = "a map or an array is indented automatically: key: #@ x"
_FAILS = 'fail("...") in an if block ends the run'
# Facts about other words.
FACTS: Mapping[str, str] = {
    name: fact
    for names, fact in (
        ("os env environ getenv expandenv ENV environment", _ENVIRONMENT),
        ("datetime time now date ansible_date_time", _CONSTANT),
        ("random uuid uuidv4 randAlphaNum randAlpha randNumeric genPrivateKey genCA genSignedCert", _CONSTANT),
        ("endif endfor endwhile enddef endmacro endblock endfunction fi done esac", _BLOCK),
        ("quote squote", _QUOTES),
        ("indent nindent", _INDENT),
        ("open file readFile", _FILE),
        ("required mandatory", f"{_FAILS}; in a schema, #@schema/validation min_len=1 requires a string"),
        ("Exception ValueError TypeError RuntimeError KeyError", _FAILS),
        ("re", 'regular expressions are in a module: load("@ytt:regexp", "regexp")'),
        ("include tpl", 'a function of another file is loaded: load("NAME.lib.yml", "function"), then function(...)'),
        ("sum", "a loop adds numbers: total += e"),
        ("round", "int(x + 0.5) rounds a positive number"),
        ("input raw_input", "templates read only inputs: use a data value"),
        ("sys subprocess", "templates cannot reach the system: use a data value"),
        ("self this", "there are no classes: a function receives its data as parameters"),
        ("undefined", "a missing value is None; hasattr(x, 'name') tests for a field"),
        ("Release Chart Capabilities", "Helm's objects do not exist here: declare a data value for each part"),
        ("Files", _FILE),
        ("hostvars inventory_hostname", "Ansible's variables do not exist here: declare data values"),
    )
    for name in names.split()
}

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
_MODULES = frozenset(["base64", "json", "math", "md5", "regexp", "sha256", "toml", "url", "yaml"])


def with_load(expression: str) -> str:
    """An expression, with the load that it needs."""
    module = expression.partition(".")[0]
    return expression + (f', with load("@ytt:{module}", "{module}")' if module in _MODULES else "")


def equivalent(name: str, code: str) -> str | None:
    """The hint for a name of another language in this code, or None."""
    expression = EXPRESSIONS.get(name)
    if expression is None:
        return FACTS.get(name)
    filtered = re.search(rf"([A-Za-z_][\w.]*) *\| *{re.escape(name)}\b(?: *\( *([^(),]+?) *\))?", code)
    if filtered is None:
        return f"there is no {name}: write {with_load(expression)}"
    operand, argument = filtered[1], filtered[2]
    expression = re.sub(r"\bx\b", operand.replace("\\", ""), expression)
    if argument is not None:
        expression = re.sub(r"\by\b", lambda _: argument, expression)
    return f"there are no filters: write {with_load(expression)}"


_WORD = r"[A-Za-z_]\w*"
# Beginnings of statements in other languages.
_STATEMENTS = (
    (r"assert\b", f'there is no statement "assert": {_FAILS}, as does assert.fail("...")'),
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
    (r"end\s+\w+", _BLOCK),
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
# The characters of a line that are read: the time of some patterns grows with the square of it.
_LONGEST = 200
_COMMENTED = re.compile(r"\s*#(?:[!#] ?@? ?|[ ]?@?[ ]?)(?P<code>(?:if|for|def|while) [^#]*:) *$")
_CODE = re.compile(r"(?:#@|\(@[-=]?)\s*(?P<code>.*)")


def code_of(line: str) -> str:
    """The code in a line of a template, or the line of a program."""
    found = _CODE.search(line)
    return (found["code"] if found is not None else line.strip())[:_LONGEST]


def commented_opener(line: str) -> str | None:
    """The beginning of a block in a line that is a comment, or None."""
    found = _COMMENTED.fullmatch(line[:_LONGEST])
    return None if found is None or line.lstrip().startswith("#@ ") else found["code"]


def foreign_syntax(line: str) -> str | None:
    """The hint for a line in the syntax of another language, or None."""
    code = code_of(line)
    if "#" in _QUOTED.sub("", code):
        return None  # a comment at the end, which the message is about
    for word in re.findall(_WORD, _QUOTED.sub("", code)):
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
