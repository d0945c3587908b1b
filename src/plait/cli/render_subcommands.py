"""The command lines of the subcommands of `plait render`. Loaded only for them, and for help and completion."""

from __future__ import annotations

from plait.engine.common import GENERAL, ISOLATE, LIMIT, SAFETY
from plait.engine.flags import Command
from plait.engine.options import Heading, Request
from plait.engine.render import Render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.engine.flags import AnyCommand


class RenderFmt(Request):
    """The command line of `plait render fmt`."""

    __slots__ = ()
    summary = "Format YAML templates. Comments are preserved."
    inputs = Render.inputs
    strict = Render.strict
    _1 = Heading(SAFETY)
    offline = Render.offline
    limit = LIMIT
    isolate = ISOLATE
    _2 = Heading(GENERAL)
    debug = Render.debug


class Version(Request):
    """The command line of `plait render version`."""

    __slots__ = ()
    summary = "Print the version."


TEMPLATE = Command(Render, "plait render template")
FMT = Command(RenderFmt, "plait render fmt")
VERSION = Command(Version, "plait render version")

SUBCOMMANDS: dict[str, AnyCommand] = {"template": TEMPLATE, "fmt": FMT, "version": VERSION}
