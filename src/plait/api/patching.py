"""`plait.patch`: applies operations and variables."""

from __future__ import annotations

from collections.abc import Mapping
from os import fspath

from plait.api.asynchronous import awaited
from plait.api.current_engine import current_reuse
from plait.api.documents import nodes_of_map
from plait.api.functions import function_of
from plait.api.inputs import context_of, each, named_sources, only, sources, trace_of
from plait.base.content import LinkPolicy
from plait.base.errors import OpsError
from plait.base.extensions import TAGS
from plait.base.limits import budget_scope_from
from plait.base.source import Source
from plait.engine.patch import Patch, configured
from plait.engine.results import Documents
from plait.ops.job import PatchJob
from plait.ops.operation_files import expand, operations_of, read_operations
from plait.ops.pointer import parse
from plait.ops.reader import file_source, texts_to_values
from plait.ops.store import VariableStore
from plait.tree.nodes import DocumentSet, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warn
    from plait.engine.types import Input, Inputs
    from plait.ops.operations import Operation
    from plait.tree.plain_data import Plain


@function_of(Patch, Documents)
def patch(request: Patch) -> Documents:
    r"""Applies operations to a document and fills its `((placeholders))`, as `plait patch` does.

    operations: ops files, in order. variables: values by name, overriding those of variables_files. secrets: like
    variables, for secret values. store: the path of a variables store, which is written when a value is generated;
    nothing else is written. path: return only the value at this path. variables_first: fill the base before the
    operations, and their values afterwards. require_variables, require_use: as --var-errs and --var-errs-unused. sort:
    print keys sorted, as BOSH does. keep_format: `to_yaml` returns the base's own text with minimal changes of lines.
    null_values: accept operations with `value: null`. extensions: names of extensions of the dialect, as --with:
    "operations", "tags". allow_links: as in `render`, for directories and patterns of ops files. warnings, limits: as
    in `render`. trace: record provenance, for `explain`. isolated: as in `render`. Raises PlaitError.

    >>> operations = plait.documents([{"type": "replace", "path": "/instances", "value": 3}])
    >>> base = {"base.yml": "instances: 1\nname: ((name))"}
    >>> plait.patch(base, operations, variables={"name": "web"}).to_dict()
    {'instances': 3, 'name': 'web'}
    """
    given = each(request.passed["base"])
    with budget_scope_from(request.limits):
        context = context_of(request.warnings)
        context.trace = trace_of(given) if request.trace else None
        job = configured(request, context)
        reuse = current_reuse()
        job.known = None if reuse is None else reuse.operations(request, context)
        for one in each(request.passed.get("operations", ())):
            job.operations += _operations(one, job, request)
        if request.store:
            job.sources.store = VariableStore(fspath(request.store))
            if job.sources.traced is not None:
                job.sources.traced.store(fspath(request.store))
        _add_variables(job, request.variables, request.passed.get("variables_files", ()))
        if request.secrets:
            job.sources.give_secrets(nodes_of_map(request.secrets, Source("secrets").hidden()))
        document = only(given, "the base")
        if isinstance(document, Source):
            job.template = document
        else:
            job.base = document.value
        if request.path is not None and request.has(Patch.path):
            job.pointer = parse(request.path)
        result = Documents(
            DocumentSet([job.document(None if isinstance(document, Source) else document.source)]),
            write=lambda nodes: job.text(nodes.items[0].value),
            tags=TAGS in job.extensions,
            warnings=context.warnings,
            trace=context.trace,
        )
        if request.keep_format:
            result.to_yaml()  # reports impossible edits now
        return result


apatch = awaited(patch)


def _add_variables(job: PatchJob, variables: Mapping[str, Plain] | None, variables_files: Inputs) -> None:
    given = job.sources
    for source in named_sources(each(variables_files)):
        try:
            values = texts_to_values(source, "variables file", job.context.warn, job.sources.places)
        except OpsError as error:
            if isinstance(variables_files, Mapping):
                error.hint = "variables_files must map file names to texts; pass values as variables={...}"
            raise
        given.give("vars-file", values)
        source.hidden()  # later errors show the lines of variables, but not their values
        if given.traced is not None:
            given.traced.texts(source)
    if variables:
        items = nodes_of_map(variables, Source("variables"))
        assert type(items) is Map
        given.give_map(items)


def _operations(one: Input, job: PatchJob, request: Patch) -> list[Operation]:
    null_values, links = request.null_values, LinkPolicy(request.allow_links)
    if isinstance(one, Documents):
        found: list[Operation] = []
        for document in one.nodes.items:
            if type(document.value) is Map:
                raise TypeError("operations as plain data must be a list: plait.documents([operation, ...])")
            source = document.source or Source("operations")
            found += operations_of(document.value, source, null_values=null_values, extensions=job.extensions)
        return found
    if isinstance(one, Mapping):
        if "path" in one and "type" in one:
            raise TypeError("convert operations in plain data with plait.documents([...])")
        texts = list(sources([one]))
    else:
        texts = [file_source(path, "an ops file") for path in expand(fspath(one), links)]

    def read(text: Source, warn: Warn) -> list[Operation]:
        return read_operations(text, null_values=null_values, extensions=job.extensions, warn=warn)

    return [operation for text in texts for operation in job.read(text, read, null_values)]
