"""`/revisions/{a}/diff/{b}` and `/deepdiff/{b}`: changes of buckets, and of their rendered documents."""

from __future__ import annotations

from plait.nodes import to_plain
from plait.service.answers import Answer, answer
from plait.service.deepdiff import changes
from plait.service.documents import top_of
from plait.service.failures import Refusal
from plait.service.history import entries_of, existing
from plait.service.policy import SHOW_DEEPDIFF, SHOW_DIFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection

    from plait.service.calls import Call, Service
    from plait.service.history import Entry
    from plait.service.rendering import Shown


def diff(call: Call) -> Answer:
    """The changes of each bucket between two revisions, in any order. Raises Refusal."""
    call.identity.require(SHOW_DIFF)
    with call.service.database.reading() as connection:
        first, second = _revisions(call, connection)
        older, newer = (_by_bucket(entries_of(connection, one)) for one in sorted((first, second)))
    return answer(_compared(older, newer, from_nothing=0 in (first, second)))


def deep_diff(call: Call) -> Answer:
    """The same, including changes in rendered documents from the first revision to the second. Raises Refusal."""
    call.identity.require(SHOW_DEEPDIFF)
    service = call.service
    with service.database.reading() as connection:
        revisions = _revisions(call, connection)
        first, second = (_rendered(service, connection, one) for one in revisions)
    sides = [_by_bucket(one.entry for one in side) for side in (first, second)]
    older, newer = sides if revisions[0] <= revisions[1] else reversed(sides)
    result: dict[str, object] = dict(_compared(older, newer, from_nothing=0 in revisions))
    for bucket in [name for name, status in result.items() if status == _MODIFIED]:
        result[f"{bucket} diff"] = _bucket_changes(
            {one.identity: one for one in _documents(first, bucket)},
            {one.identity: one for one in _documents(second, bucket)},
        )
    return answer(result)


_CREATED, _DELETED, _MODIFIED, _UNMODIFIED = "created", "deleted", "modified", "unmodified"


def _revisions(call: Call, connection: Connection) -> tuple[int, int]:
    for name in ("revision", "other"):
        text = call.path[name]
        if not text.removeprefix("-").isdigit():
            raise Refusal("InvalidInputException", 400, f"a revision is an integer, not {text}")
    first, second = (existing(connection, call.path[name], or_zero=True) for name in ("revision", "other"))
    return first, second


def _rendered(service: Service, connection: Connection, revision: int) -> list[Shown]:
    """The rendered documents of a revision, with marks on all that may hold data of encrypted ones."""
    if not revision:
        return []
    hidden = service.flows.holders(connection, revision)
    documents = service.renderer.of_revision(connection, service.keys, revision, cleartext=False)
    return [one._replace(encrypted=one.encrypted or one.entry.id in hidden) for one in documents.shown]


def _by_bucket(entries: Iterable[Entry]) -> dict[str, set[tuple[tuple[str, str, str], str]]]:
    """The documents of each bucket: identity and digest."""
    found: dict[str, set[tuple[tuple[str, str, str], str]]] = {}
    for one in entries:
        found.setdefault(one.bucket, set()).add((one.identity, one.digest))
    return found


def _compared(older: Mapping[str, object], newer: Mapping[str, object], *, from_nothing: bool) -> dict[str, str]:
    """The change of each bucket. from_nothing: one side is the empty state before the first revision."""
    result = {}
    for bucket in sorted({*older, *newer}):
        if bucket not in older or from_nothing:
            result[bucket] = _CREATED
        elif bucket not in newer:
            result[bucket] = _DELETED
        else:
            result[bucket] = _UNMODIFIED if older[bucket] == newer[bucket] else _MODIFIED
    return result


class _Document:
    """A rendered document. identity: by which it is compared."""

    def __init__(self, shown: Shown) -> None:
        self.identity = (shown.entry.schema, shown.entry.name)
        self.digest = shown.entry.digest
        self.encrypted = shown.encrypted
        self._text = shown.text

    def part(self, key: str) -> object:
        item = top_of(self._text).find(key)
        return to_plain(item.value) if item is not None else None


def _documents(side: Iterable[Shown], bucket: str) -> list[_Document]:
    return [_Document(one) for one in side if one.entry.bucket == bucket]


def _bucket_changes(
    first: Mapping[tuple[str, str], _Document], second: Mapping[tuple[str, str], _Document]
) -> dict[str, object]:
    """The changes in a bucket."""
    result: dict[str, object] = {}
    for key, left, right in (("document_deleted", first, second), ("document_added", second, first)):
        only = sorted(identity for identity in left if identity not in right)
        if only:
            result[key] = {"count": len(only), "details": [list(identity) for identity in only]}
    details = {
        # The reference's key is how its language writes a pair.
        str(identity): _document_changes(before, second[identity])
        for identity, before in sorted(first.items())
        if identity in second and before.digest != second[identity].digest
    }
    if details:
        result["document_changed"] = {"count": len(details), "details": details}
    return result


def _document_changes(before: _Document, after: _Document) -> dict[str, object]:
    data: dict[str, object] = (
        {"encrypted": True} if before.encrypted or after.encrypted else changes(before.part("data"), after.part("data"))
    )
    return {"data_changed": data, "metadata_changed": changes(before.part("metadata"), after.part("metadata"))}
