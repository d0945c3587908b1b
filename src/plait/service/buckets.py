"""`PUT /buckets/{bucket}/documents`: replaces the content of a bucket."""

from __future__ import annotations

from typing import NamedTuple

from plait.service.answers import Answer
from plait.service.api_errors import ApiError, bad_request
from plait.service.documents import (
    content_of,
    data_of,
    digest_of,
    is_shown,
    stream,
    top_of,
    with_data,
)
from plait.service.encryption import keep, number_of, reference_of, secrets_of
from plait.service.policy import CREATE_CLEARTEXT, CREATE_ENCRYPTED, LIST_ENCRYPTED, USE_ENCRYPTED
from plait.service.revision_store import (
    POLICY,
    Content,
    NewDocument,
    RevisionDocument,
    add_revision,
    keep_contents,
    knows_bucket,
    newest,
    of_bucket,
    of_control,
    of_identities,
    text_of_digest,
    trust,
)
from plait.service.yaml_bodies import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from plait.service.encryption import EncryptedSecret
    from plait.service.parcels import Parcel
    from plait.service.route_arguments import Call
    from plait.tree.nodes import Map


class _IncomingDocument(NamedTuple):
    """A document of the request in its stored form."""

    identity: tuple[str, str, str]
    content: Content


def put(call: Call) -> Answer:
    """Replaces the content of a bucket by the documents of the request. Raises ApiError."""
    call.identity.require(CREATE_CLEARTEXT)
    bucket = call.name("bucket")
    documents = call.service.reader.parcels(call.body)
    if any(document.is_secret for document in documents):
        call.identity.require(CREATE_ENCRYPTED)
    _refuse_twice(bucket, documents)
    made: list[int] = []

    def work(connection: Connection) -> Answer:
        newest_before = newest(connection)
        before = {one.identity: one for one in of_bucket(connection, bucket)}
        elsewhere = of_identities(connection, (one.identity for one in documents if one.identity not in before))
        _refuse_conflicts(connection, bucket, documents, elsewhere)
        kept = _keep(call, connection, documents, before)
        wanted = {one.identity: one.content.digest for one in kept}
        if any(one.encrypted and wanted.get(one.identity) != one.digest for one in before.values()):
            # The permission to create encrypted documents is also required to remove or replace them.
            call.identity.require(CREATE_ENCRYPTED)
        revision, entries = _changed(connection, bucket, kept, before, trusted=call.identity.may(USE_ENCRYPTED))
        call.service.flows.check(connection, call.identity)
        if revision > newest_before:
            made.append(revision)
        return _answered(call, bucket, revision, entries, kept)

    shown = call.commit(work)
    if made:
        call.service.telemetry.count("plait.revisions", how="put")
    return shown


def _answered(
    call: Call, bucket: str, revision: int, entries: Sequence[RevisionDocument], kept: Sequence[_IncomingDocument]
) -> Answer:
    texts = {one.identity: one.content.text for one in kept}
    shown = [(entry, texts[entry.identity]) for entry in entries if is_shown(entry)]
    if shown:
        return Answer(call.spooled(stream(shown, revision)))
    return Answer(text_of([{"status": {"bucket": bucket, "revision": revision}}]) if revision else "")


def _changed(
    connection: Connection,
    bucket: str,
    kept: Sequence[_IncomingDocument],
    had: dict[tuple[str, str, str], RevisionDocument],
    *,
    trusted: bool,
) -> tuple[int, list[RevisionDocument]]:
    """Adds a revision if anything changed. Returns the newest revision, and the entries of the request in its order.

    had: the previous entries of the bucket. trusted: the writer may read secrets.
    """
    wanted = {one.identity: one.content.digest for one in kept}
    gone = [one for one in had.values() if wanted.get(one.identity) != one.digest]
    new = [
        NewDocument(bucket, one.identity, one.content.digest, trusted, one.content.kind)
        for one in kept
        if (there := had.get(one.identity)) is None or there.digest != one.content.digest
    ]
    if trusted:
        trust(connection, (had[one.identity] for one in kept if one.identity in had))
    if gone or new:
        changed = {one.identity for one in new}
        keep_contents(connection, [one.content for one in kept if one.identity in changed])
        revision, added = add_revision(connection, [bucket], gone, new)
        had = had | {one.identity: one for one in added}
    else:
        revision = newest(connection) if kept or knows_bucket(connection, bucket) else 0
    return revision, [had[one.identity] for one in kept]


def _refuse_twice(bucket: str, documents: Iterable[Parcel]) -> None:
    seen = set()
    for document in documents:
        if document.identity in seen:
            raise _exists(document, bucket)
        seen.add(document.identity)


def _refuse_conflicts(
    connection: Connection, bucket: str, documents: Sequence[Parcel], elsewhere: Iterable[RevisionDocument]
) -> None:
    """Raises ApiError for a document that another bucket contains, and for a second policy."""
    others = {one.identity: one.bucket for one in elsewhere if one.bucket != bucket}
    for document in documents:
        if document.identity in others:
            raise _exists(document, others[document.identity])
    policies = [one for one in documents if one.control == POLICY]
    if not policies:
        return
    there = [one.identity for one in of_control(connection, POLICY)]
    known = set(there) or {one.identity for one in policies[:1]}
    for document in policies:
        if document.identity not in known:
            schema, _, name = there[0] if there else policies[0].identity
            raise ApiError(
                "SingletonDocumentConflict",
                409,
                f"there is one policy: {document.label} cannot be added to [{schema}] {name}, which must be deleted first",
            )


def _exists(document: Parcel, bucket: str) -> ApiError:
    return ApiError("DuplicateDocumentExists", 409, f"document {document.label} is in bucket {bucket} already")


def _keep(
    call: Call,
    connection: Connection,
    documents: Sequence[Parcel],
    before: Mapping[tuple[str, str, str], RevisionDocument],
) -> list[_IncomingDocument]:
    """The documents in their stored form. The data of encrypted ones is encrypted and stored."""
    kept: list[_IncomingDocument] = []
    sealed: list[EncryptedSecret] = []
    for document in documents:
        identity = document.identity
        if not document.is_secret:
            kept.append(_IncomingDocument(identity, document.content))
            continue
        top = top_of(document.text)
        there = before.get(identity)
        content = _unchanged(call, connection, top, document, there)
        if content is None:
            if not call.service.keys:
                raise ApiError(
                    "SecretNotStored",
                    400,
                    f"document {document.label} is to be encrypted, and this service was given no keys",
                )
            secret = call.service.keys.seal(document.data)
            sealed.append(secret)
            content = content_of(with_data(top, reference_of(call.service.address, secret)), encrypted=True)
        kept.append(_IncomingDocument(identity, content))
    keep(connection, sealed)
    return kept


def _unchanged(
    call: Call, connection: Connection, top: Map, document: Parcel, there: RevisionDocument | None
) -> Content | None:
    """The content to store for an encrypted document whose data is a reference, or None. top: the document without its
    data.

    It is the stored content if the document is unchanged. Raises ApiError for a reference to another document's secret.
    """
    stored = text_of_digest(connection, there.digest) if there is not None else None
    reference = data_of(top_of(stored)) if stored is not None and there is not None and there.encrypted else None
    if document.reference is not None:
        number = number_of(document.reference)
        if number is not None and document.reference != reference and secrets_of(connection, [number]):
            raise bad_request(f"document {document.label} has the reference of another document's secret as its data")
        return content_of(with_data(top, document.reference), encrypted=True)
    if not call.identity.may(LIST_ENCRYPTED):
        return None  # an "unchanged" response would confirm a guess
    known = number_of(reference)
    secret = secrets_of(connection, [known]).get(known) if known is not None else None
    if stored is None or secret is None:
        return None
    same = digest_of(with_data(top_of(stored), call.service.keys.open(secret))) == document.digest
    return content_of(top_of(stored), encrypted=True) if same else None
