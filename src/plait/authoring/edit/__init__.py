"""Values of an output, edited where they are written (docs/set.md).

`public_functions` has the public functions. `setting` edits one value: `origins` finds its position, `sites` edits the text,
`target` evaluates again and compares. `insertion` writes a value to a new place, `write_back` writes a whole edited output
back to its files.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.edit.edit_errors import EditError
    from plait.authoring.edit.public_functions import remove_value, set_output, set_value
    from plait.authoring.edit.setting import Edit

__all__ = ["Edit", "EditError", "remove_value", "set_output", "set_value"]

_HOMES = {
    "Edit": "setting",
    "EditError": "edit_errors",
    "remove_value": "public_functions",
    "set_output": "public_functions",
    "set_value": "public_functions",
}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
