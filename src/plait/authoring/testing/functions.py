"""Functions `test_*` of `*_test.star` files: tests in Starlark, with `assert` of `@ytt:assert`.

The file is evaluated as a library file of a run, so it can load the same files as the run's templates, and has its data
values. The run is the only one of the project, or the one named by `run = "NAME"` at the top of the file. A function
without parameters is called without arguments; one with a parameter receives the documents of the run's output. It
passes if it returns, and fails with a Starlark error: `assert.equals(...)`, `assert.fail(...)`.
"""

from __future__ import annotations

import os

from plait.authoring.testing.evaluation_target import EvaluationTarget
from plait.authoring.testing.failures import failure_of
from plait.base.errors import PlaitError, StarlarkError, UsageError
from plait.base.source import Position
from plait.engine.options import Use
from plait.engine.pipeline import file_source
from plait.engine.render import Render
from plait.engine.rendering import job
from plait.tree.context import Context
from plait.tree.nodes import DocumentSet
from plait.tree.withholding import telling
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.parsing import failure, parse_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.syntax import Assign, Def, Literal, Name
from plait.ytt.templates.recovery import of_conflict
from plait.ytt.workspace.phases import exports, has_secrets
from plait.ytt.yaml_fragments import YamlFragment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run
    from plait.authoring.testing.evaluating import CaseEvaluation, Evaluator
    from plait.authoring.testing.results import ExpectationFailure
    from plait.base.source import Source
    from plait.ytt.starlark.syntax import Statement
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.render_job import RenderJob

_PREFIX = "test_"


class FunctionCase:
    """One test function. id, file, line: as in a `Case`. subject: the run. wants_output: it has a parameter."""

    __slots__ = ("_function", "_source", "file", "id", "line", "subject", "wants_output")

    def __init__(self, source: Source, function: Def, subject: EvaluationTarget) -> None:
        self.id = f"{source.name.replace(os.sep, '/')}::{function.name}"
        self.file = source.name
        self.line = function.line
        self.subject = subject
        self.wants_output = bool(function.parameters)
        self._function = function.name
        self._source = source

    def subjects(self) -> list[EvaluationTarget]:
        """The runs it evaluates."""
        return [self.subject] if self.wants_output else []

    def failures(self, evaluator: Evaluator, printed: list[str]) -> Iterator[ExpectationFailure]:
        """The failures. printed: receives the lines that it prints."""
        try:
            output = evaluator.outcome(self.subject) if self.wants_output else None
            evaluator.within(self.subject.limits, lambda: self._call(evaluator, output, printed))
        except PlaitError as error:
            yield failure_of(error, self.file, self.line)

    def _call(self, evaluator: Evaluator, output: CaseEvaluation | None, printed: list[str]) -> None:
        context = Context(print_line=printed.append, cache=evaluator.cache())
        self.subject.check()
        request = self.subject.request()
        assert isinstance(request, Render)
        given = job(request, context)
        file = _member(given, self.file)
        if file is None:
            given = job(request.over([Use(Render.inputs, self.file)]), context)
            file = _member(given, self.file)
        assert file is not None
        if has_secrets(given):
            context.use_secrets()
        try:
            with telling(context):
                function = exports(given, file, context)[self._function]
                call(function, [] if output is None else [_fragment(output)])
        finally:
            context.end()


def _member(job: RenderJob, path: str) -> InputFile | None:
    """Returns the library file with this path, or None."""
    wanted = os.path.abspath(path)
    return next(
        (one for one in job.files if one.shown is not None and os.path.abspath(one.shown) == wanted and one.is_library),
        None,
    )


def _fragment(output: CaseEvaluation) -> object:
    return YamlFragment(DocumentSet(list(output.items())))


def functions_of(path: str, project: Project) -> list[FunctionCase]:
    """The tests of a Starlark file. Raises PlaitError for a file that cannot be read, or without a run."""
    source = file_source(path)
    try:
        statements, _, findings = parse_program([CodePart(source.text, 1, 1)], source)
    except StarlarkError as error:
        raise of_conflict(error, source) from None
    if findings:
        raise failure(findings)
    functions = [one for one in _defined(statements) if one.name.startswith(_PREFIX)]
    for one in functions:
        if len(one.parameters) > 1:
            raise StarlarkError(
                f"{one.name}: a test has at most one parameter, the output of the run",
                at=Position(source, one.line),
                code="test-form",
            )
    if not functions:
        return []
    subject = EvaluationTarget(_run(project, _named(statements), source), (), "", {}, Position(source, 1))
    if subject.run.command != "render":
        raise UsageError(
            f"a Starlark test needs a render, but {subject.run.name} is a {subject.run.command}",
            at=Position(source, 1),
            hint='name the run at the top of the file: run = "NAME"',
            code="test-form",
        )
    return [FunctionCase(source, one, subject) for one in functions]


def misnamed_function(path: str) -> str | None:
    """A hint about the first function of a readable file whose functions are no tests; or None."""
    statements = parse_program([CodePart(file_source(path).text, 1, 1)], file_source(path))[0]
    first = next(_defined(statements), None)
    if first is None:
        return None
    return f"{path}:{first.line}: {first.name} is not a test: the name of a test begins with {_PREFIX}"


def _defined(statements: Sequence[Statement]) -> Iterator[Def]:
    for one in statements:
        if isinstance(one, Def):
            yield one


def _named(statements: Sequence[Statement]) -> str:
    """The run that a file names with `run = "NAME"`, or ""."""
    for one in statements:
        if isinstance(one, Assign) and isinstance(one.target, Name) and one.target.name == "run":
            return str(one.value.value) if isinstance(one.value, Literal) else ""
    return ""


def _run(project: Project, name: str, source: Source) -> Run:
    rendered = [run for run in project.runs.values() if run.command == "render"]
    if not name and len(rendered) == 1:
        return rendered[0]
    try:
        return project.run(name)
    except UsageError as error:
        error.at = Position(source, 1)
        if not name:
            error.hint = 'name it at the top of the file: run = "NAME"'
        raise
