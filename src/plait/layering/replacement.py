"""Documents that replace their parents (docs/reference/layering.md).

`metadata.replacement: true` makes a document the replacement of its parent, which must have the same schema and name
and not be a replacement itself. Otherwise each (schema, name) must be unique.
"""

from __future__ import annotations

from plait.layering.failures import failure, raise_all
from plait.layering.parents import unmatched_selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import LayeringError
    from plait.layering.document import LayeredDocument
    from plait.layering.parents import LabelIndex


def mark_replacements(documents: Sequence[LayeredDocument], index: LabelIndex) -> None:
    """Sets `replaced_by` of every replaced document. index: for hints. Raises LayeringError
    (InvalidDocumentReplacement).
    """
    failures: list[LayeringError] = []
    unmarked: dict[tuple[str, str], list[LayeredDocument]] = {}
    for document in documents:
        if document.replacement:
            _replace(document, failures, index)
            continue
        parent = document.parent
        if parent is not None and parent.name == document.name and parent.schema == document.schema:
            failures.append(
                _invalid(
                    document,
                    f"{document} has the schema and name of its parent without being its replacement",
                    [parent],
                    hint="add `replacement: true` to its metadata, or give it another name",
                )
            )
        elif not document.control:
            unmarked.setdefault((document.schema, document.name), []).append(document)
    for same in unmarked.values():
        if len(same) > 1:
            same.sort(key=lambda one: one.layer or "")
            others = ", ".join(str(document) for document in same)
            failures.append(
                _invalid(
                    same[-1],
                    f"more than one document with this schema and name, none a replacement: {others}",
                    same[:-1],
                    hint="if two documents have the same schema and name, one must be a child of the other with `replacement: true`",
                )
            )
    raise_all(failures)


def _replace(document: LayeredDocument, failures: list[LayeringError], index: LabelIndex) -> None:
    parent = document.parent
    if parent is None and document.selector is not None:
        unmatched = unmatched_selector(document, index)
        failures.append(
            failure(
                "InvalidDocumentReplacement",
                f"replacement {document} has no parent to replace: no document has the labels of its parentSelector",
                at=unmatched.at,
                expected=unmatched.expected,
                hint=unmatched.hint or "correct the labels: those of the document that it replaces",
            )
        )
    elif parent is None:
        failures.append(
            _invalid(
                document,
                f"replacement {document} has no parent to replace",
                [],
                hint="add a parentSelector with labels of a document in a higher layer with the same schema and name, "
                "or remove replacement: true",
            )
        )
    elif parent.name != document.name or parent.schema != document.schema:
        failures.append(
            _invalid(
                document,
                f"replacement {document} does not have the schema and name of its parent {parent}",
                [parent],
                hint=f"a replacement has the schema {parent.schema} and the name {parent.name}, or remove replacement: true",
            )
        )
    elif parent.replacement:
        failures.append(_invalid(document, f"{document} replaces {parent}, which is a replacement itself", [parent]))
    elif parent.replaced_by is not None:
        first, second = sorted((parent.replaced_by, document), key=str)
        failures.append(
            _invalid(
                second,
                f"two replacements of {parent}: {first} and {second}",
                [first, parent],
                hint="a document can have only one replacement: remove one of them",
            )
        )
    else:
        parent.replaced_by = document


def _invalid(
    document: LayeredDocument, message: str, others: Sequence[LayeredDocument], hint: str | None = None
) -> LayeringError:
    at = document.place("replacement") if document.replacement else document.position
    return failure(
        "InvalidDocumentReplacement",
        message,
        at=at,
        also=[other.position.labelled("the other document") for other in others],
        hint=hint,
    )
