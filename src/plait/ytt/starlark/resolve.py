"""Resolves names to scopes: a function's variable, or a universal name (docs/reference/language.md).

Functions and comprehensions have scopes, blocks do not; a name that is assigned anywhere in a function is a variable of
that function. At the top level, outside of functions, a name must be bound before it is used. All unresolved names are
reported before anything runs.
"""

from __future__ import annotations

from plait.ytt.starlark.table.universal import UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Finding
    from plait.base.source import Source
    from plait.ytt.starlark.syntax import Name, Scope

_UNIVERSAL = frozenset((*UNIVERSAL, "None", "True", "False"))


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
        from plait.ytt.starlark.undefined_names import undefined

        problems += [undefined(*use, source, _UNIVERSAL) for use in missing.pop(program, ())]
        told: set[tuple[str, Scope]] = set()
        for rank, (name, scope) in enumerate(_in_order(program, missing), 1):
            finding = undefined(name, scope, source, _UNIVERSAL)
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
