"""Renders documents in a worker process, and returns each with the documents that it needed."""

from __future__ import annotations

from plait.base.errors import LimitError
from plait.base.limits import current_budget
from plait.layering.dataschema import check_data
from plait.layering.document import LayeredDocument, read_documents
from plait.layering.job import LayerJob
from plait.layering.rendering import LayeringOptions, plan, render_plan, written
from plait.service.histories import HistoryPayload
from plait.service.yaml_bodies import nodes_of
from plait.tree.context import Context
from plait.tree.nodes import DocumentSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypedDict

    class Reply(TypedDict):
        """documents: number of the input, true for a secret, text. needs: by input, the numbers of the inputs that it
        needs.
        """

        documents: list[tuple[int, bool, str]]
        needs: list[tuple[int, list[int]]]


def layered(
    names: Sequence[str], texts: Sequence[str], *, like_deckhand: bool, cleartext: bool, names_keys: bool
) -> HistoryPayload:
    """The rendered documents of some texts, each with one document. names: the names of the texts in messages.
    names_keys: messages may name keys in the data of secret documents.

    Raises PlaitError.
    """
    options = LayeringOptions(like_deckhand=like_deckhand, cleartext_secrets=cleartext)
    context = Context()
    # The memory limit grows with the size of the inputs.
    current_budget().take(sum(map(len, texts)))
    sets = [nodes_of(text, name) for name, text in zip(names, texts, strict=True)]
    planned = plan(read_documents(sets), options, context)
    try:
        rendered = render_plan(planned, options, context)
    except RecursionError:
        raise LimitError("rendered documents are nested too deeply") from None
    check_data(rendered, planned.documents, names_keys=names_keys, counts=True)
    documents = []
    for document, node in zip(rendered, written(rendered, cleartext_secrets=cleartext).items, strict=True):
        text = LayerJob.text(DocumentSet([node]))
        documents.append(
            (document.order, LayeredDocument(node, 0).encrypted, text if text.endswith("\n") else f"{text}\n")
        )
    needs = [(one.order, [other.order for other in others]) for one, others in planned.needs.items()]
    return HistoryPayload({"documents": documents, "needs": needs})
