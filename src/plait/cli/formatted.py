"""`plait render fmt`: YAML files as ytt's formatter prints them."""

from __future__ import annotations

from plait.cli.shared import keep_limits
from plait.cli.streams import write_out
from plait.workspace.files import YAML
from plait.workspace.inputs import Inputs
from plait.yaml.fmt import format_text, joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.cli.options import Parsed


def print_formatted(flags: Parsed) -> int:
    """Print the YAML files that the flags name; the exit status. Raises PlaitError."""
    keep_limits(flags)
    files = Inputs(offline=flags.on("offline")).files(flags.texts("file"))
    write_out(joined(format_text(file.source, strict=flags.on("strict")) for file in files if file.type == YAML))
    return 0
