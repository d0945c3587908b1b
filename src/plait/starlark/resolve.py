"""Resolves names to scopes: a function's variable, or a universal name (docs/reference/language.md).

Functions and comprehensions have scopes, blocks do not; a name that is assigned anywhere in a function is a variable of
that function. At the top level, outside of functions, a name must be bound before it is used. All unresolved names are
reported before anything runs.
"""

from __future__ import annotations

from plait.base.errors import Finding
from plait.base.similar_names import listed, near, spelled
from plait.base.source import Position, Source
from plait.base.suggestions import LOAD, QUOTE_WORD, Hint, Suggestion, replacing
from plait.starlark.table.universal import UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.starlark.syntax import Name, Scope

_UNIVERSAL = frozenset((*UNIVERSAL, "None", "True", "False"))
_HINTS = {
    "true": "use 'True' instead of 'true' for boolean assignment",
    "false": "use 'False' instead of 'false' for boolean assignment",
    "null": "use 'None' instead of 'null' to indicate no value",
    "nil": "use 'None' instead of 'nil' to indicate no value",
    "none": "use 'None' instead of 'none' to indicate no value",
}


# Modules that templates usually load by their own name.
_MODULES = frozenset(
    [
        "assert",
        "base64",
        "data",
        "ip",
        "json",
        "library",
        "math",
        "md5",
        "module",
        "overlay",
        "regexp",
        "sha256",
        "struct",
        "template",
        "toml",
        "url",
        "version",
        "yaml",
    ]
)


# Names that users write without their module.
_MATCHERS = frozenset(["and_op", "index", "map_key", "not_op", "or_op", "subset"])


def resolve(program: Scope, source: Source, problems: list[Finding]) -> None:
    """Sets `Name.scope` of every use, and adds a finding for every undefined name."""
    missing: dict[Scope, list[tuple[Name, Scope]]] = {}
    todo = [program]
    while todo:
        scope = todo.pop()
        todo.extend(scope.children)
        for name in scope.uses:
            text = name.name
            # At the top level a use sees only earlier bindings, elsewhere those of the whole program.
            found: Scope | None = None if name.early and scope is program else scope
            while found is not None and text not in found.bound:
                found = found.parent
            name.scope = found
            if found is None and text not in _UNIVERSAL:
                missing.setdefault(scope, []).append((name, scope))
    if missing:
        problems += [_undefined(*use, source) for use in missing.pop(program, ())]
        told: set[tuple[str, Scope]] = set()
        for rank, (name, scope) in enumerate(_in_order(program, missing), 1):
            finding = _undefined(name, scope, source)
            finding.rank = rank
            outermost = scope
            while outermost.parent not in (None, program):
                outermost = outermost.parent
            if (name.name, outermost) in told:
                finding.reference = ""  # ytt reports a name once per function
            told.add((name.name, outermost))
            problems.append(finding)


def _in_order(program: Scope, missing: dict[Scope, list[tuple[Name, Scope]]]) -> list[tuple[Name, Scope]]:
    """The uses in functions, in ytt's order: inner functions first."""
    out: list[tuple[Name, Scope]] = []
    found: dict[Scope, list[tuple[Name, Scope]]] = {}
    todo = [(program, False)]
    while todo:
        scope, is_done = todo.pop()
        if not is_done:
            todo.append((scope, True))
            todo += [(child, False) for child in reversed(scope.children)]
            continue
        uses = [*found.pop(scope, ()), *missing.get(scope, ())]
        if scope.is_comprehension and scope.parent is not None:
            found.setdefault(scope.parent, []).extend(uses)
        else:
            out += sorted(uses, key=lambda use: use[0].line)
    return out


def _dashed(name: str, line: str) -> str | None:
    """A hint for a key with a dash, which is read as a subtraction; None for other names."""
    import re

    found = re.search(rf"([A-Za-z_][\w.]*)\.(\w+(?:-\w+)*-{re.escape(name)})\b", line)
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


def _undefined(name: Name, scope: Scope, source: Source) -> Finding:
    hint: str | None = _HINTS.get(name.name)
    alike: list[str] = []
    suggestions = [Suggestion(QUOTE_WORD, old=name.name)]
    if hint is None and name.name in _MODULES:
        load = f'load("@ytt:{name.name}", "{name.name}")'
        hint = Hint(f"load it first: {load}", Suggestion(LOAD, load))
        suggestions = []
    if hint is None:
        known = set(_UNIVERSAL)
        outer: Scope | None = scope
        while outer is not None:
            known.update(outer.bound)
            outer = outer.parent
        alike = near(name.name, sorted(known))
        hint = replacing(name.name, alike, f"did you mean {listed(alike)}?") if alike else None
        if name.name in _MATCHERS:
            meant = f"overlay.{name.name}"
            hint = replacing(name.name, [meant], f"did you mean {meant}?")
        if hint is not None:
            suggestions = []
        elif hint is None and f"={name.name}" in (source.line(name.line) or "").partition("#@overlay/")[2]:
            hint = f'a text is written in quotes: "{name.name}"'
    if hint is None:
        hint = _dashed(name.name, source.line(name.line) or "")
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
