"""Documentation of annotations, functions and modules, from the reference pages.

`reference.json` is generated from the pages in docs/reference; a test compares them.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from plait.authoring.lsp.markdown import block, plain
from plait.base.extensions import BY_COMMAND
from plait.tree.context import Context
from plait.ytt.modules import MODULES, load_module
from plait.ytt.templates.directives import ADDED, KNOWN_BY_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.base.source import Source
    from plait.ytt.starlark.syntax import Def

# Modules created for each file, with their members.
_OF_FILES = {"data": ("values", "read", "list"), "library": ("get",), "template": ("replace",)}


@cache
def texts() -> Mapping[str, str]:
    """The documentation by name, such as `#@overlay/match`, `json.encode`, `len`, or `s.strip` for a method."""
    text = files("plait.authoring.lsp").joinpath("reference.json").read_text("utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def annotation_names() -> Sequence[str]:
    """The names of annotations, without the number sign and the at sign."""
    return [name[1:] for name in (*KNOWN_BY_NAME, *ADDED)]


def annotation_at(file: File, line: int, column: int) -> str | None:
    """The documentation of an annotation at a position, or None."""
    for name, at, start in file.annotations():
        if at == line and start <= column <= start + len(name) + 1:
            return texts().get(f"#{name}")
    return None


def module_names() -> Sequence[str]:
    """The names of modules, without `@ytt:`."""
    return sorted({*MODULES, *_OF_FILES})


@cache
def members(module: str) -> Sequence[str]:
    """The names in a module, including those of extensions."""
    if module in _OF_FILES:
        return _OF_FILES[module]
    if module not in MODULES:
        return ()

    context = Context()
    context.extensions = frozenset(name for names in BY_COMMAND.values() for name in names)
    return sorted(load_module(module, context).members)


def member(module: str, name: str) -> str | None:
    """The documentation of a module's member, or None."""
    return texts().get(f"{module}.{name}")


def universal(name: str) -> str | None:
    """The documentation of a built-in function, or None."""
    return texts().get(name)


def method(name: str) -> str:
    """The documentation of all methods with this name."""
    return "\n\n".join(text for key, text in texts().items() if key[1:] == f".{name}")


def signature(function: Def, source: Source) -> str:
    """The signature of a function, and the comments above it."""
    above: list[str] = []
    line = function.line - 1
    while line > 0:
        text = (source.line(line) or "").strip()
        comment = text.removeprefix("#!") if text.startswith("#!") else text.removeprefix("#")
        if comment == text or text.startswith("#@"):
            break
        above.insert(0, comment.strip())
        line -= 1
    header = (source.line(function.line) or "").strip().removeprefix("#@").strip().removesuffix(":")
    said = " ".join(above)
    return block(header, "python") + (f"\n\n{plain(said)}" if said else "")
