"""Resolves names to scopes: a function's variable, or a universal name (docs/reference/language.md).

The parser has recorded the names that each scope binds and uses. Functions and comprehensions are scopes, blocks are
not; a name that is assigned anywhere in a function is a variable of that function, so a use is resolved only when its
whole scope is known. It belongs to the innermost enclosing scope that binds the name. The top level is an exception: it
runs from its first line to its last, so a use there sees only what is bound before it. Functions are called later, and
see all of the top level.

All undefined names are reported before anything runs.
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
    missing: dict[Scope, list[Name]] = {}
    todo = [program]
    while todo:
        scope = todo.pop()
        todo.extend(scope.children)
        for use in scope.uses:
            name = use.name
            found: Scope | None = None if use.early and scope is program else scope
            while found is not None and name not in found.bound:
                found = found.parent
            use.scope = found
            if found is None and name not in _UNIVERSAL:
                missing.setdefault(scope, []).append(use)
    if missing:
        from plait.ytt.starlark.undefined_names import findings

        problems += findings(program, missing, source, _UNIVERSAL)
