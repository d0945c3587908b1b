"""plait: braid changes into base YAML configuration.

    import plait

    plait.render("config/", values={"replicas": 3}).to_yaml()

The functions come from the modules of `plait.api`; nothing is imported before it is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.api.composing import Composed, ComposeStep, compose
    from plait.api.differences import Difference, Differences, diff
    from plait.api.histories import Entry, History, explain
    from plait.api.layering import layer
    from plait.api.patching import patch
    from plait.api.reading import documents, read
    from plait.api.rendering import render
    from plait.api.results import Documents, Rendered
    from plait.errors import (
        Finding,
        LayeringError,
        LimitError,
        OpsError,
        OverlayError,
        PlaitError,
        ReadError,
        SchemaError,
        StarlarkError,
        TemplateError,
        UsageError,
    )
    from plait.source import Position
    from plait.version import __version__

__all__ = [
    "ComposeStep",
    "Composed",
    "Difference",
    "Differences",
    "Documents",
    "Entry",
    "Finding",
    "History",
    "LayeringError",
    "LimitError",
    "OpsError",
    "OverlayError",
    "PlaitError",
    "Position",
    "ReadError",
    "Rendered",
    "SchemaError",
    "StarlarkError",
    "TemplateError",
    "UsageError",
    "__version__",
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
    from plait.lazy import first_use

    home = None
    if name == "Position":
        home = "source"
    elif name == "__version__":
        home = "version"
    elif name in __all__:
        if name.endswith(("Error", "Finding")):
            home = "errors"
        else:
            from plait.api import HOMES

            home = f"api.{HOMES[name]}"
    return first_use(__name__, home, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
