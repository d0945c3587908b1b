"""The Python API: the commands as functions from inputs to documents.

    import weft

    weft.render("config/", values={"replicas": 3}).to_yaml()

An input is a path (of a file, or of a directory for the files below it), a mapping from names to texts, or what another
function of this API gave back; where several are taken, a list of those. Nothing is printed, standard input is not read,
two calls share nothing, and calls may run in several threads. What is wrong with an input raises `WeftError`.

With `trace=True` a call keeps where every value came from, for `weft.explain`; that costs time and memory.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weft.api.composing import compose
    from weft.api.differences import Difference, Differences, diff
    from weft.api.histories import Entry, History, explain
    from weft.api.layering import layer
    from weft.api.patching import patch
    from weft.api.reading import documents, read
    from weft.api.rendering import render
    from weft.api.results import Composed, ComposeStep, Documents, Rendered

# The module of each public name: none is imported before its name is used.
HOMES = {
    "ComposeStep": "results",
    "Composed": "results",
    "Difference": "differences",
    "Differences": "differences",
    "Documents": "results",
    "Entry": "histories",
    "History": "histories",
    "Rendered": "results",
    "compose": "composing",
    "diff": "differences",
    "documents": "reading",
    "explain": "histories",
    "layer": "layering",
    "patch": "patching",
    "read": "reading",
    "render": "rendering",
}

__all__ = [
    "ComposeStep",
    "Composed",
    "Difference",
    "Differences",
    "Documents",
    "Entry",
    "History",
    "Rendered",
    "compose",
    "diff",
    "documents",
    "explain",
    "layer",
    "patch",
    "read",
    "render",
]


def __getattr__(name: str) -> object:
    home = HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
