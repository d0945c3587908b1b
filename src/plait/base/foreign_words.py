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
BLOCK = 'a block ends with "end": #@ end in YAML, (@ end @) in a text'
_FILE = 'data.read("FILE"), with load("@ytt:data", "data"), is the text of an input'
_QUOTES = "a value needs no quotes here: a string is printed with the quotes that it needs; str(x) converts a number to a string"
_INDENT = "a map or an array is indented automatically: key: #@ x"
FAILS = 'fail("...") in an if block ends the run'
# Facts about other words.
FACTS: Mapping[str, str] = {
    name: fact
    for names, fact in (
        ("os env environ getenv expandenv ENV environment", _ENVIRONMENT),
        ("datetime time now date ansible_date_time", _CONSTANT),
        ("random uuid uuidv4 randAlphaNum randAlpha randNumeric genPrivateKey genCA genSignedCert", _CONSTANT),
        ("endif endfor endwhile enddef endmacro endblock endfunction fi done esac", BLOCK),
        ("quote squote", _QUOTES),
        ("indent nindent", _INDENT),
        ("open file readFile", _FILE),
        ("required mandatory", f"{FAILS}; in a schema, #@schema/validation min_len=1 requires a string"),
        ("Exception ValueError TypeError RuntimeError KeyError", FAILS),
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


# The characters of a line that are read: the time of some patterns grows with the square of it.
LONGEST = 200
_CODE = re.compile(r"(?:#@|\(@[-=]?)\s*(?P<code>.*)")


def code_of(line: str) -> str:
    """The code in a line of a template, or the line of a program."""
    found = _CODE.search(line)
    return (found["code"] if found is not None else line.strip())[:LONGEST]
