"""Manual pages in the format of man, from the declarations of commands and options. Loaded only for `plait help --man`."""

from __future__ import annotations

from plait.base.version import __version__
from plait.cli.commands import GROUPS, tree
from plait.engine.options import LISTS, SHARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.cli.commands import Node
    from plait.engine.options import Option


def man_page(node: Node) -> str:
    """The manual page of a command."""
    command = node.command
    name = "-".join(("plait", *node.words))
    out = [
        *_begin(name, _first_sentence(command.request.summary)),
        ".SH SYNOPSIS",
        _bold(command.name) + _text(f" [flags] {command.request.usage}".rstrip()),
        ".SH DESCRIPTION",
        _text(command.request.summary),
    ]
    if command.request.commands:
        out.append(".SH COMMANDS")
        for one, summary in command.request.commands:
            out += [".TP", _bold(f"{command.name} {one}"), _text(summary)]
    out.append(".SH OPTIONS")
    for heading, options in command.groups.items():
        out += [f'.SS "{_text(heading)}"', *_options(options)]
    out += ['.SS "Of all commands"', *_options(SHARED.shared)]
    out += [".SH EXAMPLES", ".EX", _text(node.example), ".EE"]
    out += [".SH SEE ALSO", _bold("plait") + "(1)"]
    return "\n".join(out) + "\n"


def man_page_of_all() -> str:
    """The manual page of plait."""
    out = [*_begin("plait", "patch, template and layer YAML, and explain where every value comes from")]
    out += [".SH SYNOPSIS", _bold("plait") + _text(" COMMAND [flags] [arguments]"), ".SH COMMANDS"]
    nodes = tree()
    for heading, group in GROUPS.items():
        out.append(f'.SS "{_text(heading)}"')
        for name, summary in group.items():
            out += [".TP", _bold(f"plait {name}"), _text(summary)]
    out += [".SH OPTIONS", *_options(SHARED.shared), ".SH SEE ALSO"]
    out.append(",\n".join(_bold(f"plait-{name}") + "(1)" for name in nodes if name not in GROUPS["Help"]))
    return "\n".join(out) + "\n"


def _begin(name: str, summary: str) -> Iterator[str]:
    yield f'.TH "{name.upper()}" 1 "" "plait {__version__}"'
    yield ".SH NAME"
    yield f"{_text(name)} \\- {_text(summary)}"


def _first_sentence(summary: str) -> str:
    first = summary.partition(". ")[0].removesuffix(".")
    return first[:1].lower() + first[1:]


def _options(options: Iterable[Option]) -> Iterator[str]:
    for one in options:
        names = [f"-{one.short}"] if one.short else []
        value = " \\fI" + _text(one.value) + "\\fR" if one.value else ""
        more = " (repeatable)" if one.kind in LISTS else ""
        yield ".TP"
        yield ", ".join(_bold(name) for name in [*names, f"--{one.name}"]) + value
        yield _text(one.help + more) or "No effect."


def _bold(text: str) -> str:
    return f"\\fB{_text(text)}\\fR"


def _text(text: str) -> str:
    """Text without control characters of roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text
