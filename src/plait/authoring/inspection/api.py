"""`plait.inspect`: evaluates a run for questions about its output."""

from __future__ import annotations

import os

from plait.api.arguments import checked
from plait.api.explaining import History
from plait.api.isolation import with_error_facts
from plait.authoring.analysis.verifying import with_texts
from plait.authoring.edit import insertion
from plait.authoring.edit.edit_errors import LINK, SECRET, EditError
from plait.authoring.edit.other_runs import other_changes
from plait.authoring.edit.public_functions import added, adding_hint, edited
from plait.authoring.edit.setting import EditSession
from plait.authoring.edit.target import Target
from plait.authoring.project.discovery import project_at
from plait.base.errors import UsageError
from plait.base.input_view import InputView
from plait.base.numbers import file_and_line
from plait.engine.equality import Comparable
from plait.engine.options import Use
from plait.engine.render import Render
from plait.engine.results import plain
from plait.insight import impact as impacts
from plait.insight.explain import Explainer, histories
from plait.insight.node_paths import all_places, parse
from plait.insight.path_resolution import find
from plait.insight.why_not import absent
from plait.tree.nodes import DocumentSet, from_plain
from plait.tree.provenance import Trace
from plait.tree.secrets import HIDDEN
from plait.yaml.document_names import document_name
from plait.yaml.output_formats import JSON_SCHEMA
from plait.yaml.writer import write, write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plait.authoring.edit.setting import Edit
    from plait.authoring.project.run import Run
    from plait.engine.results import Documents
    from plait.tree.plain_data import Plain


class FoundValue(Comparable):
    """A value of an output that matches a search. path: its PATH. value: plain data, "(secret)" for a secret. place:
    FILE:LINE of the line that set it last; "" if there is none.
    """

    __slots__ = ("path", "place", "value")

    def __init__(self, path: str, value: Plain, place: str) -> None:
        self.path = path
        self.value = value
        self.place = place

    def __repr__(self) -> str:
        return f"<FoundValue {self.path}>"

    def _held(self) -> tuple[object, ...]:
        return self.path, self.value, self.place


class Impact(Comparable):
    """The effect of an input line. paths: the PATHs of the values that depend on it. values: these values, "(secret)"
    for a secret. unknown: the reason why they are unknown, or "". needed: the run fails if the line is changed.
    """

    __slots__ = ("needed", "paths", "unknown", "values")

    def __init__(self, found: impacts.Impact, values: list[Plain]) -> None:
        self.paths = [str(place) for place in found.places]
        self.values = values
        self.unknown = found.unknown
        self.needed = found.needed

    def __repr__(self) -> str:
        return f"<Impact on {len(self.paths)} values>"

    def _held(self) -> tuple[object, ...]:
        return self.paths, self.values, self.unknown, self.needed


class Inspection(Comparable):
    """An evaluated run. Secrets are hidden in all answers.

    run: its name. documents: the names of its documents, "" for one without a name. texts: the paths of its output
    files that are not YAML. warned: the warnings of the evaluation. warnings: the same as plain strings.
    """

    __slots__ = ("_output", "_run", "_session", "documents", "run", "texts", "warned")

    def __init__(self, run: Run) -> None:
        self._run = run
        self._session = EditSession(Target(run))
        self._output = self._session.output
        self.run = run.name
        self.documents = [document_name(one) or "" for one in self._output.shown(self._output.documents)]
        self.texts = [*self._output.texts]
        self.warned = self._output.made.warned

    @property
    def warnings(self) -> list[str]:
        """The warnings as plain strings, which any serializer accepts."""
        return [str(one) for one in self.warned]

    def __repr__(self) -> str:
        return f"<Inspection of {self.run}>"

    def _held(self) -> tuple[object, ...]:
        return self.run, self.to_yaml()

    def to_yaml(self, path: str = "") -> str:
        """The documents, or the values at a PATH, as YAML. Raises UsageError if the path matches none."""
        output = self._output
        shown = output.shown(output.documents)
        if not path:
            return write(DocumentSet([*shown]))
        if (text := output.text(path)) is not None:
            return text
        found = find(parse(path), shown, output.names)
        if len(found) == 1:
            return write_value(found[0].value)
        return "".join(f"# {place.named(output.names)}\n{write_value(place.value)}" for place in found)

    def explain(self, path: str) -> list[History]:
        """The histories of the values at a PATH, as `plait.explain` returns them. Raises UsageError if there are none."""
        return [History(one) for one in histories(self._trace, self._output.documents, path)]

    def why_not(self, path: str = "") -> str:
        """The reason why a value does not exist; without a path, the overlays that matched nothing."""
        output = self._output
        return absent(
            self._trace, output.documents, parse(path) if path else None, files=output.view.files, rerun=self._rerun
        )

    def search(self, text: str) -> Iterator[FoundValue]:
        """The values whose PATH or value contains every word of a text, in order. Case does not matter. A secret is
        found by its path alone.
        """
        words = text.lower().split()
        explainer = Explainer(self._trace)
        for place in all_places(explainer.visible(self._output.documents), explainer.texts, explainer.names):
            path = str(place.named(explainer.names))
            value = place.value
            shown = f"{path} {write_value(value)}".lower()
            if not all(word in shown for word in words):
                continue
            history = explainer.history(place)
            if not history.secret:
                last = history.entries[-1].place if history.entries else ""
                yield FoundValue(path, plain(value), last)
            elif all(word in path.lower() for word in words):
                yield FoundValue(path, HIDDEN, "")

    def impact(self, file: str, line: int) -> Impact:
        """The values that depend on a line of an input, as `plait impact` lists them. Raises UsageError for a file that is
        not an input of the run.
        """
        view, trace = InputView(), Trace()
        trace.follows_all = True
        nodes = self._run.evaluate(view=view, trace=trace).nodes
        impacts.check_line(view.files, file, line, "this run")
        found = impacts.impact(trace, nodes, file, line, files=view.files, rerun=self._rerun)
        explainer = Explainer(trace)
        values = [HIDDEN if explainer.history(one).secret else plain(one.value) for one in found.places]
        return Impact(found, values)

    def _rerun(self, texts: Mapping[str, bytes]) -> tuple[DocumentSet, Trace | None]:
        again = with_texts(self._run, texts).evaluate(view=InputView(texts), trace=True)
        return again.nodes, again.trace

    def edit(
        self, path: str, value: object, *, add: bool = False, also: bool = False, file: str = "", at: str = ""
    ) -> Edit:
        """The edit that sets a value in its source, as `plait set` makes it. Nothing is written.

        value: plain data. add: the last key of the path may be missing. also: other values may change. file: add an
        overlay item or an operation to this file instead. at: replace the value or expression on this FILE:LINE. The
        notes of the edit name other runs that it changes.

        Raises EditError with the reason and alternatives, UsageError for a path that matches none or several values.
        """
        edit = self._edited(path, value, add=add, also=also, file=file, at=at)
        edit.notes += other_changes(self._run, edit)
        return edit

    def _edited(self, path: str, given: object, *, add: bool, also: bool, file: str, at: str) -> Edit:
        state, value = self._session, from_plain(given)
        try:
            place = state.single_value(path)
        except UsageError as error:
            if add and error.code == "no-such-place":
                return added(state, path, value)
            error.hint = error.hint or adding_hint(state, path)
            raise
        if file:
            return insertion.add_to_file(state, place, value, file)
        if at:
            named = file_and_line(at)
            if named is None:
                raise UsageError(f'"{at}" does not name a line of a file', expected="FILE:LINE", code="invalid-value")
            return insertion.at(state, place, value, *named)
        try:
            edit = edited(state, place, value)
            if edit.also and not also:
                raise edit.refused(str(place))
        except EditError as refused:
            if refused.reason in (SECRET, LINK) or refused.cause == "wrong-value-type":
                raise
            raise refused.offer(insertion.offers(state, place, value)) from None
        return edit

    def schema(self) -> Documents:
        """The JSON Schema of the run's data values, as `plait render --data-values-schema-inspect` prints it. Raises
        UsageError for a run of another command.
        """
        if self._run.command != "render":
            raise UsageError(
                f'the run "{self.run}" has no data values',
                expected="a run of render",
                found=self._run.command,
                code="nothing-to-do",
            )
        uses = [Use(Render.schema_inspect, "true"), Use(Render.output, JSON_SCHEMA)]
        return self._run.evaluate(view=InputView(), uses=uses, checks=False)

    @property
    def _trace(self) -> Trace:
        trace = self._output.trace
        assert trace is not None
        return trace


@with_error_facts
@checked
def inspect(project: str | os.PathLike[str] = ".", run: str = "") -> Inspection:
    r"""Evaluates a run of a project once, for questions about its output. Nothing is written, not even a variables store,
    and secrets are hidden.

    project: a project file, or a directory.
    run: the name of the run; optional if the project has only one.

    Raises UsageError for an unknown run, and the errors of the run.

    >>> import pathlib
    >>> import plait
    >>> _ = pathlib.Path("app.yml").write_text("---\nport: 80\nsize: 1")
    >>> _ = pathlib.Path("plait.yml").write_text("runs: {app: {render: {files: [app.yml]}}}")
    >>> found = plait.inspect(".", "app")
    >>> [(one.path, one.value, one.place) for one in found.search("port")]
    [('port', 80, 'app.yml:2')]
    >>> found.impact("app.yml", 2).paths
    ['port']
    """
    found = project_at(project)
    return Inspection(found.run(run))
