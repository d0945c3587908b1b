"""`plait render fmt`: formats YAML files like ytt."""

from __future__ import annotations

from plait.cli.streams import write_out
from plait.engine.common import keep_limits
from plait.engine.render import Render
from plait.yaml.fmt import format_text, joined
from plait.ytt.workspace.input_files import YAML
from plait.ytt.workspace.inputs import Inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.engine.options import Request


def print_formatted(flags: Request, *, marks_end: bool) -> int:
    """Prints formatted YAML files. Returns the exit status. Raises PlaitError."""
    keep_limits(flags)
    files = Inputs(offline=flags.value(Render.offline)).files(flags.value(Render.inputs))
    sources = [file.source for file in files if file.type == YAML]
    write_out(joined(format_text(one, strict=flags.value(Render.strict), marks_end=marks_end) for one in sources))
    return 0
