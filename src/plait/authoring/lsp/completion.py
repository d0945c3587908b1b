"""Completion in code: annotations and their arguments, modules, files to load, names, data values.

`yaml_completion` handles the surrounding YAML, and files without code.
"""

from __future__ import annotations

import os
import re

from plait.authoring.analysis.file_facts import PLAIN, TEMPLATE
from plait.authoring.lsp import matchers, reference, variables, yaml_completion
from plait.authoring.lsp.features import CompletionItem
from plait.authoring.lsp.navigation import loaded_file
from plait.authoring.lsp.schemas import declared
from plait.ytt.starlark.table.methods import METHODS
from plait.ytt.starlark.table.universal import UNIVERSAL
from plait.ytt.templates.recovery import STARLARK, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.state import ServerState

_ANNOTATION = re.compile(r"#@?([\w/-]*)$")
_LOAD_PATH = re.compile(r"load\(\s*([\"'])([^\"']*)$")
_LOAD_NAME = re.compile(r"load\(\s*[\"']([^\"']+)[\"'].*,\s*(?:\w+\s*=\s*)?([\"'])(\w*)$")
# Maximum characters before the cursor that are searched for a name; the searches are not linear.
_MOST_TYPED = 1_000
_CHAIN = re.compile(r"((?:\w+\.)+)(\w*)$")
_WORD = re.compile(r"(\w*)$")
_STRINGS = re.compile(r"\"(?:[^\"\\]|\\.)*(\"?)|'(?:[^'\\]|\\.)*('?)")
_OPEN_STRING = re.compile(r"^[^\"'#]*(?<!\w)(\w*)[\"'](.*)$")
_ARGUMENTS = re.compile(r"#@([\w/-]+) (?:.*[ ,(])?(\w*)$")

_KEYWORDS = (
    "and",
    "break",
    "continue",
    "def",
    "elif",
    "else",
    "end",
    "for",
    "if",
    "in",
    "lambda",
    "load",
    "not",
    "or",
    "return",
)
# The arguments of annotations, by annotation.
_NAMED = {
    "assert/validate": ("min", "max", "min_len", "max_len", "one_of", "not_null", "one_not_null", "when"),
    "overlay/assert": ("via",),
    "overlay/insert": ("before", "after", "via"),
    "overlay/match": ("by", "expects", "missing_ok", "when"),
    "overlay/match-child-defaults": ("expects", "missing_ok", "when"),
    "overlay/replace": ("via", "or_add"),
    "schema/key": ("one_of",),
    "schema/one-of": ("by",),
    "schema/type": ("any",),
    "schema/validation": ("min", "max", "min_len", "max_len", "one_of", "not_null", "one_not_null", "when"),
}
# Maximum number of items in one response.
MOST = 200


def complete(state: ServerState, path: str, line: int, column: int) -> list[CompletionItem]:
    """The suggestions at a column of a line, without duplicates."""
    file = state.file(path)
    found: dict[str, CompletionItem] = {}
    for one in () if file is None else _all(state, file, line, column):
        found.setdefault(one.label, one)
        if len(found) == MOST:
            break
    return [*found.values()]


def _all(state: ServerState, file: File, line: int, column: int) -> Iterator[CompletionItem]:
    before = file.line(line)[: column - 1]
    if "((" in before and "))" not in before[before.rindex("((") :]:
        return variables.suggestions(state, file, before, column)
    is_first = file.kind == PLAIN and before.lstrip().startswith("#") and file.path.endswith((".yml", ".yaml"))
    if file.kind not in (TEMPLATE, STARLARK, TEXT) and not is_first:
        return yaml_completion.offers(state, file, line, column)
    code = _code_before(file, before)
    if code is not None:
        return _code(state, file, code, line, column)
    return _annotations(before, column) if "#" in before else yaml_completion.offers(state, file, line, column)


def _code_before(file: File, before: str) -> str | None:
    """The code that ends at the cursor; None outside of code."""
    if file.kind == STARLARK:
        return before
    start = before.rfind("(@")
    if start >= 0 and before.rfind("@)") < start:  # also in strings of a YAML file that are templates
        return before[start + 2 :].lstrip("=-/")
    if file.kind == TEXT:
        return None
    mark = before.find("#@")
    if mark < 0:
        return None
    rest = before[mark + 2 :]
    return rest if rest.startswith(" ") or (" " in rest and not rest.startswith(" ")) else None


def _annotations(before: str, column: int) -> Iterator[CompletionItem]:
    found = _ANNOTATION.search(before)
    if found is None:
        return
    start = column - len(found[0])
    for name in reference.annotation_names():
        yield CompletionItem(f"#@{name}", "annotation", start, documentation=reference.texts().get(f"#@{name}", ""))


def _code(state: ServerState, file: File, code: str, line: int, column: int) -> Iterator[CompletionItem]:
    name = _LOAD_NAME.search(code)
    if name is not None:
        yield from _exports(state, file, name[1], column - len(name[3]))
        return
    found = _LOAD_PATH.search(code)
    if found is not None:
        yield from _load_paths(state, file, column - len(found[2]))
        return
    if file.kind == TEMPLATE and "#@overlay/" in file.line(line):
        yield from matchers.suggestions(state, file, code, line, column)
    if _ends_in_string(code):
        return
    code = code[-_MOST_TYPED:]
    chain = _CHAIN.search(code)
    if chain is not None:
        yield from _members(state, file, chain[1].rstrip(".").split("."), column - len(chain[2]))
        return
    word = _WORD.search(code)
    start = column - len(word[1] if word else "")
    arguments = _ARGUMENTS.search(file.line(line)[: column - 1])
    if arguments is not None:
        for named in _NAMED.get(arguments[1], ()):
            yield CompletionItem(f"{named}=", "argument", start)
    for visible in sorted(file.names.visible(line)):
        kind = "function" if file.names.function(visible) is not None else "variable"
        yield CompletionItem(visible, kind, start)
    for universal in ("None", "True", "False", *UNIVERSAL):
        yield CompletionItem(universal, "function", start, documentation=reference.universal(universal) or "")
    for keyword in _KEYWORDS:
        yield CompletionItem(keyword, "keyword", start)


def _ends_in_string(code: str) -> bool:
    """True if the code ends inside a single-line string literal, but not in a field of an f-string."""
    last = _STRINGS.sub(lambda found: "" if found[1] or found[2] else found[0], code)
    opened = _OPEN_STRING.search(last)
    return opened is not None and not ("f" in opened[1] and opened[2].count("{") > opened[2].count("}"))


def _load_paths(state: ServerState, file: File, start: int) -> Iterator[CompletionItem]:
    for module in reference.module_names():
        yield CompletionItem(f"@ytt:{module}", "module", start)
    here = os.path.dirname(file.path)
    seen: set[str] = set()
    for watched in state.runs_of(file.path):
        if watched.evaluation is not None:
            seen.update(watched.evaluation.view.files)
    try:
        seen.update(os.path.join(here, name) for name in os.listdir(here))
    except OSError:
        pass
    for path in sorted(seen):
        if path.endswith((".star", ".lib.yml", ".lib.txt")) and path != file.path and path.startswith(here + os.sep):
            yield CompletionItem(os.path.relpath(path, here).replace(os.sep, "/"), "file", start)


def _exports(state: ServerState, file: File, path: str, start: int) -> Iterator[CompletionItem]:
    if path.startswith("@ytt:"):
        yield CompletionItem(path[5:], "module", start)
        return
    there = loaded_file(state, file, path)
    if there is not None and there.names.program is not None:
        for name in sorted(there.names.program.bound):
            if name.isidentifier() and not name.startswith("_"):
                yield CompletionItem(name, "function" if there.names.function(name) else "variable", start)


def _members(state: ServerState, file: File, names: Sequence[str], start: int) -> Iterator[CompletionItem]:
    """The suggestions after a dotted name."""
    load = _path_of_load(file, names[0])
    if load == "@ytt:data" and names[1:2] == ["values"]:
        yield from _data_values(state, file, names[2:], start)
        return
    if load is not None and load.startswith("@ytt:"):
        if len(names) == 1:
            module = load[5:]
            for member in reference.members(module):
                yield CompletionItem(member, "function", start, documentation=reference.member(module, member) or "")
        return
    for name in sorted({name for table in METHODS.values() for name in table}):
        yield CompletionItem(name, "method", start, documentation=reference.method(name))


def _path_of_load(file: File, name: str) -> str | None:
    """The path from which a name is loaded. If the program cannot be parsed, by the text of its `load`."""
    known = file.names.load_of(name)
    if known is not None:
        return known[0].path
    for text in file.lines:
        if "load(" in text:
            found = re.search(rf"load\(\s*[\"']([^\"']+)[\"'].*[\"']{re.escape(name)}[\"']", text)
            if found is not None:
                return found[1]
    return None


def _data_values(state: ServerState, file: File, keys: Sequence[str], start: int) -> Iterator[CompletionItem]:
    seen: set[str] = set()
    for evaluation in state.evaluations(file.path):
        for item in evaluation.items(file.path, keys):
            name = str(item.key)
            if name not in seen:
                seen.add(name)
                said = declared(state, evaluation, [*keys, name], file.path)
                text = "" if said is None else said.text()
                yield CompletionItem(name, "value", start, detail=evaluation.shown(item), documentation=text)
