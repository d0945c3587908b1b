"""The tools of the MCP server, and the calls of the public API behind each."""

from __future__ import annotations

import os
from typing import NamedTuple

import plait
from plait.base.errors import PermissionDeniedError
from plait.base.lines import lines_of
from plait.base.process import goes_on, with_stack_headroom
from plait.base.similar_names import counted
from plait.insight.diagnostic_formats import message_of, parts_of
from plait.integrations.agents.result_pages import Item, fitting, line_items, lines, page, parts
from plait.review.api import review
from plait.review.reports import change_text, failure_title, summary, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from plait.api.explaining import Entry
    from plait.authoring.inspection.api import FoundValue, Inspection
    from plait.insight.diagnostic_formats import Message
    from plait.integrations.agents.result_pages import Page
    from plait.tree.plain_data import Plain

    Arguments: TypeAlias = Mapping[str, Plain]
    Schema: TypeAlias = dict[str, Plain]


class Answer:
    """The result of a tool."""

    __slots__ = ("_data",)

    def __init__(
        self,
        items: Iterable[Item],
        summary: str,
        arguments: Arguments,
        note: str = "",
        told: Iterable[Message] = (),
    ) -> None:
        """told: the errors and warnings that the result reports."""
        self._data = page(items, summary, _whole(arguments, "offset"), note)
        if found := fitting(one.data() for one in told):
            self._data["diagnostics"] = found

    def state(self) -> Page:
        """The result as plain data, for the process of the server."""
        return self._data


class Tool(NamedTuple):
    """A tool. item: the schema of an item of its result. seconds: the limit of its time."""

    name: str
    description: str
    arguments: Mapping[str, Schema]
    required: Sequence[str]
    item: Schema
    answer: Callable[[Arguments], Answer]
    seconds: int = 10

    @property
    def input_schema(self) -> Schema:
        """The JSON Schema of the arguments."""
        found: Schema = {
            "type": "object",
            "properties": {**self.arguments, "offset": _OFFSET},
            "required": [*self.required],
            "additionalProperties": False,
        }
        return found

    @property
    def output_schema(self) -> Schema:
        """The JSON Schema of a result."""
        return {
            "type": "object",
            "properties": {
                "summary": {"type": "string"},
                "items": {"type": "array", "items": self.item},
                "total": {"type": "integer", "description": "number of items in all"},
                "next_offset": {"type": ["integer", "null"], "description": "the offset of the rest; null at the end"},
                "note": {"type": "string"},
                "diagnostics": {"type": "array", "items": {"type": "object"}, "description": "warnings as data"},
            },
            "required": ["summary", "items", "total", "next_offset", "note"],
            "additionalProperties": False,
        }


def answer(tool: str, arguments: Arguments) -> Answer:
    """Calls a tool. The working directory is the one that the server serves. Raises PlaitError."""
    goes_on()
    return with_stack_headroom(lambda: TOOLS[tool].answer(arguments), first=True)


# ---- arguments


def _text(arguments: Arguments, name: str) -> str:
    value = arguments.get(name, "")
    return value if isinstance(value, str) else ""


def _texts(arguments: Arguments, name: str) -> list[str]:
    value = arguments.get(name)
    return [str(one) for one in value] if isinstance(value, list) else []


def _whole(arguments: Arguments, name: str) -> int:
    value = arguments.get(name, 0)
    return value if isinstance(value, int) else 0


def inside(path: str) -> str:
    """A path below the directory that the server serves. Raises PermissionDeniedError for any other."""
    top, real = os.path.realpath(os.curdir), os.path.realpath(path)
    if real != top and not real.startswith(os.path.join(top, "")):
        error = PermissionDeniedError(
            "no permission for a path outside of the directory that this server serves",
            expected="a path relative to it, without links that lead out",
            found=path,
            hint="the user chooses the directory: plait mcp DIRECTORY",
        )
        error.access, error.name = "read", path
        raise error
    return path


def _project(arguments: Arguments) -> str:
    return inside(_text(arguments, "project") or os.curdir)


def _inspected(arguments: Arguments) -> Inspection:
    return plait.inspect(_project(arguments), _text(arguments, "run"))


def _about(found: Inspection) -> str:
    names = [name or "(no name)" for name in found.documents]
    text = f"run {found.run}: {counted(len(names), 'document')}" + (f": {', '.join(names)}" if names else "")
    return text + (f"; files: {', '.join(found.texts)}" if found.texts else "")


# ---- tools


def _runs(arguments: Arguments) -> Answer:
    project = plait.project(_project(arguments))
    where = f"project file {os.path.relpath(project.path)}" if project.path else "no project file; inferred from files"
    items = (
        Item({"name": name, "description": told}, f"{name}: {told}" if told else name)
        for name, told in project.descriptions.items()
    )
    return Answer(items, where, arguments)


def _render(arguments: Arguments) -> Answer:
    found = _inspected(arguments)
    note = "; ".join(found.warnings)
    path = _text(arguments, "path")
    summary = f"run {found.run}: {path}" if path else _about(found)
    return Answer(
        lines(found.to_yaml(path)), summary, arguments, note, (message_of(one.diagnostic) for one in found.warned)
    )


def _explain(arguments: Arguments) -> Answer:
    found = plait.inspect(_project(arguments), _text(arguments, "run")).explain(_text(arguments, "path"))
    items: list[Item] = []
    for one in found:
        history: list[Plain] = [*_entries(one.entries, 0)]
        data: dict[object, Plain] = {
            "document": one.document,
            "path": one.path,
            "secret": one.secret,
            "history": history,
        }
        if not isinstance(one.value, dict | list):
            data["value"] = one.value
        items += parts(data, "history", one.to_text(presence=arguments.get("presence") is True).rstrip("\n"))
    return Answer(items, f"{counted(len(found), 'value')}; oldest line first, the last one is in the output", arguments)


def _entries(entries: Iterable[Entry], depth: int) -> Iterable[Plain]:
    """The entries of a history, each followed by those it was computed from."""
    for one in entries:
        data: dict[object, Plain] = {"place": one.place, "action": one.action, "state": one.state, "depth": depth}
        if one.text is not None:
            data["text"] = one.text.strip()
        if not isinstance(one.value, dict | list | None):
            data["value"] = one.value
        yield data
        yield from _entries(one.origins, depth + 1)


def _why_not(arguments: Arguments) -> Answer:
    found = _inspected(arguments)
    return Answer(lines(found.why_not(_text(arguments, "path"))), f"run {found.run}", arguments)


def _impact(arguments: Arguments) -> Answer:
    file, line = _text(arguments, "file"), _whole(arguments, "line")
    found = _inspected(arguments).impact(file, line)
    summary = f"what depends on {file}:{line}: {counted(len(found.paths), 'value')}"
    if found.unknown:
        summary = f"the effect of {file}:{line} is unknown: {found.unknown}"
    elif found.needed:
        summary = f"the run fails if {file}:{line} is changed"
    items = (
        Item({"path": path, "value": value}, f"{path}: {_text_of(value)}")
        for path, value in zip(found.paths, found.values, strict=True)
    )
    return Answer(items, summary, arguments)


def _search(arguments: Arguments) -> Answer:
    found = _inspected(arguments)
    words = _text(arguments, "text").lower().split()
    items = []
    for one in sorted(found.search(_text(arguments, "text")), key=lambda one: not _has_words(one, words)):
        value = _excerpt(one.value, words)
        items.append(
            Item(
                {"path": one.path, "value": value, "place": one.place}, f"{one.path}: {_text_of(value)}  ({one.place})"
            )
        )
    count = counted(len(items), "value") if items else "no value"
    return Answer(items, f"{count} of run {found.run} with these words", arguments)


def _has_words(found: FoundValue, words: Iterable[str]) -> bool:
    """True if each word is a whole word of the path or the value, not a part of one as in `port` and `support`."""
    return {*words} <= _words_of(f"{found.path} {found.value}")


def _words_of(text: str) -> set[str]:
    return {*"".join(one if one.isalnum() else " " for one in text.lower()).split()}


def _excerpt(value: Plain, words: Sequence[str]) -> Plain:
    """The lines of a long text that have a word of a search, whole words first; any other value itself."""
    if not isinstance(value, str) or "\n" not in value:
        return value
    found = [line.strip() for line in lines_of(value) if any(word in line.lower() for word in words)]
    found.sort(key=lambda line: not {*words} & _words_of(line))
    more = counted(len(found) - _MOST_LINES, "more line") if len(found) > _MOST_LINES else ""
    return " ... ".join([*found[:_MOST_LINES], *([f"and {more}"] if more else [])])


_MOST_LINES = 3


def _schema(arguments: Arguments) -> Answer:
    found = _inspected(arguments)
    return Answer(lines(found.schema().to_yaml()), f"JSON Schema of the data values of run {found.run}", arguments)


def _set(arguments: Arguments) -> Answer:
    file = _text(arguments, "in")
    edit = _inspected(arguments).edit(
        _text(arguments, "path"),
        arguments.get("value"),
        add=arguments.get("add") is True,
        also=arguments.get("also") is True,
        file=inside(file) if file else "",
        at=_text(arguments, "at"),
    )
    changes = [
        f"{one.document}:{one.path}: {plain_text(one.before)} -> {plain_text(one.after)}" for one in edit.differences
    ]
    summary = "changes " + ", ".join(changes) if changes else "the output already has this value"
    patch = [line_items("patch", line) for line in lines_of(edit.to_patch())]
    items = [item for pieces in patch for item in pieces]
    items += [Item({"kind": "also changes", "text": one}, f"also changes: {one}") for one in edit.also]
    items += [Item({"kind": "note", "text": one}, f"note: {one}") for one in edit.notes]
    note = "nothing was written; git apply --unidiff-zero applies the patch" if edit.files else ""
    if any(len(pieces) > 1 for pieces in patch):
        note += "; an item of the kind continued is the rest of the line before it"
    return Answer(items, summary, arguments, note)


def plain_text(value: object) -> str:
    """A value of a difference on one line."""
    text = _text_of(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


_LONGEST_VALUE = 80


def _text_of(value: object) -> str:
    """A value as YAML writes it: true, not True."""
    return str(value).lower() if isinstance(value, bool) else "null" if value is None else str(value)


def _lint(arguments: Arguments) -> Answer:
    found = plait.lint(_project(arguments), _texts(arguments, "runs"), select=_texts(arguments, "select"))
    items = []
    for one in found:
        place = f"{os.path.relpath(one.path)}:{one.line}"
        data: dict[object, Plain] = {
            "code": one.code, "name": one.name, "place": place, "message": one.message, "hint": one.hint,
        }  # fmt: skip
        items.append(Item(data, f"{place}: {one.code} {one.message}" + (f" ({one.hint})" if one.hint else "")))
    return Answer(items, counted(len(items), "finding"), arguments)


def _test(arguments: Arguments) -> Answer:
    paths = _texts(arguments, "paths") or [os.curdir]
    for path in paths:
        inside(path.partition("::")[0])
    found = sorted(plait.test(paths), key=lambda one: one.passed)
    items = []
    for one in found:
        failures: list[Plain] = [failure.text for failure in one.failures]
        text = "\n".join([f"{'passed' if one.passed else 'FAILED'} {one.id}", *map(str, failures)])
        items.append(Item({"id": one.id, "passed": one.passed, "failures": failures}, text))
    failed = sum(not one.passed for one in found)
    told = (message_of(part) for one in found for failure in one.failures for part in parts_of(failure.diagnostic))
    return Answer(items, f"{len(found) - failed} passed, {failed} failed", arguments, told=told)


def _review(arguments: Arguments) -> Answer:
    found = review(
        _text(arguments, "base"), _text(arguments, "head"), project=_project(arguments), runs=_texts(arguments, "runs")
    )
    items = [
        _reviewed("failure", f"{failure_title(one)}: {one.message}", [cause.place for cause in one.causes])
        for one in found.failures
    ]
    items += [_reviewed(one.severity, f"{one.text}, {one.reason}", ()) for one in found.consequences]
    items += [
        _reviewed("change", change_text(one), [found.causes[number].place for number in one.causes])
        for one in found.changes
    ]
    items += [_reviewed("no effect", one.lines.place, ()) for one in found.idle]
    told = (part for one in found.failures for part in one.diagnostics)
    return Answer(items, f"{title(found)}: {', '.join(summary(found))}", arguments, told=told)


def _reviewed(kind: str, text: str, causes: Sequence[str]) -> Item:
    places: list[Plain] = [*causes]
    because = f"  (caused by {', '.join(causes)})" if causes else ""
    return Item({"kind": kind, "text": text, "causes": places}, f"{kind}: {text}{because}")


# ---- schemas


def _string(description: str) -> Schema:
    return {"type": "string", "description": description}


def _strings(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _object(**properties: str) -> Schema:
    """An object with properties of these types; "any" has none."""
    known: dict[object, Plain] = {name: {} if kind == "any" else {"type": kind} for name, kind in properties.items()}
    return {"type": ["object", "null"], "properties": known}


_OFFSET: Schema = {"type": "integer", "minimum": 0, "description": "skip this many items: next_offset of the last call"}
_OF_PROJECT: Mapping[str, Schema] = {
    "project": _string("project file, or a directory (default: the directory of the server)"),
}
_OF_RUN: Mapping[str, Schema] = {
    **_OF_PROJECT,
    "run": _string("name of the run, from the tool runs; optional if the project has only one"),
}
_PATH = (
    "PATH of a value, such as Deployment/web:spec.template.spec.containers[name=app].image; without a document it is "
    "looked up in every document; * and ** are patterns"
)
_LINE: Schema = {"type": ["string", "null"]}

_ALL = (
    Tool("runs", "List the runs of the project: the outputs that can be rendered.", _OF_PROJECT, (), _object(name="string", description="string"), _runs),
    Tool(
        "render",
        "Render a run: its documents as YAML, or the value at a PATH. The summary names the documents. Secrets are hidden.",
        {**_OF_RUN, "path": _string(_PATH)}, (), _LINE, _render,
    ),
    Tool(
        "search",
        "Find values in the output of a run by words of their PATH or value. Returns PATH, value and the FILE:LINE that set it.",
        {**_OF_RUN, "text": _string("words that must all occur, in any case, such as: uaa memory")}, ("text",),
        _object(path="string", value="any", place="string"), _search,
    ),
    Tool(
        "explain",
        "Show where a value of the output comes from: every line that set, changed or computed it, overridden ones included.",
        {**_OF_RUN, "path": _string(_PATH), "presence": _flag("also the lines that made the value exist")}, ("path",),
        _object(document="any", path="string", value="any", secret="boolean", history="array"), _explain,  # noqa: S106 - a type
    ),
    Tool(
        "why_not",
        "Explain why a value is not in the output; without a path, list the overlays that matched nothing.",
        {**_OF_RUN, "path": _string(_PATH)}, (), _LINE, _why_not, 60,
    ),
    Tool(
        "impact",
        "List the values of the output that depend on a line of an input file, with their PATHs.",
        {**_OF_RUN, "file": _string("an input of the run"), "line": {"type": "integer", "minimum": 1}}, ("file", "line"),
        _object(path="string", value="any"), _impact, 60,
    ),
    Tool(
        "set",
        "Create a patch that sets a value of the output by editing the line it comes from, verified by evaluation. Writes "
        "nothing: review the patch and apply it. If the edit is rejected, the error lists alternatives; a flag there, such "
        "as --in FILE, is the argument of this name. Notes name other runs that would change.",
        {
            **_OF_RUN, "path": _string(_PATH), "value": {"description": "the new value"},
            "add": _flag("the last key of the path may be missing"),
            "also": _flag("accept that other values change"),
            "in": _string("add an overlay item or an operation to this FILE instead; only the runs that read it change"),
            "at": _string("replace the value or expression on this FILE:LINE"),
        },
        ("path", "value"), _object(kind="string", text="string"), _set, 30,
    ),
    Tool(
        "schema",
        "The JSON Schema of the data values of a run of templates: names, types, defaults, descriptions.",
        _OF_RUN, (), _LINE, _schema,
    ),
    Tool(
        "lint",
        "Report unused code, no-ops, order dependence and ambiguous YAML in the runs of the project.",
        {**_OF_PROJECT, "runs": _strings("names of runs, or patterns (default: all)"), "select": _strings("codes or families")},
        (), _object(**dict.fromkeys(("code", "name", "place", "message", "hint"), "string")), _lint, 60,
    ),
    Tool(
        "test",
        "Run the tests of the project (*.test.yml). Failed tests come first.",
        {"paths": _strings("test files, directories or FILE::NAME (default: all)")}, (),
        _object(id="string", passed="boolean", failures="array"), _test, 60,
    ),
    Tool(
        "review",
        "Show what the change between two Git revisions does to the output, and which lines cause it.",
        {
            **_OF_PROJECT, "base": _string("a revision, such as main, or BASE...HEAD"),
            "head": _string("a revision (default: the working directory)"), "runs": _strings("names of runs, or patterns"),
        },
        ("base",), _object(kind="string", text="string", causes="array"), _review, 60,
    ),
)  # fmt: skip
TOOLS: Mapping[str, Tool] = {one.name: one for one in _ALL}
