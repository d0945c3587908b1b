"""Fetches the data of Deckhand's encrypted documents from Barbican, and encrypts it with the service's own keys.

A document contains the address of a secret instead of its data. Deckhand stores data as the base64 of its Python form;
secrets stored by other programs are text.
"""

from __future__ import annotations

import ast
import base64
import binascii
import json
from typing import NamedTuple

from plait.base.content import source
from plait.base.errors import PlaitError, UsageError
from plait.base.http import fetched
from plait.service.documents import data_of, top_of, with_data
from plait.service.encryption import keep, number_of, reference_of
from plait.service.yaml_bodies import nodes_of_plain, text_of_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    from plait.service.encryption import KeyRing
    from plait.service.transfer import DocumentRecord, RevisionRecord

# Maximum seconds and bytes of one response.
_BOUND = 30.0
_MOST = 4 << 20


class Barbican(NamedTuple):
    """The address of Barbican, and a Keystone token for it."""

    address: str
    token: str

    def data(self, number: str) -> object:
        """The data of a secret. Raises PlaitError."""
        try:
            about = json.loads(self._get(f"/v1/secrets/{number}", "application/json"))
            kind = about["content_types"]["default"] if about.get("content_types") else "text/plain"
            payload = self._get(f"/v1/secrets/{number}/payload", kind)
            if about.get("secret_type") != "opaque":
                return payload.decode()
            return ast.literal_eval(base64.b64decode(payload, validate=True).decode())
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            SyntaxError,
            RecursionError,
            MemoryError,
            binascii.Error,
        ):
            raise PlaitError(
                f"secret {number} is not in the form in which Deckhand stores data", code="service-error"
            ) from None

    def _get(self, path: str, kind: str) -> bytes:
        headers = {"X-Auth-Token": self.token, "Accept": kind}
        try:
            data = fetched(self.address + path, seconds=_BOUND, maximum=_MOST, redirects=False, headers=headers)
        except TimeoutError:
            raise PlaitError(f"Barbican has not answered within {_BOUND:g} seconds", code="service-error") from None
        if len(data) > _MOST:
            raise PlaitError(f"{path} has more than {_MOST} bytes", code="service-error")
        return data


def barbican_at(address: str, token_file: str) -> Barbican:
    """Barbican at a URL. token_file: contains the token. Raises UsageError for an invalid URL or token; ReadError."""
    if not address.startswith(("http://", "https://")):
        raise UsageError(
            f'"{address}" is not an address of Barbican', expected="--barbican https://HOST:PORT", code="invalid-value"
        )
    if not token_file:
        raise UsageError("Barbican requires a token", expected="--barbican-token FILE", code="missing-argument")
    token = source(token_file).text.strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise UsageError(f"{token_file} contains no token", code="service-settings")
    return Barbican(address.rstrip("/"), token)


def with_secrets(
    connection: Connection, steps: Iterable[RevisionRecord], barbican: Barbican, keys: KeyRing, address: str
) -> Iterator[RevisionRecord]:
    """The revisions, with their secrets encrypted and stored. address: URL of the service for clients.

    Raises PlaitError that names the document whose secret is not available.
    """
    known: dict[str, str] = {}

    def sealed(document_record: DocumentRecord) -> DocumentRecord:
        top = top_of(document_record.text)
        number = number_of(data_of(top)) if document_record.encrypted else None
        if number is None:
            return document_record
        if number not in known:
            try:
                secret = keys.seal(text_of_nodes(nodes_of_plain(barbican.data(number))))
            except PlaitError as error:
                schema, layer, name = document_record.identity
                told = f"[{schema}, {layer}] {name}" if layer else f"[{schema}] {name}"
                raise error.within(f"in the secret of document {told}") from None
            keep(connection, [secret])
            known[number] = reference_of(address, secret)
        return document_record._replace(text=text_of_nodes(with_data(top, nodes_of_plain(known[number]))))

    for step in steps:
        yield step._replace(new=[sealed(one) for one in step.new])
