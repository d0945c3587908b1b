"""`/revisions/{revision}/validations`: reported results about a revision, and their evaluation by its policies.

A ValidationPolicy names validations. A missing report of these counts as failed, other reports are ignored, and a
success older than the policy allows has expired.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from sqlalchemy import func, insert, select

from plait.service.answers import Answer, answer
from plait.service.api_errors import ApiError, bad_request, check_name
from plait.service.documents import top_of
from plait.service.policy import CREATE_VALIDATION, LIST_VALIDATIONS, SHOW_VALIDATION
from plait.service.revision_store import existing, now, validation_policies
from plait.service.room import check_room
from plait.service.route_arguments import LARGEST_PAGE
from plait.service.tables import VALIDATIONS
from plait.service.yaml_bodies import text_of, value_of, value_of_body
from plait.tree.nodes import Map, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from plait.service.route_arguments import Call

# Maximum number of policies in a message, of names in each, and of characters in a name.
_TOLD, _LONG = 10, 80
FAILURE, SUCCESS, EXPIRED = "failure", "success", "expired"


class ValidationPolicy(NamedTuple):
    """The requirements of a ValidationPolicy: how long a success of each validation is valid; None for no limit."""

    name: str
    demands: dict[str, str | None]

    def __str__(self) -> str:
        """The policy in messages, shortened."""
        shown = [name if len(name) <= _LONG else f"{name[:_LONG]}..." for name in islice(self.demands, _TOLD)]
        more = [f"and {len(self.demands) - _TOLD} more"] if len(self.demands) > _TOLD else []
        return f"{self.name}: {', '.join([*shown, *more])}"


class ValidationResult(NamedTuple):
    """One report, or the placeholder of a missing one."""

    name: str
    status: str
    created_at: str | None
    expires_after: str | None
    errors: list[object]

    def shown(self) -> dict[str, object]:
        return {
            "createdAt": self.created_at,
            "errors": self.errors,
            "expiresAfter": self.expires_after,
            "name": self.name,
            "status": self.status,
        }


def create(call: Call) -> Answer:
    """Stores a report. Raises ApiError."""
    call.identity.require(CREATE_VALIDATION)
    name = call.name("validation")
    given = value_of_body(call.body)
    if given is None:
        raise bad_request("the body must not be empty")
    if not isinstance(given, dict) or not given.get("status") or not given.get("validator"):
        raise bad_request('a validation must be a map with "status" and "validator"')
    status, errors = given["status"], given.get("errors") or []
    if not isinstance(status, str) or not isinstance(errors, list):
        raise bad_request("the status of a validation must be a string, and its errors a list")
    check_name(status, "a status")
    row: dict[str, object] = {
        "name": name,
        "status": status,
        "created_at": now(),
        "details": text_of(
            [{"validator": given["validator"], "errors": errors, "expiresAfter": given.get("expiresAfter")}]
        ),
    }

    def work(connection: Connection) -> Answer:
        row["revision"] = revision = existing(connection, call.path["revision"])
        size = len(str(row["details"]))
        check_room(connection, VALIDATIONS.c.revision, VALIDATIONS.c.details, revision, size, "the reports about")
        row["id"] = (connection.execute(select(func.max(VALIDATIONS.c.id))).scalar() or 0) + 1
        connection.execute(insert(VALIDATIONS), [row])
        return answer({"status": status, "validator": given["validator"]}, 201)

    return call.commit(work)


def list_all(call: Call) -> Answer:
    """Each validation with its worst reported status. Raises ApiError."""
    found: dict[str, str] = {}
    for entry in _entries(call):
        found[entry.name] = min(entry.status, found.get(entry.name, entry.status), key=_badness)
    results = [{"name": name, "status": found[name]} for name in sorted(found)]
    return _listed(call, results)


def _listed(call: Call, results: Sequence[object]) -> Answer:
    page, marker = call.page(results, LARGEST_PAGE, limits=False)
    return answer({"count": len(page), "results": page}, marker=marker)


def _badness(status: str) -> tuple[int, str]:
    """The sort key of statuses, the worst first."""
    return {FAILURE: 0, EXPIRED: 1}.get(status, 2), status


def detail(call: Call) -> Answer:
    """Every report in full. Raises ApiError."""
    results = [{"id": number} | entry.shown() for number, entry in enumerate(_entries(call))]
    return _listed(call, results)


def list_entries(call: Call) -> Answer:
    """The reports of one validation. Raises ApiError."""
    results = [{"id": number, "status": entry.status} for number, entry in enumerate(_named(call, _entries(call)))]
    return _listed(call, results)


def show_entry(call: Call) -> Answer:
    """One report. Raises ApiError."""
    text, name = call.path["entry"], call.path["validation"]
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) >= _DIGITS:
        call.identity.require(SHOW_VALIDATION)
        raise bad_request("the number of an entry must be an integer")
    entries = _named(call, _entries(call, SHOW_VALIDATION))
    if not 0 <= int(text) < len(entries):
        raise ApiError(
            "ValidationNotFound", 404, f"revision {call.path['revision']} has no entry {text} of validation {name}"
        )
    return answer(entries[int(text)].shown())


_DIGITS = 10


def _named(call: Call, entries: list[ValidationResult]) -> list[ValidationResult]:
    return [entry for entry in entries if entry.name == call.path["validation"]]


def _entries(call: Call, action: str = LIST_VALIDATIONS) -> list[ValidationResult]:
    call.identity.require(action)
    with call.service.database.reading() as connection:
        return entries_of(connection, existing(connection, call.path["revision"]))


def entries_of(connection: Connection, revision: int) -> list[ValidationResult]:
    """All validation results of a revision, with the status that its policies assign. Missing validations are
    included.
    """
    policies = _policies(connection, revision)
    demands: dict[str, str | None] = {}
    for policy in policies:
        for name, after in policy.demands.items():
            if demands.get(name) is None:
                demands[name] = after
    rows = connection.execute(
        select(VALIDATIONS).where(VALIDATIONS.c.revision == revision).order_by(VALIDATIONS.c.id)
    ).all()
    entries = []
    told: list[object] = []
    for row in rows:
        details = value_of(row.details)
        assert isinstance(details, dict)
        after = details["expiresAfter"] or demands.get(row.name)
        entry = ValidationResult(row.name, row.status, row.created_at, after, details["errors"])
        if policies and row.name not in demands:
            told = told or _ignoring(policies)
            entry = entry._replace(status=f"ignored [{entry.status}]", errors=entry.errors + told)
        elif entry.status == SUCCESS and after is not None and is_expired(row.created_at, after, now()):
            entry = entry._replace(status=EXPIRED)
        entries.append(entry)
    reported = {entry.name for entry in entries}
    return entries + [_missing(name, after) for name, after in demands.items() if name not in reported]


def _ignoring(policies: list[ValidationPolicy]) -> list[object]:
    """The reasons for ignoring a report."""
    return [
        {"message": f"this result is ignored: it is not required by the validation policy {policy}"}
        for policy in policies[:_TOLD]
    ]


def _missing(name: str, after: str | None) -> ValidationResult:
    told: list[object] = [{"message": "this was never reported, which counts as a failure"}]
    return ValidationResult(name, FAILURE, None, after, told)


def statuses(connection: Connection, revision: int) -> list[tuple[str, str]]:
    """The validation policies of a revision, each with its outcome."""
    policies = _policies(connection, revision)
    if not policies:
        return []
    worst: dict[str, str] = {}
    for entry in entries_of(connection, revision):
        worst[entry.name] = min(entry.status, worst.get(entry.name, entry.status), key=_badness)
    return [
        (policy.name, SUCCESS if all(worst[name] == SUCCESS for name in policy.demands) else FAILURE)
        for policy in policies
    ]


def _policies(connection: Connection, revision: int) -> list[ValidationPolicy]:
    found = []
    for one in validation_policies(connection, revision):
        item = top_of(one.text).find("data")
        data = to_plain(item.value) if item is not None and type(item.value) is Map else None
        found.append(ValidationPolicy(one.entry.name, _demands(data)))
    return found


def _demands(data: object) -> dict[str, str | None]:
    validations = data.get("validations") if isinstance(data, dict) else None
    return {
        one["name"]: one["expiresAfter"] if isinstance(one.get("expiresAfter"), str) else None
        for one in (validations if isinstance(validations, list) else ())
        if isinstance(one, dict) and isinstance(one.get("name"), str)
    }


_DURATION = re.compile(
    r"P(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?"
    r"(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,6})?)S)?)?",
    re.ASCII,
)
# Seconds in a year, a month, a week and so on.
_UNITS = (365 * 86400, 30 * 86400, 7 * 86400, 86400, 3600, 60, 1)


def is_expired(created_at: str, after: str, at: str) -> bool:
    """True if more time than an ISO 8601 duration has passed. An invalid duration never expires."""
    found = _DURATION.fullmatch(after)
    if found is None or after.endswith(("P", "T")):
        return False
    seconds = sum(float(part or 0) * unit for part, unit in zip(found.groups(), _UNITS, strict=True))
    age = datetime.fromisoformat(at) - datetime.fromisoformat(created_at)
    return age > timedelta(seconds=min(seconds, _FAR))


_FAR = 1e12
