"""Formats results as HTML for notebooks, coloured for light and dark pages."""

from __future__ import annotations

import re
from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Maximum number of lines, because a notebook stores its output.
_MOST_LINES = 2_000
_MOST_CHARACTERS = 400_000

_LIGHT = "--k:#0550ae;--s:#116329;--n:#953800;--c:#6a737d;--a:#116329;--r:#b31d28;color:#1f2328;background:#f6f8fa"
_DARK = "--k:#79c0ff;--s:#7ee787;--n:#ffa657;--c:#8b949e;--a:#7ee787;--r:#ff7b72;color:#e6edf3;background:#161b22"
# The pages of Jupyter and VS Code declare their theme; otherwise that of the system is used.
_STYLE = (
    f".plait{{{_LIGHT};padding:.6em;overflow:auto;max-height:40em}}"
    f"@media (prefers-color-scheme:dark){{.plait{{{_DARK}}}}}"
    f"[data-jp-theme-light=true] .plait,body.vscode-light .plait{{{_LIGHT}}}"
    f"[data-jp-theme-light=false] .plait,body.vscode-dark .plait{{{_DARK}}}"
    + "".join(f".plait .{name}{{color:var(--{name})}}" for name in "ksncar")
)


def yaml_html(text: str, warnings: Sequence[str] = ()) -> str:
    """The HTML of YAML as printed, with warnings above it."""
    lines = _Lines()
    above = "".join(f"{_span('r', f'warning: {warning}')}\n" for warning in warnings)
    return _page(text, lines.html, above)


def changes_html(text: str) -> str:
    """The HTML of a printed diff, with added and removed lines coloured."""
    return _page(text, lambda line: _span({"+": "a", "-": "r"}.get(line[2:3], ""), line))


def text_html(text: str) -> str:
    """The HTML of plain text."""
    return _page(text, _shown)


def _page(text: str, line_html: Callable[[str], str], above: str = "") -> str:
    lines = text[:_MOST_CHARACTERS].split("\n")
    rest = text.count("\n") - min(len(lines) - 1, _MOST_LINES)
    body = "\n".join(map(line_html, lines[:_MOST_LINES]))
    below = f"\n{_span('c', f'... and {rest} more lines')}" if rest > 0 else ""
    return f'<style>{_STYLE}</style><pre class="plait">{above}{body}{below}</pre>'


def _shown(text: str) -> str:
    return escape(text.encode("utf-8", "backslashreplace").decode())


def _span(kind: str, text: str) -> str:
    return f'<span class="{kind}">{_shown(text)}</span>' if kind and text else _shown(text)


_HEAD = re.compile(
    r'( *)((?:- )*)(?:("(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'|[^\s"\'#|>&*!{\[-][^:]*(?::\S[^:]*)*)(:)(?= |$))?( ?)'
)
_NUMBER = re.compile(r"[-+]?(\.inf|\.nan|\d[\d_]*(\.\d*)?([eE][-+]?\d+)?|0x[0-9a-fA-F]+|0o[0-7]+)$", re.IGNORECASE)
_WORDS = frozenset(("true", "false", "null", "~"))
_OPENS_BLOCK = re.compile(r"(?:!\S+ )?[|>][-+0-9]*(?: +#.*)?$")


class _Lines:
    """The lines of a YAML text in order. within: the indentation of the current block scalar."""

    def __init__(self) -> None:
        self._within: int | None = None

    def html(self, line: str) -> str:
        """The HTML of a line. A wrong guess of its syntax affects only colours."""
        indent = len(line) - len(line.lstrip(" "))
        if self._within is not None:
            if not line.strip() or indent > self._within:
                return _span("s", line)
            self._within = None
        if line.startswith(("---", "...", "#")) or line.lstrip(" ").startswith("#"):
            return _span("c", line)
        found = _HEAD.match(line)
        assert found is not None
        spaces, dashes, key, colon, space = (found[number] or "" for number in range(1, 6))
        value = line[found.end() :]
        if _OPENS_BLOCK.match(value):
            column = len(spaces) + len(dashes)
            self._within = column if key else column - 2 if dashes else -1
        return f"{spaces}{_span('c', dashes)}{_span('k', key)}{colon}{space}{_value(value)}"


def _value(text: str) -> str:
    if text.startswith(("|", ">", "!", "&", "*")):
        return _span("c", text)
    if text.startswith(('"', "'")):
        return _span("s", text)
    return _span("n" if text in _WORDS or _NUMBER.match(text) else "", text)
