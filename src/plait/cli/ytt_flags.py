"""Declares the command lines of ytt: the flags of `plait render`, and the subcommands of ytt."""

from __future__ import annotations

from plait.cli.render_commands import VERSION_FLAG
from plait.cli.render_subcommands import RenderFmt
from plait.engine.common import WARNINGS_HIDDEN
from plait.engine.flags import Command
from plait.engine.options import Request
from plait.engine.render import Render

PROGRAM = "ytt"


class Template(Render):
    """The command line of `ytt template`."""

    __slots__ = ()
    program = PROGRAM
    summary = "ytt performs YAML templating. This is plait, in its place."
    warnings_shown = WARNINGS_HIDDEN


class Ytt(Template):
    """The command line of `ytt`."""

    __slots__ = ()
    commands = (
        ("completion", "print a script that completes commands and flags in a shell"),
        ("fmt", "format YAML templates"),
        ("help", "print help"),
        ("template", "the same as ytt without a command (also t, tpl)"),
        ("version", "print the version"),
        ("website", "serve the playground to browsers on this machine"),
    )
    version = VERSION_FLAG


class Fmt(RenderFmt):
    """The command line of `ytt fmt`."""

    __slots__ = ()
    program = PROGRAM


class Version(Request):
    """The command line of `ytt version`."""

    __slots__ = ()
    program = PROGRAM
    summary = "Print the version."


YTT = Command(Ytt, PROGRAM)
TEMPLATE = Command(Template, "ytt template")
YTT_FMT = Command(Fmt, "ytt fmt")
YTT_VERSION_COMMAND = Command(Version, "ytt version")
