"""`plait.render`: renders templates."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager

from plait.api.asynchronous import awaited
from plait.api.current_engine import current_reuse
from plait.api.documents import nodes_of_map
from plait.api.functions import function_of
from plait.api.inputs import context_of, each, files, originals_of, trace_of
from plait.base.extensions import split_format
from plait.base.limits import budget_scope_from
from plait.base.source import Source
from plait.engine.render import Render
from plait.engine.rendering import options_of
from plait.engine.results import Rendered
from plait.tree.nodes import Document
from plait.ytt.workspace.environment import Environment
from plait.ytt.workspace.file_marks import apply_marks
from plait.ytt.workspace.merges import Merges, documents_of
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import ReferencedValues as Entry
from plait.ytt.workspace.render_job import RenderJob, RenderOptions, values_of_map
from plait.ytt.workspace.values_flags import values_of_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.base.code_cache import CodeCache
    from plait.base.errors import Warn
    from plait.engine.types import Input, Inputs, Texts
    from plait.tree.plain_data import Plain
    from plait.ytt.workspace.render_job import ReferencedValues, RenderResult
    from plait.ytt.workspace.shared_files import SharedFiles


@function_of(Render, Rendered)
def render(request: Render) -> Rendered:
    """Renders templates with data values, schemas, overlays and libraries, as `plait render` does.

    values: data values as plain data, merged over those of files.
    values_files: plain YAML files of data values; "toml:PATH", "dotenv:PATH" and "dotenv-yaml:PATH" name other formats.
    environment: texts that set data values by the names of --data-values-env-all, such as os.environ: over those of
        files, below `values`.
    secrets: secret data values, merged over all others: messages, warnings, printed lines and histories reveal
        nothing that depends on them.
    file_marks: `PATH:KEY=VALUE`, as --file-mark.
    merge: plain documents merged into the output by kind and name, as --merge; merge_keys, merge_schemas: the keys
        of their arrays' items, as --merge-key and --merge-schemas.
    allow_links: paths that symbolic links may lead to.
    validate: run the validations of data values.
    schema: the path of a JSON Schema, an OpenAPI document or a custom resource definition that is the schema of
        data values, with `#/pointer` for a part of it, as --schema.
    extensions: names of extensions of the dialect, as --with.
    check_output: files and directories with schemas of the documents by kind, as --check-output.
    output_by: the rule for the file of each document in `files`, as --output-by.
    keep_format: `to_yaml` and `files` return files that are not templates as they are, with minimal changes of
        lines, as --keep-format.
    warnings: "keep" them in the result, or raise an "error" if there are any.
    limits: by the names of --limit, such as {"steps": 100_000, "memory": 1 << 28}.
    trace: record provenance, for `explain`.
    isolated: run in a worker process, which enforces `seconds` and `memory` at all times; not with `trace`.

    Raises PlaitError.

    >>> template = '''
    ... #@ load("@ytt:data", "data")
    ... replicas: #@ data.values.replicas
    ... '''
    >>> plait.render({"app.yml": template}, values={"replicas": 3}).to_dict()
    {'replicas': 3}
    """
    with budget_scope_from(request.limits), _shared_files(request) as (shared, cache):
        given = RenderInputs(request, options_of(request), shared)
        given.context.cache = cache
        values = request.values
        given.set_values(
            data_values(values, request.passed.get("values_files", ()), strict=request.strict, warn=given.context.warn)
        )
        if request.environment is not None:
            given.set_environment(request.environment, below=1 if values else 0)
        if request.secrets:
            given.add_secrets(request.secrets)
        if merge := request.passed.get("merge"):
            given.add_merges(merge, request.merge_keys, request.merge_schemas)
        if request.trace:
            given.context.trace = trace_of(given.documents.values())
        given.context.originals = originals_of(request)
        result = given.run()
        given.context.check_warnings()
        return Rendered(
            result.documents,
            files=dict(result.output_files()),
            warnings=given.context.warnings,
            printed=given.printed,
            write=result.write("yaml"),
            tags=result.has_tags,
            trace=given.context.trace,
        )


arender = awaited(render)


@contextmanager
def _shared_files(request: Render) -> Iterator[tuple[SharedFiles | None, CodeCache | None]]:
    """The files and the compiled code that a call shares with others in the block of an engine; None for its own."""
    reuse = current_reuse()
    if reuse is None:
        yield None, None
        return
    try:
        with reuse.sharing(request) as shared:
            yield shared, reuse.part().cache
    finally:
        reuse.end()


class RenderInputs:
    """The inputs of a render. context, printed: receive its messages. documents: the parsed inputs. shared: the files
    of earlier calls.
    """

    def __init__(self, request: Render, options: RenderOptions, shared: SharedFiles | None = None) -> None:
        """Raises ReadError, UsageError."""
        found, self.documents = files(request.passed["inputs"], request.allow_links, shared)
        if request.file_marks:
            found = apply_marks(found, request.file_marks)
        # Documents that were passed belong to one call.
        self._shared = None if self.documents else shared
        self._job = RenderJob(found, options, library=None if self._shared is None else self._shared.library(found))
        self.printed: list[str] = []
        self.context = context_of(request.warnings, self.printed)

    def set_values(self, values: list[ReferencedValues]) -> None:
        """Sets the external data values."""
        self._job.values = values

    def set_environment(self, environment: Mapping[str, str], *, below: int) -> None:
        """Sets data values from strings by their names in the schema. below: number of data values that take precedence
        over them.
        """
        self._job.environment = Environment(environment.get, len(self._job.values) - below).among

    def add_secrets(self, secrets: Mapping[str, Plain]) -> None:
        """Adds secret data values."""
        nodes = nodes_of_map(secrets, Source("secrets").hidden())
        self._job.values = [*self._job.values, values_of_map(nodes, secret=True)]

    def add_merges(self, inputs: Inputs, keys: Texts, schemas: Texts) -> None:
        """Adds plain documents to merge into the output. Raises ReadError, UsageError."""
        documents = documents_of(files(inputs)[0], strict=self._job.options.strict, warn=self.context.warn)
        self._job.merged = Merges(documents, keys, schemas).merged

    def run(self) -> RenderResult:
        """Runs the phases. Raises PlaitError."""
        given = {file: documents.nodes for file, documents in self.documents.items()}
        result = run(self._job, self.context, given, self._shared)
        if self._shared is not None:
            result.reusing = self._shared.writer
        return result


def data_values(
    values: Mapping[str, Plain] | None,
    values_files: Inputs,
    *,
    strict: bool = False,
    warn: Warn | None = None,
) -> list[ReferencedValues]:
    """The data values of the options `values` and `values_files`, the lowest precedence first. Raises ReadError."""
    found: list[ReferencedValues] = []
    try:
        given = [(form, files(one)[0]) for form, one in _formatted(values_files)]
    except TypeError as error:
        raise TypeError(f"values_files: {error}; pass data values as plain data with values=...") from None
    for form, read in given:
        found += values_of_files(read, form=form, strict=strict, warn=warn)
    if values:
        found.append(Entry(Document(nodes_of_map(values, Source("values"))), plain=True))
    return found


def _formatted(inputs: Inputs) -> Iterator[tuple[str, Input]]:
    """Each input with its format. A string or a name may begin with one, a Path is always a path."""
    for one in each(inputs):
        if isinstance(one, str):
            yield split_format(one)
        elif isinstance(one, Mapping):
            for name, text in one.items():
                form, path = split_format(name)
                yield form, {path: text}
        else:
            yield "", one
