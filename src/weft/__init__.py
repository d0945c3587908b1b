"""weft: weave changes into base YAML configuration.

    import weft

    weft.render("config/", values={"replicas": 3}).to_yaml()

The functions come from the modules of `weft.api`; nothing is imported before it is used.
"""

from __future__ import annotations

import sys

__version__ = "0.1.0"

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
    home = None
    if name == "Position":
        home = "source"
    elif name in __all__:
        if name.endswith(("Error", "Finding")):
            home = "errors"
        else:
            from weft.api import HOMES

            home = f"api.{HOMES[name]}"
    return first_use(__name__, home, name)


def first_use(package: str, home: str | None, name: str) -> object:
    """What a package's module-level `__getattr__` gives for a name that is in its module `home`; it is not asked again.

    Raises AttributeError when there is no such module. `importlib` would cost more than most of the modules.
    """
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    value: object = getattr(__import__(f"{package}.{home}", fromlist=[name]), name)
    setattr(sys.modules[package], name, value)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
