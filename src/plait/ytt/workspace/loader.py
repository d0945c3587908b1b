"""`load(...)` and the evaluation of files for one library execution (docs/reference/language.md)."""

from __future__ import annotations

from plait.base.errors import PlaitError, ReadError, StarlarkError
from plait.base.source import CLAUSE, FILE
from plait.tree.nodes import Map
from plait.ytt.templates.file import TemplateResult
from plait.ytt.workspace import input_files
from plait.ytt.workspace.library import data_reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from plait.base.source import Position
    from plait.tree.context import Context
    from plait.tree.nodes import Value
    from plait.ytt.starlark.program import Load
    from plait.ytt.starlark.structs import Module
    from plait.ytt.templates.recorded_reads import Reads
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.library import Library, LibraryFile
    from plait.ytt.workspace.memory import Frame, Recording
    from plait.ytt.workspace.render_job import RenderOptions
    from plait.ytt.workspace.session import Session
    from plait.ytt.workspace.value_references import ReferredValues


# Steps for a line that is printed again.
_A_LINE = 10


class Loader:
    """Evaluates files with one set of data values.

    values: the data values, or their placeholder while they are merged. library_module: creates `@ytt:library` for
    files in a directory. ytt runs a library file again for every `load`. Here it runs once for each directory and root
    from which it is loaded, and its printed lines are repeated, unless programs can change what it defines. recording:
    records the reads of each file; or None.
    """

    __slots__ = (
        "_exports", "_has_changeable", "_loading", "_make_library", "_options", "_recording", "_session", "_values",
    )  # fmt: skip

    def __init__(
        self,
        session: Session,
        options: RenderOptions,
        values: Value | ReferredValues,
        library_module: Callable[[Library, Library], Module],
        recording: Recording | None = None,
    ) -> None:
        self._session = session
        self._options = options
        self._values = values
        self._make_library = library_module
        self._recording = recording
        # The exported names, the printed lines, a flag that other files were read, the number of instruction sets, and
        # the recorded evaluation.
        self._exports: dict[
            tuple[InputFile, Library, Library], tuple[Mapping[str, object], list[str], bool, int, Frame | None]
        ] = {}
        self._loading: list[InputFile] = []
        # True if the current file has loaded one whose exports programs can change.
        self._has_changeable = False

    def run(self, file: InputFile, current: Library, root: Library) -> TemplateResult:
        """Evaluates a file as a member of directory `current` of the library with root `root`. Raises PlaitError."""
        debug, marks = self._options.debug, self._session.context.secrets
        if debug is not None and (marks is None or not marks.is_decided()):
            debug(f"## file {file.path} ({file.kind})")
        if self._session.context.lookups is not None:
            self._session.context.lookups.ran(file.source, self._values)
        session = self._session
        try:
            found = session.prepared(file, self._options)
        except PlaitError as error:
            if error.code == "undefined-name" and "load(" in file.source.text:
                _causes().explain(error, file, self.member, current, root, self._values)
            raise _stopped(error, file, session.instruction_sets + 1) from None
        if isinstance(found, TemplateResult):
            return found
        session.instruction_sets += 1
        number = session.instruction_sets
        recording, reads = self._recording, None
        if recording is not None and not found.fixed:
            reads = recording.begin(file if file in self._loading else None).reads
        try:
            return found.run(session.context, self._load_for(current, root, reads))
        except PlaitError as error:
            if error.code in ("unknown-attribute", "key-not-found"):
                _causes().explain_missing(
                    error, file, self._values, root, lambda one: session.yaml(one, self._options).documents
                )
            raise _failed(error, file, number) from None
        finally:
            if recording is not None and reads is not None:
                recording.end()

    def exports(self, member: LibraryFile, root: Library) -> Mapping[str, object]:
        """The names a library file defines. Raises PlaitError; a file that loads itself is reported as a cycle."""
        file = member.file
        key = (file, member.library, root)
        found = self._exports.get(key)
        if found is None:
            if file in self._loading:
                names = [loading.path for loading in self._loading[self._loading.index(file) :]]
                raise StarlarkError(
                    f"load: files load each other in a cycle: {' -> '.join([*names, file.path])}", code="load-cycle"
                )
            self._loading.append(file)
            session, printed = self._session, list[str]()
            before, session.reached_out = session.reached_out, False
            outer, self._has_changeable = self._has_changeable, False
            recordings = self._session.context.print_line.recordings
            recordings.append(printed)
            sets = session.instruction_sets
            recording = self._recording
            if recording is not None:
                recording.last = None
            try:
                exports = self.run(file, member.library, root).exports
                frame = None if recording is None else recording.exported(exports)
                found = exports, printed, session.reached_out, session.instruction_sets - sets, frame
            finally:
                session.reached_out |= before
                recordings.pop()
                self._loading.pop()
                is_changeable, self._has_changeable = self._has_changeable, outer
            from plait.ytt.starlark.structs import can_change

            if is_changeable or can_change(exports.values()):
                self._has_changeable = True
            else:
                self._exports[key] = found
            if recording is not None:
                recording.loads(file, frame)
            return found[0]
        if self._recording is not None:
            self._recording.loads(file, found[4])
        self._session.reached_out |= found[2]
        self._session.instruction_sets += found[3]
        if found[1]:
            from plait.ytt.starlark.step_budget import charge

            charge(sum(_A_LINE + len(line) for line in found[1]))
            marks = self._session.context.secrets
            for line in found[1] if marks is None or not marks.is_decided() else ():
                self._session.context.print_line(line)
        return found[0]

    def has_exports(self, member: LibraryFile, root: Library) -> bool:
        """True if a library file was evaluated."""
        return (member.file, member.library, root) in self._exports

    def _load_for(self, current: Library, root: Library, reads: Reads | None) -> Load:
        def load(path: str, at: Position) -> Mapping[str, object]:
            try:
                return self._load(path, current, root, at, reads)
            except PlaitError as error:
                if isinstance(error, ReadError) and error.at is None:
                    told = error.reference
                    error = StarlarkError(f"load: {error.message}", hint=error.hint, reference=told, code=error.code)
                raise error.within("", role=CLAUSE, reference=f"cannot load {path}") from None

        return load

    def _load(
        self, path: str, current: Library, root: Library, at: Position, reads: Reads | None
    ) -> Mapping[str, object]:
        if path.startswith("@ytt:"):
            rest = path.removeprefix("@ytt:")
            return {rest: self._module(rest, current, root, reads)}
        member, root = self.member(path, current, root)
        file = member.file
        if not file.is_library:
            told = f"Expected file '{file.path}' to be a library file, but was not"
            raise ReadError(
                told,
                reference=f"{told} (hint: library filename must end with '.lib.yml' or '.star'; use data.read(...) for "
                "loading non-templated file contents)",
                hint="a library file's name ends in .lib.yml, .lib.txt or .star; "
                "data.read(...) returns the content of any other file",
                code="not-library-file",
            )
        if self._session.context.lookups is not None:
            self._session.context.lookups.loads[at.source, path] = file.source
        return self.exports(member, root)

    def member(self, path: str, current: Library, root: Library) -> tuple[LibraryFile, Library]:
        """The file that a `load` names, and the root of its library. Raises ReadError."""
        if path.startswith("@"):
            name, colon, rest = path[1:].partition(":")
            if not colon:
                raise ReadError(
                    "Expected library path to be in format '@name:path' "
                    "e.g. '@github.com/vmware-tanzu/test:test.star' or '@ytt:base64'",
                    code="load-path",
                )
            self._session.reached_out = True
            current = root = current.find_library(name)
            path = rest
        directory = root if path.startswith("/") else current
        try:
            return directory.find_file(path.removeprefix("/")), root
        except ReadError as error:
            error.hint = error.hint or _causes().elsewhere(path, root, is_loaded=True)
            raise

    def _module(self, name: str, current: Library, root: Library, reads: Reads | None) -> Module:
        if name == "data":
            return self._data_module(current, root, reads)
        if name == "library":
            return self._make_library(current, root)
        found = self._session.module(name)
        if found is None:
            from plait.ytt.modules import MODULES

            told = f"builtin ytt library does not have module '{name}'"
            raise ReadError(
                told,
                reference=f"{told} (hint: is it available in newer version of ytt?)",
                hint=_causes().of_module(name, [*MODULES, "data", "library"]),
                code="module-not-found",
            )
        return found

    def _data_module(self, current: Library, root: Library, reads: Reads | None) -> Module:
        session = self._session
        functions = session.data_functions.get((current, root))
        if functions is None:
            functions = session.data_functions[current, root] = _data_functions(session, current, root)
        from plait.ytt.starlark.structs import Struct

        values = self._values
        recorded = reads.values_of(values) if reads is not None and isinstance(values, Map) else None
        if recorded is not None or isinstance(values, Struct):
            from plait.ytt.data_values import data_module

            return data_module(values if recorded is None else recorded, functions)
        if session.data_module is None:
            session.data_module = _data_module(session.context)
        return session.data_module(values, functions)


_EVALUATING = {input_files.TEXT: "Evaluating text template", input_files.STARLARK: "Evaluating starlark template"}
_READING = {input_files.TEXT: "Parsing text template", input_files.YAML: "Compiling YAML template"}


def _stopped(error: PlaitError, file: InputFile, number: int) -> PlaitError:
    """The error for a file that cannot be compiled, with ytt's steps. number: its instruction set."""
    if isinstance(error, StarlarkError):
        return _failed(error, file, number)
    if file.type in _READING and not isinstance(error, ReadError):
        error.within("", role=CLAUSE, reference=f"{_READING[file.type]} '{file.path}'")
    return error


def _failed(error: PlaitError, file: InputFile, number: int) -> PlaitError:
    """The error for a file that fails during evaluation. number: its instruction set."""
    error.within("", role=FILE, reference=str(number))
    if file.type in _EVALUATING:
        error.within("", role=CLAUSE, reference=_EVALUATING[file.type])
    return error


def _data_module(context: Context) -> Callable[[Value, Mapping[str, object]], Module]:
    """The function that creates `@ytt:data` from data values."""
    from plait.ytt.data_values import data_module, to_struct

    lookups = context.lookups
    if lookups is not None and context.trace is None:
        from plait.ytt.templates.looked_up import noted_values

        return lambda values, functions: data_module(noted_values(values, lookups), functions)
    if context.trace is None:
        return lambda values, functions: data_module(to_struct(values), functions)
    from plait.ytt.templates.tracing import traced_values, windows_of

    windows = windows_of(context.trace)
    return lambda values, functions: data_module(traced_values(values, windows), functions)


def _data_functions(session: Session, current: Library, root: Library) -> dict[str, object]:
    """`data.list` and `data.read` for files in a directory."""
    context = session.context
    from plait.ytt.starlark.values import Builtin, type_of

    read, listing = data_reader(current, root)

    def path_of(function: str, value: object) -> str:
        if type(value) is not str:
            told = f"{function}: expected a string, but was {type_of(value)}"
            raise StarlarkError(told, code="wrong-argument-type")
        return value

    def data_read(*args: object, **_kwargs: object) -> str:
        if len(args) != 1:
            raise StarlarkError("data.read: expected exactly one argument", code="argument-count")
        session.reached_out = True
        path = path_of("data.read", args[0])
        try:
            content = read(path).decode("utf-8", "surrogateescape")
        except ReadError as error:
            told = f"data.read: {error.reference}"
            hint = error.hint or _causes().elsewhere(path, root)
            raise StarlarkError(f"data.read: {error.message}", hint=hint, reference=told, code=error.code) from None
        if context.trace is not None:
            from plait.ytt.templates.tracing import record_file

            library, rest = (root, path[1:]) if path.startswith("/") else (current, path)
            record_file(context.trace, library.find_file(rest).file.source)
        return content

    def data_list(*args: object, **_kwargs: object) -> object:
        from plait.ytt.starlark.containers import List

        if len(args) > 1:
            raise StarlarkError("data.list: expected exactly zero or one argument", code="argument-count")
        session.reached_out = True
        path = path_of("data.list", args[0]) if args else ""
        try:
            return List(listing(path))
        except ReadError as error:
            told = f"data.list: {error.reference}"
            raise StarlarkError(
                f"data.list: {error.message}", hint=error.hint, reference=told, code=error.code
            ) from None

    return {"list": Builtin("data.list", data_list), "read": Builtin("data.read", data_read)}


def _causes() -> ModuleType:
    """The module that explains missing names and files. Loaded for an error."""
    from plait.ytt.workspace import misspelt_loads

    return misspelt_loads
