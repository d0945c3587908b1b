"""Findings about undefined names. Loaded only if there are some."""

from __future__ import annotations

import re

from plait.base.errors import Finding
from plait.base.foreign_words import EXPRESSIONS, code_of, equivalent
from plait.base.similar_names import listed, near, spelled
from plait.base.source import Position
from plait.base.suggestions import LOAD, QUOTE_WORD, Hint, Suggestion, replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.base.source import Source
    from plait.ytt.starlark.syntax import Name, Scope

_WORDS = {"true": "True", "false": "False", "null": "None", "nil": "None", "none": "None"}


# Modules that templates usually load by their own name, each with a member.
_MODULES = {
    "assert": 'fail("...")',
    "base64": "encode(x)",
    "data": "values",
    "ip": 'parse_addr("10.0.0.1")',
    "json": "encode(x)",
    "library": 'get("name")',
    "math": "ceil(x)",
    "md5": "sum(x)",
    "module": 'make("name", f=f)',
    "overlay": "apply(x, y)",
    "regexp": "match(pattern, x)",
    "sha256": "sum(x)",
    "struct": "make(a=1)",
    "template": "replace(x)",
    "toml": "encode(x)",
    "url": "parse(x)",
    "version": 'require_at_least("1.0.0")',
    "yaml": "encode(x)",
}


def of_module(name: str, path: str) -> str:
    """The hint for a name that a module of ytt lacks. path: the path of the module."""
    if name in _MODULES:
        return f'a module is loaded from its own path: load("@ytt:{name}", "{name}")'
    return f'a module has one name: load("{path}", "{path.removeprefix("@ytt:")}")'


# Arguments of annotations that are True or absent.
_FLAGS = frozenset(["missing_ok", "or_add"])

# Names that users write without their module.
_MATCHERS = frozenset(["and_op", "index", "map_key", "not_op", "or_op", "subset"])


# The characters of a line in which hints look for each of its names.
_MOST_READ = 1000


def _dashed(name: str, line: str) -> str | None:
    """A hint for a key with a dash, which is read as a subtraction; None for other names."""
    found = re.search(rf"(?<![\w.])([A-Za-z_][\w.]*)\.(\w+(?:-\w+)*-{re.escape(name)})\b", line)
    return None if found is None else f'a key with a dash is written in brackets: {found[1]}["{found[2]}"]'


def _lines_of(names: Sequence[str], scope: Scope) -> Iterator[int]:
    """The lines that bind the names, in the innermost scope that binds them."""
    place: Scope | None = scope
    while place is not None:
        found = [line for name in names if (line := place.bound.get(name))]
        if found:
            yield from found
            return
        place = place.parent


def _later(name: Name, scope: Scope) -> str | None:
    """A hint for a name that the top level defines after its use, or None."""
    line = scope.bound.get(name.name, 0) if scope.parent is None and name.early else 0
    return (
        f"line {line} defines it, after this use: move the definition up, or the use down" if line > name.line else None
    )


def _parameter(name: str, line: str) -> str | None:
    """A hint for a lambda without its parameter, or None."""
    found = re.search(rf"\blambda\s*:(?=.*\b{re.escape(name)}\b)", line)
    return f"a parameter comes before the colon: lambda {name}: ..." if found is not None else None


def _data_values(name: str, text: str, known: set[str]) -> str | None:
    """A hint for data values without `data`, or None."""
    if name not in ("values", "Values") or f"{name}." not in text:
        return None
    if "data" in known:
        return replacing(name, ["data.values"], "did you mean data.values?")
    return 'data values are data.values.NAME, with load("@ytt:data", "data")'


def findings(
    program: Scope, missing: Mapping[Scope, list[Name]], source: Source, universal: frozenset[str]
) -> Iterator[Finding]:
    """The findings for undefined names by their scopes: first those of the top level, then those in functions."""
    for name in missing.get(program, ()):
        yield _undefined(name, program, source, universal)
    told: set[tuple[str, Scope]] = set()
    for rank, (name, scope) in enumerate(_in_functions(program, missing), 1):
        finding = _undefined(name, scope, source, universal)
        finding.rank = rank
        outermost = scope
        while outermost.parent not in (None, program):
            outermost = outermost.parent
        if (name.name, outermost) in told:
            finding.reference = ""  # ytt reports a name once per function
        told.add((name.name, outermost))
        yield finding


def _in_functions(program: Scope, missing: Mapping[Scope, list[Name]]) -> list[tuple[Name, Scope]]:
    """The undefined names outside of the top level, in ytt's order: inner functions first; within one by line."""
    out: list[tuple[Name, Scope]] = []
    inherited: dict[Scope, list[tuple[Name, Scope]]] = {}
    todo = [(program, False)]
    while todo:
        scope, is_done = todo.pop()
        if not is_done:
            todo.append((scope, True))
            todo += [(child, False) for child in reversed(scope.children)]
            continue
        own = [] if scope is program else [(name, scope) for name in missing.get(scope, ())]
        uses = [*inherited.pop(scope, ()), *own]
        # A comprehension is a part of the function around it.
        if scope.is_comprehension and scope.parent is not None:
            inherited.setdefault(scope.parent, []).extend(uses)
        else:
            out += sorted(uses, key=lambda use: use[0].line)
    return out


def _undefined(name: Name, scope: Scope, source: Source, universal: frozenset[str]) -> Finding:
    """The finding for a name that no scope defines. universal: the names that every program knows."""
    text = (source.line(name.line) or "")[:_MOST_READ]
    word = _WORDS.get(name.name)
    why = "to indicate no value" if word == "None" else "for boolean assignment"
    hint: str | None = replacing(name.name, [word], f"use '{word}' instead of '{name.name}' {why}") if word else None
    alike: list[str] = []
    suggestions = [Suggestion(QUOTE_WORD, old=name.name)]
    if hint is None and name.name in _MODULES:
        load = f'load("@ytt:{name.name}", "{name.name}")'
        called = re.search(rf"(?<![\w.]){name.name}\(", text) is not None
        member = f"; it is a module: {name.name}.{_MODULES[name.name]}" if called else ""
        written = f"#@ {load}" if "#@" in text else f"(@ {load} @)" if "(@" in text else load
        hint = Hint(f"load it first, at the top: {written}{member}", Suggestion(LOAD, load))
        suggestions = []
    if hint is None:
        known = set(universal)
        outer: Scope | None = scope
        while outer is not None:
            known.update(outer.bound)
            outer = outer.parent
        alike = near(name.name, sorted(known))
        hint = replacing(name.name, alike, f"did you mean {listed(alike)}?") if alike else None
        if all(one in universal for one in alike) and not EXPRESSIONS.get(name.name, "").startswith(
            tuple(f"{one}(" for one in alike)
        ):
            hint = _data_values(name.name, text, known) or equivalent(name.name, code_of(text)) or hint
        if name.name in _FLAGS and "#@overlay/" in text:
            hint = replacing(name.name, [f"{name.name}=True"], f"did you mean {name.name}=True?")
        if name.name in _MATCHERS:
            meant = f"overlay.{name.name}"
            hint = replacing(name.name, [meant], f"did you mean {meant}?")
        if name.name in ("left", "right") and "via=" in text:
            hint = "via= takes a function of both values: via=lambda left, right: ..."
        if hint is not None:
            suggestions = []
        elif hint is None and f"={name.name}" in text.partition("#@overlay/")[2]:
            hint = f'a string is written in quotes: "{name.name}"'
    hint = _later(name, scope) or hint or _dashed(name.name, text) or _parameter(name.name, text)
    told = f"undefined: {name.name}"
    also = [Position(source, line).labelled("the nearest name") for line in _lines_of(alike[:1], scope)]
    bound: set[str] = set()
    place: Scope | None = scope
    while place is not None:
        # At the top level ytt knows only names that are already bound.
        early = scope.parent is None and name.early
        bound.update(known for known, line in place.bound.items() if not early or line < name.line)
        place = place.parent
    meant = spelled(name.name, sorted(bound))
    return Finding(
        told,
        code="undefined-name",
        at=Position(source, name.line),
        also=also,
        word=name.name,
        hint=hint,
        suggestions=suggestions,
        reference=f"{told} (did you mean {meant}?)" if meant else told,
    )
