"""The limits of an evaluation that a person or an agent waits for: in the editor, and by a tool of `plait mcp`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

INTERACTIVE: Mapping[str, int] = {"seconds": 10, "steps": 50_000_000, "memory": 1 << 30}
