"""`plait.fmt`: formats hand-written YAML and keeps comments."""

from __future__ import annotations

from plait.api.inputs import files
from plait.api.isolation import can_be_isolated
from plait.base.errors import UsageError
from plait.base.limits import budget_scope_from
from plait.engine.equality import Comparable
from plait.engine.notebook import yaml_html
from plait.yaml.fmt import format_text, joined
from plait.ytt.workspace.input_files import YAML

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from plait.engine.results import State
    from plait.engine.types import Inputs, Limits, Texts


class Formatted(Comparable):
    """The result of `fmt`. files: the new text of each YAML file by path. changed: the paths of the reformatted files."""

    __slots__ = ("changed", "files")

    def __init__(self, files: Mapping[str, str], changed: Iterable[str]) -> None:
        self.files = dict(files)
        self.changed = list(changed)

    def state(self) -> State:
        """The state from which another process restores the result."""
        return {"files": self.files, "changed": self.changed}

    @classmethod
    def of_state(cls, state: State) -> Self:
        """The result with this `state`."""
        return cls(state["files"], state["changed"])

    def _held(self) -> State:
        return self.state()

    def __repr__(self) -> str:
        return f"<Formatted: {len(self.files)}, {len(self.changed)} changed>"

    def _repr_html_(self) -> str:
        return yaml_html(str(self))

    def __str__(self) -> str:
        """The text as printed by the command line."""
        return joined(self.files.values())


@can_be_isolated(Formatted)
def fmt(
    inputs: Inputs,
    *,
    strict: bool = False,
    allow_links: Texts = (),
    limits: Limits | None = None,
    isolated: bool = False,  # noqa: ARG001 - can_be_isolated has seen to it
) -> Formatted:
    r"""Formats YAML, including templates, as `plait render fmt` and ytt do; comments are preserved.
    `plait.authoring.formatting` preserves more. Files that are not YAML are skipped.

    strict: YAML's strict subset. allow_links, limits, isolated: as in `render`. Nothing is written. Raises PlaitError.

    >>> formatted = plait.fmt({"a.yml": "#! both\nports: [80,   81]\n", "b.yml": "b: 1\n"})
    >>> formatted.changed
    ['a.yml']
    >>> print(formatted.files["a.yml"], end="")
    #! both
    ports:
      - 80
      - 81
    """
    with budget_scope_from(limits):
        texts: dict[str, str] = {}
        changed: list[str] = []
        found = files(inputs, allow_links)[0]
        chosen = [file for file in found if file.type == YAML]
        if found and not chosen:
            raise UsageError(
                "the inputs contain no YAML file",
                expected="names that end in .yml or .yaml",
                found=", ".join(file.path for file in found[:12]),
                code="nothing-to-do",
            )
        for file in chosen:
            name = file.source.shown
            texts[name] = format_text(file.source, strict=strict, marks_end=True)
            if texts[name] != file.source.text:
                changed.append(name)
        return Formatted(texts, changed)
