"""Programs of the corpus under cases/provenance, and what changing their lines shows about `explain`.

A file holds many programs: `##### NAME` begins one, `=== FILE` a file of it; the file `args` holds further arguments.
Every data line (a key or an item with a scalar) is changed in turn, and every line is deleted in turn. Of each scalar of
the output `explain` must have named the data lines that change it, and no others; and every line that it has named must
change it when it is deleted, or make the program fail.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from plait.base.errors import PlaitError
from plait.insight.explain import explain, lines
from plait.insight.node_paths import all_places
from plait.tree.context import Context
from plait.tree.nodes import Document
from plait.tree.provenance import Trace
from plait.yaml.document_names import document_name
from typed import evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.insight.node_paths import NodePath

    Files = dict[str, str]

CORPUS = Path(__file__).parent / "cases" / "provenance"
_DATA = re.compile(r"""\s*(- )*("[^"]*": |[^\s:"'#\[{]+: )?("[^"]*"|[^\s#&*\[{|>'"][^#]*)$""")
_GONE = object()


def programs() -> Iterator[tuple[str, str, Files]]:
    """Each program: its dialect, its name and its files."""
    for path in sorted(CORPUS.glob("*.txt")):
        for part in path.read_text("utf-8").split("##### ")[1:]:
            name, _, text = part.partition("\n")
            files = {}
            for section in text.split("=== ")[1:]:
                file, _, content = section.partition("\n")
                files[file] = content
            yield path.stem, name, files


def is_data(line: str) -> bool:
    """Whether a line of YAML has a scalar that can be changed."""
    text = line.strip()
    if not text or text.startswith(("#", "---")) or text.endswith(":") or "#@" in text or "(@" in text:
        return False
    if text.startswith(("type: ", "path: ", "- type: ")) or ": {" in text or ": [" in text:
        return False
    return _DATA.fullmatch(line) is not None


def is_alone(rows: list[str], number: int) -> bool:
    """Whether something else would change its form without a line: what it is the only or the first key of, or has a
    line of code or an annotation above it."""
    row = rows[number - 1]
    if number > 1 and rows[number - 2].lstrip().startswith("#@"):
        return True  # the annotation would be another one's
    indent = len(row) - len(row.lstrip(" "))
    if row.lstrip().startswith("- ") and number < len(rows):
        following = rows[number]
        if len(following) - len(following.lstrip(" ")) > indent:
            return True
    around = [*reversed(rows[: number - 1]), None, *rows[number:]]
    for part in (around[: number - 1], around[number:]):
        for other in part:
            assert other is not None
            if not other.strip() or other.strip().startswith("#"):
                continue
            depth = len(other) - len(other.lstrip(" "))
            if depth == indent and not other.startswith("---"):
                return False
            if depth < indent or other.startswith("---"):
                break
    return True


def changed(line: str) -> str:
    """The line with another scalar: a larger number, a longer text, the other truth."""
    if line.endswith(("true", "false")):
        head, _, word = line.rpartition(" ")
        return f"{head} {'false' if word == 'true' else 'true'}"
    return f'{line[:-1]}7"' if line.endswith('"') else f"{line}7"


class Run:
    """Runs the variants of one program in a directory."""

    def __init__(self, dialect: str, files: Files, directory: Path) -> None:
        self.dialect = dialect
        self.directory = directory
        self.files = {name: text for name, text in files.items() if name != "args"}
        self.args = files.get("args", "").split()
        has_schema = any(text.startswith("#@data/values-schema") for text in files.values())
        self.values = [
            name
            for name, text in self.files.items()
            if dialect == "templates" and has_schema and name.count("/") == 0 and "#@" not in text and name != "app.yml"
        ]
        for name in self.files:
            self.path(name).parent.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        return self.directory / ("values" if name in self.values else "config") / name

    def documents(self, files: Files, trace: Trace | None) -> list[Document]:
        for name, text in files.items():
            self.path(name).write_text(text, "utf-8")
        context = Context()
        context.trace = trace
        before = Path.cwd()
        try:
            os.chdir(self.directory if self.dialect == "templates" else self.directory / "config")
            if self.dialect == "templates":
                argv = ["-f", "config", *(f"--data-values-file=values/{name}" for name in self.values), *self.args]
                documents = evaluate("render", argv, context).nodes.items
                # The lines of text files stand for documents as well.
                texts = [] if trace is None else trace.texts.values()
                return [*documents, *(Document(lines, lines.source, 1) for lines in texts)]
            if self.dialect == "pipelines":
                return evaluate("compose", ["plait.yml", *self.args], context).nodes.items
            if self.dialect == "operations":
                operations = ["-o", "ops.yml"] if "ops.yml" in files else []
                return evaluate("patch", ["base.yml", *operations, *self.args], context).nodes.items
            return evaluate("layer", [*files, *self.args], context).nodes.items
        finally:
            os.chdir(before)


class Values:
    """The scalars of documents: by the number of their document, and by its name where it has one."""

    def __init__(self, documents: list[Document]) -> None:
        self.by_number = {f"{place.number}:{place.path}": place.value for place in all_places(documents, {})}
        names = [document_name(document) for document in documents]
        self.by_name = {
            f"{document_name(place.document)}:{place.path}": place.value
            for place in all_places(documents, {})
            if names.count(document_name(place.document)) == 1
        }

    def holds(self, place: NodePath) -> bool:
        """Whether a value is here as well: where it was, or in the document that has the name."""
        number, name = f"{place.number}:{place.path}", f"{document_name(place.document)}:{place.path}"
        return place.value in (self.by_number.get(number, _GONE), self.by_name.get(name, _GONE))


class Proof:
    """What was looked at, and what was wrong. Counts are of (value, line) pairs."""

    def __init__(self) -> None:
        self.changes = 0
        self.deletions = 0
        self.wrong: list[str] = []

    def say(self, name: str, place: NodePath, what: str) -> None:
        self.wrong.append(f"{name}: {place} = {place.value!r}: {what}")


def prove(dialect: str, name: str, files: Files, directory: Path) -> Proof:
    """Change and delete the lines of a program one by one."""
    run = Run(dialect, files, directory)
    trace = Trace()
    documents = run.documents(run.files, trace)
    places = [*all_places(documents, {})]
    named = [{(_file(run, source), line) for source, line in lines(explain(trace, place))} for place in places]
    untraced = Values(run.documents(run.files, None)).by_number
    traced = Values([document for document in documents if document.value not in trace.texts.values()]).by_number
    assert untraced == traced, "tracing changes nothing"
    proof = Proof()
    for file, text in run.files.items():
        rows = text.split("\n")
        data = not file.endswith((".star", ".txt"))
        for number, row in enumerate(rows, 1):
            if data and is_data(row):
                after = _after(run, file, [*rows[: number - 1], changed(row), *rows[number:]])
                if after is not None:
                    proof.changes += len(places)
                    for place, says in _says(places, named, file, number):
                        if says == after.holds(place):
                            verb = "names" if says else "does not name"
                            proof.say(name, place, f"{verb} {file}:{number} {row.strip()!r}")
            if not row.strip():
                continue
            after = _after(run, file, [*rows[: number - 1], *rows[number:]])
            for place, says in _says(places, named, file, number):
                same = after is not None and after.holds(place)
                if says:
                    proof.deletions += 1
                    if same:
                        proof.say(name, place, f"the same without {file}:{number} {row.strip()!r}")
                elif (
                    after is not None and data and is_data(row) and not is_alone(rows, number) and "[" not in place.path
                ):
                    # What stands in an array moves up when an item before it is gone.
                    proof.deletions += 1
                    if not same:
                        proof.say(name, place, f"another without {file}:{number} {row.strip()!r}")
    return proof


def _says(
    places: list[NodePath], named: list[set[tuple[str, int]]], file: str, number: int
) -> list[tuple[NodePath, bool]]:
    """The places, and whether each names a line: it does if it names the whole file."""
    return [(place, (file, number) in one or (file, 0) in one) for place, one in zip(places, named, strict=True)]


def _after(run: Run, file: str, rows: list[str]) -> Values | None:
    try:
        has_text = any(name.endswith(".txt") for name in run.files)
        return Values(run.documents({**run.files, file: "\n".join(rows)}, Trace() if has_text else None))
    except PlaitError:
        return None
    finally:
        run.path(file).write_text(run.files[file], "utf-8")


def _file(run: Run, source: str) -> str:
    """The file of a program that a source's name means."""
    found = [name for name in run.files if source == name or source.endswith("/" + name)]
    return max(found, key=len, default=source)
