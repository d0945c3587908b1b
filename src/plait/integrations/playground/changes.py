"""Finds changes to a value and fixes for errors. Evaluates each one and returns the resulting files."""

from __future__ import annotations

import json
import os

from plait.authoring.edit.edit_errors import OTHERWISE, EditError
from plait.authoring.edit.insertion import add_to_file, at
from plait.authoring.edit.origins import history_of
from plait.authoring.edit.public_functions import edited
from plait.authoring.edit.setting import EditSession
from plait.authoring.edit.target import Target
from plait.authoring.lsp import claims, code_actions
from plait.authoring.lsp.resource_schemas import find_faults
from plait.authoring.lsp.state import ServerState
from plait.authoring.project.run import Run
from plait.authoring.project.settings import options_of
from plait.base.errors import LimitError, PlaitError, UsageError, as_finding
from plait.base.limits import budget_scope_from
from plait.base.source import Source
from plait.engine.options import LISTS, Use
from plait.insight.diff import read
from plait.insight.node_paths import all_places
from plait.integrations.playground import evaluation
from plait.integrations.playground.evaluation import LIMITS, contributing, deciding
from plait.tree.nodes import equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypedDict

    from plait.authoring.edit.setting import Edit
    from plait.insight.explain import HistoryEntry
    from plait.insight.node_paths import NodePath
    from plait.integrations.playground.evaluation import File, Request
    from plait.tree.nodes import Value

    class Way(TypedDict):
        """An edit that changes a value. told: other changes, or the reason for no effect. files: after the edit."""

        place: str
        file: str
        line: int
        told: str
        works: bool
        files: list[File]

    class Ways(TypedDict):
        name: str
        ways: list[Way]

    class Mending(TypedDict):
        """A fix. accepts: the edit allows the reported construct. file, line: the file and line of the fault. files:
        after the fix.
        """

        title: str
        accepts: bool
        file: str
        line: int
        files: list[File]

    class Fixes(TypedDict):
        fixes: list[Mending]


_MOST_FIXES = 4
# The end of a range over all lines of a file.
_EVERY_LINE = 1 << 30


def ways(request: Request) -> Ways:
    """The possible edits of an output value, each evaluated. Raises PlaitError."""
    change = request["change"]
    with budget_scope_from(LIMITS):
        state = EditSession(Target(run_of(request)))
        place = _place(state, change["document"], change["path"])
        return {"name": str(place), "ways": [*_ways(state, place, change["text"])]}


def _place(state: EditSession, document: int, path: str) -> NodePath:
    for place in all_places(state.output.documents, {}, state.output.names):
        if place.number == document and place.path == path:
            return place
    raise UsageError("there is no such value in the output", found=path, code="website-request")


def _ways(state: EditSession, node_path: NodePath, typed: str) -> Iterator[Way]:
    documents = read([Source("the new value", typed)])
    if len(documents) != 1:
        raise UsageError("a value is one document", code="website-request")
    value = documents[0].value
    tried = set()
    try:
        edit = edited(state, node_path, value, typed.strip())
        if not edit.files:
            return
        where = edit.places[0] if edit.places else ""
        tried.add(where)
        yield _way(where, edit)
    except EditError:
        pass  # each candidate reports its reason
    history = history_of(state.output, node_path)
    decides = deciding(history)
    for entry in reversed([*contributing(history.entries)]):
        if entry.source is None or entry.line < 1 or entry.place in tried:
            continue
        tried.add(entry.place)
        try:
            yield _way(entry.place, at(state, node_path, value, entry.source.shown, entry.line))
        except UsageError:
            continue  # a line without a value
        except LimitError:
            raise
        except EditError as refused:
            yield _other_number(state, node_path, value, entry, refused) or _no_way(
                entry.place, _reason(refused, node_path, entry, decides)
            )
    name = {"render": "overlay.yml", "patch": "operations-more.yml"}.get(state.target.run.command)
    if name is not None:
        try:
            way = _way(name, add_to_file(state, node_path, value, name))
            yield {**way, "told": f"a new file; {way['told']}"}
        except LimitError:
            raise
        except PlaitError:
            return  # the file already exists, or cannot change the value


def _other_number(
    state: EditSession, node_path: NodePath, value: Value, entry: HistoryEntry, refused: EditError
) -> Way | None:
    """The edit of a line whose number contributes to the output's number, such as a factor. None if no whole number
    there gives the value.

    The number is computed from two outputs, with the value on the line and with its successor. The edit is evaluated
    like the others.
    """
    assert entry.source is not None
    got = refused.got
    if type(value) is not int or type(got) is not int or got == node_path.value:
        return None
    number = value + 1
    try:
        edit = at(state, node_path, value, entry.source.shown, entry.line, written=number)
    except UsageError:
        return None
    except EditError as also_refused:
        after = also_refused.got
        if type(after) is not int or after == got or (value - got) % (after - got):
            return None
        number = value + (value - got) // (after - got)
        try:
            edit = at(state, node_path, value, entry.source.shown, entry.line, written=number)
        except (EditError, UsageError):
            return None
    way = _way(entry.place, edit)
    way["told"] = f"becomes {number}; {way['told']}"
    return way


def _reason(refused: EditError, node_path: NodePath, entry: HistoryEntry, decides: HistoryEntry | None) -> str:
    """The reason why an edit has no effect: the line that decides, or the value that the output has instead."""
    if refused.reason != OTHERWISE or refused.is_secret:
        return refused.message
    if not equal(refused.got, node_path.value):
        return f"gives {refused.found}"
    if decides is None or decides is entry or decides.place == entry.place:
        return "changes nothing"
    return f"{os.path.basename(decides.place)} decides"


def _way(where: str, edit: Edit) -> Way:
    others = len(edit.also)
    told = "only this value" if not others else f"and {others} other value{'' if others == 1 else 's'}"
    return {**_no_way(where, told), "works": True, "files": _files(edit.texts)}


def _no_way(where: str, message: str) -> Way:
    file, _, line = where.rpartition(":")
    return {
        "place": where,
        "file": file or where,
        "line": int(line) if file else 1,
        "told": message,
        "works": False,
        "files": [],
    }


def _files(texts: Mapping[str, bytes]) -> list[File]:
    """Texts by absolute paths as files of the page."""
    top = os.getcwd()
    return [
        {"name": os.path.relpath(path, top).replace(os.sep, "/"), "text": data.decode("utf-8", "replace")}
        for path, data in texts.items()
    ]


def fixes(request: Request) -> Fixes:
    """The fixes that the language server offers for the errors of the files, each with the files after it.

    An error of one file may also be reported in another one, such as the nearest document of an overlay; it is fixed in
    its own file.
    """
    state = ServerState(lambda: None, find_faults)
    state.begin = lambda work: work()
    state.pause = None
    try:
        evaluation.documents_of(request)
        return {"fixes": []}
    except PlaitError as error:
        faults = error.findings or [as_finding(error)]
    for file in request["files"]:
        state.open(os.path.abspath(file["name"]), file["text"])
    found: list[Mending] = []
    for name in dict.fromkeys(
        one.at.source.shown for one in faults if one.at is not None and one.at.source is not None
    ):
        path = os.path.abspath(name)
        for problem, fix in code_actions.fixes(state, path, 1, _EVERY_LINE):
            if problem.severity == "error" and len(found) < _MOST_FIXES:
                files = _files(claims.edited(state, fix.edits, broken=True))
                place = {"file": name, "line": problem.span.line}
                found.append({"title": fix.title, "accepts": fix.accepts, **place, "files": files})  # type: ignore[typeddict-item]
    return {"fixes": found}


def project_text(request: Request) -> str:
    """The text of a project file whose only run is that of a request."""
    options = options_of(request["kind"])
    settings = {
        name: names if options[name].kind in LISTS else names[0] for name, names in _settings(request).items() if names
    }
    return json.dumps({"runs": {"playground": {request["kind"]: settings}}})


def _settings(request: Request) -> Mapping[str, Sequence[str]]:
    """The files of a request by the settings of its run, in the order of a command line."""
    files = [(file["name"], file.get("role") == "values") for file in request["files"]]
    inputs = [name for name, is_values in files if not is_values]
    values = [name for name, is_values in files if is_values]
    match request["kind"]:
        case "render":
            return {"files": inputs, "data-values-file": values}
        case "patch":
            return {"ops": inputs[1:], "vars-files": values, "base": inputs[:1]}
        case "layer":
            return {"files": [*inputs, *values]}
        case _:
            return {"file": [evaluation.PIPELINE]}


def run_of(request: Request) -> Run:
    """The run of a request, whose files are in the working directory."""
    options = options_of(request["kind"])
    uses = [Use(options[setting], name) for setting, names in _settings(request).items() for name in names]
    return Run("", request["kind"], (), None, "", None, uses=uses)
