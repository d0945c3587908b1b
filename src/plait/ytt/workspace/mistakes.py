"""Warnings about inputs that are printed as documents but were probably intended as data values or overlays."""

from __future__ import annotations

import os

from plait.base.errors import warning
from plait.base.similar_names import counted, distance
from plait.base.source import Position
from plait.base.suggestions import REPLACE, Suggestion
from plait.tree.nodes import Array, ArrayItem, Map, equal, key_id
from plait.ytt.workspace.input_files import CHART, CODE_BEGINS, DATA, KUSTOMIZATIONS, YAML

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from plait.base.errors import Warn, Warning
    from plait.tree.context import Context
    from plait.tree.nodes import Document, DocumentSet, Value
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.render_job import DocumentFile, RenderJob

    class Option(Protocol):
        """An option of a command line."""

        name: str

    class Use(Protocol):
        """An option with its value. origin: its line in a project file."""

        @property
        def option(self) -> Option: ...
        @property
        def value(self) -> object: ...
        @property
        def origin(self) -> Position | None: ...


def values_as_documents(
    files: Sequence[InputFile], printed: Sequence[DocumentFile], values: Document, context: Context
) -> None:
    """Warns about plain files whose keys are all data values, and about comparisons that are never true."""
    compared = [file for file in files if _may_compare(file)]
    if compared:
        from plait.ytt.workspace.comparisons import warn_of_comparisons

        warn_of_comparisons(compared, values, context)
    known = {item.key for item in values.value.items} if type(values.value) is Map else set()
    alike = [one for one in printed if (keys := _keys(one.documents)) and keys <= known]
    for file, documents in _plain(files, alike):
        if len(_keys(documents)) > 1 or _overrides(documents.items[0].value, values.value):
            message = (
                "this file is printed as a document, but all its keys are data values; --data-values-file reads it as "
                "data values"
            )
            context.warn(warning(message, code="values-as-document", at=Position(file.source, 1)), of=(values,))


def _overrides(value: Value, default: Value) -> bool:
    """True if a value would override part of a data value: a map has only keys of the data value, and a scalar or
    array has the type of the value that it replaces, and differs from it.
    """
    while type(value) is Map and type(default) is Map and value.items:
        known = [inner for item in value.items if (inner := default.find(item.key)) is not None]
        if len(known) < len(value.items):
            return False
        if len(known) > 1:
            return True
        value, default = value.items[0].value, known[0].value
    return default is None or (type(value) is type(default) and not equal(value, default))


# Parts of comparisons with a text or a constant.
_COMPARISONS = ('= "', "= '", "= True", "= False")


def _may_compare(file: InputFile) -> bool:
    """True if a file may compare a data value with a constant."""
    text = "" if file.is_plain or file.type == DATA else file.text()
    return "data.values." in text and any(sign in text for sign in _COMPARISONS)


def helm_values(files: Sequence[InputFile], values: Value, context: Context) -> None:
    """Warns about data values that templates name in the syntax of Helm, within strings."""
    for file in files:
        text = file.text() if file.type in CODE_BEGINS else ""
        if "{{" not in text or ".Values." not in text or CODE_BEGINS[file.type] not in text:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            before, _, rest = line.partition("{{")
            name, closed, after = rest.partition("}}")
            path = name.strip("-$ ").partition(" ")[0]
            if before.strip()[:1] in ("", "#") or not closed or not path.startswith(".Values."):
                continue
            if not _has(values, path.split(".")[2:]):
                continue
            key, _, text_before = before.partition(": ")
            meant = f"data{path.replace('.Values', '.values')}"
            quote = text_before[:1]
            if quote and quote in "\"'" and "{{" not in after and file.type == YAML:
                whole = f"{text_before[1:]}{{}}{after.rstrip()[:-1]}"
                meant = f"{key.strip()}: #@ " + (meant if whole == "{}" else f'"{whole}".format({meant})')
            message = f"{{{{{name}}}}} is code of Helm, and stays as it is; the data value is {meant}"
            context.warn(warning(message, code="unevaluated-code", at=Position(file.source, number)), of=())


def _has(value: Value, keys: Sequence[str]) -> bool:
    """True if a path leads to a scalar within maps."""
    for key in keys:
        item = value.find(key) if type(value) is Map else None
        if item is None:
            return False
        value = item.value
    return type(value) not in (Map, Array)


def values_without_template(job: RenderJob, context: Context) -> None:
    """Warns that data values have no effect, if no file contains code, or those that are named like a library."""
    files = job.files
    if job.library.children:
        from plait.ytt.workspace.library_mistakes import values_of_library

        values_of_library(job, context)
    if files and not any(file.type in CODE_BEGINS and CODE_BEGINS[file.type] in file.text() for file in files):
        names = [file.path for file in files if file.type != DATA] or [file.path for file in files]
        subject = f"{names[0]} is" if len(names) == 1 else f"{names[0]} and {counted(len(names) - 1, 'other file')} are"
        context.warn(
            warning(
                f"the data values have no effect because no input is a template: {subject} plain; "
                'to print a value, write KEY: #@ data.values.KEY below #@ load("@ytt:data", "data")',
                code="values-without-template",
            ),
            of=(),
        )


def data_without_output(files: Sequence[InputFile], context: Context) -> None:
    """Warns that files are data, if nothing is rendered."""
    # Beside YAML that renders nothing, such as values, only a file that was named is taken by mistake.
    has_yaml = any(file.type == YAML for file in files)
    names = [file.path for file in files if file.type == DATA and not (has_yaml and file.in_directory)]
    if names:
        are = "is" if len(names) == 1 else "are"
        context.warn(
            warning(
                f"nothing is rendered, because {', '.join(names[:6])} {are} read as data: the names of YAML files end in "
                f".yml or .yaml, and --file-mark {names[0]}:type=yaml-template reads one as YAML",
                code="only-data-files",
            )
        )


def unintended_documents(
    files: Sequence[InputFile], printed: Sequence[DocumentFile], uses: Sequence[Use] = ()
) -> Iterator[Warning]:
    """Warnings about repeated inputs and inputs of other programs, or else about patches, which are printed as plain
    documents.

    The program of a kustomization applies its patches as well, so they are not reported in addition. uses: the options.
    """
    yield from _unread_templates(files)
    plain = [*_plain(files, printed)]
    if len({file.shown for file in files}) < len(files):
        yield from _repeated_inputs(files, printed, uses)
    if not plain:
        return
    from plait.ytt.workspace.unintended_inputs import foreign_documents, own_files

    yield from own_files(plain)
    if any(file.path.endswith((CHART, *KUSTOMIZATIONS)) for file in files):
        foreign = [*foreign_documents(files, printed, plain)]
        yield from foreign
        if foreign:
            return
    for file, documents in plain:
        if documents.items and all(_is_operations(document.value) for document in documents.items):
            yield warning(
                "this file contains operations on other documents, and is printed as a document; plait patch BASE "
                f"-o {file.shown or file.path} applies operations (type, path, value)",
                code="patch-as-document",
                at=Position(file.source, 1),
            )
    patchable = {id(documents) for _, documents in plain}
    yield from (
        _patch_warning(patch, whole) for file, patch, whole in _patches(printed) if id(file.documents) in patchable
    )


# The keys of metadata in Kubernetes.
METADATA = frozenset(
    {
        "annotations",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generateName",
    }
    | {
        "generation",
        "labels",
        "managedFields",
        "name",
        "namespace",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)


def misspelt_keys(documents: Sequence[Document], warn: Warn) -> None:
    """Warns about keys of the metadata of resources that Kubernetes does not know, if a similar one is missing."""
    for document in documents:
        top = document.value
        metadata = top.find("metadata") if type(top) is Map else None
        if metadata is None or type(metadata.value) is not Map or type(top) is not Map:
            continue
        if top.find("apiVersion") is None or top.find("kind") is None:
            continue
        known = [key for key in sorted(METADATA) if metadata.value.find(key) is None and len(key) > _SHORTEST]
        for item in metadata.value.items:
            key = item.key
            meant = (
                [one for one in known if distance(key, one, 1) == 1] if type(key) is str and key not in METADATA else []
            )
            if len(meant) == 1:
                message = f"metadata has no key {key} in Kubernetes; did you mean {meant[0]}?"
                suggestions = [Suggestion(REPLACE, meant[0], old=str(key))]
                warn(warning(message, code="near-miss", at=item.position, word=str(key), suggestions=suggestions))


# A shorter key than this is similar to too many.
_SHORTEST = 3


# The ends of names of templates that other programs make YAML of, and the beginnings of code in them.
TEMPLATES = tuple(
    f"{yaml}.{end}"
    for yaml in (".yml", ".yaml")
    for end in ("ejs", "erb", "gotmpl", "hbs", "j2", "jinja", "jinja2", "mustache", "template", "tmpl", "tpl")
)
_FOREIGN_CODE = ("{{", "{%", "<%")


def _unread_templates(files: Sequence[InputFile]) -> Iterator[Warning]:
    """Warnings about templates that are data because of their names, and that no program read."""
    for file in files:
        is_marked = file.marked_type is not None or file.marked_output is not None
        if file.type != DATA or is_marked or file.is_read or not file.path.endswith(TEMPLATES):
            continue
        text = file.text()
        yaml = file.path.rpartition(".")[0]
        if "#@" in text:
            advice = f"--file-mark {file.path}:type=yaml-template reads it as YAML"
        elif any(code in text for code in _FOREIGN_CODE):
            advice = f"it has code of another program, whose output is an input by a name such as {yaml}"
        else:
            continue
        message = f"this file is not rendered, because it is read as data: {advice}"
        yield warning(message, code="only-data-files", at=Position(file.source, 1))


def _repeated_inputs(
    files: Sequence[InputFile], printed: Sequence[DocumentFile], uses: Sequence[Use]
) -> Iterator[Warning]:
    """Warnings about overlays and printed files that two inputs contain, such as a directory and one inside it.

    Data values may be repeated to set their precedence, and a file with a new path is an input twice on purpose.
    """
    paths = {file.path for file in printed}
    first: dict[str, InputFile] = {}
    for file in files:
        if not file.shown or file.type != YAML or file.path != file.original_path:
            continue
        other = first.setdefault(os.path.realpath(file.shown), file)
        if other is file or not (other.in_directory or file.in_directory):
            continue
        is_overlay = "#@overlay/match" in file.text() and "#@data/values" not in file.text()
        if is_overlay or file.path in paths:
            done = "applied" if is_overlay else "printed"
            named = [(str(use.value), use.origin) for use in uses if use.option.name == "file"]
            lines = [(path, at) for path, at in named if at is not None and _contains(path, file.shown)]
            if len(lines) > 1:
                # Lists of a run and of its base are joined. The outer directory has other files, too.
                lines.sort(key=lambda one: len(os.path.realpath(one[0])))
                (outer, before), (inner, at) = lines[0], lines[-1]
                twice = f"{file.shown} is {done} twice"
                message = f'{twice}, because "{outer}" of {before} contains it, too: remove "{inner}"'
                yield warning(message, code="repeated-input", at=at)
                continue
            yield warning(
                f"this file is {done} twice, because two inputs contain it: leave out the -f of the inner one",
                code="repeated-input",
                at=Position(file.source, 1),
            )


def _contains(path: str, file: str) -> bool:
    """True if a path is that of a file, or of a directory above it."""
    top = os.path.realpath(path)
    return os.path.realpath(file).startswith(top + os.sep) or os.path.realpath(file) == top


def _patches(printed: Sequence[DocumentFile]) -> Iterator[tuple[DocumentFile, Document, Document]]:
    """The documents of files that contain only patches of documents in other files: file, patch, patched document."""
    known: dict[tuple[object, ...], list[tuple[DocumentFile, Document]]] = {}
    for file in printed:
        for document in file.documents.items:
            identity = _identity(document)
            if identity is not None:
                known.setdefault(identity, []).append((file, document))
    patched = dict(one for same in known.values() if len(same) > 1 for one in _patched(same))
    for file in printed:
        if all(document in patched for document in file.documents.items):
            yield from ((file, document, patched[document]) for document in file.documents.items)


# The keys of an operation of a JSON patch and of an operations file, and the kinds of operations.
_OPERATION_KEYS = ("op", "type")
_KINDS = frozenset({"add", "copy", "move", "remove", "replace", "test"})


def _is_operations(value: Value) -> bool:
    """True if a value is an array of operations with paths."""
    return type(value) is Array and bool(value.items) and all(_is_operation(item.value) for item in value.items)


def _is_operation(value: Value) -> bool:
    if type(value) is not Map:
        return False
    path = value.find("path")
    kinds = [item.value for key in _OPERATION_KEYS if (item := value.find(key)) is not None]
    return (
        path is not None
        and str(path.value).startswith("/")
        and any(kind in _KINDS for kind in kinds if type(kind) is str)
    )


def _patched(same: Sequence[tuple[DocumentFile, Document]]) -> Iterator[tuple[Document, Document]]:
    """The patches among the documents of one resource, and the document that they patch. Empty if one is not a patch,
    or if two change the same value: these are alternatives, such as the resource in each environment.
    """
    file, whole = max(same, key=lambda one: sum(1 for _ in _values(one[1].value)))
    parts = [one for one in same if one[1] is not whole]
    if any(one is file for one, _ in parts):
        return
    changed: set[tuple[object, ...]] = set()
    for _, part in parts:
        changes = _changes(part, whole)
        if not changes or not changed.isdisjoint(changes):
            return
        changed |= changes
    yield from ((part, whole) for _, part in parts)


def _patch_warning(patch: Document, whole: Document) -> Warning:
    path = "" if patch.source is None else patch.source.shown
    return warning(
        f"this document has the kind and name of {whole.position}, and both are printed; --merge {path} merges it",
        code="patch-as-document",
        at=patch.position,
    )


def _identity(document: Document) -> tuple[object, ...] | None:
    """Kind, namespace and name of a resource; None for another document."""
    top = document.value
    kind = top.find("kind") if type(top) is Map else None
    metadata = top.find("metadata") if type(top) is Map else None
    if kind is None or metadata is None or type(metadata.value) is not Map:
        return None
    name, namespace = metadata.value.find("name"), metadata.value.find("namespace")
    if name is None or type(name.value) is not str or type(kind.value) is not str:
        return None
    space = "" if namespace is None or type(namespace.value) is not str else namespace.value
    return kind.value, space, name.value


# The key of a strategic merge patch for Kubernetes.
_DIRECTIVE = "$patch"
# The paths by which `--merge` finds a document.
_IDENTITY = {("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")}


def _changes(part: Document, whole: Document) -> set[tuple[object, ...]]:
    """The paths at which a patch changes a document. Empty if it is a resource of its own: it has a value in common
    with the other, or has all of its paths.
    """
    known, own = dict(_values(whole.value)), dict(_values(part.value))
    tops = {path[0] for path in known}
    if known.keys() <= own.keys() | _IDENTITY:
        return set()
    changes: set[tuple[object, ...]] = set()
    for path, value in own.items():
        if path[-1] == _DIRECTIVE:
            changes.add(path)
        elif path in known:
            is_same = equal(known[path], value)
            if is_same != (path in _IDENTITY or path[-2:] == (value, "name")):
                return set()
            if not is_same:
                changes.add(path)
        elif path[0] not in tops:
            return set()
    return changes


def _values(top: Value) -> Iterator[tuple[tuple[object, ...], Value]]:
    """The paths and values of a document. Array items with names are addressed by them; other arrays are values."""
    todo: list[tuple[tuple[object, ...], Value]] = [((), top)]
    while todo:
        path, value = todo.pop()
        if type(value) is Map:
            todo += [((*path, key_id(item.key)), item.value) for item in value.items]
        elif type(value) is Array and value.items and all(_name(item) for item in value.items):
            todo += [((*path, _name(item)), item.value) for item in value.items]
        else:
            yield path, value


def _name(item: ArrayItem) -> object:
    """The name of an array item, or None."""
    name = item.value.find("name") if type(item.value) is Map else None
    return None if name is None else key_id(name.value)


def _plain(files: Sequence[InputFile], printed: Sequence[DocumentFile]) -> Iterator[tuple[InputFile, DocumentSet]]:
    """The inputs without code, with the printed documents of each."""
    documents = {file.path: file.documents for file in printed}
    for file in files:
        if file.type == YAML and file.path in documents and "#@" not in file.text():
            yield file, documents[file.path]


def _keys(documents: DocumentSet) -> set[object]:
    """The keys of the only document, if it is a map; else empty."""
    top = documents.items[0].value if len(documents.items) == 1 else None
    return {item.key for item in top.items} if type(top) is Map else set()
