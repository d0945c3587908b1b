"""Values of an output, edited where they are written (docs/set.md).

`values` has the public functions. `setting` edits one value: `origins` finds its position, `sites` edits the text,
`target` evaluates again and compares. `elsewhere` writes a value to a new place, `back` writes a whole edited output
back to its files.
"""

from __future__ import annotations

from plait.lazy import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.edit.refusal import Refused
    from plait.edit.setting import Edit
    from plait.edit.values import remove_value, set_output, set_value

__all__ = ["Edit", "Refused", "remove_value", "set_output", "set_value"]

_HOMES = {
    "Edit": "setting",
    "Refused": "refusal",
    "remove_value": "values",
    "set_output": "values",
    "set_value": "values",
}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
