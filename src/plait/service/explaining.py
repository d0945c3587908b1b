"""`GET /revisions/{revision}/explain`: histories of values of rendered documents."""

from __future__ import annotations

from plait.service.answers import Answer, answer
from plait.service.api_errors import bad_request
from plait.service.policy import LIST_CLEARTEXT, LIST_ENCRYPTED
from plait.service.revision_store import existing, has_secrets
from plait.service.route_arguments import PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.service.route_arguments import Call


def explain(call: Call) -> Answer:
    """The histories of the values that the parameter `path` selects, in the format of `plait explain -o json`. Raises
    ApiError.

    Secret values are hidden unless `cleartext-secrets=true` is given.
    """
    call.identity.require(LIST_CLEARTEXT)
    path = call.parameter("path")
    if path is None:
        raise bad_request("name a value with the parameter path, such as path=NAME:key.inner")
    cleartext = call.switch("cleartext-secrets", default=False)
    service = call.service
    with service.database.reading() as connection:
        revision = existing(connection, call.path["revision"])
        if has_secrets(connection, revision):
            call.identity.require(LIST_ENCRYPTED)
        found = service.renderer.histories(connection, service.keys, revision, path, cleartext=cleartext)
    histories, marker = call.page(found, PAGE)
    return answer(histories, marker=marker)
