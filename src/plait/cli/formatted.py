"""`plait render fmt`: YAML files as ytt's formatter prints them."""

from __future__ import annotations

from plait.cli.render import RenderFmt
from plait.cli.streams import write_out
from plait.engine.common import keep_limits
from plait.workspace.files import YAML
from plait.workspace.inputs import Inputs
from plait.yaml.fmt import format_text, joined


def print_formatted(flags: RenderFmt, *, marks_end: bool) -> int:
    """Prints the YAML files that the flags name; returns the exit status. Raises PlaitError."""
    keep_limits(flags)
    files = Inputs(offline=flags.offline).files(flags.value(RenderFmt.inputs))
    sources = [file.source for file in files if file.type == YAML]
    write_out(joined(format_text(one, strict=flags.strict, marks_end=marks_end) for one in sources))
    return 0
