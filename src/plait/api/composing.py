"""`plait.compose`: runs the steps of a pipeline, and returns the documents after each step."""

from __future__ import annotations

from os import PathLike, fspath

from plait.api.asynchronous import awaited
from plait.api.differences import between
from plait.api.functions import function_of
from plait.api.inputs import context_of, only, originals_of
from plait.api.rendering import data_values
from plait.base.input_view import permitted
from plait.base.limits import budget_scope_from
from plait.base.permissions import READ, Need
from plait.base.source import Source
from plait.base.trust import assenting, permissions_of
from plait.engine.compose import Compose
from plait.engine.equality import Comparable
from plait.engine.pipeline import parse
from plait.engine.pipeline import read as read_pipeline
from plait.engine.pipeline_steps import compose as run
from plait.engine.results import Documents
from plait.tree.nodes import DocumentSet
from plait.tree.provenance import Trace
from plait.ytt.json_schema.output import check_output as check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self

    from plait.api.differences import Difference
    from plait.base.errors import Warning
    from plait.engine.pipeline import Step
    from plait.engine.results import State
    from plait.tree.nodes import Document


class ComposeStep(Comparable):
    """One executed step of a pipeline.

    name: as in the file, or kind and number. documents: after the step.
    """

    __slots__ = ("_before", "documents", "name")

    def __init__(self, name: str, before: Documents, after: Documents) -> None:
        self.name = name
        self.documents = after
        self._before = before

    def __repr__(self) -> str:
        return f"<ComposeStep {self.name!r}>"

    def _held(self) -> tuple[object, ...]:
        return self.name, self._before, self.documents

    @property
    def differences(self) -> list[Difference]:
        """The changes of the step."""
        return between(self._before.nodes.items, self.documents.nodes.items)


class Composed(Documents):
    """The result of `compose`. steps: the evaluated steps, in order."""

    __slots__ = ("steps",)

    def __init__(
        self,
        nodes: DocumentSet | str,
        *,
        steps: Iterable[ComposeStep],
        warnings: Iterable[Warning] = (),
        printed: Iterable[str] = (),
        write: Callable[[DocumentSet], str] | None = None,
        trace: Trace | None = None,
    ) -> None:
        super().__init__(nodes, warnings=warnings, printed=printed, write=write, trace=trace)
        self.steps = list(steps)

    def state(self) -> State:
        """The state of `Documents`, plus the steps."""
        return {**super().state(), "steps": [(step.name, step.documents.to_yaml()) for step in self.steps]}

    @classmethod
    def of_state(cls, state: State) -> Self:
        steps, before = [], Documents("")
        for name, text in state["steps"]:
            after = Documents(text)
            steps.append(ComposeStep(name, before, after))
            before = after
        return cls(state["text"], steps=steps, warnings=state["warnings"], printed=state["printed"])


@function_of(Compose, Composed)
def compose(request: Compose) -> Composed:
    """Runs the steps of a pipeline file, as `plait compose` does.

    pipeline: the path of the file, its text by name, or `documents` of its data.

    Its paths are relative to the file's directory, or to the working directory.

    values, values_files: data values that override those of steps.
    until: the name of the step to stop after.
    check_output, keep_format, warnings, limits, isolated: as in `render`.
    trace: record provenance, for `explain`.
    trust: grant the permissions that a pipeline given by path needs outside its repository, as `--trust` does; the
        names in a pipeline given as text or data are your own.

    Raises PlaitError.

    >>> import pathlib
    >>> _ = pathlib.Path("app.yml").write_text("image: app:1")
    >>> _ = pathlib.Path("ops.yml").write_text("- {type: replace, path: /image, value: 'app:((version))'}")
    >>> pipeline = "steps: [{render: {files: [app.yml]}}, {patch: {ops: [ops.yml], vars: {version: 2}}}]"
    >>> composed = plait.compose({"plait.yml": pipeline})
    >>> [(step.name, step.documents.to_dict()) for step in composed.steps]
    [('render 1', {'image': 'app:1'}), ('patch 2', {'image': 'app:2'})]
    """
    with budget_scope_from(request.limits):
        permissions, pipeline = None, request.pipeline
        if isinstance(pipeline, str | PathLike):
            path = fspath(pipeline)
            with assenting(assents=request.trust):
                permissions = permissions_of(path, typed=[Need(READ, path)])
            with permitted(permissions):
                read = read_pipeline(path)
        else:
            source = only(pipeline, "the pipeline")
            if not isinstance(source, Source):
                source = Source("pipeline.yml", Documents(DocumentSet([source])).to_yaml())
            read = parse(source)
        printed: list[str] = []
        context = context_of(request.warnings, printed)
        if request.trace:
            context.trace = Trace()
        context.originals = originals_of(request)
        steps: list[ComposeStep] = []
        before = Documents(DocumentSet([]))

        def watch(step: Step, documents: list[Document]) -> None:
            nonlocal before
            after = Documents(DocumentSet(list(documents)))
            steps.append(ComposeStep(step.name, before, after))
            before = after

        given = data_values(request.values, request.passed.get("values_files", ()), warn=context.warn)
        with permitted(permissions):
            nodes = run(read, context, values=given, until=request.until or None, watch=watch)
        if request.check_output:
            check(nodes.items, request.check_output, context.warn, quotes=False)
        context.check_warnings()
        return Composed(
            nodes,
            steps=steps,
            warnings=context.warnings,
            printed=printed,
            write=None if context.originals is None else context.originals.write,
            trace=context.trace,
        )


acompose = awaited(compose)
