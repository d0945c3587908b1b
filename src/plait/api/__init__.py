"""The Python API: the commands as functions from inputs to documents.

    import plait

    plait.render("config/", values={"replicas": 3}).to_yaml()

An input is a path (of a file, or of a directory for the files in it), a mapping from names to texts, or a result of
another function of this API; or a list of these. Nothing is printed, standard input is not read, calls share nothing
and may run in several threads. A fault in an input raises `PlaitError`.

`trace=True` records provenance for `plait.explain`, which costs time and memory.
"""

from __future__ import annotations

# The module of each name, for `plait.__getattr__`. A module is imported when its name is used.
HOMES = {
    "ComposeStep": "api.composing",
    "Composed": "api.composing",
    "Counts": "api.engine",
    "Difference": "api.differences",
    "Differences": "api.differences",
    "Documents": "engine.results",
    "Engine": "api.engine",
    "Entry": "api.explaining",
    "Event": "api.engine",
    "Findings": "api.checking",
    "Formatted": "api.formatting",
    "FoundValue": "authoring.inspection.api",
    "History": "api.explaining",
    "Impact": "authoring.inspection.api",
    "Input": "engine.types",
    "Inputs": "engine.types",
    "Inspection": "authoring.inspection.api",
    "Limits": "engine.types",
    "Plain": "engine.types",
    "Project": "authoring.project.api",
    "Rendered": "engine.results",
    "SchemaText": "api.schemas",
    "acompose": "api.composing",
    "alayer": "api.layering",
    "apatch": "api.patching",
    "arender": "api.rendering",
    "check_data_values": "api.checking",
    "check_layers": "api.checking",
    "compose": "api.composing",
    "data_values": "api.data_values",
    "data_values_schema": "api.data_values",
    "diff": "api.differences",
    "documents": "api.documents",
    "explain": "api.explaining",
    "export_schema": "api.schemas",
    "fmt": "api.formatting",
    "import_schema": "api.schemas",
    "inspect": "authoring.inspection.api",
    "layer": "api.layering",
    "lint": "authoring.lint.api",
    "patch": "api.patching",
    "project": "authoring.project.api",
    "read": "api.documents",
    "render": "api.rendering",
    "run": "authoring.project.api",
    "set": "authoring.edit.api",
    "test": "authoring.testing.api",
}
