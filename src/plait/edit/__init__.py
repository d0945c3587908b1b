"""Values of an output, edited where they are written (docs/set.md).

`setting` edits one value: `origins` says where it is written, `sites` edits the text there, `target` runs again and
compares. `elsewhere` puts a value where it was not written before, `back` brings a whole edited output back to its files.
"""

from __future__ import annotations

from plait.lazy import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.edit.refusal import Refused
    from plait.edit.setting import Edit, set_value

__all__ = ["Edit", "Refused", "set_value"]

_HOMES = {"Edit": "setting", "Refused": "refusal", "set_value": "setting"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
