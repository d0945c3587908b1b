"""Edits at random: a program of any dialect, one value of its output, another value for it; and the proof of what comes of it.

Of each such triple `set_value` either edits files so that this value alone is another one, which is checked by running the
edited files and comparing documents; or says that more changes, which is checked to be so; or refuses with a reason, which
is checked to be true: of a value that is said to be computed, for instance, no scalar of any file that looks like it may do.

    python tests/edits.py 0 10000             seeds from 0 on, with counts of what came of them
    python tests/edits.py 0 1000 DIRECTORY    the same, with files below a directory as programs too
    python tests/edits.py 0 1000 back         outputs with several changes, put back as `--from` does
    python tests/edits.py 0 1000 elsewhere    values set by `--in`, `--as` and `--at`
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import sys
import tempfile
from collections import Counter
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING

from plait.authoring.edit.edit_errors import ALSO, COMPUTED, FAILS, GIVEN, OTHERWISE, UNWRITABLE, EditError
from plait.authoring.edit.insertion import add_to_file, as_value, at
from plait.authoring.edit.public_functions import edited
from plait.authoring.edit.setting import Edit, EditSession
from plait.authoring.edit.sites import Text
from plait.authoring.edit.target import Target
from plait.authoring.edit.write_back import put_back
from plait.authoring.project.run import Run
from plait.base.errors import LimitError, PlaitError
from plait.base.source import Source
from plait.insight.diff import diff
from plait.insight.explain import Explainer
from plait.insight.node_paths import NodePath, all_places
from plait.tree.context import Context
from plait.tree.nodes import Array, Document, Map, MapItem, from_plain, to_plain, walk
from plait.yaml.lossless.binding import Spans
from plait.yaml.lossless.nodes import Collection
from plait.yaml.reader import read
from plait.yaml.writer import write_value
from typed import evaluate, uses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.tree.nodes import Item, Value

VALUES: tuple[object, ...] = (
    "changed", "two words", "", "1", "true", "yes", "null", "0x1f", "1e3", "2001-01-01", "a: b", "- x", "#c", "a #b", "'", '"', " lead",
    "tail ", "{", "[x", "&a", "*a", "!x", "%", "@", "`", "|", ">", "=", "<<", "é", "\t", "x" * 90 + " y", "two\nlines\n", "no\nend",
    "\n", "a\\b", "1:30", 0, 7, -5, 2.5, 1e21, 12345678901234567890, True, False, None,
    [], {}, [1, "b"], {"p": 1}, {"p": {"q": [1, {"r": None}]}}, [{"name": "x"}, []],
)  # fmt: skip
_MOST_SITES = 8


class Program:
    """A command with its arguments, and its files."""

    def __init__(self, name: str, command: str, arguments: list[str], files: dict[str, str]) -> None:
        self.name = name
        self.command = command
        self.arguments = arguments
        self.files = files

    def write(self) -> None:
        """Put the files into the working directory."""
        for name, text in self.files.items():
            path = pathlib.Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8", "surrogateescape"))

    def documents(self) -> list[object]:
        """What the files in the working directory make. Raises PlaitError."""
        context = Context(print_line=lambda line: None)
        return [to_plain(one.value) for one in evaluate(self.command, self.arguments, context).nodes.items]


def generated(seed: int) -> Program:
    """A program made by chance: of templates, operations or layers, or of the corpus of histories."""
    from layersets import layer_set
    from operations import operations_program
    from programs import template_program

    kind = seed % 4
    if kind == 0:
        made = template_program(seed)
        return Program(f"templates {seed}", "render", made.arguments, made.files)
    if kind == 1:
        made = operations_program(seed)
        return Program(f"operations {seed}", "patch", made.arguments, made.files)
    if kind == 2:
        documents = layer_set(random.Random(seed))
        text = "".join(f"---\n{write_value(from_plain(document))}" for document in documents)
        return Program(f"layers {seed}", "layer", ["docs.yml"], {"docs.yml": text})
    programs = _of_corpus()
    return programs[seed // 4 % len(programs)]


def _of_corpus() -> list[Program]:
    if not _CORPUS:
        from corpus import Run as CorpusRun
        from corpus import programs

        with tempfile.TemporaryDirectory() as directory:
            for number, (dialect, name, files) in enumerate(programs()):
                run = CorpusRun(dialect, files, pathlib.Path(directory) / str(number))
                command = {"templates": "render", "operations": "patch", "layers": "layer", "pipelines": "compose"}[
                    dialect
                ]
                if dialect == "templates":
                    placed = {
                        ("values/" if one in run.values else "config/") + one: text for one, text in run.files.items()
                    }
                    arguments = ["-f", "config", *(f"--data-values-file=values/{one}" for one in run.values)]
                else:
                    placed = dict(run.files)
                    arguments = {
                        "operations": ["base.yml", *(["-o", "ops.yml"] if "ops.yml" in placed else [])],
                        "pipelines": ["plait.yml"],
                    }.get(dialect, [*placed])
                _CORPUS.append(Program(f"{dialect}: {name}", command, [*arguments, *run.args], placed))
    return _CORPUS


_CORPUS: list[Program] = []


def of_files(top: pathlib.Path) -> Iterator[Program]:
    """The files below a directory as programs: each YAML file by itself, rendered, or layered where it says so."""
    for path in sorted(top.rglob("*.y*ml")):
        data = path.read_bytes()
        text = data.decode("utf-8", "surrogateescape")
        if len(text) < 100_000:
            command = "layer" if "layeringDefinition" in text else "render"
            arguments = ["x.yml"] if command == "layer" else ["-f", "x.yml"]
            yield Program(str(path.relative_to(top)), command, arguments, {"x.yml": text})


class Broken(AssertionError):
    """What was promised and is not so."""


def outcome(program: Program, random: random.Random) -> str:
    """What comes of an edit by chance in a program: `edited`, the reason of a refusal, or why there was none. Raises Broken."""
    return _in_directory(program, random, _tried)


def _tried(program: Program, random: random.Random) -> str:
    target = Target(Run("", program.command, (), None, "", None, uses=uses(program.command, program.arguments)))
    try:
        state = EditSession(target)
        documents = program.documents()
    except PlaitError:
        return "(program fails)"
    places = [place for place in all_places(state.output.documents, {}) if place.way]
    if not places:
        return "(no values)"
    place = random.choice(places)
    if len(place.way) > 1 and random.random() < 0.15:
        place = NodePath(place.document, place.number, place.way[:-1])
    value = random.choice(VALUES)
    if to_plain(place.value) == value:
        return "(the same value)"
    try:
        edit = edited(state, place, from_plain(value))
    except LimitError:
        return "(limit)"
    except EditError as refused:
        _check_refusal(program, state, place, value, refused)
        return refused.reason
    wanted = _with(documents, _way(place), value)
    changed = _run_with(program, edit)
    if edit.also:
        if _same(changed, wanted):
            raise Broken(f"says that more changes: {edit.also}")
        if _at(changed, _way(place)) != (True, value):
            raise Broken(f"not the value: {_at(changed, _way(place))}")
        return ALSO
    if not _same(changed, wanted):
        raise Broken(f"changes something else\n{_shown(wanted)}\n{_shown(changed)}")
    for path, (old, new) in edit.files.items():
        if old is not None:
            _check_bytes(os.path.relpath(path), old, new)
    return "edited"


def outcome_elsewhere(program: Program, random: random.Random) -> str:
    """What comes of setting a value with an overlay, an operation or a data value, or on its line. Raises Broken."""
    return _in_directory(program, random, _set_elsewhere)


def outcome_of_output(program: Program, random: random.Random) -> str:
    """What comes of putting back an output with some changes by chance: `put back`, `in part`, `not`. Raises Broken."""
    return _in_directory(program, random, _put_back)


def _in_directory(program: Program, random: random.Random, what: Callable[[Program, random.Random], str]) -> str:
    with tempfile.TemporaryDirectory() as directory:
        before = os.getcwd()
        os.chdir(directory)
        try:
            program.write()
            return what(program, random)
        finally:
            os.chdir(before)


def _set_elsewhere(program: Program, random: random.Random) -> str:
    target = Target(Run("", program.command, (), None, "", None, uses=uses(program.command, program.arguments)))
    try:
        state = EditSession(target)
        documents = program.documents()
    except PlaitError:
        return "(program fails)"
    places = [place for place in all_places(state.output.documents, {}) if place.way]
    if not places:
        return "(no values)"
    place, value = random.choice(places), random.choice(VALUES)
    file = {"render": "new.yml", "patch": "ops.yml"}.get(program.command, "docs.yml")
    file = random.choice([file, *program.files])
    entry = Explainer(state.output.trace).history(place).entries[-1]  # type: ignore[arg-type]
    way = random.choice(["in", "as", "at"])
    try:
        if way == "in":
            edit = add_to_file(state, place, from_plain(value), file)
        elif way == "as":
            edit = as_value(state, place, from_plain(value), "fresh")
        else:
            edit = at(state, place, from_plain(value), "" if entry.source is None else entry.source.shown, entry.line)
    except LimitError:
        return "(limit)"
    except PlaitError as error:
        return f"{way}: {error.reason if isinstance(error, EditError) else type(error).__name__}"
    flag = "-f" if program.command == "render" else "-o"
    more = [flag, file] if any(note.startswith("add -") for note in edit.notes) else []
    changed = _run_with(Program("", program.command, [*program.arguments, *more], program.files), edit)
    wanted = _with(documents, _way(place), value)
    if (not edit.also) is not _same(changed, wanted):
        raise Broken(f"{way}: also {edit.also}\n{changed}\n{wanted}")
    return f"{way}: done" if not edit.also else f"{way}: also"


def _put_back(program: Program, random: random.Random) -> str:
    target = Target(Run("", program.command, (), None, "", None, uses=uses(program.command, program.arguments)))
    try:
        state = EditSession(target)
    except PlaitError:
        return "(program fails)"
    if any(
        type(item.key) in (Map, Array)
        for one in state.output.documents
        for item in walk(one.value)
        if type(item) is MapItem
    ):
        return "(a key that plain data cannot have)"
    documents = [to_plain(one.value) for one in state.output.documents]
    wanted = deepcopy(documents)
    if not sum([_mutate(wanted, random) for _ in range(random.randint(1, 4))]):
        return "(no values)"
    nodes = [Document(from_plain(one)) for one in wanted]
    try:
        edit, refused = put_back(state, nodes)
    except LimitError:
        return "(limit)"
    try:
        changed = _run_with(program, edit)
    except PlaitError as error:
        raise Broken(f"fails: {error}") from None
    left, before = _unlike(changed, wanted), _unlike(documents, wanted)
    if refused:
        if not left:
            raise Broken(f"all is put back, but says {[one.message for one in refused]}")
        if left >= before and edit.files:
            raise Broken("no nearer")
        return "in part" if edit.files else "not"
    if left:
        raise Broken(f"not put back: {wanted!r}\n{changed!r}")
    return "put back"


def _mutate(documents: list[object], random: random.Random) -> bool:
    """Change one thing at random; whether there was something to change."""
    depth = 0
    around: object = documents
    data: object = random.choice(documents) if documents else None
    while isinstance(data, (dict, list)) and data and (not depth or random.random() < 0.8):
        around, depth = data, depth + 1
        data = random.choice([*data.values()] if isinstance(data, dict) else data)
    roll, value = random.random(), random.choice(VALUES)
    if isinstance(around, dict) and depth:
        key = "added" if roll > 0.8 else random.choice([*around])
        if 0.6 < roll < 0.8:
            del around[key]
        else:
            around[key] = value
    elif isinstance(around, list) and depth:
        number = random.randrange(len(around))
        around[number : number + (roll < 0.8)] = [] if 0.6 < roll < 0.8 else [value]
    return depth > 0


def _unlike(one: list[object], other: list[object]) -> int:
    """How many differences there are, whatever the order of keys."""
    left, right = (
        [Document(from_plain(data)) for data in documents if data not in (None, {}, [])] for documents in (one, other)
    )
    return len(diff(left, right, in_order=True))


def _run_with(program: Program, edit: Edit) -> list[object]:
    """What the program makes of the written files; they are as before afterwards."""
    edit.write(also=True)
    try:
        return program.documents()
    finally:
        for path in edit.files:
            os.unlink(path)
        program.write()


def _check_bytes(path: str, old: bytes, new: bytes) -> None:
    """That two texts differ only within one value: between a key or dash and the end of what stands behind it."""
    before, after = (data.decode("utf-8", "surrogateescape").removeprefix("\ufeff") for data in (old, new))
    start = _common(before, after)
    end = len(before) - _common(before[start:][::-1], after[start:][::-1])
    spans = Spans(read(Source(path, before)))
    for item in spans.bound():
        span, key = spans.item(item), spans.key(item)
        assert span is not None
        first = span.start if key is None else key.end
        # An expression behind a key is its value as well.
        rest = before[span.end :].partition("\n")[0]
        stays = rest.strip() in after[first:]  # a comment stays on the line on which a block begins
        more = len(rest) if "#@" in rest or stays else 0
        if first <= start and end <= span.end + more:
            return
    raise Broken(f"{path}: bytes outside of a value: {before[start:end]!r}")


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with together."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))


def _check_refusal(program: Program, state: EditSession, place: NodePath, value: object, refused: EditError) -> None:
    """That the reason of a refusal is true."""
    if refused.reason == GIVEN:
        if not any(word.startswith(("-v", "--data-value", "--var")) for word in program.arguments):
            raise Broken("nothing is set on the command line")
        return
    for path, text in _likely(program, state, place, value):
        try:
            edit = state.tried(place, from_plain(value), {path: text}, ["there"])
        except PlaitError:
            continue
        if not edit.also:
            raise Broken(f"{refused.reason}: {refused.message}\n{os.path.relpath(path)} can be edited:\n{text}")
    if refused.reason not in (COMPUTED, FAILS, OTHERWISE, UNWRITABLE):
        raise Broken(f"a reason that is not expected: {refused.reason}: {refused.message}")


def _likely(program: Program, state: EditSession, place: NodePath, value: object) -> Iterator[tuple[str, str]]:
    """Edits of scalars that look like a value, in all files of a program."""
    count = 0
    for name in program.files:
        data = state.files.bytes_of(os.path.abspath(name))
        if data is None:
            continue
        try:
            text = Text(data.decode("utf-8", "surrogateescape"))
        except PlaitError:
            continue
        for site in text.sites:
            if text.holds(site, place.value) and not text.is_computed(site) and not isinstance(site.value, Collection):
                for new in islice(text.replaced(site, from_plain(value)), 1):
                    yield os.path.abspath(name), new
                count += 1
                if count >= _MOST_SITES:
                    return


# -- documents as plain data ----------------------------------------------------------------------------------------------


def _way(place: NodePath) -> list[object]:
    """Numbers and keys from the documents down to a value."""
    way: list[object] = [place.number]
    around: Value = place.document.value
    for item in place.way:
        way.append(_step(around, item))
        around = item.value
    return way


def _step(around: Value, item: Item) -> object:
    items: list[Item] = around.items  # type: ignore[union-attr, assignment]
    number = next(place for place, one in enumerate(items) if one is item)
    return [*to_plain(around)][number] if hasattr(item, "key") else number  # type: ignore[misc]


def _with(data: object, way: list[object], value: object) -> object:
    if not way:
        return value
    if isinstance(data, dict):
        return {key: _with(inner, way[1:], value) if _alike(key, way[0]) else inner for key, inner in data.items()}
    assert isinstance(data, list)
    return [_with(inner, way[1:], value) if number == way[0] else inner for number, inner in enumerate(data)]


def _at(data: object, way: list[object]) -> tuple[bool, object]:
    for step in way:
        is_list = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if not is_list and not (isinstance(data, dict) and step in data):
            return False, None
        data = data[step]  # type: ignore[index]
    return True, data


def _alike(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _same(one: object, other: object) -> bool:
    return _shown(one) == _shown(other)


def _shown(data: object) -> str:
    """Data as text that tells types and the order of keys apart."""
    return repr(data)


def main() -> None:
    """Run seeds and print counts, and what was broken."""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    what = sys.argv[3] if len(sys.argv) > 3 else ""
    tried = {"back": outcome_of_output, "elsewhere": outcome_elsewhere}.get(what, outcome)
    files = [*of_files(pathlib.Path(what).absolute())] if what and tried is outcome else []
    counts: Counter[str] = Counter()
    broken = 0
    for seed in range(first, first + count):
        program = files[seed // 2 % len(files)] if files and seed % 2 else generated(seed)
        try:
            counts[tried(program, random.Random(seed))] += 1
        except Exception as error:  # noqa: BLE001 - told, and the next one tried
            broken += 1
            print(f"== {seed} {program.name}: {type(error).__name__}: {error}", flush=True)
    print(json.dumps({"broken": broken, **dict(counts.most_common())}))


if __name__ == "__main__":
    main()
