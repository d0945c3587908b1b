"""Every regular expression in the source matches in linear time: repeated parts of it, followed by a mismatch, are quick.

The texts are made from the pattern itself: what comes before a repetition, then many times what it repeats, or a character
that it accepts, then characters that do not fit. A pattern with quadratic time takes 8 million steps on one of them.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import pathlib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from time import process_time

import pytest

import plait

PACKAGE = pathlib.Path(plait.__file__).parent
METHODS = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"})
# Where each function has its flags, besides `flags=`.
FLAGS = {"compile": 1, "sub": 4, "subn": 4, "split": 3}
# Patterns that documents contain: `plait.base.regex` limits their time.
OF_DOCUMENTS = {"base/json_schema.py", "layering/substitution.py"}
# Patterns of rules: `RULES` has the calls.
BY_ARGUMENT = {"authoring/lint/portable/rule.py"}
# Patterns that are only matched against short texts, by a part of the pattern.
SHORT = {
    r"(?P<x>[A-Za-z_][\w.]*)\.": "hints look at the first 200 characters of code",
    r"([A-Za-z_][\w.]*) *\|": "hints look at the first 200 characters of code",
    r"\bin\s+([A-Za-z_]": "hints look at the first 1,000 characters of a line",
    r"((?:\w+\.)+)(\w*)$": "completion looks at the last 1,000 characters of a line",
    r"(\w*)$": "completion looks at the last 1,000 characters of a line",
}
# Of the greatest length a quadratic search takes ten times the limit and a linear one a tenth, on any machine.
LENGTHS = (16, 24, 400, 1600, 4000, 16000)
SECONDS = 0.02
USUAL = " a0\n\t"
PRINTABLE = "".join(map(chr, range(32, 127))) + "\n\té"


class _Text(str):
    """A stand-in for values of functions, which are unknown: a name of two characters."""

    __slots__ = ()

    def __getattr__(self, name: str) -> _Text:
        return self

    def __call__(self, *args: object) -> _Text:
        return self


class _Names(dict[str, object]):
    def __missing__(self, name: str) -> object:
        if hasattr(builtins, name):
            return getattr(builtins, name)
        return 2 if name == "indent" else _Text("xy")


def _called(tree: ast.AST) -> dict[str, set[str]]:
    """The methods that a module calls, by the name of the pattern."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            name = getattr(node.value, "id", getattr(node.value, "attr", ""))
            found.setdefault(name, set()).add(node.attr)
    return found


def _names(tree: ast.AST) -> dict[int, str]:
    """The name that each call is assigned to, by its identity."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                found[id(node.value)] = getattr(target, "id", getattr(target, "attr", ""))
    return found


def _function(node: ast.AST, imported: dict[str, str]) -> str | None:
    """The function of `re` that a node calls."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = node.func
    if isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name) and name.value.id == "re":
        return name.attr if name.attr in METHODS | {"compile"} else None
    return imported.get(name.id) if isinstance(name, ast.Name) else None


@cache
def patterns() -> dict[str, tuple[str, int, frozenset[str]]]:
    """The regular expressions of the source by position: pattern, flags, methods that are called."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        short = path.relative_to(PACKAGE).as_posix()
        tree = ast.parse(path.read_text("utf-8"))
        imported = {
            one.asname or one.name: one.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "re"
            for one in node.names
        }
        calls = [node for node in ast.walk(tree) if _function(node, imported) is not None]
        rules = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "in_code"
        ]
        if short in OF_DOCUMENTS | BY_ARGUMENT or not (calls or rules):
            continue
        module = importlib.import_module(
            ".".join(["plait", *short.removesuffix(".py").split("/")]).removesuffix(".__init__")
        )
        scope = _Names(vars(module))
        methods, names = _called(tree), _names(tree)
        for node in [*calls, *rules]:
            assert isinstance(node, ast.Call)
            function = _function(node, imported) or "compile"
            pattern = _evaluated(node.args[0], scope)
            # A pattern may also be compiled in the argument.
            text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
            text = text.decode("latin-1") if isinstance(text, bytes) else text
            assert isinstance(text, str)
            given = [one.value for one in node.keywords if one.arg == "flags"]
            place = FLAGS.get(function, 2)
            flags = (
                [_evaluated(one, scope) for one in given + node.args[place : place + 1]] if node not in rules else []
            )
            name = names.get(id(node), "")
            # A pattern in a list or a function's result is used under another name.
            others = set().union(*(used for one, used in methods.items() if one not in names.values())) - {"split"}
            used = (
                {function}
                if function != "compile"
                else (methods[name] if name in methods and name else others) or {"match"}
            )
            found[f"{short}:{node.lineno}"] = text, int(flags[0]) if flags else 0, frozenset(used)  # type: ignore[call-overload]
    return found


def _evaluated(node: ast.expr, scope: _Names) -> object:
    return eval(compile(ast.Expression(node), "pattern", "eval"), {}, scope)


# ---- texts that a pattern repeats

Parsed = Sequence[tuple[object, object]]
REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT)


def _inner(kind: object, value: object) -> list[Parsed]:
    """The patterns inside an element."""
    if kind in REPEATS:
        return [value[2]]  # type: ignore[index]
    if kind is kinds.SUBPATTERN:
        return [value[3]]  # type: ignore[index]
    if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
        return [value[1]]  # type: ignore[index]
    if kind is kinds.BRANCH:
        return [*value[1]]  # type: ignore[index]
    return [value] if kind is kinds.ATOMIC_GROUP else []  # type: ignore[list-item]


def _accepts(kind: object, value: object, one: str) -> bool:
    if kind is kinds.ANY:
        return one != "\n"
    if kind is kinds.NOT_LITERAL:
        return ord(one) != value
    is_in = False
    is_negated = False
    for inner, given in value if kind is kinds.IN else ():  # type: ignore[attr-defined]
        if inner is kinds.NEGATE:
            is_negated = True
        elif inner is kinds.LITERAL:
            is_in |= ord(one) == given
        elif inner is kinds.RANGE:
            is_in |= given[0] <= ord(one) <= given[1]
        else:
            of = str(given)
            fits = one.isdecimal() if "DIGIT" in of else one.isspace() if "SPACE" in of else one.isalnum() or one == "_"
            is_in |= fits != ("NOT" in of)
    return is_in != is_negated


ONE = (kinds.LITERAL, kinds.ANY, kinds.NOT_LITERAL, kinds.IN)


def _accepted(kind: object, value: object, among: str) -> list[str]:
    """The characters that an element for one character accepts."""
    return [chr(value)] if kind is kinds.LITERAL else [one for one in among if _accepts(kind, value, one)]  # type: ignore[arg-type]


def _sample(parsed: Parsed) -> str:
    """A short text that a pattern accepts, without regard to its assertions."""
    text = ""
    for kind, value in parsed:
        if kind in REPEATS:
            text += _sample(value[2]) * value[0]  # type: ignore[index]
        elif kind in ONE:
            text += (_accepted(kind, value, "a" + PRINTABLE) or ["a"])[0]
        elif kind not in (kinds.ASSERT, kinds.ASSERT_NOT):
            text += "".join(map(_sample, _inner(kind, value)[:1]))
    return text


def _letters(parsed: Parsed) -> set[str]:
    """The characters that a pattern names."""
    found: set[str] = set()
    for kind, value in parsed:
        named = value if kind is kinds.IN else [(kind, value)]
        found |= {chr(given) for inner, given in named if inner is kinds.LITERAL}  # type: ignore[attr-defined]
        found |= set().union(*map(_letters, _inner(kind, value)))
    return found


def _repeated(parsed: Parsed, before: str = "") -> Iterator[tuple[str, Parsed]]:
    """What a pattern repeats without end, each with a text that comes before it."""
    for kind, value in parsed:
        if kind in REPEATS and (value[1] is kinds.MAXREPEAT or value[1] > 50):  # type: ignore[index]
            yield before, value[2]  # type: ignore[index]
        for inner in _inner(kind, value):
            yield from _repeated(inner, before)
        before += _sample([(kind, value)])


def _pumps(parsed: Parsed, among: str) -> set[str]:
    """Texts that one repetition accepts."""
    found = {_sample(parsed)}
    if len(parsed) == 1:
        ((kind, value),) = parsed
        if kind in ONE:
            found.update(_accepted(kind, value, among))
        for inner in _inner(kind, value):
            found |= _pumps(inner, among)
    return found - {""}


def texts(pattern: str, flags: int) -> Iterator[tuple[str, str, str]]:
    """What comes before, what is repeated, and what comes after it."""
    parsed = [*parser.parse(pattern, flags)]
    among = "".join(sorted(_letters(parsed) | {*USUAL}))
    pairs = {
        (start, pump)
        for before, inner in _repeated(parsed)
        for pump in _pumps([*inner], among)
        for start in ("", before)
    }
    return ((*pair, end) for pair in sorted(pairs) for end in ("\0", "\n\0"))


def seconds(pattern: re.Pattern[str], method: str, text: str) -> float:
    """The least time of three, if the first is long."""
    least = 1e9
    for _ in range(3):
        start = process_time()
        if method in ("match", "fullmatch"):
            getattr(pattern, method)(text)
        else:
            for _found in pattern.finditer(text):
                pass
        least = min(least, process_time() - start)
        if not SECONDS <= least < 10 * SECONDS:
            break
    return least


def slow(pattern: str, flags: int, methods: frozenset[str]) -> str:
    """The text on which a pattern is slow, or ""."""
    compiled = re.compile(pattern, flags)
    for before, pump, after in texts(pattern, flags):
        for method in {"search" if one not in ("match", "fullmatch") else one for one in methods}:
            for length in LENGTHS:
                if seconds(compiled, method, before + pump * (length // len(pump)) + after) >= SECONDS:
                    return f"{method} of {before!r}, {length} times {pump!r}, {after!r}"
    return ""


def test_patterns_match_in_linear_time() -> None:
    found = {
        place: [pattern, text]
        for place, (pattern, flags, methods) in patterns().items()
        if not any(part in pattern for part in SHORT) and (text := slow(pattern, flags, methods))
    }
    assert not found
    assert len(patterns()) > 200


@pytest.mark.parametrize(
    "pattern", [r"(a+)+$", r"(a|a)*b", r"\s*(?:#)?\s*x", r"[ \t]*\n", r"a*a*b", r"(?:\w+\.)+$", r"(x+x+)+y", r"\w+\d*="]
)
def test_a_slow_pattern_is_found(pattern: str) -> None:
    assert slow(pattern, 0, frozenset({"search"}))


def test_the_exceptions_are_there() -> None:
    known = [pattern for pattern, _, _ in patterns().values()]
    assert [part for part in SHORT if not any(part in one for one in known)] == []
