"""Posts a review as the one comment of a pull request on GitHub, or of a merge request on GitLab, and updates it later.

A comment is found by a mark at its beginning and by its author: anyone who may comment could write the mark.
"""

from __future__ import annotations

import json
import re

from plait.base.content import source, variable
from plait.base.errors import ReadError, UsageError
from plait.base.http import fetched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Comments in one answer, and the number of answers that are read.
_PAGE = 100
_MOST_PAGES = 200
_SECONDS = 30.0
_LARGEST_ANSWER = 64 << 20
# The maximum of a comment on GitHub, in characters.
_LARGEST_COMMENT = 65_536
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)

CREATED, UPDATED, UNCHANGED, FORK = "created", "updated", "unchanged", "fork"


def mark_of(name: str) -> str:
    """The first line of a comment, which is not visible. name: the name of the review in the repository."""
    return f"<!-- plait review: {name} -->"


def post(service: str, text: str, name: str) -> str:
    """Posts a comment with a text, or updates the one that was posted before. The address, the request and the token
    are in environment variables of the job.

    service: "github" or "gitlab". name: distinguishes reviews of one repository. Returns CREATED, UPDATED, UNCHANGED,
    or FORK, without a request, for a pull request from a fork, whose token may not comment. Raises UsageError if a
    variable is missing or invalid, ReadError if a request fails.
    """
    body = f"{mark_of(name)}\n{text}"
    if len(body) > _LARGEST_COMMENT:
        raise UsageError(
            "the comment is too long",
            expected=f"at most {_LARGEST_COMMENT} characters",
            found=str(len(body)),
            hint="plait review -o markdown leaves out what does not fit",
            code="invalid-value",
        )
    target = _github() if service == "github" else _gitlab()
    if target is None:
        return FORK
    for comment in target.comments():
        old = _at(comment, "body")
        if isinstance(old, str) and old.startswith(mark_of(name)) and target.is_own(comment):
            if old.replace("\r\n", "\n").rstrip() == body.rstrip():
                return UNCHANGED
            target.ask(f"{target.edited}/{_number(_at(comment, 'id'))}", target.update, {"body": body})
            return UPDATED
    target.ask(target.listed, "POST", {"body": body})
    return CREATED


class _Target:
    """The comments of one pull request or merge request.

    listed: the URL of the list. edited: the URL before the number of a comment. update: the method that changes one.
    user: the URL of the user whom the token belongs to, the data to send there, and the keys of the identity in the
    answer. otherwise: the identity if that request fails. keys: the keys of the author in a comment, and of their
    identity. headers: with the token. hint: for a request that fails.
    """

    def __init__(
        self,
        listed: str,
        edited: str,
        update: str,
        user: tuple[str, object, tuple[str, ...]],
        otherwise: str,
        keys: tuple[str, str],
        headers: Mapping[str, str],
        hint: str,
    ) -> None:
        self.listed = listed
        self.edited = edited
        self.update = update
        self._user = user
        self._otherwise = otherwise
        self._keys = keys
        self._headers = headers
        self._hint = hint
        self._own: object = None

    def ask(self, url: str, method: str = "GET", data: object = None) -> object:
        """The answer to a request. Raises ReadError."""
        body = None if data is None else json.dumps(data).encode()
        headers = {**self._headers, "Content-Type": "application/json", "User-Agent": "plait"}
        try:
            # A redirect would send the token elsewhere.
            answer = fetched(
                url,
                seconds=_SECONDS,
                maximum=_LARGEST_ANSWER,
                redirects=False,
                body=body,
                headers=headers,
                method=method,
            )
            found: object = json.loads(answer)
        except TimeoutError:
            raise ReadError(f"no answer within {_SECONDS:.0f} seconds from {url}", code="url-not-fetched") from None
        except ValueError:
            raise ReadError(f"the answer of {url} is not JSON", code="url-not-fetched") from None
        except ReadError as error:
            error.hint = error.hint or self._hint
            raise
        return found

    def comments(self) -> Iterator[object]:
        """All comments. Raises ReadError."""
        for page in range(1, _MOST_PAGES + 1):
            found = self.ask(f"{self.listed}?per_page={_PAGE}&page={page}")
            if not isinstance(found, list):
                raise ReadError(f"the answer of {self.listed} is not a list", code="url-not-fetched")
            yield from found
            if len(found) < _PAGE:
                return

    def is_own(self, comment: object) -> bool:
        """True if the user of this token wrote the comment. Another application may have copied the mark."""
        if self._own is None:
            url, data, keys = self._user
            try:
                self._own = _at(self.ask(url, "GET" if data is None else "POST", data), *keys) or self._otherwise
            except ReadError:
                self._own = self._otherwise
        return _at(comment, *self._keys) == self._own


def _github() -> _Target | None:
    repository = _needed("GITHUB_REPOSITORY")
    if not _REPOSITORY.fullmatch(repository):
        raise _invalid("GITHUB_REPOSITORY", repository, "OWNER/REPOSITORY")
    path = _needed("GITHUB_EVENT_PATH")
    try:
        event: object = json.loads(source(path).text)
    except ValueError:
        raise _invalid("GITHUB_EVENT_PATH", path, "a file with JSON") from None
    request = _at(event, "pull_request")
    if request is None:
        raise _invalid("GITHUB_EVENT_PATH", path, "the event of a pull request")
    if _at(request, "head", "repo", "full_name") != repository:
        return None
    api = f"{_address('GITHUB_API_URL')}/repos/{repository}/issues"
    return _Target(
        f"{api}/{_number(_at(request, 'number'))}/comments",
        f"{api}/comments",
        "PATCH",
        # The token of a job may not read /user.
        (_address("GITHUB_GRAPHQL_URL"), {"query": "{viewer{login}}"}, ("data", "viewer", "login")),
        "github-actions[bot]",
        ("user", "login"),
        {"Authorization": f"Bearer {_needed('GITHUB_TOKEN')}", "Accept": "application/vnd.github+json"},
        "the job needs permissions: {pull-requests: write}",
    )


def _gitlab() -> _Target | None:
    project = _number(_needed("CI_MERGE_REQUEST_PROJECT_ID"))
    if _number(_needed("CI_MERGE_REQUEST_SOURCE_PROJECT_ID")) != project:
        return None
    request = _number(_needed("CI_MERGE_REQUEST_IID"))
    notes = f"{_address('CI_API_V4_URL')}/projects/{project}/merge_requests/{request}/notes"
    return _Target(
        notes,
        notes,
        "PUT",
        (f"{_address('CI_API_V4_URL')}/user", None, ("id",)),
        "",
        ("author", "id"),
        {"PRIVATE-TOKEN": _needed("PLAIT_GITLAB_TOKEN")},
        "PLAIT_GITLAB_TOKEN needs the scope api",
    )


def _needed(name: str) -> str:
    """An environment variable. Raises UsageError."""
    found = variable(name)
    if not found:
        raise UsageError(
            f"the environment variable {name} is not set",
            expected="a job for a pull request or a merge request",
            hint="plait ci init github|gitlab writes one",
            code="missing-argument",
        )
    return found


def _address(name: str) -> str:
    found = _needed(name).rstrip("/")
    if not found.startswith(("https://", "http://")):
        raise _invalid(name, found, "a URL")
    return found


def _number(value: object) -> str:
    """A number as it is in a URL. Raises UsageError."""
    text = str(value)
    if not (text.isascii() and text.isdigit()):
        raise UsageError(
            "the number of a comment or a request has other characters than digits", found=text, code="invalid-value"
        )
    return text


def _invalid(name: str, found: str, expected: str) -> UsageError:
    return UsageError(f"invalid environment variable {name}", expected=expected, found=found, code="invalid-value")


def _at(value: object, *keys: str) -> object:
    """The value at keys of nested JSON objects; None if there is none."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
