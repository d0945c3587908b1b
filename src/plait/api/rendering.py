"""`plait.render`."""

from __future__ import annotations

from plait.api.inputs import files, trace_of
from plait.api.isolation import can_be_isolated
from plait.api.results import Rendered
from plait.content import Links
from plait.context import Context
from plait.limits import limited_to
from plait.workspace import Job, Options
from plait.workspace.phases import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.api.inputs import Inputs
    from plait.workspace import ReferencedValues


@can_be_isolated(Rendered)
def render(
    inputs: Inputs,
    *,
    values: Mapping[str, object] | None = None,
    values_files: Inputs = (),
    file_marks: Sequence[str] = (),
    strict: bool = False,
    ignore_unknown_comments: bool = False,
    implicit_map_key_overrides: bool = False,
    validate: bool = True,
    allow_links: Sequence[str] = (),
    limits: Mapping[str, float] | None = None,
    trace: bool = False,
    isolated: bool = False,  # noqa: ARG001 - can_be_isolated has seen to it
) -> Rendered:
    """Render templates with data values, schemas, overlays and libraries, as `plait render` does.

    values: data values as plain data, merged over those of files. values_files: plain YAML files of data values.
    file_marks: `PATH:KEY=VALUE`, as --file-mark. allow_links: paths that symbolic links may lead to.
    validate: run the validations of data values. limits: how much the run may take, by the names of --limit, such as
    {"steps": 100_000, "memory": 1 << 28}. trace: keep histories, for `explain`. isolated: run in a worker process, which
    keeps `seconds` and `memory` whatever is being done; not with `trace`. Raises PlaitError.

    >>> template = '''
    ... #@ load("@ytt:data", "data")
    ... replicas: #@ data.values.replicas
    ... '''
    >>> plait.render({"app.yml": template}, values={"replicas": 3}).to_dict()
    {'replicas': 3}
    """
    with limited_to(limits):
        found, given = files(inputs, Links(allow_links))
        if file_marks:
            from plait.workspace.marks import apply_marks

            found = apply_marks(found, file_marks)
        printed: list[str] = []
        context = Context(print_line=printed.append)
        context.trace = trace_of(given.values()) if trace else None
        options = Options(
            strict=strict,
            ignore_unknown_comments=ignore_unknown_comments,
            implicit_map_key_overrides=implicit_map_key_overrides,
            disable_validation=not validate,
        )
        job = Job(found, options, data_values(values, values_files, strict=strict))
        result = run(job, context, {file: documents.nodes for file, documents in given.items()})
        return Rendered(
            result.documents,
            files=dict(result.output_files()),
            warnings=context.warnings,
            printed=printed,
            trace=context.trace,
        )


def data_values(
    values: Mapping[str, object] | None, values_files: Inputs, *, strict: bool = False
) -> list[ReferencedValues]:
    """What the options `values` and `values_files` stand for, the lowest first. Raises ReadError."""
    from plait.workspace.values_flags import plain_values_of

    found: list[ReferencedValues] = []
    for file in files(values_files)[0]:
        found += plain_values_of(file, strict=strict)
    if values:
        from plait.api.reading import nodes_of_map
        from plait.nodes import Document
        from plait.source import Source
        from plait.workspace import ReferencedValues as Entry

        found.append(Entry(Document(nodes_of_map(values, Source("values"))), plain=True))
    return found
