"""The files of a render. Documents or a pattern declare their paths (`plait.yaml.output_paths`)."""

from __future__ import annotations

from plait.base.errors import TemplateError, warning
from plait.base.extensions import OUTPUT_FILE
from plait.tree.annotations import FILE, placing
from plait.tree.nodes import kind_name, walk
from plait.yaml.output_paths import PathReservations, called, check_path, said
from plait.ytt.overlay.apply import is_overlay
from plait.ytt.workspace.render_job import DocumentFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.errors import Warn
    from plait.tree.context import Context
    from plait.tree.nodes import DocumentSet
    from plait.ytt.workspace.render_job import RenderOptions, TextFile

# Overlays with these actions insert their own document; others change documents that have a path.
_PUT_IN = ("overlay/append", "overlay/insert", "overlay/replace")


def written(
    files: Sequence[DocumentFile],
    texts: Sequence[TextFile],
    options: RenderOptions,
    context: Context,
    warn: Warn,
) -> list[DocumentFile]:
    """The files of the documents: by their own path, else by the pattern, else by their template.

    A template without remaining documents creates no file. Raises UsageError for a path outside the output directory,
    and for two files with one path.
    """
    by = options.output_by
    is_taken = OUTPUT_FILE in options.extensions
    if not is_taken:
        for one in (placing(document.annotations) for file in files for document in file.documents.items):
            if one is not None:
                message = f"@{FILE} has no effect without --with {OUTPUT_FILE}"
                warn(warning(message, code="extension-not-enabled", at=one.position))
        if by is None:
            return [*files]
    claims = PathReservations()
    for text in texts:
        claims.take(text.path, f"the text file {text.path}", None)
    out: list[DocumentFile] = []
    for file in files:
        # Documents of this template that may share a file.
        shared: dict[str, DocumentFile] = {}
        for document in file.documents.items:
            path, is_shared = file.path, True
            own = placing(document.annotations) if is_taken else None
            if own is not None:
                change = None if context.trace is None else context.trace.changes.get(document)
                check_path(context.secrets, document, *(() if change is None else change.because))
                path, is_shared = said(own), False
            elif by is not None:
                check_path(context.secrets, document, *by.items(document))
                path, is_shared = by.path(document, file.path), by.shares
            if is_shared and path in shared:
                shared[path].documents.items.append(document)
                continue
            claims.take(path, called(document), document.position)
            out.append(DocumentFile(path, file.order, file.documents.with_items([document])))
            if is_shared:
                shared[path] = out[-1]
    return out


def check_placed(documents: Iterable[DocumentSet]) -> None:
    """Raises TemplateError for a misplaced `@output/file`: below a document, or on a document merged into others."""
    for document in (document for found in documents for document in found.items):
        own = placing(document.annotations)
        if (
            own is not None
            and is_overlay(document)
            and not any(name in (document.annotations or ()) for name in _PUT_IN)
        ):
            raise TemplateError(
                f"@{FILE} on a document that is merged into others",
                at=own.position,
                hint=f"write @{FILE} above those documents",
                code="misplaced-annotation",
            )
        for item in walk(document.value):
            own = placing(item.annotations)
            if own is not None:
                raise TemplateError(
                    f"@{FILE} on {kind_name(item)}",
                    at=own.position,
                    expected="a document",
                    hint=f"write #@{FILE} above a ---",
                    code="misplaced-annotation",
                )
