"""The type of plain data: the content of a document without nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

# Keys are those of YAML. Mapping is invariant in its key type, hence Any.
Plain: TypeAlias = Mapping[Any, "Plain"] | Sequence["Plain"] | str | int | float | bool | None
"""Plain data, as in a document: mappings, sequences, strings, numbers, booleans, None."""
