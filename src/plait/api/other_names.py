"""The message for a name that `plait` has not, with the name to use instead."""

from __future__ import annotations

from plait.base.similar_names import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Names that other libraries use, and the corresponding name here.
_ELSEWHERE = {
    "Error": "PlaitError",
    "check": "check_data_values or check_layers",
    "format": "fmt",
    "impact": "inspect(...).impact",
    "int": "patch",
    "interpolate": "patch",
    "load": "read",
    "loads": "read",
    "openapi": "data_values_schema",
    "pydantic": "export_schema",
    "schema": "data_values_schema",
    "template": "render",
    "validate": "check_data_values or check_layers",
    "values": "data_values",
}


def no_name(name: str, known: Sequence[str]) -> str:
    """The message for a missing name. known: the public names."""
    other = _ELSEWHERE.get(name)
    hint = f"it is called {other}" if other else did_you_mean(name, known) if name[:1] != "_" else ""
    return f"module 'plait' has no attribute {name!r}" + (f"; {hint}" if hint else "")
