"""Every question of the playground's page: the output (`evaluation`), its steps, environments side by side, a value changed, errors fixed, a command line read.

A request is as `evaluation` describes it, and the answer is plain data. All that is offered has been evaluated: a fix or a change
that does not do what it says is not among the answers.
"""

from __future__ import annotations

import json
import os
import shlex
from difflib import SequenceMatcher
from itertools import groupby

from plait.engine.options import LISTS, SWITCH, Use
from plait.errors import LimitError, PlaitError, UsageError, as_finding
from plait.project.settings import options_of
from plait.website import evaluation
from plait.website.evaluation import KINDS, LIMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypedDict

    from plait.edit.setting import Edit, State
    from plait.engine.options import Option
    from plait.engine.results import Documents
    from plait.nodes import Document
    from plait.project.run import Run
    from plait.tools.explain import Entry, History
    from plait.tools.paths import Place
    from plait.website.evaluation import File, Request, Span

    class Row(TypedDict):
        """A line of a step. sign: " ", "+" or "-". line: its number; None of a line that is gone. source: of one that is new."""

        sign: str
        text: str
        line: int | None
        source: Span | None

    class Step(TypedDict):
        """name, kind: what the step is called, and what it does. source: where it is written. changed: how many lines."""

        name: str
        kind: str
        source: Span | None
        rows: list[Row]
        changed: int

    class Gone(TypedDict):
        """Lines that a step took out. before: the line of the output that they stood before. by: the step."""

        before: int
        texts: list[str]
        by: str
        source: Span | None

    class Steps(TypedDict):
        steps: list[Step]
        gone: list[Gone]

    class Cell(TypedDict):
        """A value in one environment. own: it is written in the file of the environment. source: what decided it, by `action`."""

        value: str
        action: str
        source: Span | None
        own: bool

    class Differing(TypedDict):
        """A value that is not the same in all environments. cells: of each environment; None where it is not there."""

        document: str
        path: str
        cells: list[Cell | None]

    class Environment(TypedDict):
        name: str
        file: str
        error: str

    class Environments(TypedDict):
        """equal: how many values are the same in all."""

        environments: list[Environment]
        rows: list[Differing]
        equal: int

    class Way(TypedDict):
        """A place where a value can be changed. told: what else that changes, or why it has no effect. files: after the change."""

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
        """A fix. file, line: of what it mends. files: after it."""

        title: str
        file: str
        line: int
        files: list[File]

    class Fixes(TypedDict):
        fixes: list[Mending]

    class Commanded(TypedDict):
        """A command line as it was read. paths: of the files that it names, with their roles. left: words that the page has no place for."""

        kind: str
        paths: list[tuple[str, str]]
        left: list[str]


_VALUES = "merged"
_MOST_STEPS = 12
_MOST_FIXES = 4
_MOST_ENVIRONMENTS = 8


def evaluate(request: Request) -> Mapping[str, object]:
    """The answer to a request: that of its question, or an Answer. Raises UsageError for a request that is not valid."""
    asked = request.get("ask") if isinstance(request, dict) else None
    if asked is None:
        return evaluation.evaluate(request)
    evaluation.check(request)
    try:
        return _ANSWERS[asked](request)
    except PlaitError as error:
        return evaluation.failed(error)


def lay_out(request: Request) -> None:
    """Write the files of a request to the working directory, if the answer reads them there by name. Raises UsageError."""
    from plait.writing import strict

    evaluation.check(request)
    asked = request.get("ask")
    if request["kind"] != "compose" and asked not in ("change", "fixes"):
        return
    files = {file["name"]: file["text"] for file in request["files"]}
    if asked == "fixes" and evaluation.PIPELINE not in files:
        files[evaluation.PIPELINE] = _project(request)
    for path, text in files.items():
        above, name = os.path.split(path)
        with strict(above, os.curdir, make=0o700) as directory:
            directory.create(name, [text.encode()], new_mode=0o600)


def respond(text: str) -> str:
    """The answer to a request, both JSON, in a process that does nothing else: in a browser. An invalid request is `refused`."""
    from contextlib import chdir

    from plait.writing import temporary

    request = json.loads(text)
    with temporary("plait-") as place, chdir(place.real):
        try:
            lay_out(request)
            return json.dumps(evaluate(request))
        except UsageError as error:
            return json.dumps({"refused": str(error)})


# ---- steps


class _Stage:
    """Documents on their way to the output. made: by which run. by: where the step stands that made them."""

    __slots__ = ("by", "documents", "kind", "made", "name")

    def __init__(
        self, name: str, kind: str, made: Documents, documents: Sequence[Document], by: Span | None = None
    ) -> None:
        self.name = name
        self.kind = kind
        self.made = made
        self.documents = documents
        self.by = by


def steps(request: Request) -> Steps:
    """The steps that led to the output, each with its changes. Raises PlaitError."""
    documents = evaluation.documents_of(request)
    if documents.trace is not None and documents.trace.secrets:
        raise UsageError("a run with secrets does not show its steps", code="website-request")
    stages = _merged([*_stages(request, documents)])
    output = documents.to_yaml().splitlines()
    texts = [_text_of(stage) for stage in stages]
    found: list[Step] = []
    gone: list[Gone] = []
    before: list[str] = []
    for number, (stage, after) in enumerate(zip(stages, texts, strict=True)):
        # Of data values a template is not another version.
        is_first = not number or stages[number - 1].kind == _VALUES
        rows, taken = _compared(before, after, _sources_of(stage), is_first=is_first)
        changed = sum(row["sign"] == "+" for row in rows) + sum(map(len, (lines for _, lines in taken)))
        found.append({"name": stage.name, "kind": stage.kind, "source": stage.by, "rows": rows, "changed": changed})
        if taken:
            gone += _gone(stage, stages[number - 1], taken, output)
        before = after
    return {"steps": found, "gone": gone}


def _stages(request: Request, documents: Documents) -> Iterator[_Stage]:
    trace = documents.trace
    assert trace is not None
    if request["kind"] == "patch":
        yield from _of_operations(documents)
    elif request["kind"] == "layer":
        yield from _of_layers(documents)
    else:
        for stage in trace.stages:
            kind = {"data values": _VALUES, "templates": "render"}.get(stage.name, "step")
            yield _Stage(stage.name, kind, documents, stage.documents)
        if request["kind"] == "render":
            yield from _of_overlays(request, documents)
    yield _Stage("output", "result", documents, documents.nodes.items)


def _of_overlays(request: Request, documents: Documents) -> Iterator[_Stage]:
    """The output with the overlays of the first file alone, then with those of one more each time."""
    assert documents.trace is not None
    names = [*dict.fromkeys(one.source.shown for one in documents.trace.matches if one.source is not None)]
    for number, name in enumerate(names, 1):
        left = set(names[number:])
        some: Request = {**request, "files": [file for file in request["files"] if file["name"] not in left]}
        try:
            made = evaluation.documents_of(some) if left else documents
        except LimitError:
            raise
        except PlaitError:
            continue  # another file needs this one, or its overlays need a later one
        yield _Stage(_short(name), "overlay", made, made.nodes.items, {"file": name, "line": 1})


def _of_operations(documents: Documents) -> Iterator[_Stage]:
    trace = documents.trace
    assert trace is not None
    for number, effect in enumerate(trace.effects):
        if not number:
            yield _Stage("base", "given", documents, [effect.before])
        if effect.after is not None:
            at = _span_of(effect.by.source, effect.by.line)
            name, _, path = effect.by.action.partition(" ")
            yield _Stage(
                _short(at["file"]) if at else name, effect.by.action if path else name, documents, [effect.after], at
            )


def _of_layers(documents: Documents) -> Iterator[_Stage]:
    """Each document as it was written, then with one action or substitution more each time."""
    trace = documents.trace
    assert trace is not None
    now = {(one.source, one.line): one for one in documents.nodes.items}
    effects = [one for one in trace.effects if one.after is not None and (one.before.source, one.before.line) in now]
    for effect in reversed(effects):
        now[effect.before.source, effect.before.line] = effect.before
    yield _Stage("documents", "given", documents, [*now.values()])
    for effect in effects:
        assert effect.after is not None
        now[effect.before.source, effect.before.line] = effect.after
        at = _span_of(effect.by.source, effect.by.line)
        yield _Stage(_short(at["file"]) if at else "layering", effect.by.action, documents, [*now.values()], at)


def _merged(stages: Sequence[_Stage]) -> list[_Stage]:
    """Stages without those that change nothing; where there are many, those of one file are one."""
    from plait.edit.target import same

    found: list[_Stage] = []
    for stage in stages:
        if not found or found[-1].kind == _VALUES or not same(found[-1].documents, stage.documents):
            found.append(stage)
    if len(found) > _MOST_STEPS:
        files = [None if one.by is None else one.by["file"] for one in found]
        found = [
            one
            for number, one in enumerate(found)
            if files[number] is None or files[number] not in files[number + 1 : number + 2]
        ]
    return [*found[: _MOST_STEPS - 1], found[-1]] if len(found) > _MOST_STEPS else found


def _text_of(stage: _Stage) -> list[str]:
    from plait.engine.results import text_like

    return text_like(stage.made, stage.made.nodes.with_items([*stage.documents])).splitlines()


def _sources_of(stage: _Stage) -> dict[int, Span]:
    """The origins of the values of a stage, by line."""
    from plait.engine.results import text_like

    found: dict[int, Span] = {}
    nodes = stage.made.nodes.with_items([*stage.documents])
    for one in evaluation.mappings_of(stage.made, nodes, text_like(stage.made, nodes)):
        if "source" in one:
            found.setdefault(one["line"], {"file": one["source"]["file"], "line": one["source"]["line"]})
    return found


def _compared(
    before: Sequence[str], after: Sequence[str], sources: Mapping[int, Span], *, is_first: bool
) -> tuple[list[Row], list[tuple[int, Sequence[str]]]]:
    """The lines of a step, and those among the former ones, with their places, that nothing took the place of."""
    rows: list[Row] = []
    taken: list[tuple[int, Sequence[str]]] = []
    if is_first:
        return [{"sign": " ", "text": text, "line": number, "source": None} for number, text in enumerate(after, 1)], []
    for tag, first, last, begin, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag in ("delete", "replace"):
            keys = {_key(text) for text in after[begin:end]}
            runs = groupby(range(first, last), lambda number, keys=keys: _key(before[number]) in keys)  # type: ignore[misc]
            taken += [
                (one[0], [before[number] for number in one]) for found, run in runs if not found and (one := [*run])
            ]
        if tag in ("delete", "replace"):
            rows += [{"sign": "-", "text": text, "line": None, "source": None} for text in before[first:last]]
        sign = " " if tag == "equal" else "+"
        for number in range(begin, end):
            source = None if sign == " " else sources.get(number + 1)
            rows.append({"sign": sign, "text": after[number], "line": number + 1, "source": source})
    return rows, taken


def _key(text: str) -> str:
    """The key and the indentation of a line of YAML, which its replacement shares."""
    return text.partition(":")[0]


def _gone(
    stage: _Stage, before: _Stage, taken: Iterable[tuple[int, Sequence[str]]], output: Sequence[str]
) -> Iterator[Gone]:
    """The positions in the output of lines that a step removed, and the line that removed them, if it is recorded."""
    old = _text_of(before)
    blocks = SequenceMatcher(None, old, output, autojunk=False).get_matching_blocks()
    trace = stage.made.trace
    removals = (
        {}
        if trace is None
        else {
            (item.source.shown, item.line): change for item, change in trace.removals.items() if item.source is not None
        }
    )
    sources = _sources_of(before)
    for first, texts in taken:
        behind = first + len(texts)
        place = next((b + max(0, behind - a) for a, b, size in blocks if a + size > behind or not size), len(output))
        if all(text in output[place - 1 : place + len(texts)] for text in texts):
            continue  # a later step has put them back
        start = max((b + size for a, b, size in blocks if a + size <= first), default=0)
        # Behind the line that it stood behind, which may be another one now.
        key = _key(old[first - 1]) if first else None
        place = next((number + 1 for number in range(start, place) if _key(output[number]) == key), place)
        sourced = (sources[line] for line in range(first + 1, behind + 1) if line in sources)
        changes = (removals.get((one["file"], one["line"])) for one in sourced)
        change = next((one for one in changes if one is not None), None)
        by = stage.by if change is None else _span_of(change.source, change.line) or stage.by
        yield {"before": place + 1, "texts": [*texts], "by": stage.name, "source": by}


def _short(name: str) -> str:
    return os.path.splitext(os.path.basename(name))[0]


def _span_of(source: object, line: int) -> Span | None:
    from plait.source import Source

    return {"file": source.shown, "line": line} if isinstance(source, Source) and line > 0 else None


# ---- environments


def environments(request: Request) -> Environments:
    """The differences between the outputs with each file of values alone. Raises UsageError."""
    values = [file for file in request["files"] if file.get("role") == "values"]
    if len(values) < 2 or request["kind"] not in ("render", "patch"):
        raise UsageError(
            "there are no environments",
            expected="two files of data values or variables, each of an environment",
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
            error = ""
        except LimitError:
            raise
        except PlaitError as failure:
            columns.append({})
            error = failure.message
        found.append({"name": _short(file["name"]), "file": file["name"], "error": error})
    rows: list[Differing] = []
    good = [number for number, one in enumerate(found) if not one["error"]]
    places = [*dict.fromkeys(place for number in good for place in columns[number])]
    for place in places:
        cells = [column.get(place) for column in columns]
        if len({None if (cell := cells[number]) is None else cell["value"] for number in good}) > 1:
            rows.append({"document": place[0], "path": place[1], "cells": cells})
    rows.sort(key=lambda row: next(number for number, place in enumerate(places) if place[0] == row["document"]))
    return {"environments": found, "rows": rows, "equal": len(places) - len(rows)}


def _cells(documents: Documents, file: str) -> dict[tuple[str, str], Cell]:
    from plait.secrets import HIDDEN
    from plait.tools.explain import histories
    from plait.tools.telling import shown

    assert documents.trace is not None
    found: dict[tuple[str, str], Cell] = {}
    for history in histories(documents.trace, documents.nodes.items):
        document, path = history.place.parts
        entry = _deciding(history, file)
        source = None if entry is None else _span_of(entry.source, entry.line)
        found[document or "", path] = {
            "value": HIDDEN if history.secret else shown(history.value),
            "action": "" if entry is None else entry.action,
            "source": source,
            "own": source is not None and source["file"] == file,
        }
    return found


def _deciding(history: History, file: str) -> Entry | None:
    """The entry that tells why a value is another one in one environment: that of the environment's file, or the innermost."""
    from plait.tools.explain import LOST

    entry: Entry | None = None
    for one in _inner(history.standing()):
        if one.source is None or one.state == LOST:
            continue
        if one.source.shown == file:
            return one
        entry = one
    return entry


def _inner(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Entries with what they were made of; not what an overlay was written in and matched by."""
    for entry in entries:
        if entry.action not in evaluation.STRUCTURAL:
            yield entry
            yield from _inner(entry.origins)


# ---- changes


def ways(request: Request) -> Ways:
    """The places where a value of the output can be changed, each tried. Raises PlaitError."""
    from plait.edit.setting import State
    from plait.edit.target import Target
    from plait.limits import limited_to

    change = request["change"]
    with limited_to(LIMITS):
        state = State(Target(run_of(request)))
        place = _place(state, change["document"], change["path"])
        return {"name": str(place), "ways": [*_ways(state, place, change["text"])]}


def _place(state: State, document: int, path: str) -> Place:
    from plait.tools.paths import all_places

    for place in all_places(state.output.documents, {}, state.output.names):
        if place.number == document and place.path == path:
            return place
    raise UsageError("there is no such value in the output", found=path, code="website-request")


def _ways(state: State, place: Place, typed: str) -> Iterator[Way]:
    from plait.edit.elsewhere import at, in_file
    from plait.edit.origins import history_of
    from plait.edit.refusal import OTHERWISE, Refused
    from plait.edit.values import edited
    from plait.source import Source
    from plait.tools.diff import read

    documents = read([Source("the new value", typed)])
    if len(documents) != 1:
        raise UsageError("a value is one document", code="website-request")
    value = documents[0].value
    tried = set()
    try:
        edit = edited(state, place, value, typed.strip())
        if not edit.files:
            return
        where = edit.places[0] if edit.places else ""
        tried.add(where)
        yield _way(where, edit)
    except Refused:
        pass  # the places themselves say why
    for entry in reversed([*_inner(history_of(state.output, place).entries)]):
        if entry.source is None or entry.line < 1 or entry.place in tried:
            continue
        tried.add(entry.place)
        try:
            yield _way(entry.place, at(state, place, value, entry.source.shown, entry.line))
        except UsageError:
            continue  # a line without a value
        except LimitError:
            raise
        except Refused as refused:
            yield _no_way(entry.place, "another line decides" if refused.reason == OTHERWISE else refused.message)
    name = {"render": "overlay.yml", "patch": "operations-more.yml"}.get(state.target.run.command)
    if name is not None:
        try:
            yield _way(name, in_file(state, place, value, name))
        except LimitError:
            raise
        except PlaitError:
            return  # such a file is there, or the value is not one that it could change


def _way(where: str, edit: Edit) -> Way:
    others = len(edit.also)
    told = "only this value" if not others else f"and {others} other value{'' if others == 1 else 's'}"
    return {**_no_way(where, told), "works": True, "files": _files(edit.texts)}


def _no_way(where: str, told: str) -> Way:
    file, _, line = where.rpartition(":")
    return {
        "place": where,
        "file": file or where,
        "line": int(line) if file else 1,
        "told": told,
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


# ---- fixes


def fixes(request: Request) -> Fixes:
    """The fixes that the language server offers for the errors of the files, each with the files after it.

    An error of one file may be reported in another one, too, such as the nearest document of an overlay; it is fixed in
    its own file.
    """
    from plait.lsp import actions, claims
    from plait.lsp.state import State

    state = State(lambda: None)
    state.begin = lambda work: work()
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
        for problem, fix in actions.fixes(state, path, 1, EVERY_LINE):
            if problem.severity == "error" and len(found) < _MOST_FIXES:
                files = _files(claims.edited(state, fix.edits, broken=True))
                found.append({"title": fix.title, "file": name, "line": problem.span.line, "files": files})
    return {"fixes": found}


EVERY_LINE = 1 << 30


def _project(request: Request) -> str:
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
    from plait.project.run import Run

    options = options_of(request["kind"])
    uses = [Use(options[setting], name) for setting, names in _settings(request).items() for name in names]
    return Run("", request["kind"], (), None, "", None, uses=uses)


# ---- command lines


# The command lines that the page reads.
_PROGRAMS = frozenset({"ytt", "bosh int", "bosh interpolate", *(f"plait {kind}" for kind in KINDS)})


def command(request: Request) -> Commanded:
    """The files that a command line of ytt, bosh or plait names. Raises UsageError."""
    from plait.project.inference.programs import command_line
    from plait.project.inference.shell import Argument, Invocation

    try:
        words = shlex.split(request["command"], comments=True)
    except ValueError as error:
        raise UsageError(f"the command line cannot be read: {error}", code="website-request") from None
    if words[:1] == ["$"]:
        words.pop(0)
    line = command_line(Invocation([Argument(word, word, 1) for word in words], None, 1, reads_pipe=False), KINDS)
    if line is None or line.program not in _PROGRAMS:
        raise UsageError(
            "that is no command line of the page",
            expected="ytt ..., bosh int ..., or plait render, patch, layer or compose",
            code="website-request",
        )
    paths: list[tuple[str, str]] = []
    left: list[str] = []
    for use in line.uses():
        option: Option = use.option
        role = _role(line.command, option)
        if role and line.command == "patch" and option.is_argument:
            paths.insert(0, (str(use.value), role))  # the base
        elif role:
            paths.append((str(use.value), role))
        elif option.has_effect:
            left.append(f"--{option.name}" if option.kind == SWITCH else f"--{option.name} {use.value}")
    left += line.omitted
    if not paths:
        raise UsageError(
            "the command line names no files",
            expected="ytt -f config, bosh int base.yml -o ops.yml, plait render -f config",
            code="website-request",
        )
    return {"kind": line.command, "paths": paths, "left": left}


def _role(kind: str, option: Option) -> str:
    """The role of the file that an option names; "" for an option that names none."""
    if option.is_argument:
        return "input"
    if kind == "render":
        return {"inputs": "input", "values_files": "values"}.get(option.attribute, "")
    if kind == "patch":
        return {"operations": "input", "variables_files": "values"}.get(option.attribute, "")
    return "values" if option.attribute == "values_files" else ""


_ANSWERS: dict[str, Callable[[Request], Mapping[str, object]]] = {
    "steps": steps,
    "environments": environments,
    "change": ways,
    "fixes": fixes,
    "command": command,
}
