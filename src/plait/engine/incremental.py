"""An engine for a process that evaluates repeatedly: evaluations share inputs and compiled files.

An evaluation with an engine has the same result as one without. Cached results are found by content, and apply only
within the same limits.
"""

from __future__ import annotations

from _thread import allocate_lock
from contextlib import contextmanager

from plait.base.code_cache import LIMITS
from plait.base.events import current_listener
from plait.base.fast_paths import FAST
from plait.base.limits import current_budget
from plait.base.memory_cache import MemoryCache
from plait.engine.known_texts import KnownTexts
from plait.engine.options import located
from plait.engine.render import Render
from plait.engine.rendering import job_of
from plait.layering.known_documents import KnownDocuments
from plait.ops.known_operations import KnownOperations
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.shared_files import INPUTS, SharedFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
    from typing import TypeVar

    from plait.base.code_cache import CodeCache
    from plait.base.recent import Count
    from plait.base.source import Source
    from plait.engine.patch import Patch
    from plait.tree.context import Context
    from plait.ytt.workspace.inputs import Inputs
    from plait.ytt.workspace.render_job import RenderResult

    K = TypeVar("K")
    V = TypeVar("V")

# The limits that affect reading files, in addition to parsing.
_READING = ("entries", "input")
# Maximum number of cached combinations of limits, or of extensions.
_MOST = 4


class Engine:
    """Long-lived inputs and compiled files, in bounded memory.

    Several threads may use it. If evaluations overlap, one uses the shared files, and the others read their own.

    reads_once: list and read files only once until `refresh`, so that all evaluations see the same content. Otherwise
    each evaluation lists and reads them, and results for equal content are reused. reuses: False to evaluate every
    request from scratch, with the same results; then only compiled code is cached. cache: creates the cache of compiled
    code for the current limits.
    """

    __slots__ = ("_cache", "_parts", "_reads_once", "_reuses")

    def __init__(
        self, *, reads_once: bool = False, reuses: bool = True, cache: Callable[[], CodeCache] = MemoryCache
    ) -> None:
        self._cache = cache
        self._parts: dict[tuple[object, ...], EnginePart] = {}
        self._reads_once = reads_once
        self._reuses = reuses and FAST

    def part(self) -> EnginePart:
        """The part for the current limits, which affect reading and compiling."""
        limits = current_budget().limits
        key = tuple(getattr(limits, name) for name in (*LIMITS, *_READING))
        return _kept(self._parts, key, lambda: EnginePart(self._cache(), reads_once=self._reads_once))

    def rendered(self, request: Render, inputs: Inputs, context: Context) -> RenderResult | None:
        """The result of a render with shared files; None if its files cannot be shared. Raises PlaitError."""
        cache = context.cache = self.part().cache
        with self.sharing(request) as shared:
            if shared is None:
                return None
            named = (Render.allow_links, Render.allow_all_links, Render.offline)
            options = tuple((use.option.name, use.value) for option in named for use in request.uses_of(option))
            with located(request, Render.inputs) as paths:
                files = shared.files(paths, options, lambda path: inputs.files([path]))
            cache.open_pack([file.path for file in files])
            job = job_of(request, files, inputs, context, library=shared.library(files))
            result = run(job, context, shared=shared)
            result.reusing = shared.writer
            return result

    @contextmanager
    def sharing(self, request: Render) -> Iterator[SharedFiles | None]:
        """The shared files for one evaluation of a request; None if it must read its own. With a trace it shares only
        files and compiled code.
        """
        # These change files after they were listed, or replace the phases.
        changes_files = request.has(Render.bulk_in, Render.file_marks, Render.files_inspect, Render.keep_format)
        shared = None
        if self._reuses and current_listener() is None and not changes_files and request.program != "ytt":
            shared = self.part().files(frozenset(request.extensions))
        if shared is None or not shared.begin():
            yield None
            return
        try:
            yield shared
        finally:
            shared.end()

    def layered(self) -> KnownDocuments | None:
        """The layered documents of earlier evaluations; None if nothing is reused."""
        if not self._reuses:
            return None
        known = self.part().documents
        known.begin()
        return known

    def texts(self, argument: Hashable, read: Callable[[], Iterable[Source]]) -> Iterable[Source]:
        """The texts of an argument, which are read once or by each evaluation. argument: all that determines them.

        Raises the errors of `read`.
        """
        return self.part().texts.read(argument, read) if self._reuses and self._reads_once else read()

    def operations(self, request: Patch, context: Context) -> KnownOperations | None:
        """The operations of earlier evaluations; None if nothing is reused, since effects of operations are recorded or
        depend on variables.
        """
        if not self._reuses or context.trace is not None or current_listener() is not None:
            return None
        if request.program != "plait" or request.expand or request.keep_format or request.variables_first:
            return None
        known = self.part().operations
        known.begin()
        return known

    def refresh(self) -> None:
        """Lists and reads files again when they are next needed."""
        for part in [*self._parts.values()]:
            part.refresh()

    def statistics(self) -> dict[str, tuple[int, int]]:
        """The numbers of objects that evaluations reused and created since the last call, by type."""
        found: dict[str, tuple[int, int]] = {}
        for part in [*self._parts.values()]:
            for name, count in part.counts():
                reused, new = count.take()
                before = found.get(name, (0, 0))
                found[name] = before[0] + reused, before[1] + new
        return {name: numbers for name, numbers in found.items() if any(numbers)}

    def end(self) -> None:
        """Ends an evaluation. Drops entries that were not used recently."""
        for part in [*self._parts.values()]:
            part.cache.save()
            part.texts.end()


class EnginePart:
    """The part of an engine for one set of limits. cache: compiled code. documents: layered ones. operations: the
    operations of patched documents. texts: read once.
    """

    __slots__ = ("_files", "_reads_once", "cache", "documents", "operations", "texts")

    def __init__(self, cache: CodeCache, *, reads_once: bool) -> None:
        self._reads_once = reads_once
        self.cache = cache
        self.documents = KnownDocuments()
        self.operations = KnownOperations()
        self.texts = KnownTexts()
        self._files: dict[frozenset[str], SharedFiles] = {}

    def refresh(self) -> None:
        """Lists and reads files again when they are next needed."""
        self.texts.refresh()
        for files in self.all_files():
            files.refresh()

    def counts(self) -> Iterator[tuple[str, Count]]:
        """The counts of reused and of new objects, by type."""
        for files in self.all_files():
            yield from files.counts.items()
        yield INPUTS, self.texts.count
        yield "operations", self.operations.count
        yield "documents", self.documents.count

    def all_files(self) -> Sequence[SharedFiles]:
        """The stores of files."""
        return [*self._files.values()]

    def files(self, extensions: frozenset[str]) -> SharedFiles:
        """The files that are read with these extensions."""
        return _kept(self._files, extensions, lambda: SharedFiles(reads_once=self._reads_once))


def _kept(known: dict[K, V], key: K, make: Callable[[], V]) -> V:
    """The cache entry for a key. The oldest entries are dropped."""
    with _LOCK:
        found = known.get(key)
        if found is None:
            if len(known) >= _MOST:
                del known[next(iter(known))]
            found = known[key] = make()
        return found


# Held while an engine adds or drops a part.
_LOCK = allocate_lock()
