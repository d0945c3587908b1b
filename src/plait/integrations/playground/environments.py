"""Compares environments: the differences between the outputs with each values file."""

from __future__ import annotations

from plait.base.errors import LimitError, PlaitError, UsageError
from plait.insight.explain import OVERRIDDEN, histories
from plait.insight.history_text import shown
from plait.integrations.playground import evaluation
from plait.integrations.playground.evaluation import contributing, short_name, span_of
from plait.tree.secrets import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from plait.engine.results import Documents
    from plait.insight.explain import History, HistoryEntry
    from plait.integrations.playground.evaluation import Fault, Request, Span

    class Cell(TypedDict):
        """A value in one environment. own: it is written in the environment's file. source: the source of the value, by
        `action`.
        """

        value: str
        action: str
        source: Span | None
        own: bool

    class Differing(TypedDict):
        """A value that differs between environments. name: its document and path, as in a history. cells: the cells of
        each environment; None if it is missing.
        """

        name: str
        document: str
        path: str
        cells: list[Cell | None]

    class Environment(TypedDict):
        name: str
        file: str
        errors: list[Fault]

    class Environments(TypedDict):
        """rows: the values that differ, or all. differing, equal: numbers of values that differ, and that are the same
        in all environments.
        """

        environments: list[Environment]
        rows: list[Differing]
        differing: int
        equal: int


_MOST_ENVIRONMENTS = 8


def environments(request: Request) -> Environments:
    """The differences between the outputs with each values file alone. Raises UsageError."""
    values = [file for file in request["files"] if file.get("role") == "values"]
    if len(values) < 2 or request["kind"] not in ("render", "patch"):
        raise UsageError(
            "no environments to compare",
            expected="at least two files of data values or variables, one for each environment",
            code="website-request",
        )
    if len(values) > _MOST_ENVIRONMENTS:
        raise UsageError(
            "there are too many environments", expected=f"at most {_MOST_ENVIRONMENTS}", code="website-request"
        )
    found: list[Environment] = []
    columns: list[dict[tuple[str, str], Cell]] = []
    for file in values:
        others = {one["name"] for one in values} - {file["name"]}
        alone: Request = {**request, "files": [one for one in request["files"] if one["name"] not in others]}
        try:
            columns.append(_cells(evaluation.documents_of(alone), file["name"]))
            errors: list[Fault] = []
        except LimitError:
            raise
        except PlaitError as failure:
            columns.append({})
            errors = evaluation.faults(failure)
        found.append({"name": short_name(file["name"]), "file": file["name"], "errors": errors})
    rows: list[Differing] = []
    differing = 0
    good = [number for number, one in enumerate(found) if not one["errors"]]
    places = [*dict.fromkeys(place for number in good for place in columns[number])]
    for place in places:
        cells = [column.get(place) for column in columns]
        differs = len({None if (cell := cells[number]) is None else cell["value"] for number in good}) > 1
        differing += differs
        if differs or request.get("all"):
            name = ":".join(part for part in place if part)
            rows.append({"name": name, "document": place[0], "path": place[1], "cells": cells})
    rows.sort(key=lambda row: next(number for number, place in enumerate(places) if place[0] == row["document"]))
    return {"environments": found, "rows": rows, "differing": differing, "equal": len(places) - differing}


def _cells(documents: Documents, file: str) -> dict[tuple[str, str], Cell]:
    assert documents.trace is not None
    found: dict[tuple[str, str], Cell] = {}
    for history in histories(documents.trace, documents.nodes.items):
        document, path = history.place.parts
        entry = _deciding(history, file)
        source = None if entry is None else span_of(entry.source, entry.line)
        found[document or "", path] = {
            "value": HIDDEN if history.secret else shown(history.value),
            "action": "" if entry is None else entry.action,
            "source": source,
            "own": source is not None and source["file"] == file,
        }
    return found


def _deciding(history: History, file: str) -> HistoryEntry | None:
    """The entry that explains a different value: that of the environment's file, or the innermost."""
    entry: HistoryEntry | None = None
    for one in contributing(history.standing()):
        if one.source is None or one.state == OVERRIDDEN:
            continue
        if one.source.shown == file:
            return one
        entry = one
    return entry
