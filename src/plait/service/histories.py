"""Computes provenance of rendered documents in a worker process. Only the result is sent back."""

from __future__ import annotations

import json

from plait.api.explaining import explain
from plait.api.layering import layer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.engine.results import State


class HistoryPayload:
    """Plain data in the form in which workers send results."""

    def __init__(self, data: object) -> None:
        self._data = data

    def state(self) -> State:
        return {"text": json.dumps(self._data)}


def histories_of(texts: Mapping[str, str], path: str, *, like_deckhand: bool, cleartext: bool) -> HistoryPayload:
    """The histories of the values that a path selects. texts: the documents by their names in messages. Raises
    PlaitError.
    """
    documents = layer(dict(texts), like_deckhand=like_deckhand, cleartext_secrets=cleartext, trace=True)
    return HistoryPayload([history.to_dict() for history in explain(documents, path, cleartext_secrets=cleartext)])
