"""Edits a value of the output in its source, and verifies the edit by evaluating again."""

from __future__ import annotations

import os

from plait.authoring.edit.edit_errors import ALSO, FAILS, OTHERWISE, UNWRITABLE, EditError
from plait.authoring.edit.edited_files import write_all
from plait.authoring.edit.origins import OriginFiles, check_file, decoded, history_of, origins, why_not
from plait.authoring.edit.target import Output, Target, changed_texts, differences, same, value_at, with_value
from plait.base.content import encoded
from plait.base.errors import LimitError, PlaitError, UsageError
from plait.base.lines import lines_of, lines_with_breaks
from plait.base.similar_names import counted
from plait.base.source import Position, public
from plait.base.text_diff import GONE, NEW, Paint, differing
from plait.insight.diff import diff, to_text
from plait.insight.explain import Explainer
from plait.insight.history_text import shown
from plait.insight.node_paths import NodePath, means_text, parse, text_lines
from plait.insight.path_resolution import find
from plait.tree.nodes import Array, Map, equal, kind_name
from plait.tree.secrets import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from plait.engine.options import Use
    from plait.insight.diff import Difference
    from plait.insight.explain import HistoryEntry
    from plait.insight.node_paths import Path
    from plait.tree.nodes import Document, Value

# Maximum number of edits tried for one value, over its possible positions and spellings.
_MOST_TRIES = 20


# What to do about a value that the declarations of the inputs reject, by the code of the error.
_ADVICE = {
    "wrong-value-type": "use a value of the declared type",
    "failed-validation": "use a value that meets the rule, or change the rule",
    "json-schema-violation": "use a value that conforms to the schema, or change the schema",
}


class Edit:
    """An edit of files, and its effect.

    files: each file's bytes before and after, by absolute path (before: None for a new file).
    before, after: the output.
    also: unintended changes, by key.
    places: the edited lines, FILE:LINE.
    notes: remarks, such as a flag that the run needs from now on.
    """

    __slots__ = ("after", "also", "before", "files", "notes", "places")

    def __init__(
        self,
        files: Mapping[str, tuple[bytes | None, bytes]],
        before: Output,
        after: Output,
        *,
        also: Sequence[str] = (),
        places: Sequence[str] = (),
        notes: Sequence[str] = (),
    ) -> None:
        self.files = dict(files)
        self.before = before
        self.after = after
        self.also = list(also)
        self.places = list(places)
        self.notes = list(notes)

    @property
    def texts(self) -> dict[str, bytes]:
        """The contents of the edited files."""
        return {path: after for path, (_, after) in self.files.items()}

    @property
    def differences(self) -> list[Difference]:
        """The changes in the output. Secrets are hidden, and not compared."""
        before, after = self.before, self.after
        return diff(before.shown(before.documents), after.shown(after.documents), in_order=True)

    def lines(self) -> Iterator[tuple[str, int, Sequence[str], Sequence[str]]]:
        """The changed lines: path, number of the first line, old lines, new lines. Secret lines are hidden."""
        for path in self.files:
            for start, _, old, new in self._changes(path):
                yield path, start + 1, lines_of("".join(old)), lines_of("".join(new))

    def _changes(self, path: str) -> Iterator[tuple[int, int, Sequence[str], Sequence[str]]]:
        """The changes of a file: the numbers of lines before them in the old and the new text, the old and the new
        lines with their line breaks. Secret lines are hidden.
        """
        before, after = self.files[path]
        old = [] if before is None else lines_with_breaks(decoded(before))
        new = lines_with_breaks(decoded(after))
        for start, end, there, last in differing(old, new):
            if any(self.before.is_secret(path, number + 1) for number in range(start, end)):
                yield start, there, [f"{HIDDEN}\n"] * (end - start), [f"{HIDDEN}\n"] * (last - there)
            else:
                yield start, there, old[start:end], new[there:last]

    def to_text(self, *, colour: bool = False, clean: Callable[[str], str] = str) -> str:
        """The changed lines of files, notes, and the changed keys of the output, as `plait set` prints them.

        clean: applied to text from the files before it is coloured.
        """
        paint = Paint(clean, colour=colour)
        out: list[str] = []
        for path, line, gone, new in self.lines():
            out.append(f"{clean(os.path.relpath(path))}:{line}")
            out += [paint(GONE, f"  - {one}".rstrip()) for one in gone]
            out += [paint(NEW, f"  + {one}".rstrip()) for one in new]
        out += [clean(f"note: {note}") for note in self.notes]
        return "".join(f"{line}\n" for line in out) + to_text(self.differences, colour=colour, clean=clean)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Edit of {counted(len(self.files), 'file')}: {', '.join(self.places) or 'nothing'}>"

    def to_patch(self) -> str:
        """The edit as a unified diff without context (`unidiff-zero` of git apply). Paths are relative to the working
        directory; secret lines are hidden, and then it cannot be applied.
        """
        out: list[str] = []
        for path, (before, _) in self.files.items():
            name = os.path.relpath(path).replace(os.sep, "/")
            out += ["--- /dev/null\n" if before is None else f"--- a/{name}\n", f"+++ b/{name}\n"]
            for start, there, old, new in self._changes(path):
                out.append(f"@@ -{_range(start, len(old))} +{_range(there, len(new))} @@\n")
                out += [_patch_line("-", line) for line in old]
                out += [_patch_line("+", line) for line in new]
        return "".join(out)

    def write(self, *, also: bool = False) -> None:
        """Writes the files, all or none. also: write even if there are unintended changes.

        Raises EditError for unintended changes, ReadError for a file that has changed or cannot be written.
        """
        if self.also and not also:
            raise self.refused()
        write_all(self.files, self.before.top)

    def refused(self, path: str = "") -> EditError:
        """The error for unintended changes."""
        return EditError(
            ALSO,
            f"the edit of {path or 'the value'} would change other values too",
            path=path,
            found="; ".join(self.also[:_MOST_SHOWN]) + ("; ..." if len(self.also) > _MOST_SHOWN else ""),
            hint="--also accepts it",
            changes=self.also,
        )


def _range(start: int, count: int) -> str:
    """The lines of one side of a hunk; for an empty side, the line before it."""
    return f"{start + 1 if count else start},{count}"


def _patch_line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


_MOST_SHOWN = 12
# The message does not depend on the existence of other values, or their changes.
_UNSEEN = "other parts of the output depend on a secret; their changes are not shown"
_UNCOMPARED = "values computed from secrets may change as well; they are not shown"


def joined(edits: Sequence[Edit]) -> Edit:
    """Joins consecutive edits into one."""
    if len(edits) == 1:
        return edits[0]
    files: dict[str, tuple[bytes | None, bytes]] = {}
    for edit in edits:
        for path, (before, after) in edit.files.items():
            files[path] = (files[path][0] if path in files else before, after)
    also, places, notes = ([one for edit in edits for one in part(edit)] for part in _PARTS)
    return Edit(files, edits[0].before, edits[-1].after, also=also, places=places, notes=notes)


_PARTS: tuple[Callable[[Edit], list[str]], ...] = (
    lambda edit: edit.also,
    lambda edit: edit.places,
    lambda edit: edit.notes,
)


# The action of a history's entry for a value that a schema declares.
_DECLARED = "schema default"


def _retyped(path: str, declared: HistoryEntry, value: Value, typed: str | None) -> EditError:
    """The error for a value that would change the type that a schema declares by its default. typed: the user's spelling."""
    was, now = kind_name(declared.value), kind_name(value)
    fix = "use a value of this type"
    if type(declared.value) is str and type(value) not in (Map, Array) and typed is not None:
        fix = f"--text {path}={typed} sets a string"
    error = EditError(
        FAILS,
        f"{shown(value)} is not of the type that {declared.place} declares",
        path=path,
        at=Position(declared.source, declared.line),
        expected=was,
        found=now,
        hint=f"{fix}; --at {declared.place} changes the declaration",
    )
    error.cause = "wrong-value-type"
    return error


def _note_of_type(node_path: NodePath, value: Value, typed: str | None) -> str | None:
    """A note if the type of a value changes; None otherwise. typed: the user's spelling."""
    old = node_path.value
    was, now = kind_name(old), kind_name(value)
    if (
        was == now
        or old is None
        or {was, now} == _NUMBERS
        or (type(old) in (Map, Array) and type(value) in (Map, Array))
    ):
        return None
    hint = f"; --text {node_path}={typed} keeps the type" if type(old) is str and typed is not None else ""
    return f"{node_path} had the type {was}, and now has the type {now}{hint}"


_NUMBERS = {"integer", "float"}


class EditSession:
    """A run with edited texts, as the starting point for further edits."""

    def __init__(self, target: Target, texts: Mapping[str, bytes] | None = None) -> None:
        """Raises PlaitError if the run fails."""
        self.target = target
        self.texts: Mapping[str, bytes] = {} if texts is None else texts
        self.output = target.evaluate(self.texts, trace=True)
        self.files = OriginFiles(self.output, self.texts, is_layered=target.run.command in ("layer", "compose"))
        self._noise: set[str] | None = None

    def single_value(self, path: str) -> NodePath:
        """The only value that a PATH selects. Raises UsageError."""
        found = self.places(path)
        if len(found) > 1:
            raise UsageError(
                f'"{path}" means {len(found)} values',
                found=", ".join(str(place) for place in found[:_MOST_SHOWN]),
                expected="one value",
                hint="set each with its own PATH; one command accepts several",
                code="ambiguous-path",
            )
        return found[0]

    def places(self, path: str) -> Sequence[NodePath]:
        """The values at a PATH. Raises UsageError if there are none."""
        return self.places_of(parse(path))

    def places_of(self, expected: Path) -> Sequence[NodePath]:
        """The values at a parsed PATH. Raises UsageError if there are none."""
        output = self.output
        if output.trace is not None:
            texts = Explainer(output.trace).texts
            if means_text(expected, texts):
                return text_lines(texts, expected)
        return [output.place(one) for one in find(expected, output.seen(output.documents), output.names)]

    def set(self, node_path: NodePath, value: Value, typed: str | None = None) -> Edit:
        """Edits a value in its source. typed: the user's spelling. Raises EditError."""
        history = history_of(self.output, node_path)
        if not node_path.way:
            raise EditError(
                UNWRITABLE, "a whole document cannot be edited", path=str(node_path), hint="choose one of its keys"
            )
        if equal(node_path.value, value):
            return Edit({}, self.output, self.output)
        found = origins(history, self.files)
        if not found:
            raise why_not(history, self.files)
        tries = (
            (one.path, one.entry.place, text) for one in found for text in one.text.replaced(one.site, value, typed)
        )
        declared = next((one.entry for one in found if one.entry.action == _DECLARED), None)
        is_retyped = declared is not None and kind_name(declared.value) != kind_name(value)
        try:
            edit = self.best(node_path, value, tries)
        except EditError as refused:
            # An array as a declaration has an empty one as its default: the output has another value.
            if declared is not None and is_retyped and refused.reason == OTHERWISE:
                raise _retyped(str(node_path), declared, value, typed) from None
            raise
        if declared is not None and is_retyped and declared.place in edit.places:
            raise _retyped(str(node_path), declared, value, typed)
        note = _note_of_type(node_path, value, typed)
        if note is not None:
            edit.notes.append(note)
        return edit

    def best(self, node_path: NodePath, value: Value, tries: Iterable[tuple[str, str, str]]) -> Edit:
        """The first candidate that changes nothing else, else the first that produces the value. Raises EditError.

        tries: for each candidate the path of a file, FILE:LINE, and the text of the file.
        """
        second: Edit | None = None
        failed: EditError | None = None
        for number, (path, where, text) in enumerate(tries):
            if number >= _MOST_TRIES:
                break
            try:
                edit = self.tried(node_path, value, {path: text}, [where])
            except EditError as refused:
                failed = failed or refused
                continue
            if not edit.also:
                return edit
            second = second or edit
        if second is not None:
            return second
        raise failed or EditError(UNWRITABLE, f"{node_path} cannot be edited alone", path=str(node_path))

    def tried(
        self,
        node_path: NodePath,
        value: Value,
        texts: Mapping[str, str],
        places: Sequence[str],
        *,
        uses: Sequence[Use] = (),
        notes: Sequence[str] = (),
    ) -> Edit:
        """Evaluates an edit. uses: flags it needs. Raises EditError if the texts do not produce the value."""
        for path in texts:
            if self.files.bytes_of(path) is not None and path not in self.texts:
                check_file(path, str(node_path))
        new = {path: encoded(text) for path, text in texts.items()}
        where = ", ".join(places)
        try:
            output = self.target.evaluate({**self.texts, **new}, trace=self.output.uses_secrets, uses=uses)
        except LimitError:
            raise
        except PlaitError as error:
            # A collection of faults has no place of its own.
            fault = error.findings[0] if error.findings and error.at is None else error
            refused = EditError(
                FAILS,
                # The value is the user's, and the rest is as the fault itself shows it.
                public(f"the run fails with {shown(value)} at {where}: {fault.message}"),
                path=str(node_path),
                at=fault.at,
                expected=fault.expected and public(fault.expected),
                found=fault.found and public(fault.found),
                hint=public(_ADVICE[fault.code]) if fault.code in _ADVICE else None,
            )
            refused.cause = fault.code
            raise refused from None
        is_there, got, is_secret = value_at(output, node_path, self.output)
        if is_secret:
            # The resulting value would reveal the secret, and so would the fact that it is correct.
            refused = EditError(
                OTHERWISE,
                f"with {shown(value)} at {where} the value depends on a secret",
                path=str(node_path),
                expected=shown(value),
                found=HIDDEN,
            )
            refused.is_secret = True
            raise refused
        if not is_there or not equal(got, value):
            refused = EditError(
                OTHERWISE,
                f"with {shown(value)} at {where}, the output has a different value",
                path=str(node_path),
                expected=shown(value),
                found=shown(got) if is_there else "nothing",
            )
            refused.got = got
            raise refused
        also = self.unintended_changes(with_value(self.output.documents, node_path, value, self.output.trace), output)
        files = {path: (self.files.bytes_of(path), data) for path, data in new.items()}
        if self.output.is_decided or self.output.secrets:
            notes = [*notes, _UNSEEN if self.output.is_decided else _UNCOMPARED]
        return Edit(files, self.output, output, also=also, places=places, notes=notes)

    def unintended_changes(self, expected: Sequence[Document], output: Output) -> list[str]:
        """The unintended changes of an output by key, without values that change in every run."""
        texts = changed_texts(self.output, output)
        if not texts and same(expected, output.documents):
            return []
        before = self.output.shown
        found = [named(one) for one in differences(before(expected), output.shown(output.documents))] + texts
        if not found and not self.output.uses_secrets:
            found = [
                f"{NodePath(a, number, ())}: the order of keys"
                for number, (a, b) in enumerate(zip(expected, output.documents, strict=True))
                if not equal(a.value, b.value)
            ]
        if found and self._noise is None:
            again = self.target.evaluate(self.texts, trace=self.output.uses_secrets)
            documents = again.shown(again.documents)
            self._noise = {named(one) for one in differences(before(self.output.documents), documents)}
            self._noise.update(changed_texts(self.output, again))
        return [one for one in found if one not in (self._noise or ())]


def named(difference: Difference) -> str:
    """The name of a difference: the document, and the path in it."""
    return f"{difference.document}:{difference.path}" if difference.path else difference.document
