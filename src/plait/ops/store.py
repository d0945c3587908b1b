"""The variables store: a file of values, extended by generated ones (docs/reference/variables.md).

The file is read once. A value is generated under a lock on the file's directory, after reading the file again: if two
runs need the same value at once, the second one finds that of the first. The file is written under a temporary name and
renamed, so that it is always complete. A new file is readable by its owner only.
"""

from __future__ import annotations

import os
from errno import EDEADLK

from plait.base.content import encoded, note_secrets
from plait.base.errors import OpsError, PlaitError, conceal
from plait.base.input_view import check_read, current_view
from plait.base.limits import current_budget
from plait.base.source import displayable_path
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import target, write_file
from plait.ops.reader import file_source, texts_to_values, write_text
from plait.tree.nodes import Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from plait.base.writing.directory import Directory
    from plait.ops.options import Signers
    from plait.tree.nodes import Value


class VariableStore:
    """A store file. A missing file counts as empty, and is created with the first value."""

    __slots__ = ("_make", "_values", "path")

    def __init__(self, path: str, make: Callable[[str, Value, Signers], Value] | None = None) -> None:
        """make: generates a value of a type; by default `generate.generate`."""
        self.path = path
        self._make = make
        self._values: dict[str, Value] | None = None

    def values(self) -> dict[str, Value]:
        """All values by name, as last read. Raises ReadError, or OpsError if the file is not a map."""
        if self._values is None:
            self._values = self._read()
        return self._values

    def get(self, name: str, kind: str, options: Value, sources: Signers) -> tuple[bool, Value]:
        """True and the value of a variable, which is generated and stored if missing and `kind` is not "".

        Raises OpsError, ReadError.
        """
        values = self.values()
        if name in values:
            return True, values[name]
        if not kind:
            return False, None
        make = self._make
        if make is None:
            from plait.ops.generate import check_kind, generate

            check_kind(kind)
            make = generate
        view = current_view()
        if view is not None and view.is_read_only:
            values[name] = make(kind, options, sources)
            return True, values[name]
        try:
            # The file itself may be a link. Two runs with the same store lock the same directory.
            directory, _ = target(self.path, make=0o777)
            with directory, _Lock(directory):
                self._values = values = self._read()
                if name not in values:
                    values[name] = make(kind, options, sources)
                    _write(self.path, values)
                    if view is not None:
                        view.written.add(os.path.abspath(self.path))
        except (OSError, ValueError) as error:
            raise failure(f'the variables store "{displayable_path(self.path)}"', error, OpsError) from None
        return True, values[name]

    def _read(self) -> dict[str, Value]:
        view = current_view()
        note_secrets()
        check_read(self.path)
        if not os.path.exists(self.path):
            if view is not None:
                view.record_file(self.path, None)
            return {}
        try:
            source = file_source(self.path, "the variables store").hidden()
        except PlaitError as error:
            # The system's reason quotes nothing of the file.
            if error.code == "not-regular-file":
                error.hint = "name a file; it is created if it is missing"
                raise
            raise conceal(error).within(f'in the variables store "{self.path}"') from None
        try:
            return texts_to_values(source, "variables store")
        except OpsError as error:
            raise conceal(error) from None
        except PlaitError as error:
            raise conceal(error).within(f'in the variables store "{self.path}"') from None


def _write(path: str, values: dict[str, Value]) -> None:
    current_budget().check_time()  # a cancelled evaluation writes nothing
    data = encoded(write_text(Map([MapItem(name, value) for name, value in values.items()])))
    write_file(path, [data], new_mode=0o600)


class _Lock:
    """A lock on a directory, for one process. Waits until it is free."""

    __slots__ = ("_directory", "_handle")

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._handle = -1

    def __enter__(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows: directories cannot be opened; a file next to the store is locked
            import msvcrt

            self._handle = self._directory.open(".plait-lock", os.O_RDWR | os.O_CREAT)
            while not _locked(msvcrt, self._handle):
                pass
            return
        self._handle = self._directory.listed()
        fcntl.flock(self._handle, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)  # this also unlocks it


def _locked(msvcrt: ModuleType, handle: int) -> bool:
    """Waits up to ten seconds for a lock on Windows. True if it was acquired. Raises OSError, LimitError."""
    try:
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
    except OSError as error:
        if error.errno != EDEADLK:
            raise
        current_budget().check_time()
        return False
    return True
