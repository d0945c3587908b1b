"""`GET /revisions/{revision}/documents` and `/rendered-documents`."""

from __future__ import annotations

from plait.service.answers import Answer
from plait.service.documents import is_shown, redacted, stream
from plait.service.filters import chosen, selected
from plait.service.policy import LIST_CLEARTEXT, LIST_ENCRYPTED
from plait.service.revision_store import existing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.service.route_arguments import Call


def raw(call: Call) -> Answer:
    """The documents of a revision as stored. Raises ApiError."""
    call.identity.require(LIST_CLEARTEXT)
    cleartext = call.switch("cleartext-secrets", default=True)
    with call.service.database.reading() as connection:
        revision = existing(connection, call.path["revision"])
        found = selected(call, connection, revision, encrypted=call.identity.may(LIST_ENCRYPTED))
        texts = ((one.entry, redacted(one.text) if one.encrypted and not cleartext else one.text) for one in found)
        return Answer(call.spooled(stream(texts)), marker=found.marker)


def rendered(call: Call) -> Answer:
    """The rendered documents of a revision. Raises ApiError."""
    call.identity.require(LIST_CLEARTEXT)
    shows_all = call.identity.may(LIST_ENCRYPTED)
    # Clients without access to secrets do not see values computed from them.
    cleartext = call.switch("cleartext-secrets", default=True) and shows_all
    with call.service.database.reading() as connection:
        revision = existing(connection, call.path["revision"])
        documents = call.service.renderer.of_revision(connection, call.service.keys, revision, cleartext=cleartext)
        hidden = frozenset() if shows_all else call.service.flows.holders(connection, revision)
    names = call.parameters("metadata.name")
    found, marker = chosen(
        call,
        documents.named(names) if names else documents.shown,
        lambda one: is_shown(one.entry) and (shows_all or not (one.encrypted or one.entry.id in hidden)),
    )
    return Answer(call.spooled(stream((one.entry, one.text) for one in found)), marker=marker)
