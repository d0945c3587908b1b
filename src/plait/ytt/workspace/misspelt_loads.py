"""Undefined names whose cause is a misspelt name in a `load`. Imported only for a file that cannot be compiled."""

from __future__ import annotations

import contextlib

from plait.base.errors import ReadError
from plait.base.similar_names import counted, listed, near
from plait.base.source import Position
from plait.base.suggestions import replacing
from plait.ytt.starlark.syntax import Load
from plait.ytt.templates.recovery import recover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.base.errors import PlaitError
    from plait.ytt.workspace.input_files import InputFile


def explain(error: PlaitError, file: InputFile, find: Callable[[str], InputFile]) -> None:
    """Changes an error about undefined names to one about the `load` that misspells them.

    find: the file that a `load` names. The findings about the other names remain.
    """
    findings = [one for one in (error, *error.findings) if one.code == "undefined-name"]
    undefined = {one.word for one in findings}
    for path, name, line, meant in _misspelt(file, undefined, find) if undefined else ():
        uses = sum(one.word in meant for one in findings)
        reference = error.reference
        told = f"load: name {name} not found in module {path} (did you mean {listed(meant)}?)"
        error.findings = [one for one in error.findings if one.word not in meant or one.code != "undefined-name"]
        if error.word not in meant:
            # The first error is about another name.
            continue
        error.message = replacing(name, meant, told)
        error.reference = reference
        error.found = f"{counted(uses, 'use')} of {listed(meant)} below" if uses > 1 else None
        error.hint, error.also, error.code, error.word = None, [], "symbol-not-found", name
        error.at = Position(file.source, line)


def _misspelt(
    file: InputFile, undefined: set[str], find: Callable[[str], InputFile]
) -> Iterator[tuple[str, str, int, list[str]]]:
    """The names in loads that the loaded file does not define, if it defines similar ones that are undefined here."""
    for load in recover(file.source, file.type).statements:
        if type(load) is not Load or load.path.startswith("@ytt:"):
            continue
        with contextlib.suppress(ReadError):
            loaded = find(load.path)
            scope = recover(loaded.source, loaded.type).scope
            known = {} if scope is None else scope.bound
            for there, _, line in load.names:
                meant = [one for one in near(there, known) if one in undefined] if there not in known else []
                if meant:
                    yield load.path, there, line, meant
