"""The Python API: the commands as functions from inputs to documents.

    import weft

    weft.render("config/", values={"replicas": 3}).to_yaml()

An input is a path (of a file, or of a directory for the files below it), a mapping from names to texts, or what another
function of this API gave back; where several are taken, a list of those. Nothing is printed, standard input is not read,
two calls share nothing, and calls may run in several threads. What is wrong with an input raises `WeftError`.
"""

from __future__ import annotations

from weft.api.results import Documents, Rendered

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from weft.api.inputs import Input, Inputs
    from weft.context import Limits
    from weft.nodes import DocumentSet, Map, Value
    from weft.ops import Operation
    from weft.source import Source
    from weft.workspace import ReferencedValues

__all__ = ["Documents", "Rendered", "diff", "documents", "layer", "patch", "read", "render"]


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
) -> Rendered:
    """Render templates with data values, schemas, overlays and libraries, as `weft render` does.

    values: data values as plain data, merged over those of files. values_files: plain YAML files of data values.
    file_marks: `PATH:KEY=VALUE`, as --file-mark. allow_links: paths that symbolic links may lead to.
    validate: run the validations of data values. limits: how much the templates may take, as --limit: steps, seconds,
    memory, depth, string, items, bits. Raises WeftError.

    >>> template = '''
    ... #@ load("@ytt:data", "data")
    ... replicas: #@ data.values.replicas
    ... '''
    >>> weft.render({"app.yml": template}, values={"replicas": 3}).to_dict()
    {'replicas': 3}
    """
    from weft.api.inputs import files
    from weft.context import Context
    from weft.output import FORMATS
    from weft.workspace import Job, Options
    from weft.workspace.phases import run

    found = files(inputs, allow_links)
    if file_marks:
        from weft.workspace.marks import apply_marks

        found = apply_marks(found, file_marks)
    printed: list[str] = []
    context = Context(print_line=printed.append, limits=_limits(limits))
    options = Options(
        strict=strict,
        ignore_unknown_comments=ignore_unknown_comments,
        implicit_map_key_overrides=implicit_map_key_overrides,
        disable_validation=not validate,
    )
    given = _data_values(values_files, values, strict=strict)
    result = run(Job(found, options, given), context)
    write = FORMATS["yaml"]
    out = {file.path: file.text for file in result.texts}
    out.update((file.path, write(file.documents)) for file in result.files)
    return Rendered(result.documents, files=out, warnings=context.warnings, printed=printed)


def patch(
    base: Inputs,
    operations: Inputs = (),
    *,
    variables: Mapping[str, object] | None = None,
    variables_files: Inputs = (),
    store: str | os.PathLike[str] | None = None,
    path: str | None = None,
    require_variables: bool = False,
    require_use: bool = False,
    sort: bool = True,
    null_values: bool = False,
) -> Documents:
    r"""Apply operations to a document and fill its `((placeholders))`, as `weft patch` does.

    operations: ops files, in order. variables: values by name, over those of variables_files.
    store: the path of a variables store, which is written when a value is generated; nothing else here writes.
    path: narrow the result to one location. require_variables, require_use: as --var-errs and --var-errs-unused.
    sort: print keys sorted, as BOSH does. null_values: accept operations with `value: null`. Raises WeftError.

    >>> operations = weft.documents([{"type": "replace", "path": "/instances", "value": 3}])
    >>> base = {"base.yml": "instances: 1\nname: ((name))"}
    >>> weft.patch(base, operations, variables={"name": "web"}).to_dict()
    {'instances': 3, 'name': 'web'}
    """
    from weft.api.inputs import each, sources
    from weft.ops import Sources, Store, find, interpolate, parse
    from weft.ops import patch as apply
    from weft.ops.variables import texts_to_values
    from weft.source import Source

    changes: list[Operation] = []
    for one in each(operations):
        changes += _operations(one, null_values)
    given = Sources(None if store is None else Store(_path(store)))
    for source in sources(variables_files):
        given.give("vars-file", texts_to_values(source, "variables file"))
    if variables:
        given.give("var", {name: _nodes(value, Source("variables")) for name, value in variables.items()})
    value = apply(_first(base, "the base"), changes)
    value = interpolate(value, given, expect_values=require_variables, expect_use=require_use)
    if path is not None:
        value = find(value, parse(path))
    return _one_document(value, sort=sort)


def layer(
    inputs: Inputs,
    *,
    validate: bool = False,
    validate_data: bool = False,
    lenient: bool = False,
    relaxed: bool = False,
    strict: bool = False,
    schemas: Sequence[str] = (),
    names: Sequence[str] = (),
    layers: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
    short: bool = False,
    order: str = "dependency",
    cleartext_secrets: bool = False,
    secrets: Mapping[str, object] | None = None,
) -> Documents:
    """Render layered documents together, as `weft layer` does; the concrete ones come back.

    schemas, names, layers, labels: give back only the documents that have one of these. short: schema, name and data
    only. secrets: what secret references stand for. The other options are the flags of `weft layer`. Raises WeftError.

    >>> policy = '''
    ... schema: deckhand/LayeringPolicy/v1
    ... metadata: {schema: metadata/Control/v1, name: order}
    ... data: {layerOrder: [site]}
    ... '''
    >>> port = '''
    ... schema: demo/Port/v1
    ... metadata: {schema: metadata/Document/v1, name: http, layeringDefinition: {layer: site}}
    ... data: 80
    ... '''
    >>> weft.layer({"policy.yml": policy, "port.yml": port}, names=["http"], short=True)[0]["data"]
    80
    """
    from weft.api.inputs import sources
    from weft.context import Context
    from weft.errors import LimitError
    from weft.layering import (
        FileSecrets,
        Options,
        Selection,
        in_order,
        plain_values,
        plan,
        read_documents,
        render_plan,
        written,
    )
    from weft.yaml import deduplicate
    from weft.yaml import read as read_yaml

    context = Context()
    selection = Selection(schemas=schemas, names=names, layers=layers, labels=list((labels or {}).items()))
    options = Options(
        lenient=lenient,
        relaxed=relaxed,
        strict=strict,
        cleartext_secrets=cleartext_secrets,
        secret_sources=[FileSecrets("secrets", _map(secrets))] if secrets else (),
    )
    sets = [
        deduplicate(read_yaml(source, keep_mark=False, plain=plain_values, depth=_LAYERED_DEPTH))
        for source in sources(inputs)
    ]
    try:
        if validate or strict:
            from weft.layering import check_documents

            check_documents(sets)
        planned = plan(read_documents(sets), options, context)
        rendered = render_plan(planned, options, context)
        if validate_data:
            from weft.layering import check_data

            check_data(rendered, planned.documents)
        chosen = [document for document in rendered if selection.takes(document)] if selection else rendered
        nodes = written(in_order(chosen, order), short=short, cleartext_secrets=cleartext_secrets)
    except RecursionError:
        raise LimitError("rendered documents are nested too deeply") from None
    return Documents(nodes, warnings=context.warnings)


def diff(left: Inputs, right: Inputs, *, tests: bool = True) -> Documents:
    """The operations that make `right` of `left`, as an ops file that `patch` takes.

    tests: precede each change by a test of what it changes. Raises WeftError.

    >>> print(weft.diff({"a.yml": "port: 80"}, {"b.yml": "port: 81"}, tests=False), end="")
    - path: /port
      type: replace
      value: 81
    """
    from weft.ops import diff as differences
    from weft.ops import to_nodes

    return _one_document(to_nodes(differences(_first(left, "left"), _first(right, "right"), tests=tests)), sort=True)


def read(inputs: Inputs, *, strict: bool = False) -> Documents:
    r"""Read plain YAML (of a directory the files that end in .yml or .yaml). Raises WeftError.

    strict: refuse plain scalars that could be misread, such as `yes`.

    >>> weft.read({"a.yml": "a: 1\n---\nb: [true]"}).to_list()
    [{'a': 1}, {'b': [True]}]
    """
    from weft.api.inputs import sources
    from weft.nodes import DocumentSet
    from weft.yaml import deduplicate
    from weft.yaml import read as read_yaml

    sets = [deduplicate(read_yaml(source, strict=strict)) for source in sources(inputs)]
    return Documents(DocumentSet([document for one in sets for document in one.items]))


def documents(*values: object) -> Documents:
    """Documents of plain data: dict, list, str, int, float, bool, None.

    Raises TypeError for anything else, LimitError for data nested too deeply (or within itself).

    >>> print(weft.documents({"a": [1, "two"]}), end="")
    a:
    - 1
    - two
    """
    from weft.nodes import Document, DocumentSet

    return Documents(DocumentSet([Document(_nodes(value)) for value in values]))


# Deeper than the reference of `layer` can go; what walks data there may recurse.
_LAYERED_DEPTH = 300


def _limits(given: Mapping[str, float] | None) -> Limits | None:
    if not given:
        return None
    from weft.context import Limits
    from weft.errors import UsageError
    from weft.spell import did_you_mean

    known = sorted(Limits.__slots__)
    for name in given:
        if name not in known:
            raise UsageError(f'unknown limit "{name}"', expected=", ".join(known), hint=did_you_mean(name, known))
    try:
        return Limits(**given)  # type: ignore[arg-type]
    except ValueError as error:
        raise UsageError(str(error)) from None


def _data_values(values_files: Inputs, values: Mapping[str, object] | None, *, strict: bool) -> list[ReferencedValues]:
    from weft.api.inputs import files
    from weft.workspace.values_flags import plain_values_of

    found: list[ReferencedValues] = []
    for file in files(values_files):
        found += plain_values_of(file, strict=strict)
    if values:
        from weft.nodes import Document
        from weft.workspace import ReferencedValues as Entry

        found.append(Entry(Document(_map(values)), plain=True))
    return found


def _operations(one: Input | Documents, null_values: bool) -> list[Operation]:
    from weft.ops import expand, file_source, operations_of, read_operations
    from weft.source import Source

    if isinstance(one, Documents):
        found: list[Operation] = []
        for document in one.nodes.items:
            found += operations_of(document.value, document.source or Source("operations"), null_values=null_values)
        return found
    if hasattr(one, "items"):
        from weft.api.inputs import sources

        read_all = list(sources(one))
    else:
        read_all = [file_source(path, "an ops file") for path in expand(_path(one))]
    return [change for source in read_all for change in read_operations(source, null_values=null_values)]


def _first(inputs: Inputs, what: str) -> Value:
    """The value of an input's first document; documents that are at hand must be one."""
    from weft.api.inputs import one_source
    from weft.ops import read_first

    if not isinstance(inputs, Documents):
        return read_first(one_source(inputs, what))
    if len(inputs) != 1:
        from weft.errors import UsageError

        raise UsageError(f"{what} is one document", found=str(len(inputs)))
    return inputs.nodes.items[0].value


def _one_document(value: Value, *, sort: bool) -> Documents:
    from weft.nodes import Document, DocumentSet

    def write(nodes: DocumentSet) -> str:
        from weft.ops import write_text

        return write_text(nodes.items[0].value, sort=sort)

    return Documents(DocumentSet([Document(value)]), write=write)


def _nodes(value: object, source: Source | None = None) -> Value:
    from weft.nodes import from_plain

    try:
        return from_plain(value, source)
    except RecursionError:
        from weft.errors import LimitError

        raise LimitError("the data are nested too deeply") from None


def _map(values: Mapping[str, object]) -> Map:
    from weft.nodes import Map

    found = _nodes(dict(values))
    assert isinstance(found, Map)
    return found


def _path(path: str | os.PathLike[str]) -> str:
    from os import fspath

    return fspath(path)
