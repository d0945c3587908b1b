"""The results of an evaluation of a library, for the next one with other data values or changed files.

The results of a template, and of the library files that it loads, are used again if the values that they read are the
same. Data from a library depends on the reads of the template and on the files of the library, so these must be the
same, too. A template is evaluated each time if it reads files by name, prints, warns, or hands out functions of its
own. So is one that gets values for other libraries, and one that loads a file with something that programs can change:
a fragment, a list in a struct, or a list of the data values.

Documents that are the same after an evaluation as the last time are those of the last time. Overlays and the printer
know documents by identity.
"""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.base.limits import current_budget
from plait.ytt.overlay.same_documents import is_plain_overlay, known_again
from plait.ytt.starlark.step_budget import budget_of
from plait.ytt.starlark.structs import can_change
from plait.ytt.templates.file import TemplateResult
from plait.ytt.templates.recorded_reads import Answers, Reads
from plait.ytt.workspace.input_files import YAML

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol

    from plait.base.recent import Count
    from plait.base.source import Source
    from plait.tree.context import Context
    from plait.tree.nodes import DocumentSet, Map
    from plait.ytt.overlay.reapplication import Applied
    from plait.ytt.templates.recorded_reads import Path
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.library import Library, LibraryFile

    class SharedFiles(Protocol):
        """The part of shared files that is recorded: see `shared_files.SharedFiles`."""

        touched: dict[InputFile, None] | None

    class Session(Protocol):
        """The part of a session that is recorded: see `session.Session`."""

        context: Context
        reached_out: bool
        instruction_sets: int
        frame: Frame | None

        @property
        def shared(self) -> SharedFiles | None: ...

    class Loader(Protocol):
        """The part of a loader that evaluates files: see `loader.Loader`."""

        def run(self, file: InputFile, current: Library, root: Library) -> TemplateResult: ...

        def exports(self, member: LibraryFile, root: Library) -> Mapping[str, object]: ...

        def has_exports(self, member: LibraryFile, root: Library) -> bool: ...


# Results per file.
_MOST_RESULTS = 2
# After this number of evaluations without use of a result, only one result in eight is kept.
_PATIENCE, _ONE_OF = 2, 8


class Frame:
    """One evaluation of a file. key: the file, if others load it.

    loaded: the files that it loads, each with its evaluation, or None if its result is always the same. is_quiet: the
    evaluation prints nothing, has no warnings, and uses no other files. gives_changeable: files that load it can change
    its exports. own: its execution steps, without those of the files that it loads. inner: the steps of those files.
    touched: the files that were used, in order. libraries: those whose instances it creates.
    """

    __slots__ = (
        "_lines", "_outer", "_start", "_told", "gives_changeable", "inner", "is_quiet", "key", "libraries", "loaded",
        "own", "reads", "touched",
    )  # fmt: skip

    def __init__(self, session: Session, key: InputFile | None) -> None:
        self.key = key
        self.reads = Reads()
        self.loaded: list[tuple[InputFile, Frame | None]] = []
        self.is_quiet = self.gives_changeable = False
        self.own = self.inner = 0
        self.libraries: list[Library] = []
        self.touched: dict[InputFile, None] = {}
        self._outer = session.frame
        session.frame = self
        _note_files(session, self)
        self._lines: list[str] = []
        self._told = session.context.told
        session.context.print_line.recordings.append(self._lines)
        self._start = budget_of(session.context).spent

    def end(self, session: Session) -> int:
        """Ends the evaluation. Returns the number of its steps."""
        session.context.print_line.recordings.pop()
        outer = session.frame = self._outer
        _note_files(session, outer)
        if outer is not None:
            outer.touched |= self.touched
        self._outer = None
        self.is_quiet = not self._lines and not session.reached_out and session.context.told == self._told
        spent = budget_of(session.context).spent - self._start
        self.own = spent - self.inner
        return spent

    def lays_out(self, members: Iterable[tuple[LibraryFile, str]], read: Callable[[InputFile], object]) -> None:
        """Records the use of the files that define the layout of a library. read: reports their warnings."""
        for member, _ in members:
            if lays_out(member.file):
                read(member.file)

    @property
    def is_shared(self) -> bool:
        """True if all files that load this one use the same evaluation."""
        return self.key is not None and not self.gives_changeable

    def all(self, file: InputFile) -> dict[InputFile, Frame | None]:
        """The file and all those that it loads, in order, with their evaluations."""
        found: dict[InputFile, Frame | None] = {}
        pending: list[tuple[InputFile, Frame | None]] = [(file, self)]
        while pending:
            file, frame = pending.pop()
            if file not in found:
                found[file] = frame
                pending += reversed(() if frame is None else frame.loaded)
        return found


def lays_out(file: InputFile) -> bool:
    """True for the files that are read for the layout of a library."""
    return file.type == YAML and file.is_template


def _note_files(session: Session, frame: Frame | None) -> None:
    if session.shared is not None:
        session.shared.touched = None if frame is None else frame.touched


class _Result:
    """The result of a file, with the reads that it depends on.

    sources: the files that its evaluation used, with their content. libraries: those that it used. own: its steps;
    loaded: those of files that it loads. sets: the number of instruction sets.
    """

    __slots__ = ("_libraries", "_reads", "_sources", "loaded", "own", "result", "sets")

    def __init__(
        self,
        frames: dict[InputFile, Frame | None],
        touched: Iterable[InputFile],
        own: int,
        result: TemplateResult,
        sets: int,
    ) -> None:
        reads: dict[tuple[Path, int], object] = {}
        self._libraries: set[Library] = set()
        for frame in frames.values():
            if frame is not None:
                reads |= frame.reads
                self._libraries.update(frame.libraries)
        # In the order of their use, so that no file counts as read that an evaluation would not reach.
        self._sources: list[tuple[InputFile, Source]] = [(file, file.source) for file in touched]
        self._reads = [*reads.items()]
        self.own = own
        self.loaded = [(one.key, one.own) for one in frames.values() if one and one.key and one.is_shared]
        self.result = result
        self.sets = sets

    def is_of(self, answers: Answers, libraries: Callable[[], set[Library]]) -> bool:
        """True if an evaluation with other data values would read the same. libraries: all that there are."""
        if not answers.agree(self._reads) or (self._libraries and not self._libraries <= libraries()):
            return False
        try:
            return all(file.source is source for file, source in self._sources)
        except PlaitError:  # it is reported when the file is evaluated
            return False


class Memory:
    """The results of a library's files, their documents, and the effects of overlays.

    templates: counts results that are reused.
    """

    __slots__ = ("_applied", "_documents", "_inputs", "misses", "results", "templates")

    def __init__(self, templates: Count) -> None:
        self.templates = templates
        self._applied: Applied | None = None
        self.results: dict[InputFile, list[_Result]] = {}
        # The number of evaluations of each file since a result was used.
        self.misses: dict[InputFile, int] = {}
        self._documents: dict[InputFile, DocumentSet] = {}
        self._inputs: tuple[object, ...] = ()

    def begin(self, members: Sequence[tuple[LibraryFile, str]], *, validates: bool) -> None:
        """Begins with the next evaluation. Results stay if the limits, the files that can be loaded, and `validates`,
        which libraries inherit, are the same.
        """
        limits = current_budget().limits
        inputs = (
            validates,
            *((one.path, one.file) for one, _ in members if one.file.is_library),
            *(getattr(limits, name) for name in type(limits).__slots__),
        )
        if inputs != self._inputs:
            self._applied, self.results, self._documents, self.misses = None, {}, {}, {}
        self._inputs = inputs

    def applied(self, context: Context) -> Applied:
        """The effects of the overlays in the last evaluation. context: the context of the current evaluation."""
        if self._applied is None:
            from plait.ytt.overlay.reapplication import Applied  # most libraries have no overlays

            self._applied = Applied(context)
        self._applied.context = context
        return self._applied

    def recording(
        self, session: Session, values: Map, root: Library | None, prepare: Callable[[InputFile], object]
    ) -> Recording:
        """The recording of an evaluation with these data values. root, prepare: as in `Recording`."""
        return Recording(self, session, values, root, prepare)

    def known_again(
        self, documents: Sequence[tuple[LibraryFile, DocumentSet]]
    ) -> list[tuple[LibraryFile, DocumentSet]]:
        """The documents of files; a document that is equal to a former one is replaced by it."""
        former, self._documents = self._documents, {}
        found = []
        for member, made in documents:
            known = former.get(member.file)
            kept = made if known is None or made is known else known_again(made, known)
            self._documents[member.file] = kept
            found.append((member, kept))
        return found


class Recording:
    """An evaluation of a library with a memory.

    root: the library; None if there are values for libraries in it, whose use is recorded. prepare: reads and compiles
    a file, and reports warnings of that.
    """

    __slots__ = (
        "_answers",
        "_charged",
        "_counted",
        "_former",
        "_libraries",
        "_memory",
        "_prepare",
        "_root",
        "_session",
        "_stack",
        "last",
    )

    def __init__(
        self,
        memory: Memory,
        session: Session,
        values: Map,
        root: Library | None,
        prepare: Callable[[InputFile], object],
    ) -> None:
        self._prepare = prepare
        self._root = root
        # The library with all directories in it, once they are needed.
        self._libraries: set[Library] = set()
        self._memory = memory
        self._session = session
        self._answers = Answers(values)
        self._former, memory.results = memory.results, {}
        self._stack: list[Frame] = []
        # The library files whose steps were counted, and those of them that were not evaluated for that.
        self._charged: set[InputFile] = set()
        self._counted: set[InputFile] = set()
        # The evaluation that ended last.
        self.last: Frame | None = None

    # ---- for the loader

    def begin(self, key: InputFile | None) -> Frame:
        """Begins an evaluation of a file. key: the key of a library file."""
        frame = Frame(self._session, key)
        self._stack.append(frame)
        return frame

    def end(self) -> None:
        """Ends the evaluation that began last."""
        frame = self._stack.pop()
        spent = frame.end(self._session)
        if self._stack:
            self._stack[-1].inner += spent
        self.last = frame
        if frame.key is None:
            return
        if frame.key in self._counted:
            budget_of(self._session.context).charge(-frame.own)
            if self._stack:
                self._stack[-1].inner -= frame.own
        self._charged.add(frame.key)

    def exported(self, names: Mapping[str, object]) -> Frame | None:
        """The evaluation of a file, which has ended, with these exported names. None if its result is always the same."""
        frame = self.last
        if frame is not None:
            frame.gives_changeable = can_change(names.values())
        return frame

    def loads(self, file: InputFile, frame: Frame | None) -> None:
        """Records that the current evaluation loads a file. frame: its evaluation."""
        if self._stack:
            current = self._stack[-1]
            current.loaded.append((file, frame))
            current.touched[file] = None
            if frame is not None:
                current.touched |= frame.touched

    # ---- for the phases

    def outcome(self, member: LibraryFile, loader: Loader, root: Library) -> TemplateResult:
        """The result of a template. Raises PlaitError."""
        return self._outcome(member.file, lambda: loader.run(member.file, member.library, root))

    def check_exports(self, member: LibraryFile, loader: Loader, root: Library) -> None:
        """Evaluates a library file whose exported names are not used. Raises PlaitError."""
        if loader.has_exports(member, root):
            loader.exports(member, root)
        else:
            self._outcome(member.file, lambda: TemplateResult(loader.exports(member, root)))

    def _outcome(self, file: InputFile, run: Callable[[], TemplateResult]) -> TemplateResult:
        session, results = self._session, self._memory.results
        former = self._former.get(file, [])
        for known in former:
            if known.is_of(self._answers, self._all_libraries) and self._count(known):
                self._prepare(file)
                results[file] = [known, *(one for one in former if one is not known)]
                self._memory.templates.reused += 1
                self._memory.misses[file] = 0
                return known.result
        before, session.reached_out = session.reached_out, False
        sets = session.instruction_sets
        self.last = None
        try:
            result = run()
        finally:
            session.reached_out |= before
        frame = self.last
        if frame is None:
            return result  # it is the same in every evaluation
        self._memory.templates.new += 1
        misses = self._memory.misses[file] = self._memory.misses.get(file, -1) + 1
        if misses > _PATIENCE and misses % _ONE_OF:
            return result
        frames = frame.all(file)
        if self._can_be_kept(file, frames, result.documents):
            own = 0 if frame.is_shared else frame.own
            kept = TemplateResult({}, result.documents, result.text)
            made = _Result(frames, {file: None} | frame.touched, own, kept, session.instruction_sets - sets)
            results[file] = [made, *former][:_MOST_RESULTS]
        return result

    def _can_be_kept(
        self, file: InputFile, frames: dict[InputFile, Frame | None], documents: DocumentSet | None
    ) -> bool:
        """True if the result of a file depends only on the reads of its evaluation, and on the files that it used."""
        for one, frame in frames.items():
            if frame is None:
                continue
            if not frame.is_quiet or (frame.libraries and self._root is None):
                return False
            if one is not file and (frame.gives_changeable or frame.reads.gives_lists):
                return False
        return documents is None or all(map(is_plain_overlay, documents.items))

    def _all_libraries(self) -> set[Library]:
        """The library and all directories in it. The place of a directory is part of its identity."""
        if not self._libraries and self._root is not None:
            pending = [self._root]
            while pending:
                library = pending.pop()
                self._libraries.add(library)
                pending += library.children
        return self._libraries

    def _count(self, known: _Result) -> bool:
        """Counts the steps of an evaluation; False if its result cannot be used, because they exceed the limit."""
        session = self._session
        budget = budget_of(session.context)
        loaded = [(key, steps) for key, steps in known.loaded if key not in self._charged]
        steps = known.own + sum(steps for _, steps in loaded)
        if budget.spent + steps > session.context.run_budget.most("steps"):
            return False
        budget.charge(steps)
        self._counted.update(key for key, _ in loaded)
        self._charged |= self._counted
        session.instruction_sets += known.sets
        return True
