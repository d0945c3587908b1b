"""Snapshots: the accepted output of a case, one YAML file per case in a directory next to the test file.

The snapshots of `app.test.yml` are in `app.test.snapshots`, each named after its case. A file is the printed output, or
a map from paths to values if the case selects some. A review shows changes line by line, and other tools can read the
file.
"""

from __future__ import annotations

import os
import stat
from hashlib import blake2b

from plait.authoring.testing.failures import Fault, failed
from plait.authoring.testing.value_origins import cause_at, difference_lines, set_by, with_causes
from plait.base.content import file_content
from plait.base.errors import PlaitError, ReadError, UsageError
from plait.base.path_errors import read_failure
from plait.base.source import Position, Source, reason
from plait.base.suggestions import CONTENT, Suggestion
from plait.base.text_diff import hunks, visible
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import strict, write_file
from plait.engine.pipeline import wrong
from plait.insight.diff import ADDED, REMOVED, Difference, diff, read
from plait.insight.node_paths import parse
from plait.insight.path_resolution import find
from plait.insight.redaction import hidden_differences
from plait.ops.reader import write_text
from plait.tree.nodes import Array, Document, DocumentSet, Map, MapItem
from plait.yaml.writer import write as write_documents
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.testing.evaluating import CaseEvaluation, Evaluator
    from plait.authoring.testing.results import ExpectationFailure
    from plait.authoring.testing.value_origins import Cause
    from plait.base.writing.directory import Directory
    from plait.insight.node_paths import NodePath, Path

SCHEMA = {
    "oneOf": [
        {"const": True},
        {"type": "string", "description": "a PATH"},
        {"type": "array", "items": {"type": "string", "description": "a PATH"}},
    ],
    "description": "the output, or the values at these PATHs, must equal the snapshot next to the test file",
}

# Characters that a file name contains literally; others are written as %XX.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-=,.[]")
_LONGEST = 120


class Snapshot:
    """Expects that an output has not changed."""

    expects_error = False

    def __init__(self, file: str, paths: Sequence[Path] | None, at: Position) -> None:
        self.file = file
        self._paths = paths
        self._at = at
        self.is_updating = False
        # The action on the file, for reports.
        self.note = ""

    def failures(self, outcome: CaseEvaluation, evaluator: Evaluator) -> Iterator[ExpectationFailure]:  # noqa: ARG002
        """Yields a failure if the output differs from the snapshot. With `is_updating`, writes the snapshot instead."""
        self.note = ""
        text = self._text(outcome)
        kept = _stored(self.file)
        if kept == text:
            return
        if self.is_updating:
            write(self.file, text)
            self.note = f"{'wrote' if kept is None else 'rewrote'} {self.file}"
            return
        if kept is None:
            hint = f"plait test --update writes {self.file}"
            fault = Fault("snapshot: there is none yet", [f"  hint: {hint}"], expected=self.file, found="no file")
            yield failed(fault, self._at, code="missing-snapshot", word="snapshot", hint=hint)
            return
        causes: list[Cause] = []
        fault = Fault(
            f"snapshot: differs from {self.file}",
            [*self._differences(outcome, kept, text, causes)],
            suggestions=[Suggestion(CONTENT, text, old=self.file)],
        )
        snapshot = Position(Source(self.file, kept), 1).labelled("the snapshot")
        hint = f"plait test --update rewrites {self.file}"
        yield failed(
            fault, self._at, code="changed-snapshot", word="snapshot", hint=hint, causes=causes, also=[snapshot]
        )

    def _text(self, outcome: CaseEvaluation) -> str:
        if self._paths is None:
            return outcome.text() + _texts(outcome)

        return write_value(Map([MapItem(str(place), place.value) for place in self._places(outcome)]))

    def _places(self, outcome: CaseEvaluation) -> list[NodePath]:
        return [place for path in self._paths or () for place in find(path, outcome.items())]

    def _differences(self, outcome: CaseEvaluation, kept: str, text: str, causes: list[Cause]) -> Iterator[str]:
        before, now = read([Source(self.file, kept)]), read([Source("output", text)])
        lines = (
            with_causes(outcome, diff(before, now), causes)
            if self._paths is None
            else [*self._of_parts(outcome, before, causes)]
        )
        yield from (f"  {line}" for line in lines)
        if not lines:
            yield "  equal by key; the text differs"
            for hunk in hunks(kept, text):
                yield f"    {hunk.header}"
                yield from (f"    {sign} {visible(line)}".rstrip() for sign, line in hunk.lines)

    def _of_parts(self, outcome: CaseEvaluation, before: Sequence[Document], causes: list[Cause]) -> Iterator[str]:
        """The differences at the selected paths, each with its cause."""
        top = before[0].value if before else None
        left = {str(item.key): item.value for item in top.items} if type(top) is Map else {}
        for place in self._places(outcome):
            key = str(place)
            if key in left:
                differences = diff([Document(left.pop(key))], [Document(place.value)])
            else:
                differences = [Difference(ADDED, "", "", None, place.value)]
            for one in hidden_differences(differences, outcome.view):
                one.path = f"{key}{'.' if one.path[:1] not in ('', '[') else ''}{one.path}"
                yield from difference_lines(one)
            found = cause_at(outcome, place.number, place.path) if differences else None
            yield from set_by(found, causes, "      ")
        for gone, value in left.items():
            gone_ones = [Difference(REMOVED, "", gone, value, None)]
            yield from difference_lines(*hidden_differences(gone_ones, outcome.view))


def _texts(outcome: CaseEvaluation) -> str:
    """The text files of an output, as an additional document."""
    texts = outcome.text_files()
    if not texts:
        return ""

    return "---\n" + write_value(Map([MapItem(name, text) for name, text in texts.items()]))


def snapshot_of(item: MapItem, test_file: str, name: str) -> Iterator[Snapshot]:
    """The snapshots of a case's `snapshot:`; none for false. name: the case with its parameters. Raises UsageError."""
    value = item.value
    texts: list[str] | None
    if value is True:
        texts = None
    elif value is False:
        return
    elif type(value) is str:
        texts = [value]
    elif type(value) is Array and all(type(one.value) is str for one in value.items):
        texts = [str(one.value) for one in value.items]
    else:
        raise wrong(item, "true, a PATH, or a list of PATHs")
    try:
        paths = None if texts is None else [parse(text) for text in texts]
    except UsageError as error:
        error.at = item.position
        raise
    yield Snapshot(os.path.join(directory_for(test_file), file_name(name)), paths, item.position)


def directory_for(test_file: str) -> str:
    """The directory of a test file's snapshots."""
    return f"{os.path.splitext(test_file)[0]}.snapshots"


def file_name(name: str) -> str:
    """The file for a case. The names are distinct, and do not leave the directory."""
    text = "".join(
        char if char in _PLAIN else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
        for char in name
    )
    if text.startswith("."):
        text = f"%2E{text[1:]}"
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}~{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"
    return f"{text}.yml"


def obsolete(test_file: str, used: set[str]) -> list[str]:
    """The obsolete snapshots of a test file. used: the files that its cases use.

    Only files that plait can have written count as snapshots: the name must be that of a case, and the text must equal
    the printed documents byte for byte. Other files in the directory stay.
    """
    path = directory_for(test_file)
    try:
        with strict(path, os.path.dirname(test_file), reads=True) as directory:
            names = [name for name in sorted(directory.names()) if os.path.join(path, name) not in used]
            return [os.path.join(path, name) for name in names if _is_name(name) and _is_ours(directory, name)]
    except OSError:
        return []


def _is_name(name: str) -> bool:
    """True for a name that `file_name` returns."""
    from urllib.parse import unquote_to_bytes

    stem, ending = os.path.splitext(name)
    start, _, documents_or_error = stem.rpartition("~")
    if len(start) == _LONGEST and len(documents_or_error) == 16:
        return ending == ".yml" and not documents_or_error.strip("0123456789abcdef")
    try:
        return file_name(unquote_to_bytes(stem).decode("utf-8", "surrogatepass")) == name
    except UnicodeDecodeError:
        return False


def _is_ours(directory: Directory, name: str) -> bool:
    """True if the file's text equals its printed documents byte for byte."""
    status = directory.status(name)
    content = directory.read(name) if status is not None and status.st_nlink == 1 else None
    if not content:
        return False
    text = content.decode("utf-8", "surrogateescape")
    try:
        documents = read([Source(name, text)])
        printed = [write_documents(DocumentSet(documents))]
        if len(documents) == 1:  # `plait patch` folds long lines
            printed.append(write_text(documents[0].value, sort=False))
    except PlaitError:
        return False
    return text in printed


def remove(path: str) -> None:
    """Removes a snapshot, and its directory if it was the last. Raises ReadError."""
    above, name = os.path.split(path)
    beside = os.path.dirname(above)
    try:
        with strict(beside, beside) as place, place.below(os.path.basename(above)) as directory:
            directory.remove(name)
            if not directory.names():
                place.remove_directory(os.path.basename(above))
    except OSError as error:
        raise ReadError(f"cannot remove {path}: {reason(error)}", code="unwritable-file") from None


def _stored(path: str) -> str | None:
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode):
            raise ReadError(f"cannot read {path}: it is a FIFO, not a regular file", code="not-regular-file")
        return file_content(path, path).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise read_failure(path, error) from None


def write(path: str, text: str) -> None:
    """Writes a snapshot. Raises ReadError, also if its directory or the file itself is a link."""
    top = os.path.dirname(os.path.dirname(path))
    try:
        write_file(path, [text.encode("utf-8", "surrogateescape")], new_mode=0o666, top=top, make=0o777)
    except OSError as error:
        raise failure(path, error) from None
