"""Drafts a project file from inferred runs. Each run of the draft is evaluated and compared with the inferred one."""

from __future__ import annotations

import os
import re
from itertools import islice

from plait.authoring.project.file import find, of_source
from plait.authoring.project.inference.runs import LIMITS, without_generation
from plait.authoring.project.run_inference import guess
from plait.authoring.project.settings import rebased
from plait.base.errors import PlaitError, UsageError
from plait.base.input_view import InputView
from plait.base.permissions import FILE_NAMES
from plait.base.source import Source
from plait.base.trust import permissions_of
from plait.engine.results import Rendered
from plait.insight.explain import Explainer, flat
from plait.insight.node_paths import all_places
from plait.tree.nodes import Array, ArrayItem, Map, MapItem
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.project.run import Run
    from plait.engine.results import Documents
    from plait.tree.nodes import Value

# The value of the key by which its own item is selected, and metadata.
_STATES_NOTHING = re.compile(r"\[(\w+)=[^\]]*\]\.\1$|:metadata\.")
# Maximum number of values among which an example is chosen.
_MOST_EXAMPLES = 200


class DraftProjectFile:
    """A project file that is not written yet.

    path: the path of the file. text: its content, "" if no run could be verified. runs: the inferred runs in it. notes:
    remarks, and rejected runs with the reason. example: the PATH and the value of a number or boolean in the output of
    the first run, or None.
    """

    __slots__ = ("example", "notes", "path", "runs", "text")

    def __init__(
        self, path: str, text: str, runs: Sequence[Run], notes: Sequence[str], example: tuple[str, int] | None = None
    ) -> None:
        self.path = path
        self.text = text
        self.runs = runs
        self.notes = notes
        self.example = example


def draft(directory: str, *, is_dry: bool = False) -> DraftProjectFile:
    """Drafts a project file for the repository of a directory. Nothing is written.

    The file is placed in the highest directory of the runs. is_dry: it may exist. Raises UsageError if a project file exists, or anything
    else with its name, such as a dangling symbolic link.
    """
    found = None if is_dry else find(directory)
    if found is not None:
        is_above = os.path.dirname(os.path.abspath(found)) != os.path.abspath(directory)
        where = f', and its runs are also those of "{directory}"' if is_above else ""
        raise UsageError(
            f"{os.path.relpath(found)} already exists{where}",
            hint="plait project shows its runs; "
            + ("add a run to it" if is_above else "plait init --dry-run prints those that it would write"),
            code="foreign-file",
        )
    project = guess(directory, is_top=True)
    runs = list(project.runs.values())
    notes = list(project.notes)
    if not runs:
        return DraftProjectFile("", "", (), notes)
    top = os.path.commonpath(
        [os.path.abspath(path or os.curdir) for path in (project.directory, *(one.directory for one in runs))]
    )
    path = os.path.join(os.path.relpath(top), FILE_NAMES[0])
    for name in FILE_NAMES:
        taken = os.path.join(os.path.relpath(top), name)
        if os.path.lexists(taken) and not is_dry:
            raise UsageError(
                f"{os.path.normpath(taken)} already exists and is not a regular file",
                hint="remove it, or name another directory",
                code="foreign-file",
            )
    kept: list[Run] = []
    for run in runs:
        try:
            made = _evaluated(run)
            reason = _difference(run, made, path, top)
        except PlaitError as error:
            reason = error.message
        if reason:
            notes.append(f"left out: {run.name}: {reason}")
            continue
        kept.append(run)
    if not kept:
        return DraftProjectFile(os.path.normpath(path), "", kept, notes)
    return DraftProjectFile(os.path.normpath(path), _text(kept, top), kept, notes, _example(kept[0]))


def _difference(run: Run, made: Documents, path: str, top: str) -> str:
    """The reason why the draft of a run does not reproduce its result, or "" if both have the same output."""
    source = Source(path, _text([run], top))
    permissions = permissions_of(path, top)
    wanted = _output(made)
    if _output(_evaluated(of_source(source, top, permissions).run(run.name))) == wanted:
        return ""
    # Generated passwords and keys differ each time.
    return "its output differs from that of the command line" if _output(_evaluated(run)) == wanted else ""


def _evaluated(run: Run, *, trace: bool = False) -> Documents:
    return without_generation(run).evaluate(view=InputView(is_read_only=True), limits=LIMITS, trace=trace)


def _output(made: Documents) -> object:
    """The text that a run writes. Warnings are not compared, because they name files by other paths."""
    return made.files if isinstance(made, Rendered) else made.to_yaml()


def _example(run: Run) -> tuple[str, int] | None:
    """The PATH and the value of a number or boolean of a named document: unlike a string, it is not a password.

    It is the first one that several lines made, or else the first one. Metadata, and a number that names its own item,
    such as `ports[port=80].port`, come last: a test of them states nothing.
    """
    made = _evaluated(run, trace=True)
    explainer = None if made.trace is None else Explainer(made.trace)
    places = (
        place
        for place in all_places(made.nodes.items, {})
        if isinstance(place.value, int) and place.document_name is not None
    )
    found: dict[bool, tuple[str, int]] = {}
    for place in islice(places, _MOST_EXAMPLES):
        path, value = str(place), place.value
        assert isinstance(value, int)
        if _STATES_NOTHING.search(path) is None and explainer is not None:
            if len([*flat(explainer.history(place).entries)]) > 1:
                return path, value
            found.setdefault(True, (path, value))
        found.setdefault(False, (path, value))
    return found.get(True) or found.get(False)


def _text(runs: Sequence[Run], top: str) -> str:
    entries = [MapItem(run.name, Map([MapItem(run.command, _settings(run, top))])) for run in runs]
    return write_value(Map([MapItem("runs", Map(entries))]))


def _settings(run: Run, top: str) -> Map:
    """The settings of a run with paths relative to a directory."""
    items = []
    for setting in run.settings:
        texts = [rebased(setting.option, text, run.directory, top) for text, _ in setting.texts()]
        held = setting.items[-1].value
        value: Value = Array([ArrayItem(text) for text in texts]) if type(held) is Array else texts[-1]
        items.append(MapItem(setting.name, value if type(held) in (Array, str) else held))
    return Map(items)
