"""The result of a review, as data that every format prints. All texts are redacted."""

from __future__ import annotations

from json import dumps

from plait.review.rules import SEVERITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.base.errors import PlaitError, Warning
    from plait.insight.diagnostic_formats import Message

VERSION = 1
# Characters of a line of a document.
_LONGEST = 1_000


class Lines:
    """The changed lines of one unit. file: the path from the top of the repository. line: in the new text, 0 for none.

    place: as text. new, old: the first and the last line of each part, in the new and in the old text. vendored: the
    file is third-party or generated.
    """

    __slots__ = ("file", "line", "new", "old", "place", "vendored")

    def __init__(
        self,
        file: str,
        line: int,
        place: str,
        new: Sequence[tuple[int, int]],
        old: Sequence[tuple[int, int]],
        *,
        vendored: bool,
    ) -> None:
        self.file = file
        self.line = line
        self.place = place
        self.new = list(new)
        self.old = list(old)
        self.vendored = vendored

    def data(self) -> dict[str, object]:
        """As JSON."""
        return {
            "file": self.file,
            "line": self.line,
            "place": self.place,
            "new": [list(one) for one in self.new],
            "old": [list(one) for one in self.old],
            "vendored": self.vendored,
        }


class ValueChange:
    """A change of the output, once for all runs that have it.

    kind: added, removed, changed, reordered or renamed. document: its name; of a text file its path. path: in the
    document, "" for all of it. before, after: the values on one line, or None. values: the number of values, more than
    one for a collection. runs: their names. where: the runs as text, "" for all. causes: the indexes
    of causes. is_secret: the values are hidden. of_keys: the order of keys changed, not that of a list.
    """

    __slots__ = (
        "after", "before", "causes", "document", "is_secret", "kind", "of_keys", "path", "runs", "values", "where",
    )  # fmt: skip

    def __init__(
        self,
        kind: str,
        document: str,
        path: str,
        before: str | None,
        after: str | None,
        values: int,
        *,
        is_secret: bool,
    ) -> None:
        self.kind = kind
        self.document = document
        self.path = path
        self.before = before
        self.after = after
        self.values = values
        self.is_secret = is_secret
        self.of_keys = False
        self.runs: list[str] = []
        self.where = ""
        self.causes: list[int] = []

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for the same changes in different runs."""
        return self.kind, self.document, self.path, self.before, self.after, self.values

    @property
    def place(self) -> str:
        """The document and the path, as a PATH on the command line."""
        return f"{self.document}:{self.path}" if self.path else self.document

    def data(self) -> dict[str, object]:
        """As JSON."""
        return {
            "kind": self.kind,
            "document": self.document,
            "path": self.path,
            "before": self.before,
            "after": self.after,
            "values": self.values,
            "secret": self.is_secret,
            "runs": self.runs,
            "where": self.where,
            "causes": self.causes,
        }


class Cause:
    """Units that together restore values if they are reverted. lines: the lines of each unit. values: the number of
    values.

    runs: the names of those in which this was evaluated. names: the names of all with the changes, without those in
    which other lines cause them. where: the names as text, "" for all with the changes.
    """

    __slots__ = ("changes", "lines", "names", "runs", "values", "where")

    def __init__(self, lines: Sequence[Lines]) -> None:
        self.lines = list(lines)
        self.changes: list[ValueChange] = []
        self.values = 0
        self.runs: set[str] = set()
        self.names: set[str] = set()
        self.where = ""

    @property
    def verified_in(self) -> int:
        """The number of runs in which this was evaluated."""
        return len(self.runs)

    @property
    def of(self) -> int:
        """The number of runs with the changes, without those in which other lines cause them."""
        return len(self.names)

    @property
    def is_vendored(self) -> bool:
        """True if all lines are in vendored files."""
        return all(one.vendored for one in self.lines)

    @property
    def parts(self) -> list[tuple[str, list[Lines]]]:
        """The lines of each file, with their text."""
        by_file: dict[str, list[Lines]] = {}
        for one in self.lines:
            by_file.setdefault(one.file, []).append(one)
        return [(places_text(file, some), some) for file, some in by_file.items()]

    @property
    def places(self) -> list[str]:
        """The lines as text, one per file."""
        return [text for text, _ in self.parts]

    @property
    def place(self) -> str:
        """The lines as one text."""
        return " with ".join(self.places)

    @property
    def start(self) -> tuple[str, int, str]:
        """The position in the order of files and lines."""
        first = self.lines[0]
        return first.file, first.line or min((start for start, _ in first.old), default=0), self.place

    def data(self) -> dict[str, object]:
        """As JSON."""
        return {
            "lines": [one.data() for one in self.lines],
            "values": self.values,
            "verified_in": self.verified_in,
            "of": self.of,
            "where": self.where,
        }


def places_text(file: str, lines: Sequence[Lines]) -> str:
    """Lines of one file as text."""
    if len(lines) == 1 or not all(one.new or one.old for one in lines):
        return " with ".join(one.place for one in lines)
    new = [span for one in lines for span in one.new]
    # Lines that others replace at the same place are not listed twice.
    replaced = {line for start, end in new for line in range(start, end + 2)}
    gone = [span for one in lines if not one.new and one.line not in replaced for span in one.old]
    found = [numbers(new)] if new else []
    if gone:
        found.append(f"{numbers(gone)} removed")
    return f"{file}:{', '.join(found)}"


def numbers(spans: Sequence[tuple[int, int]]) -> str:
    """The first and the last lines of parts as text: "3,5-8"."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return ",".join(str(start) if start == end else f"{start}-{end}" for start, end in joined)


class OtherLines:
    """Changed lines that are not a cause. message: the diagnostic of the evaluation without them, or "". is_alone: they
    were reverted alone, not with others. runs: the names of the runs in which this holds.
    """

    __slots__ = ("is_alone", "lines", "message", "runs")

    def __init__(self, lines: Lines, message: str = "", *, is_alone: bool = True) -> None:
        self.lines = lines
        self.message = message
        self.is_alone = is_alone
        self.runs: list[str] = []

    def data(self) -> dict[str, object]:
        """As JSON."""
        return {"lines": self.lines.data(), "message": self.message or None, "alone": self.is_alone, "runs": self.runs}


class FoundConsequence:
    """A rule that applies. subjects: documents with their part, or ""."""

    __slots__ = ("name", "reason", "runs", "severity", "subjects", "text", "where")

    def __init__(self, name: str, severity: str, text: str, reason: str, subjects: Sequence[tuple[str, str]]) -> None:
        self.name = name
        self.severity = severity
        self.text = text
        self.reason = reason
        self.subjects = list(subjects)
        self.runs: list[str] = []
        self.where = ""

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for the same consequence in different runs."""
        return self.name, self.text, tuple(self.subjects)

    def data(self) -> dict[str, object]:
        """As JSON."""
        return {
            "name": self.name,
            "severity": self.severity,
            "message": self.text,
            "reason": self.reason,
            "subjects": [{"document": document or None, "part": part or None} for document, part in self.subjects],
            "runs": self.runs,
            "where": self.where,
        }


class Failure:
    """A run that fails. side: "head", "base" or "both". message: the heading of the diagnostic. file, line: its
    position.

    diagnostics: the error as data. caused: True if the change caused it, None if that is unknown. causes: the lines
    whose reverting lets the run work.
    """

    __slots__ = ("caused", "causes", "diagnostics", "file", "line", "message", "report", "runs", "side", "where")

    def __init__(
        self,
        side: str,
        message: str,
        report: str,
        file: str,
        line: int,
        *,
        caused: bool | None,
        diagnostics: Sequence[Message] = (),
    ) -> None:
        self.diagnostics = diagnostics
        self.side = side
        self.message = message
        self.report = report
        self.file = file
        self.line = line
        self.caused = caused
        self.causes: list[Lines] = []
        self.runs: list[str] = []
        self.where = ""

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for the same failure in different runs."""
        return self.side, self.message, self.file, self.line

    def data(self) -> dict[str, object]:
        """As JSON."""
        return {
            "side": self.side,
            "message": self.message,
            "report": self.report,
            "diagnostics": [one.data() for one in self.diagnostics],
            "file": self.file or None,
            "line": self.line,
            "caused": self.caused,
            "causes": [one.data() for one in self.causes],
            "runs": self.runs,
            "where": self.where,
        }


class Block:
    """Consecutive lines. is_same: both sides have them. old, new: the lines of each side, the first of which has the
    number `old_start` or `new_start`. change: the reason of a difference, if it is known. left_out: the number of lines
    that are not shown instead.
    """

    __slots__ = ("change", "is_same", "left_out", "new", "new_start", "old", "old_start")

    def __init__(self, old_start: int, old: Sequence[str], new_start: int, new: Sequence[str]) -> None:
        self.is_same = False
        self.old_start = old_start
        self.old = [_shortened(line) for line in old]
        self.new_start = new_start
        self.new = [_shortened(line) for line in new]
        self.change: ValueChange | None = None
        self.left_out = 0

    @classmethod
    def same(cls, old_start: int, new_start: int, lines: Sequence[str]) -> Block:
        """Equal lines."""
        made = cls(old_start, lines, new_start, lines)
        made.is_same = True
        return made

    @classmethod
    def gap(cls, count: int, *, is_same: bool) -> Block:
        """Lines that are not shown."""
        made = cls(0, (), 0, ())
        made.is_same = is_same
        made.left_out = count
        return made


class DocumentChange:
    """A document of the output that differs.

    name: as in the changes. kind: ADDED, REMOVED, RENAMED or CHANGED. changes: the changes of its values. run: the one
    whose lines are shown. runs: all with the same changes. where: these runs as text.
    """

    __slots__ = ("blocks", "changes", "kind", "name", "run", "runs", "where")

    def __init__(self, name: str, kind: str, found: Sequence[ValueChange], blocks: Sequence[Block], run: str) -> None:
        self.name = name
        self.kind = kind
        self.changes = list(found)
        self.blocks = list(blocks)
        self.run = run
        self.runs: list[str] = []
        self.where = ""

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for the same changes in different runs."""
        return self.name, self.kind, *(one.key for one in self.changes)

    @property
    def unplaced(self) -> list[ValueChange]:
        """The changes without a line in a block: those of secrets, and of lines that are left out."""
        shown = {one.change for one in self.blocks}
        return [one for one in self.changes if one not in shown]


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


class RenderedSide:
    """The output of HEAD's side. files: contents by path, placed as `plait fleet` places them. error: the error of the
    first run that fails; the files are incomplete then.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.warnings: list[Warning] = []
        self.error: PlaitError | None = None


class Review:
    """A review: the changes of the output between two revisions, and their causes.

    base, head: as typed; head is "" for the working directory. commits: the commits of both, "" for none. runs: the
    number of runs on HEAD's side. evaluated: the number of those that read a changed file. changed: the names of those
    whose output differs. added, removed: names of runs that only one side has. new_project: the project file if BASE
    has none; both sides are evaluated with it. project_from: its owner, HEAD or the working directory. permissions:
    accesses that only HEAD's project file asks for. withheld: the names of runs with secrets; values computed from
    secrets are not compared. unread: the number of differing files that no evaluation read. is_cut: the search for
    causes ended at its budget of CPU time. documents: the lines of changed documents, if requested. axes: the values of
    axes of each run. output: the output of HEAD's side, if requested. is_backwards: HEAD is an ancestor of BASE.
    """

    def __init__(self, base: str, head: str) -> None:
        self.base = base
        self.head = head
        self.commits = ("", "")
        self.runs = 0
        self.evaluated = 0
        self.evaluations = 0
        self.changed: list[str] = []
        self.added: list[str] = []
        self.removed: list[str] = []
        self.new_project = self.project_from = ""
        self.changes: list[ValueChange] = []
        self.causes: list[Cause] = []
        self.elsewhere: list[OtherLines] = []
        self.needed: list[OtherLines] = []
        self.idle: list[OtherLines] = []
        self.unknown: list[OtherLines] = []
        self.consequences: list[FoundConsequence] = []
        self.failures: list[Failure] = []
        self.permissions: list[tuple[str, str]] = []
        self.documents: list[DocumentChange] = []
        self.axes: Mapping[str, Mapping[str, str]] = {}
        self.withheld: list[str] = []
        self.unread = 0
        self.is_cut = self.is_backwards = False
        self.proven = False
        self.output: RenderedSide | None = None

    def __repr__(self) -> str:
        return f"<Review: {self.values} values changed in {len(self.changed)} of {self.runs} runs>"

    @property
    def values(self) -> int:
        """The number of changed values, each once for all runs that have it."""
        return sum(one.values for one in self.changes)

    @property
    def not_verified(self) -> list[ValueChange]:
        """The changes without a verified cause."""
        return [one for one in self.changes if not one.causes]

    @property
    def verified(self) -> int:
        """The number of changed values with a verified cause."""
        return sum(one.values for one in self.changes if one.causes)

    def fails_on(self, words: Sequence[str]) -> bool:
        """True if a consequence has one of these names, or at least one of these severities; `error` and `failure` also
        mean a failure that the change caused.
        """
        lowest = max((SEVERITIES.index(word) for word in words if word in SEVERITIES), default=-1)
        is_broken = any(one.caused is not False and one.side == "head" for one in self.failures)
        if is_broken and (lowest >= 0 or "failure" in words):
            return True
        return any(one.name in words or SEVERITIES.index(one.severity) <= lowest for one in self.consequences)

    def to_data(self) -> Mapping[str, object]:
        """The review as plain data, for JSON."""
        return {
            "version": VERSION,
            "base": self.base,
            "head": self.head or None,
            "runs": {
                "count": self.runs,
                "evaluated": self.evaluated,
                "changed": self.changed,
                "added": self.added,
                "removed": self.removed,
            },
            "values": {"changed": self.values, "verified": self.verified},
            "withheld": self.withheld,
            "evaluations": self.evaluations,
            "unread_files": self.unread,
            "budget_spent": self.is_cut,
            "changes": [one.data() for one in self.changes],
            "causes": [one.data() for one in self.causes],
            "elsewhere": [one.data() for one in self.elsewhere],
            "needed": [one.data() for one in self.needed],
            "no_effect": [one.data() for one in self.idle],
            "unknown": [one.data() for one in self.unknown],
            "consequences": [one.data() for one in self.consequences],
            "failures": [one.data() for one in self.failures],
            "new_project": self.new_project or None,
            "permissions": [{"access": access, "name": name} for access, name in self.permissions],
        }

    def to_json(self) -> str:
        """The review as JSON; docs/reference/json.md has its shape."""
        return dumps(self.to_data(), ensure_ascii=False, indent=1) + "\n"
