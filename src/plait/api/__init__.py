"""The Python API: the commands as functions from inputs to documents.

    import plait

    plait.render("config/", values={"replicas": 3}).to_yaml()

An input is a path (of a file, or of a directory for the files below it), a mapping from names to texts, or a result of
another function of this API; or a list of those. Nothing is printed, standard input is not read, calls share nothing
and may run in several threads. A fault in an input raises `PlaitError`.

With `trace=True` a call records provenance for `plait.explain`, which costs time and memory.
"""

from __future__ import annotations

# The module of each name, for `plait.__getattr__`: none is imported before its name is used.
HOMES = {
    "ComposeStep": "api.composing",
    "Composed": "api.composing",
    "Difference": "api.differences",
    "Differences": "api.differences",
    "Documents": "engine.results",
    "Entry": "api.histories",
    "Findings": "api.checking",
    "Formatted": "api.formatting",
    "History": "api.histories",
    "Input": "engine.kinds",
    "Inputs": "engine.kinds",
    "Limits": "engine.kinds",
    "Plain": "engine.kinds",
    "Rendered": "engine.results",
    "acompose": "api.composing",
    "alayer": "api.layering",
    "apatch": "api.patching",
    "arender": "api.rendering",
    "check_data_values": "api.checking",
    "check_layers": "api.checking",
    "compose": "api.composing",
    "data_values": "api.values",
    "data_values_schema": "api.values",
    "diff": "api.differences",
    "documents": "api.reading",
    "explain": "api.histories",
    "fmt": "api.formatting",
    "layer": "api.layering",
    "lint": "linting.api",
    "patch": "api.patching",
    "read": "api.reading",
    "render": "api.rendering",
    "set": "edit.api",
    "test": "testing.api",
}
