"""`/revisions/{revision}/fleet` and `/runs`: the output of the project in a revision, and its differences between
revisions.
"""

from __future__ import annotations

from plait.base.text_diff import hunks
from plait.service.answers import Answer, answer
from plait.service.api_errors import ApiError, entries_of
from plait.service.documents import data_of, top_of
from plait.service.policy import LIST_CLEARTEXT, LIST_ENCRYPTED
from plait.service.project_files import SCHEMA
from plait.service.projects import Made
from plait.service.revision_store import existing, of_schema
from plait.service.route_arguments import PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.service.rendering import RenderedRevisionDocument
    from plait.service.revision_store import StoredDocument
    from plait.service.route_arguments import Call


def fleet(call: Call) -> Answer:
    """All runs of the project in a revision, each with the digest of its output, or its error. Raises ApiError."""
    runs, marker = call.page(_runs(call, call.path["revision"]), PAGE)
    return answer([_shown(one) for one in runs], marker=marker)


def output(call: Call) -> Answer:
    """The output of a run of the project, as `plait run` prints it. Raises ApiError."""
    name = call.path["run"]
    for one in _runs(call, call.path["revision"], only=name):
        if one.error:
            raise ApiError("RunFailed", 400, one.error, entries=entries_of(one.diagnostics))
        return Answer(one.text)
    raise ApiError("RunNotFound", 404, f"the project in this revision has no run {name}")


def compare(call: Call) -> Answer:
    """The differences between the runs' outputs in two revisions; with `diff=true` also by line. Raises ApiError."""
    shows = call.switch("diff", default=False)
    before = {one.name: one for one in _runs(call, call.path["revision"], or_zero=True)}
    after = {one.name: one for one in _runs(call, call.path["other"], or_zero=True)}
    found = []
    names, marker = call.page([*before, *(name for name in after if name not in before)], PAGE)
    for name in names:
        left, right = before.get(name), after.get(name)
        entry: dict[str, object] = {"name": name, "status": _status(left, right)}
        if right is not None and right.error:
            entry["error"] = right.error
            entry["diagnostics"] = [*right.diagnostics]
        elif shows and left is not None and right is not None and left != right:
            entry["diff"] = _diff(left, right)
        found.append(entry)
    return answer(found, marker=marker)


def _status(left: Made | None, right: Made | None) -> str:
    if right is None:
        return "deleted"
    if right.error:
        return "failed"
    if left is None:
        return "created"
    return "unmodified" if left == right else "modified"


def _diff(left: Made, right: Made) -> str:
    found = hunks(left.text, right.text, shorten=False)
    lines = [line for one in found for line in (one.header, *(f"{sign}{text}" for sign, text in one.lines))]
    return "".join(f"{line}\n" for line in lines)


def _shown(made: Made) -> dict[str, object]:
    if made.error:
        return {"name": made.name, "status": "failed", "error": made.error, "diagnostics": [*made.diagnostics]}
    found: dict[str, object] = {"name": made.name, "status": "rendered", "digest": f"sha256:{made.digest}"}
    return {**found, "diagnostics": [*made.diagnostics]} if made.diagnostics else found


def _runs(call: Call, revision: str, *, only: str | None = None, or_zero: bool = False) -> Sequence[Made]:
    """The runs of the project in a revision. only: the name of the only requested run. or_zero: accept 0, the empty
    state before the first revision.

    Raises ApiError.
    """
    call.identity.require(LIST_CLEARTEXT)
    service = call.service
    with service.database.reading() as connection:
        number = existing(connection, revision, or_zero=or_zero)
        if number == 0:
            return []
        documents = of_schema(connection, number, SCHEMA)
        hidden = service.flows.holders(connection, number)
        if any(one.entry.id in hidden for one in documents):
            call.identity.require(LIST_ENCRYPTED)
        shown: Sequence[StoredDocument | RenderedRevisionDocument] = documents
        if any(one.encrypted or one.entry.layer for one in documents):
            rendered = service.renderer.of_revision(
                connection, service.keys, number, cleartext=True, names_keys=call.identity.may(LIST_ENCRYPTED)
            )
            shown = [one for one in rendered.shown if one.entry.schema == SCHEMA]
    if not shown:
        raise ApiError("ProjectNotFound", 404, f"revision {number} has no files: documents of the schema {SCHEMA}")
    return service.projects.runs({one.entry.name: _text(one) for one in shown}, only)


def _text(one: StoredDocument | RenderedRevisionDocument) -> str:
    """The text of a file. Raises ApiError if substitutions have changed its type."""
    data = data_of(top_of(one.text))
    if not isinstance(data, str):
        raise ApiError("ProjectFailed", 400, f"the data of the file {one.entry.name} is not text when it is rendered")
    return data
