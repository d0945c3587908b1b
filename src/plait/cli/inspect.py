"""The errors of `plait render --bulk-out`."""

from __future__ import annotations

from plait.base.errors import render
from plait.base.reference.ytt import sentence
from plait.yaml.output_formats import bulk_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import PlaitError
    from plait.engine.render import Render


def bulk_error(error: PlaitError, flags: Render) -> str:
    """An error in the JSON of `--bulk-out`, which ends with status 0 (docs/guide-render.md)."""
    if flags.program == "ytt":
        return bulk_json([], sentence(error))
    return bulk_json([], render(error, "", quote_values=flags.quote_values).rstrip("\n"))
