"""The engine: typed requests, one class per dialect, and their evaluation.

    evaluate(Render(inputs=["config"], strict=True), World())

Requests are built by the command line, by project files and by the API. `plait.engine.world` evaluates them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.engine.options import Request

DIALECTS = ("render", "patch", "layer", "compose")


def dialect(command: str) -> type[Request]:
    """The request class of a dialect. command: one of DIALECTS."""
    if command == "render":
        from plait.engine.render import Render

        return Render
    if command == "patch":
        from plait.engine.patch import Patch

        return Patch
    if command == "layer":
        from plait.engine.layer import Layer

        return Layer
    from plait.engine.compose import Compose

    return Compose


def keywords_of(cls: type[Request]) -> dict[str, str]:
    """The API keywords of a dialect, each with its type: the annotated options of its class and base classes."""
    from inspect import get_annotations

    return {name: one for base in reversed(cls.__mro__) for name, one in get_annotations(base).items()}
