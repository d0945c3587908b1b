"""Warnings about inputs that are printed as documents but were probably intended as data values or overlays."""

from __future__ import annotations

import os

from plait.base.errors import TemplateError, warning
from plait.base.similar_names import counted
from plait.base.source import Position, public
from plait.tree.nodes import Array, Map, count_nodes
from plait.ytt.workspace.input_files import CHART, KUSTOMIZATIONS, YAML

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.base.errors import Warning
    from plait.tree.context import Context
    from plait.tree.nodes import Document, DocumentSet
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.render_job import DocumentFile, ReferencedValues


def values_as_documents(
    files: Sequence[InputFile], printed: Sequence[DocumentFile], values: Document, context: Context
) -> None:
    """Warns about plain files whose keys are all data values."""
    known = {item.key for item in values.value.items} if type(values.value) is Map else set()
    for file, documents in _plain(files, printed):
        keys = _keys(documents)
        # A document with one key in common, such as a name, is not a mistake.
        if keys and keys <= known and ("val" in os.path.basename(file.path) or len(keys) > 1):
            message = (
                "this file is printed as a document, but all its keys are data values; --data-values-file takes it as "
                "data values"
            )
            context.warn(warning(message, code="values-as-document", at=Position(file.source, 1)), of=(values,))


def unintended_documents(files: Sequence[InputFile], printed: Sequence[DocumentFile]) -> Iterator[Warning]:
    """Warnings about inputs of other programs, and about patches, which are printed as plain documents."""
    if any(file.path.endswith((CHART, *KUSTOMIZATIONS)) for file in files):
        yield from _foreign_documents(files, printed)
    parts = [*_parts(printed)]
    if parts:
        plain = {id(documents) for _, documents in _plain(files, printed)}
        yield from (_part_warning(part, whole) for file, part, whole in parts if id(file.documents) in plain)


def _foreign_documents(files: Sequence[InputFile], printed: Sequence[DocumentFile]) -> Iterator[Warning]:
    """Warnings about Helm charts and kustomizations, which are printed as plain documents."""
    directories = {os.path.dirname(file.path) for file in files}
    paths = {os.path.normpath(file.path) for file in files}
    # Beside documents that it does not name, a kustomization may be meant as one.
    is_alone = all(os.path.basename(file.path) in KUSTOMIZATIONS for file in printed)
    kustomizations: list[InputFile] = []
    for file, documents in _plain(files, printed):
        directory, name = os.path.split(file.path)
        if name == CHART and os.path.join(directory, "templates") in directories:
            yield warning(
                "this is a Helm chart, and its files are printed as plain documents; helm template renders it",
                code="foreign-document",
                at=Position(file.source, 1),
            )
        if name in KUSTOMIZATIONS and (
            is_alone or any(os.path.normpath(os.path.join(directory, one)) in paths for one in _resources(documents))
        ):
            kustomizations.append(file)
    if kustomizations:
        first, more = kustomizations[0], len(kustomizations) - 1
        subject = (
            f"this and {counted(more, 'other kustomization')} are printed as plain documents; kustomize build applies them"
            if more
            else "this is a kustomization, and it is printed as a plain document; kustomize build applies it"
        )
        yield warning(
            f"{subject}, and --file-mark {first.path}:exclude=true leaves {'the first one' if more else 'it'} out",
            code="foreign-document",
            at=Position(first.source, 1),
        )


def _parts(printed: Sequence[DocumentFile]) -> Iterator[tuple[DocumentFile, Document, Document]]:
    """The documents that are a part of one in an earlier file: file, document, and the earlier one."""
    known: dict[tuple[object, ...], tuple[DocumentFile, Document]] = {}
    for file in printed:
        for document in file.documents.items:
            identity = _identity(document)
            if identity is None:
                continue
            first, whole = known.setdefault(identity, (file, document))
            # What is larger, or has keys of its own at the top, is another environment's resource.
            if first is not file and _is_smaller(document, whole):
                yield file, document, whole


def _part_warning(part: Document, whole: Document) -> Warning:
    path = "" if part.source is None else part.source.shown
    return warning(
        f"this document has the kind and name of {whole.position}, and both are printed; --merge {path} merges it",
        code="patch-as-document",
        at=part.position,
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


def _is_smaller(part: Document, whole: Document) -> bool:
    if type(part.value) is not Map or type(whole.value) is not Map:
        return False
    keys = {item.key for item in whole.value.items if type(item.key) is str}
    own = {item.key for item in part.value.items if type(item.key) is str} - {_DIRECTIVE}
    return own <= keys and count_nodes(part.value) < count_nodes(whole.value)


# The key of a strategic merge patch for Kubernetes.
_DIRECTIVE = "$patch"


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


def _resources(documents: DocumentSet) -> Iterator[str]:
    for document in documents.items:
        item = document.value.find("resources") if type(document.value) is Map else None
        if item is not None and type(item.value) is Array:
            yield from (one.value for one in item.value.items if type(one.value) is str)


def check_used(values: Sequence[ReferencedValues], schemas_given: Sequence[ReferencedValues]) -> None:
    """Raises TemplateError for a reference that reached no library (docs/reference/libraries.md)."""
    unused_values = [entry for entry in values if not entry.used]
    unused_schemas = [entry for entry in schemas_given if not entry.used]
    kinds = [kind for kind, unused in (("data values", unused_values), ("schema", unused_schemas)) if unused]
    if kinds:
        unused = [*unused_values, *unused_schemas]
        raise TemplateError(
            public(
                f"Expected all provided library {', and '.join(kinds)} documents to be used but found unused: "
                + ", ".join(entry.description for entry in unused)
            ),
            at=unused[0].document.position,
            code="unused-library-documents",
        )
