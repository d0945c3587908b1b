"""The Python API: the commands as functions from inputs to documents.

    import plait

    plait.render("config/", values={"replicas": 3}).to_yaml()

An input is a path (of a file, or of a directory for the files below it), a mapping from names to texts, or what another
function of this API gave back; where several are taken, a list of those. Nothing is printed, standard input is not read,
two calls share nothing, and calls may run in several threads. What is wrong with an input raises `PlaitError`.

With `trace=True` a call keeps where every value came from, for `plait.explain`; that costs time and memory.
"""

from __future__ import annotations

# The module of each name, for `plait.__getattr__`: none is imported before its name is used.
HOMES = {
    "ComposeStep": "composing",
    "Composed": "composing",
    "Difference": "differences",
    "Differences": "differences",
    "Documents": "results",
    "Entry": "histories",
    "Findings": "checking",
    "Formatted": "formatting",
    "History": "histories",
    "Input": "kinds",
    "Inputs": "kinds",
    "Limits": "kinds",
    "Plain": "kinds",
    "Rendered": "results",
    "acompose": "composing",
    "alayer": "layering",
    "apatch": "patching",
    "arender": "rendering",
    "check_data_values": "checking",
    "check_layers": "checking",
    "compose": "composing",
    "data_values": "values",
    "data_values_schema": "values",
    "diff": "differences",
    "documents": "reading",
    "explain": "histories",
    "fmt": "formatting",
    "layer": "layering",
    "patch": "patching",
    "read": "reading",
    "render": "rendering",
}
