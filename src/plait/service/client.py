"""A client of this service and of Deckhand's: each request is a method that returns plain data.

    client = Client("http://127.0.0.1:9000", token="...")
    client.put("site", open("site.yml").read())
    client.documents(1, name="shop")

All methods raise ServiceError for error responses, and if there is no response.
"""

from __future__ import annotations

import re
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from plait.base.errors import PlaitError, UsageError
from plait.service.project_files import documents_in
from plait.service.yaml_bodies import nodes_of, text_of
from plait.tree.nodes import to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FILTERS = {
    "schema": "schema",
    "name": "metadata.name",
    "layer": "metadata.layeringDefinition.layer",
    "abstract": "metadata.layeringDefinition.abstract",
    "label": "metadata.label",
    "bucket": "status.bucket",
    "sort": "sort",
    "order": "order",
    "limit": "limit",
    "cleartext_secrets": "cleartext-secrets",
}


class ServiceError(PlaitError):
    """An error response, or a missing response (status 0).

    status: HTTP status. kind: the name of the error, such as `DuplicateDocumentExists`. messages: all messages.
    """

    code = "service-error"

    def __init__(self, message: str, *, status: int = 0, kind: str = "", messages: Sequence[object] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.messages = list(messages)


class Client:
    """A service at a URL. token: identifies the client. timeout: seconds per response."""

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 120) -> None:
        """Raises UsageError for an address that is not an HTTP URL."""
        if not address.startswith(("http://", "https://")):
            raise UsageError(
                f'"{address}" is not an address of a service',
                expected="http://HOST:PORT or https://HOST",
                code="invalid-value",
            )
        self._root = f"{address.rstrip('/')}/api/v1.0"
        self._headers = {"Content-Type": "application/x-yaml", "Accept": "application/x-yaml"}
        if token is not None:
            self._headers |= {"Authorization": f"Bearer {token}", "X-Auth-Token": token}
        self._timeout = timeout

    def put(self, bucket: str, documents: str | Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
        """Replaces the content of a bucket by documents, YAML or plain data. Returns the stored documents."""
        text = documents if isinstance(documents, str) else text_of([dict(one) for one in documents])
        return _maps(self._ask("PUT", ["buckets", bucket, "documents"], text))

    def documents(self, revision: int, *, rendered: bool = True, **filters: object) -> list[dict[str, object]]:
        """The documents of a revision.

        filters: schema, name, layer, abstract, label (KEY=VALUE), bucket, sort, order, limit, cleartext_secrets; each a
        value or a list. Raises UsageError for an unknown filter.
        """
        for name in filters:
            if name not in _FILTERS:
                raise UsageError(f'unknown filter "{name}"', expected=", ".join(_FILTERS), code="unknown-choice")
        query = {_FILTERS[name]: value for name, value in filters.items()}
        what = "rendered-documents" if rendered else "documents"
        return _maps(self._ask("GET", ["revisions", revision, what], query=query))

    def revisions(self, *, tag: str | Sequence[str] = ()) -> list[dict[str, object]]:
        """All revisions, or those with one of the given tags."""
        return _results(self._ask("GET", ["revisions"], query={"tag": tag}))

    def revision(self, revision: int) -> dict[str, object]:
        """One revision."""
        return self._map("GET", ["revisions", revision])

    def diff(self, first: int, second: int) -> dict[str, object]:
        """The changes of each bucket between two revisions."""
        return self._map("GET", ["revisions", first, "diff", second])

    def deepdiff(self, first: int, second: int) -> dict[str, object]:
        """As `diff`, including changes in rendered documents."""
        return self._map("GET", ["revisions", first, "deepdiff", second])

    def put_files(self, bucket: str, directory: str) -> None:
        """Replaces the content of a bucket by the files of a project's directory. Raises PlaitError."""
        self._ask("PUT", ["buckets", bucket, "documents"], text_of(list(documents_in(directory))))

    def fleet(self, revision: int, other: int | None = None, *, diff: bool = False) -> list[dict[str, object]]:
        """Returns all runs of the project in a revision, or the runs that differ from the revision `other`.

        diff: include a line-by-line diff.
        """
        path = ["revisions", revision, "fleet", *([] if other is None else [other])]
        return [one for page in self._ask("GET", path, query={"diff": True} if diff else None) for one in _maps(page)]

    def run(self, revision: int, name: str) -> list[object]:
        """The output of a run of the project in a revision."""
        return self._ask("GET", ["revisions", revision, "runs", name])

    def rollback(self, revision: int) -> dict[str, object]:
        """Creates a revision with the documents of an earlier one."""
        return self._map("POST", ["rollback", revision])

    def delete_revisions(self) -> None:
        """Deletes all revisions."""
        self._ask("DELETE", ["revisions"])

    def tag(self, revision: int, tag: str, data: Mapping[str, object] | None = None) -> dict[str, object]:
        """Tags a revision. Returns the tag with its data."""
        return self._map("POST", ["revisions", revision, "tags", tag], text_of([dict(data)]) if data else "")

    def tags(self, revision: int) -> dict[str, object]:
        """The tags of a revision, with their data."""
        return self._map("GET", ["revisions", revision, "tags"])

    def delete_tag(self, revision: int, tag: str) -> None:
        """Deletes a tag."""
        self._ask("DELETE", ["revisions", revision, "tags", tag])

    def delete_tags(self, revision: int) -> None:
        """Deletes all tags of a revision."""
        self._ask("DELETE", ["revisions", revision, "tags"])

    def validate(
        self, revision: int, name: str, status: str, validator: Mapping[str, object], errors: Sequence[object] = ()
    ) -> None:
        """Reports a validation."""
        report = {"status": status, "validator": dict(validator), "errors": list(errors)}
        self._ask("POST", ["revisions", revision, "validations", name], text_of([report]))

    def validations(self, revision: int) -> list[dict[str, object]]:
        """All reports about a revision."""
        return _results(self._ask("GET", ["revisions", revision, "validations", "detail"]))

    def _map(
        self, method: str, path: Sequence[object], text: str = "", *, query: Mapping[str, object] | None = None
    ) -> dict[str, object]:
        found = _maps(self._ask(method, path, text, query=query))
        if len(found) != 1:
            raise ServiceError(f"the service answers {method} with {len(found)} documents")
        return found[0]

    def _ask(
        self, method: str, path: Sequence[object], text: str = "", *, query: Mapping[str, object] | None = None
    ) -> list[object]:
        """The documents of a response, from all pages unless the query has a limit."""
        found: list[object] = []
        marker: str | None = None
        while True:
            page, marker = self._page(method, path, text, {**(query or {}), **({"marker": marker} if marker else {})})
            found += page
            if marker is None or "limit" in (query or {}):
                return found

    def _page(
        self, method: str, path: Sequence[object], text: str, query: Mapping[str, object]
    ) -> tuple[list[object], str | None]:
        """The documents of a response, and the marker of the next page, or None."""
        url = "/".join([self._root, *(quote(str(part), safe="") for part in path)])
        pairs = [(name, _word(one)) for name, value in query.items() for one in _each(value)]
        url += f"?{urlencode(pairs)}" if pairs else ""
        request = Request(url, text.encode(), self._headers, method=method)  # noqa: S310 - an address of HTTP
        try:
            with _OPENER.open(request, timeout=self._timeout) as response:
                following = _MARKER.search(response.headers.get("Link") or "")
                data = response.read(_MOST_BYTES + 1)
        except HTTPError as error:
            with error:
                if 300 <= error.code < 400:
                    raise ServiceError(
                        f"{self._root} redirects to another address, to which the token is not sent", status=error.code
                    ) from None
                raise _error(error.code, error.read(_MOST_BYTES)) from None
        except (URLError, OSError) as error:
            reason = error.reason if isinstance(error, URLError) else error
            raise ServiceError(f"{self._root} does not answer: {reason}") from None
        if len(data) > _MOST_BYTES:
            raise ServiceError(f"an answer of {self._root} has more than {_MOST_BYTES >> 20} MiB")
        return _documents(data), following[1] if following else None


# Maximum size of one page.
_MOST_BYTES = 256 << 20


class _NoRedirects(HTTPRedirectHandler):
    """Makes a redirection an error, because the token is only for the service at this address."""

    def redirect_request(self, *_: object) -> None:
        """Follows no redirection."""


_OPENER = build_opener(_NoRedirects)
# The address in the header may differ from the client's, so only the marker is used.
_MARKER = re.compile(r'[?&]marker=(\d{1,9})>; rel="next"')


def _results(pages: Sequence[object]) -> list[dict[str, object]]:
    """The results of all pages of a list. Raises ServiceError."""
    maps = _maps(pages)
    if not maps:
        raise ServiceError("the service answers GET without a document")
    return [one for page in maps for one in _maps(page["results"])]


def _each(value: object) -> Sequence[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _documents(data: bytes) -> list[object]:
    try:
        documents = nodes_of(data.decode(), "answer").items
    except (PlaitError, UnicodeDecodeError):
        raise ServiceError("the answer is not YAML") from None
    return [to_plain(one.value) for one in documents if one.value is not None]


def _maps(found: object) -> list[dict[str, object]]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _error(status: int, data: bytes) -> ServiceError:
    found = _maps(_documents(data)) if data else []
    said = found[0] if found else {}
    details = said.get("details")
    details = details if isinstance(details, dict) else {}
    return ServiceError(
        f"{said.get('message', 'the service rejected the request')} (HTTP {status})",
        status=status,
        kind=str(details.get("errorType", "")),
        messages=details.get("messageList") or (),
    )
