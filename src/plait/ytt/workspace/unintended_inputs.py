"""Warnings about inputs of other programs, and of plait's tools, that are printed as plain documents.

The plain files are those without code, each with its printed documents.
"""

from __future__ import annotations

import os

from plait.base.errors import warning
from plait.base.own_files import kind_of_own_file
from plait.base.similar_names import counted
from plait.base.source import Position
from plait.tree.nodes import ArrayItem, Map, MapItem, walk
from plait.ytt.workspace.input_files import CHART, KUSTOMIZATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from plait.base.errors import Warning
    from plait.tree.nodes import DocumentSet
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.render_job import DocumentFile

    Plain: TypeAlias = Sequence[tuple[InputFile, DocumentSet]]

# Maximum number of flags in a warning.
_MOST_MARKS = 3


def own_files(plain: Plain) -> Iterator[Warning]:
    """A warning about project files, tests and snapshots, which are printed as documents."""
    found = []
    for file, documents in plain:
        top = documents.items[0].value if documents.items else None
        keys = [item.key for item in top.items if type(item.value) is Map] if type(top) is Map else []
        kind = kind_of_own_file(file.shown or file.path, keys)
        if kind is not None:
            found.append((file, kind))
    if found:
        file, kind = found[0]
        flags = " ".join(f"--file-mark {one.path}:exclude=true" for one, _ in found[:_MOST_MARKS])
        others = len(found) - 1
        more = (
            f", as {'are' if others > 1 else 'is'} {counted(others, 'other file')} of plait's tools" if others else ""
        )
        do = "move it to a directory that is no input, or leave it out"
        yield warning(
            f"this is {kind}, and it is printed as a document{more}; {do}: {flags}",
            code="foreign-document",
            at=Position(file.source, 1),
        )


def foreign_documents(files: Sequence[InputFile], printed: Sequence[DocumentFile], plain: Plain) -> Iterator[Warning]:
    """Warnings about Helm charts and kustomizations, which are printed as plain documents."""
    directories = {os.path.dirname(file.path) for file in files}
    paths = {os.path.normpath(file.path) for file in files}
    is_alone = all(os.path.basename(file.path) in KUSTOMIZATIONS for file in printed)
    kustomizations: list[InputFile] = []
    for file, documents in plain:
        directory, name = os.path.split(file.path)
        if name == CHART and os.path.join(directory, "templates") in directories:
            yield warning(
                "this is a Helm chart, and its files are printed as plain documents; helm template renders it",
                code="foreign-document",
                at=Position(file.source, 1),
            )
        if name in KUSTOMIZATIONS and _is_kustomization(documents):
            named = {os.path.normpath(os.path.join(directory, one)) for one in _names(documents)}
            # One that is given beside documents that it does not name may be meant as a document.
            if is_alone or file.in_directory or named & paths:
                kustomizations.append(file)
    if kustomizations:
        first, more = kustomizations[0], len(kustomizations) - 1
        subject = (
            f"this and {counted(more, 'other kustomization')} are printed as plain documents; kustomize build applies them"
            if more
            else "this is a kustomization, and it is printed as a plain document; kustomize build applies it"
        )
        marked = list(dict.fromkeys(one.path for one in kustomizations))
        flags = " ".join(f"--file-mark {path}:exclude=true" for path in marked[:_MOST_MARKS])
        which = "the first ones" if len(marked) > _MOST_MARKS else "them" if more else "it"
        yield warning(
            f"{subject}, and {flags} {'leaves' if len(marked) == 1 else 'leave'} {which} out",
            code="foreign-document",
            at=Position(first.source, 1),
        )


def _is_kustomization(documents: DocumentSet) -> bool:
    """True unless the file contains a resource of a controller, such as Flux's Kustomization."""
    tops = [document.value for document in documents.items]
    versions = [top.find("apiVersion") if type(top) is Map else None for top in tops]
    return all(one is None or str(one.value).startswith("kustomize.config.k8s.io/") for one in versions)


def _names(documents: DocumentSet) -> Iterator[str]:
    """The names of files in a kustomization: resources, components, patches."""
    for item in walk(documents):
        if type(item.value) is str and (type(item) is ArrayItem or (type(item) is MapItem and item.key == "path")):
            yield item.value
