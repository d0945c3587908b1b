"""The style of existing YAML (indentation and quotes), for inserted text."""

from __future__ import annotations

from plait.base.lines import lines_with_breaks
from plait.tree.nodes import Array, Map, MapItem, is_filled
from plait.yaml.inline import flow_text
from plait.yaml.lossless.nodes import Collection
from plait.yaml.scalar_styles import FORMS, double_quoted
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value
    from plait.yaml.lossless.nodes import Node
    from plait.yaml.scalar_styles import ScalarStyles


class Style:
    """The style for inserted YAML. forms: the scalar styles of strings. step: the indentation of a map in a map; dash:
    that of an array.
    """

    __slots__ = ("dash", "forms", "step")

    def __init__(self, forms: ScalarStyles = FORMS, step: int = 2, dash: int = 0) -> None:
        self.forms = forms
        self.step = step
        self.dash = dash

    def block(self, value: Map | Array) -> str:
        """A map or array in block style, ending in a line break."""
        if self.step == 2 and self.dash == 0:
            return write_value(value, forms=self.forms)
        return "".join(self._lines(value))

    def flow(self, value: Value) -> str:
        """A value in flow style."""
        return flow_text(value, self.forms)

    def _lines(self, value: Map | Array) -> list[str]:
        lines: list[str] = []
        if isinstance(value, Map):
            for item in value.items:
                inner = item.value
                if (type(inner) is Map or type(inner) is Array) and is_filled(inner):
                    lines.append(
                        write_value(Map([MapItem(item.key, None)]), forms=self.forms).removesuffix(" null\n") + "\n"
                    )
                    pad = " " * (self.step if type(inner) is Map else self.dash)
                    lines += [_padded(line, pad) for line in self._lines(inner)]
                else:
                    lines += lines_with_breaks(write_value(Map([item]), forms=self.forms))
            return lines
        for one in value.items:
            inner = one.value
            if (type(inner) is Map or type(inner) is Array) and is_filled(inner):
                first, *more = self._lines(inner)
                lines += [f"- {first}", *(_padded(line, "  ") for line in more)]
            else:
                lines += lines_with_breaks(write_value(Array([one]), forms=self.forms))
        return lines


def style_of(root: Node, text: str, forms: ScalarStyles) -> Style:
    """The style of a document, taken from its first blocks."""
    step = dash = -1
    pending = [root]
    while pending and (step < 0 or dash < 0):
        node = pending.pop()
        if not isinstance(node, Collection):
            continue
        for item in () if node.in_brackets else node.items:
            value = item.value
            if item.key is None or not isinstance(value, Collection) or value.in_brackets:
                continue
            if "\n" in text[item.key.end : value.start]:
                deeper = value.column - node.column
                if value.is_map and step < 0:
                    step = deeper
                elif not value.is_map and dash < 0:
                    dash = deeper
        pending += [item.value for item in reversed(node.items)]
    return Style(forms, step if step > 0 else 2, max(dash, 0))


def quoted(text: str, quote: str) -> str:
    """A string in quotes, on one line. Uses the given quotes if the string needs no escapes in them."""
    if quote == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return double_quoted(text)


def _padded(line: str, pad: str) -> str:
    return pad + line if line.strip("\n") else line
