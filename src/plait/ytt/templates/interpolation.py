"""Interpolation: joins literals and the values of expressions between them (docs/reference/templates.md)."""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.source import INSTRUCTION, Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.base.source import Source


def inserter(source: Source) -> Callable[..., None]:
    """The function `$text.insert`, which appends literals and the values between them. The values must be strings.

    lines: the lines of the values, then those of the literals, for tracing.
    """

    def insert(parts: list[str], literals: tuple[str, ...], lines: tuple[int, ...], /, *values: object) -> None:
        parts.append(literals[0])
        for place, value in enumerate(values):
            if type(value) is not str:
                from plait.ytt.yaml_fragments import go_type_name, plain_type_name

                told = "cannot set non-string value ({}), consider using str(...) to convert to string"
                raise StarlarkError(
                    told.format(plain_type_name(value)),
                    reference=told.format(go_type_name(value)),
                    at=Position(source, lines[place]),
                    code="not-a-string",
                ).within("", role=INSTRUCTION, reference="set_node")
            parts.append(value)
            parts.append(literals[place + 1])

    return insert
