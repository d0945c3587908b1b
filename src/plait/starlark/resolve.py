"""Names to scopes: which function's variable, or which universal name, is meant (spec ytt 5, scoping).

Blocks make no scopes, functions and comprehensions do; a name that is assigned anywhere in a function is a variable of
that function. At the top level, outside of functions, a name must be bound before it is used. A name that is found
nowhere is reported before anything runs, together with all others.
"""

from __future__ import annotations

from plait.errors import Finding
from plait.source import Position, Source
from plait.spell import listed, near
from plait.starlark.table.universal import UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.syntax import Name, Scope

_UNIVERSAL = frozenset((*UNIVERSAL, "None", "True", "False"))
_HINTS = {
    "true": "use 'True' instead of 'true' for boolean assignment",
    "false": "use 'False' instead of 'false' for boolean assignment",
    "null": "use 'None' instead of 'null' to indicate no value",
    "nil": "use 'None' instead of 'nil' to indicate no value",
    "none": "use 'None' instead of 'none' to indicate no value",
}


# What templates load under its own name.
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


# What people write without the module it is of.
_MATCHERS = frozenset(["and_op", "index", "map_key", "not_op", "or_op", "subset"])


def resolve(program: Scope, source: Source, problems: list[Finding]) -> None:
    """Set `Name.scope` of every use; add a finding for every name that is not defined."""
    todo = [program]
    while todo:
        scope = todo.pop()
        todo.extend(scope.children)
        for name in scope.uses:
            text = name.name
            # At the top level a use sees only what stands before it, elsewhere the whole program.
            found: Scope | None = None if name.early and scope is program else scope
            while found is not None and text not in found.bound:
                found = found.parent
            name.scope = found
            if found is None and text not in _UNIVERSAL:
                problems.append(_undefined(name, scope, source))


def _undefined(name: Name, scope: Scope, source: Source) -> Finding:
    hint = _HINTS.get(name.name)
    if hint is None and name.name in _MODULES:
        hint = f'load it first: load("@ytt:{name.name}", "{name.name}")'
    if hint is None:
        known = set(_UNIVERSAL)
        outer: Scope | None = scope
        while outer is not None:
            known.update(outer.bound)
            outer = outer.parent
        alike = near(name.name, sorted(known))
        hint = f"did you mean {listed(alike)}?" if alike else None
        if name.name in _MATCHERS:
            hint = f"did you mean overlay.{name.name}?"
        elif hint is None and f"={name.name}" in (source.line(name.line) or "").partition("#@overlay/")[2]:
            hint = f'a text is written in quotes: "{name.name}"'
    return Finding(f"undefined: {name.name}", at=Position(source, name.line), hint=hint)
