"""Hooks for the programs of files of code alone. Loaded only to compile one."""

from __future__ import annotations

from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.templates.lower import TextHooks

__all__ = ["CodeHooks", "CodePart"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import stmt
    from collections.abc import Sequence

    from plait.ytt.starlark.program_parts import TemplateStatement


class CodeHooks(TextHooks):
    """Hooks for a program that builds neither nodes nor text."""

    def enter(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[stmt]:  # noqa: ARG002
        return []

    def leave(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[stmt]:  # noqa: ARG002
        return []
