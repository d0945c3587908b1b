"""weft: weave changes into base YAML configuration.

    import weft

    weft.render("config/", values={"replicas": 3}).to_yaml()

The functions come from `weft.api`, where they are described; nothing is imported before it is used.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weft.api import (
        Composed,
        ComposeStep,
        Difference,
        Differences,
        Documents,
        Entry,
        History,
        Rendered,
        compose,
        diff,
        documents,
        explain,
        layer,
        patch,
        read,
        render,
    )
    from weft.errors import (
        Finding,
        LayeringError,
        LimitError,
        OpsError,
        OverlayError,
        ReadError,
        SchemaError,
        StarlarkError,
        TemplateError,
        UsageError,
        WeftError,
    )
    from weft.source import Position

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
    "Position",
    "ReadError",
    "Rendered",
    "SchemaError",
    "StarlarkError",
    "TemplateError",
    "UsageError",
    "WeftError",
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
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = "source" if name == "Position" else "errors" if name.endswith(("Error", "Finding")) else "api"
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
