"""A project under test: its runs in the state of the language server, copies of it with edits, and what the copies make.

A project is a directory with a plait.yml, or a file with command lines of ytt, bosh and plait, one a line, which are read
as a script in the directory of the file.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import edits
from patience import LONGEST
from plait.authoring.analysis.symbols import Symbols
from plait.authoring.analysis.verifying import output_of
from plait.authoring.lsp import claims
from plait.authoring.lsp.features import FileEdit
from plait.authoring.lsp.resource_schemas import find_faults
from plait.authoring.lsp.state import ServerState
from plait.authoring.project import file as project_files
from plait.authoring.project.inference.programs import command_line
from plait.authoring.project.inference.shell import Shell
from plait.authoring.project.run import Run
from plait.authoring.project.run_selection import choose
from plait.authoring.project.settings import joined
from plait.base.errors import PlaitError
from plait.base.input_view import InputView
from plait.base.source import Source
from plait.engine.flags import words_of
from plait.engine.options import LISTS, NUMBER, SWITCH, Option
from plait.engine.results import Documents
from plait.insight.node_paths import NodePath, all_places
from plait.tree.nodes import Array, Document, Map, equal
from plait.yaml.document_names import document_name

if TYPE_CHECKING:
    from plait.tree.nodes import Item, Value


class Subject:
    """A project. runs: those that succeed, by name; failing: why the others do not.

    outputs, real: the result of each run, by plait and by the real program. made: the documents.
    """

    def __init__(self, top: Path, most: int = 2) -> None:
        """most: environments of each matrix that are tried."""
        self.top = top
        self.most = most
        self._closing = ExitStack()
        self._copy: Path | None = None
        self.file = str(top / "plait.yml")
        self.state = ServerState(lambda: None, find_faults)
        self.state.open(self.file, Path(self.file).read_text("utf-8"))
        self.wait()
        self.runs: dict[str, Run] = {}
        self.failing: dict[str, str] = {}
        self.made: dict[str, Documents] = {}
        self.views: dict[str, InputView] = {}
        for run in runs_of(top, most):
            view = InputView()
            try:
                self.made[run.name] = run.evaluate(view=view)
            except PlaitError as error:
                self.failing[run.name] = str(error)
                continue
            self.runs[run.name] = run
            self.views[run.name] = view
        self.outputs = {name: repr(output_of(run, self.made[name])) for name, run in self.runs.items()}
        self.real = {name: made_by_ytt(run, top) for name, run in self.runs.items()}

    def symbols(self) -> Symbols:
        """The names of all files that the runs read."""
        return Symbols(claims.runs_for(self.state, self.file, claims.budget(60)), self.state.file)

    def differences(self, edits: Iterable[FileEdit], renamed: tuple[str, str] = ("", "")) -> list[str]:
        """The runs that make something else from a copy of the project with edits, each with how.

        renamed: the old and the new name of a layered document or of a variable without a value, a part of the output.
        """
        return self.differences_with(claims.edited(self.state, edits), renamed)

    def differences_with(self, texts: dict[str, bytes], renamed: tuple[str, str] = ("", "")) -> list[str]:
        """The same, of files with other texts."""
        if self._copy is None:  # one for all tries: it takes much longer than a run
            self._copy = self._closing.enter_context(copied(self.top))
        places = {self._copy / Path(path).relative_to(self.top): data for path, data in texts.items()}
        before = {place: place.read_bytes() for place in places}
        try:
            for place, data in places.items():
                place.write_bytes(data)
            return [*self._differences(self._copy, texts, *renamed)]
        finally:
            for place, data in before.items():
                place.write_bytes(data)

    def _differences(self, copy: Path, texts: Container[str], old: str, new: str) -> Iterator[str]:
        after = {run.name: run for run in runs_of(copy, self.most)}
        for name in self.runs:
            if not any(path in texts for path in (*self.views[name].files, self.file)):
                continue
            if name not in after:
                yield f"{name}: the run is gone"
                continue
            now = made(after[name])
            if new and after[name].command in ("layer", "patch"):
                now = now.replace(new, old)
            if now != self.outputs[name]:
                yield f"{name}: plait makes something else: {_first(now, self.outputs[name])}"
            elif self.real[name] is not None:
                real = made_by_ytt(after[name], copy)
                if real != self.real[name]:
                    yield f"{name}: ytt makes something else: {str(real)[:400]}"

    def files(self, name: str) -> list[str]:
        """The files of the project that a run reads, absolute, in order."""
        inside = os.path.join(str(self.top), "")
        found = self.views[name].files
        return sorted(path for path, data in found.items() if data is not None and path.startswith(inside))

    def shown(self, path: str) -> str:
        """A path as a case names it."""
        return os.path.join(self.top.name, os.path.relpath(path, self.top))

    def wait(self) -> None:
        """Wait for the evaluations of the state."""
        end = time.monotonic() + LONGEST
        while self.state.is_busy():
            assert time.monotonic() < end, "an evaluation does not end"
            time.sleep(0.01)

    def close(self) -> None:
        self.state.shut_down()
        self._closing.close()


@contextmanager
def opened(given: Path, most: int = 2) -> Iterator[Subject]:
    """The subject of a directory, or of a file with command lines."""
    with tempfile.TemporaryDirectory() as directory:
        top = given.resolve()
        if not given.is_dir():
            top = Path(directory) / given.resolve().parent.name
            shutil.copytree(given.resolve().parent, top, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            (top / "plait.yml").write_text(project_text(commands(top, given.read_text("utf-8"))), "utf-8")
        subject = Subject(top, most)
        try:
            yield subject
        finally:
            subject.close()


@contextmanager
def generated(seed: int) -> Iterator[Subject]:
    """The subject of a project made by chance: of templates, operations or layers."""
    program = edits.generated(seed)
    with tempfile.TemporaryDirectory() as directory:
        top = Path(directory) / f"generated-{seed}"
        for name, text in program.files.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
        top.mkdir(exist_ok=True)
        line = shlex.join(["plait", program.command, *program.arguments])
        (top / "plait.yml").write_text(project_text(commands(top, line), str(top)), "utf-8")
        subject = Subject(top)
        try:
            yield subject
        finally:
            subject.close()


def commands(top: Path, text: str) -> list[Run]:
    """The runs of command lines in a script that is started at the top of a repository."""
    runs: list[Run] = []
    for one in Shell(str(top), str(top), "").read(text, 1):
        line = command_line(one)
        if line is not None and one.directory is not None:
            settings = line.settings(Source("commands"), one.directory, str(top))
            runs.append(Run(f"run-{len(runs) + 1}", line.command, settings, None, one.directory, None))
    return runs


def project_text(runs: Iterable[Run], top: str = "") -> str:
    """A project file with these runs. top: its directory, by default that of the first run."""
    out: dict[str, object] = {}
    for run in runs:
        top = top or str(run.directory)
        way = os.path.relpath(run.directory or os.curdir, top)
        settings: dict[str, object] = {}
        for one in run.settings:
            kind = one.option.kind
            texts = [_placed(one.option, text, "" if way == os.curdir else way) for text, _ in one.texts()]
            settings[one.name] = (
                texts == ["true"] if kind == SWITCH else texts if kind in LISTS else _scalar(texts[-1], kind)
            )
        if run.command == "patch" and isinstance(base := settings.get("base"), list):
            settings["base"] = base[0]
        out[run.name] = {run.command: settings}
    return json.dumps({"runs": out}, indent=1, ensure_ascii=False) + "\n"


def _scalar(text: str, kind: str) -> object:
    return int(text) if kind == NUMBER and text.isdecimal() else text


def _placed(option: Option, text: str, way: str) -> str:
    if option.path is None:
        return joined(way, text) if option.is_argument else text
    before, path = option.path.split(text)
    return before + joined(way, path) if path else text


def _first(after: str, before: str) -> str:
    pairs = zip(after.splitlines(), before.splitlines(), strict=False)
    return next((f"{one!r} for {other!r}" for one, other in pairs if one != other), after[:300])


def runs_of(top: Path, most: int = 2) -> list[Run]:
    """The runs of a project; the first environments of a matrix."""
    return choose(project_files.read(str(top / "plait.yml")), maximum=most).runs


def made(run: Run) -> str:
    """What a run makes, or why it fails."""
    try:
        return repr(output_of(run, run.evaluate()))
    except PlaitError as error:
        return f"fails: {error.message}"


def made_by_ytt(run: Run, top: Path) -> str | None:
    """What the real program makes of a run; None where it is not at hand or does not know the run."""
    program = os.environ.get("PLAIT_YTT")
    if program is None or run.command != "render" or run.given is not None:
        return None
    words = [word if word.startswith("-") else f"--file={word}" for word in words_of(run.request(""))]
    done = subprocess.run([program, *words], cwd=top, capture_output=True, text=True, timeout=LONGEST, check=False)
    return done.stdout if done.returncode == 0 else f"fails: {done.stderr}" if done.stderr else None


@contextmanager
def copied(top: Path) -> Iterator[Path]:
    """A copy of a project, without its history."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / top.name
        shutil.copytree(top, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        yield copy


def sample(seed: int, among: Sequence[object], tries: int) -> list[int]:
    """The indexes of some of a sequence, the same for the same seed."""
    return random.Random(seed).sample(range(len(among)), min(tries, len(among)))


def items_of(documents: Iterable[Document]) -> Iterator[tuple[int, tuple[Item, ...], Item]]:
    """All items of documents: the number of the document, the way to the item, the item."""
    for number, document in enumerate(documents):
        todo: list[tuple[tuple[Item, ...], Value]] = [((), document.value)]
        while todo:
            way, value = todo.pop()
            if type(value) is Map or type(value) is Array:
                for item in value.items:
                    yield number, (*way, item), item
                    todo.append(((*way, item), item.value))


def scalars_of(documents: Sequence[Document]) -> list[NodePath]:
    """The scalars and empty collections of documents."""
    return [*all_places(documents, {})]


def changed_places(before: Documents, after: Documents, *, by_name: bool = True) -> set[tuple[int, str]]:
    """The document and path of each scalar that is another one or gone.

    by_name: documents are paired by name if they have one, otherwise by number.
    """

    def key(place: NodePath) -> tuple[str | int, str]:
        return (document_name(place.document) if by_name else None) or place.number, place.path

    other = {key(place): place.value for place in scalars_of(after.nodes.items)}
    return {
        (place.number, place.path)
        for place in scalars_of(before.nodes.items)
        if key(place) not in other or not equal(other[key(place)], place.value)
    }
