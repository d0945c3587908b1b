"""Input files that several evaluations of one process share. Each is listed, read, parsed and compiled once.

An evaluation with shared files has the same result as one that reads them itself. Its reads are recorded in its input
view and count towards its limits, its warnings are reported, and its steps are charged as usual (`session.Memo`).

Files are shared one by one. Evaluations whose lists of inputs differ in one file share all others.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

from plait.base.input_view import current_view
from plait.base.recent import Count, Recent, access_key
from plait.tree.nodes import COLLECTION_TYPES, count_nodes
from plait.yaml.reusing_writer import ReusingWriter
from plait.ytt.workspace.input_files import InputFile
from plait.ytt.workspace.library import Library, build_library
from plait.ytt.workspace.memory import Memory, lays_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from plait.base.source import Source
    from plait.tree.context import Context
    from plait.tree.nodes import Document
    from plait.yaml.reusing_writer import PrintedDocument
    from plait.ytt.workspace.render_job import LibraryLayout, RenderOptions

    Content = bytes

# Bytes of texts read between two generations. Nodes and code take about twenty times as many.
_ROOM = 1 << 19


class SharedFile(InputFile):
    """An input file of several evaluations. Results for its content are dropped when the content changes."""

    __slots__ = ("_evaluation", "_files", "_pass")

    def __init__(self, files: SharedFiles, file: InputFile) -> None:
        super().__init__(
            file.original_path,
            file._read,
            order=file.order,
            new_path=file.path,
            described=file.described,
            in_directory=file.in_directory,
            shown=file.shown,
            comes_from_stream=file.comes_from_stream,
        )
        self._files = files
        # The pass over the disk that read the file, and the last evaluation that used it.
        self._pass = self._evaluation = -1
        self._place = "" if file.shown is None else os.path.abspath(file.shown)

    def bytes(self) -> bytes:
        self.touch()
        if self._data is None:
            self._take(self._read())
        return self._data  # type: ignore[return-value] # `_take` has set it

    @property
    def source(self) -> Source:
        self.touch()
        return super().source

    def touch(self) -> None:
        if self._files.touched is not None:
            self._files.touched[self] = None
        if self._evaluation == self._files.evaluation or self._data is None:
            return
        if self._pass == self._files.disk_pass and not self._files.has_replaced(self._place, self._evaluation):
            super().touch()
            self._evaluation = self._files.evaluation
            self._files.counts[INPUTS].reused += 1
        else:
            self._take(self._read())

    def read_as(self, file: InputFile) -> None:
        """Reads the content of another file from now on."""
        self._read = file._read
        self._pass = self._evaluation = -1

    def _take(self, data: Content) -> None:
        self._pass, self._evaluation = self._files.disk_pass, self._files.evaluation
        if data == self._data:
            self._files.counts[INPUTS].reused += 1
        else:
            self._files.counts[INPUTS].new += 1
            self._data, self._source = data, None
            self.parsed, self.prepared = {}, {}
            self._files.has_read(len(data))


# Kinds of objects that evaluations reuse.
INPUTS, LIBRARIES, TEMPLATES = "inputs", "libraries", "templates"


class Listing:
    """The files of one argument, and the directories that were listed for them."""

    __slots__ = ("directories", "disk_pass", "files")

    def __init__(self, files: Sequence[SharedFile], directories: frozenset[str], disk_pass: int) -> None:
        self.files = files
        self.directories = directories
        self.disk_pass = disk_pass


class SharedFiles:
    """The files of evaluations with equal limits and equal extensions.

    reads_once: evaluations see the files as the first evaluation did, until `refresh`. evaluation: the number of the
    current one. touched: receives each file that is used; or None. disk_pass: the number of the pass over the disk; in
    one pass, every file is listed and read at most once. counts: numbers of reused objects, by kind. writer: prints
    documents that the last two evaluations printed.
    """

    def __init__(self, *, reads_once: bool) -> None:
        self._reads_once = reads_once
        self._lock = allocate_lock()
        self.evaluation = self.disk_pass = 0
        self._listings: Recent[Hashable, Listing] = Recent()
        self._libraries: Recent[Hashable, Library] = Recent()
        # Each entry has the files on which it depends, with their content.
        self._layouts: Recent[Hashable, tuple[LibraryLayout, list[tuple[InputFile, Source]]]] = Recent()
        self._latest: Recent[Hashable, LibraryLayout] = Recent()
        self.counts = {kind: Count() for kind in (INPUTS, LIBRARIES, TEMPLATES)}
        self._printed: Recent[Document, PrintedDocument] = Recent()
        self.writer = ReusingWriter(self._printed)
        self._sizes: Recent[Document, int] = Recent()
        self.touched: dict[InputFile, None] | None = None
        self._read = 0
        # The texts that replaced files in the last evaluation, and the evaluations that first had another text.
        self._texts: Mapping[str, bytes] = {}
        self._replaced: dict[str, int] = {}
        self._is_old = False

    def begin(self) -> bool:
        """Begins an evaluation. Returns False during another one, in this thread or in another."""
        if not self._lock.acquire(blocking=False):
            return False
        self.evaluation += 1
        self._begin_pass()
        self._printed.end_generation()
        self._sizes.end_generation()
        return True

    def refresh(self) -> None:
        """The next evaluation lists and reads files again."""
        self._is_old = True

    def _begin_pass(self) -> None:
        """Lists and reads all files again if needed, else those whose replacing texts have changed."""
        view = current_view()
        texts: Mapping[str, bytes] = {} if view is None else dict(view.texts)
        if self._is_old or not self._reads_once or texts.keys() != self._texts.keys():
            self._is_old = False
            self.disk_pass += 1
            self._replaced.clear()
        else:
            self._replaced |= {path: self.evaluation for path, text in texts.items() if text != self._texts[path]}
        self._texts = texts

    def has_replaced(self, path: str, evaluation: int) -> bool:
        """True if a file has another replacing text than in an earlier evaluation. path: absolute; "" if it is not on
        disk.
        """
        return self._replaced.get(path, 0) > evaluation

    def has_read(self, size: int) -> None:
        """Counts the text of a newly read file."""
        self._read += size

    def end(self) -> None:
        """Ends an evaluation. Drops entries that were not used recently, if many were added."""
        if self._read > _ROOM:
            self._read = 0
            for one in (self._listings, self._libraries, self._layouts, self._latest):
                one.end_generation()
        self._lock.release()

    def files(
        self,
        arguments: Iterable[str],
        options: Hashable,
        list_: Callable[[str], list[InputFile]],
        before: Sequence[InputFile] = (),
    ) -> list[InputFile]:
        """Some files, and then those of arguments, in order. options: other values that determine them. list_: lists
        the files of one argument.
        """
        found = [*before]
        allowed = access_key()
        for argument in arguments:
            found += self._of_argument((argument, options, len(found), allowed), len(found) + 1, list_)
        return found

    def _of_argument(
        self, key: tuple[str, Hashable, int, object], first: int, list_: Callable[[str], list[InputFile]]
    ) -> Sequence[InputFile]:
        known = self._listings.find(key)
        view = current_view()
        if known is not None and known.disk_pass == self.disk_pass:
            if view is not None:
                view.directories |= known.directories
            return known.files
        before: set[str] = set()
        if view is not None:
            before, view.directories = view.directories, set()
        try:
            found = list_(key[0])
            directories = frozenset(() if view is None else view.directories)
        finally:
            if view is not None:
                view.directories |= before
        for order, file in enumerate(found, first):
            file.order = order
        if any(file.shown is None for file in found):  # not a file on disk
            return found
        former = {} if known is None else {_identity(file): file for file in known.files}
        files = [former.get(_identity(file)) or SharedFile(self, file) for file in found]
        self._listings[key] = Listing(files, directories, self.disk_pass)
        return files

    def in_memory(self, file: InputFile, before: Sequence[InputFile]) -> InputFile:
        """The file that shares results of the one with the same name at the same place, while their texts are equal."""
        key = file.path, None, len(before), None
        known = self._listings.find(key)
        shared = SharedFile(self, file) if known is None else known.files[0]
        shared.read_as(file)
        if known is None:
            self._listings[key] = Listing([shared], frozenset(), self.disk_pass)
        return shared

    def library(self, files: Sequence[InputFile]) -> Library:
        """The tree of these files. Directories with the same files share one library in all evaluations."""
        root = build_library(files)
        order = [root]
        for one in order:
            order += one.children
        for one in reversed(order):
            one.take([self._same(child) for child in one.children])
        return self._same(root)

    def layout(
        self, library: Library, options: RenderOptions, context: Context, lay_out: Callable[[], LibraryLayout]
    ) -> LibraryLayout:
        """The layout of a library. lay_out: creates it, and reports warnings; its errors are raised.

        A new layout reuses results of the last library with this name whose inputs are the same.
        """
        reading = options.reading
        known = self._layouts.find((library, reading))
        if known is not None and all(_is(file, source) for file, source in known[1]):
            for file, _ in known[1]:
                for text in file.parsed[options.strict, False][1]:
                    context.warn(text, of=())
            self.counts[LIBRARIES].reused += 1
            return known[0]
        found = lay_out()
        self.counts[LIBRARIES].new += 1
        former = self._latest.find((library.name, reading))
        if former is not None:
            found.plans, found.memories = former.plans, former.memories
            found.schema, found.defaults = former.schema, former.defaults
        read = [(one.file, one.file.source) for one, _ in found.members if lays_out(one.file)]
        self._layouts[library, reading] = found, read
        self._latest[library.name, reading] = found
        return found

    def size_of(self, documents: Sequence[Document]) -> int:
        """The number of nodes in documents, counted once for each document."""
        sizes = self._sizes
        total = len(documents)
        for document in documents:
            size = sizes.find(document)
            if size is None:
                value = document.value
                size = sizes[document] = count_nodes(value) if isinstance(value, COLLECTION_TYPES) else 0
            total += size
        return total

    def memory(self, layout: LibraryLayout, number: int, options: RenderOptions) -> Memory:
        """Returns the cache that the nth evaluation of a library reuses; creates it if needed."""
        if number == len(layout.memories):
            layout.memories.append(Memory(self.counts[TEMPLATES]))
        layout.memories[number].begin(layout.members, validates=not options.disable_validation)
        return layout.memories[number]

    def _same(self, library: Library) -> Library:
        key = (library.name, tuple(library.files), tuple(library.children))
        found = self._libraries.find(key)
        if found is None:
            found = self._libraries[key] = library
        return found


def _identity(file: InputFile) -> tuple[object, ...]:
    return file.original_path, file.path, file.order, file.described, file.in_directory, file.shown


def _is(file: InputFile, source: Source) -> bool:
    """True if the file still has the content of `source`. This counts as a read."""
    file.touch()
    return file.source is source
