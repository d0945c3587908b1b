"""plait patches, templates and layers YAML, and tells you where every value came from.

    import plait

    plait.render("config/", values={"replicas": 3}).to_yaml()

The functions come from the modules of `plait.api`; nothing is imported before it is used.
"""

import sys

# `python -m plait` puts the working directory first on the import path. A checkout is data, so this comes before all other
# imports, also that of `__future__`. Python sets the first argument to -m while it looks for the module.
if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and sys.orig_argv[-len(sys.argv)] in ("plait", "-mplait"):
    del sys.path[0]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.api.checking import Findings, check_data_values, check_layers
    from plait.api.composing import Composed, ComposeStep, acompose, compose
    from plait.api.data_values import data_values, data_values_schema
    from plait.api.differences import Difference, Differences, diff
    from plait.api.documents import documents, read
    from plait.api.engine import Counts, Engine, Event
    from plait.api.explaining import Entry, History, explain
    from plait.api.formatting import Formatted, fmt
    from plait.api.layering import alayer, layer
    from plait.api.patching import apatch, patch
    from plait.api.rendering import arender, render
    from plait.api.schemas import SchemaText, export_schema, import_schema
    from plait.authoring.edit.api import set
    from plait.authoring.inspection.api import FoundValue, Impact, Inspection, inspect
    from plait.authoring.lint.api import lint
    from plait.authoring.project.api import Project, project, run
    from plait.authoring.testing.api import test
    from plait.base.errors import (
        Finding,
        LayeringError,
        LimitError,
        OpsError,
        OverlayError,
        PermissionDeniedError,
        PlaitError,
        ReadError,
        SchemaError,
        StarlarkError,
        TemplateError,
        UsageError,
    )
    from plait.base.source import Position
    from plait.base.version import __version__
    from plait.engine.results import Documents, Rendered
    from plait.engine.types import Input, Inputs, Limits
    from plait.tree.plain_data import Plain

__all__ = [
    "ComposeStep",
    "Composed",
    "Counts",
    "Difference",
    "Differences",
    "Documents",
    "Engine",
    "Entry",
    "Event",
    "Finding",
    "Findings",
    "Formatted",
    "FoundValue",
    "History",
    "Impact",
    "Input",
    "Inputs",
    "Inspection",
    "LayeringError",
    "LimitError",
    "Limits",
    "OpsError",
    "OverlayError",
    "PermissionDeniedError",
    "Plain",
    "PlaitError",
    "Position",
    "Project",
    "ReadError",
    "Rendered",
    "SchemaError",
    "SchemaText",
    "StarlarkError",
    "TemplateError",
    "UsageError",
    "__version__",
    "acompose",
    "alayer",
    "apatch",
    "arender",
    "check_data_values",
    "check_layers",
    "compose",
    "data_values",
    "data_values_schema",
    "diff",
    "documents",
    "explain",
    "export_schema",
    "fmt",
    "import_schema",
    "inspect",
    "layer",
    "lint",
    "patch",
    "project",
    "read",
    "render",
    "run",
    "set",
    "test",
]


def __getattr__(name: str) -> object:
    home = None
    if name == "Position":
        home = "base.source"
    elif name == "__version__":
        home = "base.version"
    elif name in __all__:
        if name.endswith(("Error", "Finding")):
            home = "base.errors"
        else:
            from plait.api import HOMES

            home = HOMES[name]
    if home is None:
        from plait.api.other_names import no_name

        raise AttributeError(no_name(name, __all__))
    value: object = getattr(__import__(f"plait.{home}", fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
