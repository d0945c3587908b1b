"""The changes that each step of a pipeline makes (`plait compose --diff`)."""

from __future__ import annotations

from plait.insight.diff import diff, printed, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.engine.pipeline import Step
    from plait.insight.diff import Difference
    from plait.tree.nodes import Document


class StepDifferences:
    """The changes of each step, for `compose(..., watch=StepDifferences())`. steps: (name, differences), in order.

    cleartext_secrets: show the data of encrypted documents.
    """

    __slots__ = ("_before", "_cleartext", "steps")

    def __init__(self, *, cleartext_secrets: bool = False) -> None:
        self._cleartext = cleartext_secrets
        self.steps: list[tuple[str, list[Difference]]] = []
        self._before: list[Document] = []

    def __call__(self, step: Step, documents: list[Document]) -> None:
        after = printed(documents)
        self.steps.append((step.name, diff(self._before, after, cleartext_secrets=self._cleartext)))
        self._before = after

    def text(self, *, colour: bool, clean: Callable[[str], str]) -> str:
        """The changes of each step, under a heading. clean: sanitizes text from inputs."""
        return "".join(
            f"# {clean(name)}\n{to_text(differences, colour=colour, clean=clean) or '  nothing changed' + chr(10)}"
            for name, differences in self.steps
        )
