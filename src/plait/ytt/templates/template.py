"""A compiled template: a Starlark program, and the nodes that it builds."""

from __future__ import annotations

from plait.base.errors import PlaitError, StarlarkError
from plait.base.events import current_listener
from plait.base.extensions import VALUES_REFER
from plait.base.fast_paths import FAST
from plait.ytt.starlark.program import Program, compile_program
from plait.ytt.starlark.step_budget import budget_of
from plait.ytt.templates.build import NAMES, TemplateExecution, dropper
from plait.ytt.templates.cached_template import ANNOTATED, CachedTemplate, compiled_as, keep
from plait.ytt.templates.file import TemplateResult
from plait.ytt.templates.interpolation import inserter
from plait.ytt.templates.template_files import read_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.base.code_cache import CodeCache
    from plait.base.source import Position, Source
    from plait.tree.context import Context
    from plait.tree.provenance import Trace
    from plait.ytt.starlark.instrument.coverage import LinesOf
    from plait.ytt.starlark.program import Load
    from plait.ytt.templates.file import YamlFile
    from plait.ytt.templates.node_table import NodeTable
    from plait.ytt.templates.tracing import TemplateTracer


class Template:
    """A compiled file. It can run any number of times; runs share only constants.

    A template with the same result in every run is run at most twice.
    """

    __slots__ = ("_implicit_overrides", "_outcome", "_plan", "_program", "_runs", "source")

    def __init__(
        self, program: Program, source: Source, plan: NodeTable | None = None, *, implicit_overrides: bool = False
    ) -> None:
        self._program = program
        self._plan = plan
        self._outcome: TemplateResult | None = None
        self._runs = 0
        self._implicit_overrides = implicit_overrides
        self.source = source

    @property
    def fixed(self) -> bool:
        """True if the template is known to have the same result in every run."""
        return self._outcome is not None

    def run(self, context: Context, load: Load) -> TemplateResult:
        """Evaluates the template. load: returns the exports of a loaded module. Raises StarlarkError or TemplateError."""
        if self._outcome is not None:
            return self._outcome
        self._runs += 1
        # Most templates run once, so the check pays only from the second execution on.
        trace = context.trace
        if FAST and self._runs == 2 and self._plan is not None and (trace is None or trace.only_marks):
            from plait.ytt.templates.determinism import is_constant

            if is_constant(self._program.code):
                return self._watched(context, load)
        return self._built(context, load) if trace is None else self._traced(context, load, trace)

    def _watched(self, context: Context, load: Load) -> TemplateResult:
        """Evaluates the template. Caches the result if it cost no steps and depends only on constant modules."""
        from plait.ytt.templates.determinism import is_deterministic

        paths: list[str] = []

        def noted(path: str, at: Position) -> Mapping[str, object]:
            paths.append(path)
            return load(path, at)

        budget = budget_of(context)
        before = budget.spent, context.told
        trace = context.trace
        outcome = self._built(context, noted) if trace is None else self._traced(context, noted, trace)
        if (budget.spent, context.told) == before and all(map(is_deterministic, paths)):
            self._outcome = outcome
        return outcome

    def _traced(self, context: Context, load: Load, trace: Trace) -> TemplateResult:
        from plait.ytt.templates.tracing import TemplateTracer

        recorder = TemplateTracer(trace, self.source)
        windows = recorder.windows
        if windows.marks is not None and self._program.prints():
            windows.marks.begins(self.source)
        depth = len(windows.stack)
        try:
            return self._built(context, load, recorder)
        except PlaitError as error:
            windows.blame(error, depth)
            raise
        finally:
            del windows.stack[depth:]

    def _built(self, context: Context, load: Load, recorder: TemplateTracer | None = None) -> TemplateResult:
        if self._plan is None:
            made: list[str] = []
            names = {"$text.begin": list, "$text.insert": inserter(self.source), "$text.join": "".join}
            names |= {"$text.finish": made.append, "$dropped": dropper(self.source, context.warn)}
            if recorder is not None:
                names = {**names, **recorder.names(names, context.print_line)}
            exports = self._program.run(context, load, names)
            return TemplateResult(exports, text="".join(made))
        run = TemplateExecution(
            self._plan, self.source, context.warn, implicit_overrides=self._implicit_overrides, listener=recorder
        )

        def load_(path: str, at: Position) -> Mapping[str, object]:
            return run.module() if path == "@ytt:template" and run.plan.stepwise else load(path, at)

        names = run.names()
        try:
            if recorder is None:
                exports = self._program.run(context, load_, names, NAMES)
            else:
                names |= NAMES
                exports = self._program.run(context, load_, names | recorder.names(names, context.print_line))
        finally:
            run.begun.clear()  # builders of failed functions, which refer to the execution
        return TemplateResult(exports, run.documents)


def compile_yaml(
    file: YamlFile,
    *,
    ignore_unknown_comments: bool,
    implicit_map_key_overrides: bool,
    cache: CodeCache | None = None,
    traced: bool = False,
) -> Template:
    """Compiles a YAML template. Raises TemplateError for its comments and nodes, StarlarkError for its code."""
    source = file.source
    kept = file if isinstance(file, CachedTemplate) else file.kept
    if isinstance(kept, CachedTemplate) and (ignore_unknown_comments or not kept.plain_comments):
        program = Program(kept.code, source)
        return Template(program, source, kept.plan(), implicit_overrides=implicit_map_key_overrides)
    from plait.ytt.templates.compiler import plan
    from plait.ytt.templates.lower import YamlHooks
    from plait.ytt.templates.statement_lines import of_nodes

    if file is kept:
        file = read_yaml(source)
    assert file.comments is not None
    pieces, made = plan(
        file.documents,
        file.comments,
        source,
        ignore_unknown=ignore_unknown_comments,
        repeated_keys=file.repeats_keys,
        deferring=VALUES_REFER in source.extensions and any(map(file.has_document_annotated, ANNOTATED)),
    )
    try:
        program = compile_program(
            pieces,
            source,
            hooks=YamlHooks(),
            traced=traced,
            lines_of=_line_mapper(lambda host: of_nodes(host, made, source)),
        )
    except StarlarkError as error:
        error.hint = error.hint or _annotation_hint(error.at)
        for finding in error.findings:
            finding.hint = finding.hint or _annotation_hint(finding.at)
        raise
    if cache is not None:
        keep(cache, file, program.code, made, traced=traced)
    return Template(program, source, made, implicit_overrides=implicit_map_key_overrides)


def _annotation_hint(at: Position | None) -> str | None:
    """A hint for code that looks like an annotation, as in `#@ overlay/match`, or None."""
    from plait.ytt.templates.directives import KNOWN_BY_NAME

    text = (at.text or "").lstrip() if at is not None else ""
    name = text.removeprefix("#@").split(" ")
    if text.startswith("#@ ") and len(name) > 1 and "@" + name[1] in KNOWN_BY_NAME:
        return f"an annotation has no space after the @: #@{' '.join(name[1:])}"
    return None


def compile_text(source: Source, cache: CodeCache | None = None, *, traced: bool = False) -> Template:
    """Compiles a text template (docs/reference/templates.md). Raises TemplateError and StarlarkError."""

    def compiled() -> Program:
        from plait.ytt.templates.text import program_of

        return program_of(source, _line_mapper, traced=traced)

    return Template(_cached(cache, compiled_as("text", source, traced=traced), source, compiled), source)


def compile_starlark(source: Source, cache: CodeCache | None = None, *, traced: bool = False) -> Template:
    """Compiles a `.star` file. Raises StarlarkError."""

    def compiled() -> Program:
        from plait.ytt.templates.code_files import CodeHooks, CodePart

        lines = _line_mapper(lambda _: ())
        return compile_program([CodePart(source.text, 1)], source, hooks=CodeHooks(), traced=traced, lines_of=lines)

    return Template(_cached(cache, compiled_as("starlark", source, traced=traced), source, compiled), source)


def _line_mapper(lines_of: LinesOf) -> LinesOf | None:
    """The function that maps statements to lines, or None if there is no listener."""
    return None if current_listener() is None else lines_of


def _cached(cache: CodeCache | None, kind: str, source: Source, compiled: Callable[[], Program]) -> Program:
    """The cached program of a text. If there is none, compiles and caches it."""
    if cache is None:
        return compiled()
    key = cache.key(kind, source.text)
    code = cache.get(key)
    if code is not None:
        return Program(code, source)  # type: ignore[arg-type]
    program = compiled()
    cache.put(key, program.code)
    return program
