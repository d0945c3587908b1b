"""Parses the documents of requests into their stored form.

A large body is parsed in a worker process, one per processor at a time: nodes take about twenty times the memory of
their text, and only the end of a process frees all of it.
"""

from __future__ import annotations

import json
import os
import threading
from typing import NamedTuple

from plait.api.workers import call_in_worker
from plait.base.limits import current_budget
from plait.layering.secrets import is_empty
from plait.service.api_errors import ApiError
from plait.service.documents import checked, completed, control_of, digest_of, identity_of, with_data
from plait.service.encryption import number_of
from plait.service.facts import facts_of, labels_of
from plait.service.histories import HistoryPayload
from plait.service.revision_store import Content, Kind
from plait.service.yaml_bodies import documents_of_body, text_of_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.layering.document import LayeredDocument
    from plait.service.spool import Body

# Maximum size in bytes of a body that is parsed in this process.
_SMALL = 64 << 10


class Parcel(NamedTuple):
    """A document of a request.

    label: its name in messages. digest, text: the digest and text of the stored document, with null in place of secret
    data. data: the text of the secret data. reference: the data, if it refers to a secret. abstract, control, facts,
    labels: its columns.
    """

    schema: str
    layer: str
    name: str
    label: str
    is_secret: bool
    digest: str
    text: str
    data: str
    reference: str | None
    abstract: bool
    control: int
    facts: str
    labels: dict[str, str]

    @property
    def identity(self) -> tuple[str, str, str]:
        """The identity of the document in the tables."""
        return self.schema, self.layer, self.name

    @property
    def content(self) -> Content:
        """The stored content of a document that is not secret."""
        return Content(
            self.digest, Kind(abstract=self.abstract, control=self.control), self.text, self.facts, self.labels
        )


class Reader:
    """Parses bodies. limits: the limits of each."""

    def __init__(self, limits: Mapping[str, float]) -> None:
        self._limits = dict(limits)
        self._room = threading.BoundedSemaphore(os.cpu_count() or 1)

    def parcels(self, body: Body) -> list[Parcel]:
        """The documents of a body. Raises ApiError, LimitError."""
        if body.size <= _SMALL:
            return _parcels(body.read())
        body.finish()
        given = {"body": body.read()} if body.path is None else {"path": body.path, "size": body.size}
        with body.held(), self._room:
            reply = call_in_worker(f"{__name__}.read", {**given, "limits": self._limits})
        found = json.loads(reply["text"])
        if "refusal" in found:
            raise ApiError(**found["refusal"])
        return [Parcel(*one) for one in found["parcels"]]


def read(body: bytes = b"", path: str = "", size: int = 0) -> HistoryPayload:
    """Parses a body in a worker. Returns its documents or the error. path: the path of a temporary file with the body.

    Raises LimitError, OSError.
    """
    current_budget().take(size or len(body))
    if path:
        with open(path, "rb") as file:
            body = file.read()
    try:
        return HistoryPayload({"parcels": _parcels(body)})
    except ApiError as refusal:
        return HistoryPayload({"refusal": refusal.parts()})


def _parcels(body: bytes) -> list[Parcel]:
    return [_parcel(document) for document in checked(documents_of_body(body))]


def _parcel(document: LayeredDocument) -> Parcel:
    top = completed(document)
    digest = digest_of(top)
    is_secret = document.encrypted and not is_empty(document.data)
    reference = str(document.data) if is_secret and number_of(document.data) is not None else None
    data = text_of_nodes(document.data) if is_secret and reference is None else ""
    text = text_of_nodes(with_data(top, None) if is_secret else top)
    schema, layer, name = identity_of(document)
    return Parcel(
        schema,
        layer,
        name,
        str(document),
        is_secret,
        digest,
        text,
        data,
        reference,
        document.abstract,
        control_of(document.schema),
        facts_of(document).text(),
        labels_of(document),
    )
