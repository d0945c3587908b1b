"""Finds unused data values and variables, and libraries and files that are not loaded."""

from __future__ import annotations

import os
import re

from plait.authoring.analysis import data_value_uses
from plait.authoring.analysis.file_facts import TEMPLATE
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lint.finding import LintFinding, RelatedSpan
from plait.base.similar_names import did_you_mean
from plait.base.text_edits import Edit
from plait.tree.nodes import Map, MapItem
from plait.ytt.starlark.syntax import Evaluate
from plait.ytt.templates.recovery import STARLARK, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.authoring.analysis.data_value_uses import Keys
    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lint.layout import LintedFile
    from plait.authoring.lint.subject import EvaluatedRun, LintProject
    from plait.tree.nodes import Document, Item

_WITH_CODE = (TEMPLATE, STARLARK, TEXT)
_VARIABLE = re.compile(r"\(\(!?([-/\w]+)(?:\.[-/.\w]*)?\)\)")


# Matches a document of data values for a library with a literal name.
_REFERENCE = re.compile(r"""@library/ref\s+["']@([\w-]+)["']""")
# Matches a data value in code.
_USED = re.compile(r"\bdata\.values\.(\w+(?:\.\w+)*)")
_LIBRARIES = f"{os.sep}_ytt_lib{os.sep}"


def data_values(subject: LintProject) -> Iterator[LintFinding]:
    """Data values that no file uses, at their first declaration, including those of libraries."""
    used: dict[str, set[Keys]] = {}
    unevaluated = _unevaluated(subject)
    places: dict[tuple[str, Keys], list[tuple[LintedFile, MapItem]]] = {}
    for library, layout, document in _declaring(subject):
        if library not in used:
            used[library] = data_value_uses.uses(_files_of(subject, library))
        if (used[library] or not library) and () not in used[library]:
            for keys, item in data_value_uses.unused_values([document], used[library] | unevaluated):
                places.setdefault((library, keys), []).append((layout, item))
    elsewhere = _used_elsewhere(subject) if places else set()
    for (library, keys), found in places.items():
        if any(one[: len(keys)] == keys or keys[: len(one)] == one for one in elsewhere):
            continue
        layout, item = found[0]
        removes = [edit for one, inner in found for edit in one.removal(inner) or ()]
        if len({(edit.path, edit.start) for edit in removes}) < len(found):
            continue
        yield layout.finding(
            "D104",
            item,
            f"no template uses the data value {'.'.join(keys)}{library and ' of the library ' + library}",
            also=[RelatedSpan(one.path, inner.line, "set here") for one, inner in found[1:]],
            removes=removes,
            hint="remove it" if len(found) == 1 else "remove it everywhere",
        )


def _unevaluated(subject: LintProject) -> set[Keys]:
    """The data values in files with code that is text. Runs warn of it; removing the value would be the wrong fix."""
    return {
        tuple(found[1].split("."))
        for path in filter(subject.has_unevaluated_code, subject.paths)
        for found in _USED.finditer(subject.text(path))
    }


def _used_elsewhere(subject: LintProject) -> set[Keys]:
    """The data values in files that no run reads."""
    return {tuple(one[1].split(".")) for text in subject.unread_texts() for one in _USED.finditer(text)}


def _files_of(subject: LintProject, library: str) -> list[File]:
    """The code files of a library; those of the root for an empty name."""
    return [
        file
        for file in subject.files()
        if file.kind in _WITH_CODE
        and (f"{_LIBRARIES}{library}{os.sep}" in file.path if library else _LIBRARIES not in file.path)
    ]


def _declaring(subject: LintProject) -> Iterator[tuple[str, LintedFile, Document]]:
    """The documents of data values and schemas in the project's own files, each with its library: schemas first, then
    plain values files.
    """
    annotated: list[tuple[bool, str, LintedFile, Document]] = []
    for file in subject.files():
        layout = subject.layout(file.path) if subject.is_own(file.path) and file.kind == TEMPLATE else None
        for document in () if layout is None else layout.documents.items:
            said = [comment.text for comment in layout.comments_of(document)] if layout is not None else []
            names = {text.partition(" ")[0] for text in said}
            library = next((found[1] for text in said if (found := _REFERENCE.match(text))), "")
            is_known = "@library/ref" not in names or library
            if layout is not None and names & {data_value_uses.VALUES, data_value_uses.SCHEMA} and is_known:
                annotated.append((data_value_uses.SCHEMA not in names, library, layout, document))
    for _, library, layout, document in sorted(annotated, key=lambda one: one[0]):
        yield library, layout, document
    for path in _values_files(subject):
        layout = subject.layout(path)
        if layout is not None and layout.documents.items:
            yield "", layout, layout.documents.items[0]


def _values_files(subject: LintProject) -> list[str]:
    """The plain files of data values that runs name."""
    found: dict[str, None] = {}
    for ran in subject.runs:
        for setting in ran.run.settings:
            if setting.name == "data-values-file":
                found.update(dict.fromkeys(ran.run.paths(setting)))
    return list(found)


def variables(subject: LintProject) -> Iterator[LintFinding]:
    """Variables of files and of the project file that are set and not used."""
    ran = [one for one in subject.runs if one.run.command == "patch"]
    if not ran:
        return
    used = _variables_in(subject.text(path) for path in subject.paths)
    elsewhere: set[str] | None = None
    seen: set[tuple[str, int]] = set()
    for one in ran:
        found = [*_variables_of(subject, one)]
        given = [] if one.run.given is None else one.run.given.items
        missing = used - {str(item.key).partition(".")[0] for item in (*given, *(item for _, item in found))}
        for layout, item in [*found, *((None, item) for item in given)]:
            name = str(item.key).partition(".")[0]
            path = layout.path if layout is not None else path_of(item.source)
            line = (path or "", item.line)
            if path is None or name in used or line in seen:
                continue
            seen.add(line)
            if elsewhere is None:
                elsewhere = _variables_in(subject.unread_texts())
            if name in elsewhere:
                continue
            message = f"the variable {item.key} is never used"
            meant = did_you_mean(name, missing)
            if layout is not None:
                removes = () if meant else _removal_edits(layout, item)
                yield layout.finding("D105", item, message, removes=removes, hint=meant or "remove it")
            else:
                column = max((item.position.text or "").find(str(item.key)), 0) + 1
                end = column + len(str(item.key))
                yield LintFinding("D105", path, item.line, message, column=column, end=end, hint=meant or "remove it")


def _variables_in(texts: Iterable[str]) -> set[str]:
    """The variables of the placeholders in some texts."""
    return {found[1].partition(".")[0] for text in texts for found in _VARIABLE.finditer(text)}


def _variables_of(subject: LintProject, ran: EvaluatedRun) -> Iterator[tuple[LintedFile, MapItem]]:
    """The variables in the variables files of a run."""
    for setting in ran.run.settings:
        for path in ran.run.paths(setting) if setting.name == "vars-files" else ():
            layout = subject.layout(path)
            top = layout.documents.items[0].value if layout is not None and layout.documents.items else None
            if layout is not None and type(top) is Map:
                yield from ((layout, item) for item in top.items)


def _removal_edits(layout: LintedFile, item: Item) -> Sequence[Edit]:
    """The edits that remove a variable. Removing the last one leaves an empty map."""
    removes = layout.removal(item) or []
    around = layout.parent(item)
    if removes and around is not None and type(around.value) is Map and len(around.value.items) == 1:
        first = removes[0]
        return [Edit(first.start, first.end, "{}\n", first.path), *removes[1:]]
    return removes


# Matches a library with a computed name.
_GET = re.compile(r"""\blibrary\w*\.get\(\s*[^"'\s]""")
# Tests are called by `plait test`.
TESTS = ("_test.star",)
_MODULES = (".star", ".lib.yml", ".lib.yaml", ".lib.txt")


def libraries(subject: LintProject) -> Iterator[LintFinding]:
    """Libraries that no file names."""
    texts = [subject.text(path) for path in subject.paths]
    if any(_GET.search(text) for text in texts):
        return  # a computed name may be that of any library
    listed = {path for ran in subject.runs for path in ran.view.directories if _LIBRARIES in path}
    for directory in sorted(listed):
        before, _, library = directory.rpartition(_LIBRARIES)
        is_read = any(path.startswith(directory + os.sep) for path in subject.read)
        if is_read or os.sep in library or _LIBRARIES in before + os.sep:
            continue
        named = re.compile(rf"""["']@?{re.escape(library)}["'/:@]""")
        files = sorted(
            os.path.join(top, name) for top, _, names in os.walk(directory) for name in names if name[:1] != "."
        )
        if files and not any(named.search(text) for text in texts):
            yield LintFinding(
                "D109",
                files[0],
                1,
                f"no run uses the library {library}",
                removes=[Edit(0, 0, "", path) for path in files],
                hint="remove its directory",
            )


def modules(subject: LintProject) -> Iterator[LintFinding]:
    """Files of functions that no file loads."""
    wanted = {
        load.path.rpartition("/")[2].rpartition(":")[2]
        for file in subject.files()
        if file.kind in _WITH_CODE
        for load in file.names.loads
    }
    directories = sorted({path for ran in subject.runs for path in ran.view.directories})
    for directory in directories:
        if not subject.is_own(directory + os.sep):
            continue
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else ():
            path = os.path.join(directory, name)
            if not name.endswith(_MODULES) or name.endswith(TESTS) or name in wanted or not os.path.isfile(path):
                continue
            file = subject.file(path)
            if file is not None and not any(isinstance(one, Evaluate) for one in file.recovered.statements):
                yield LintFinding(
                    "D110",
                    path,
                    1,
                    f"no run loads {name}",
                    removes=[Edit(0, len(subject.text(path)), "", path)],
                    hint="remove the file",
                )
