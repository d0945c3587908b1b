"""A bundle: one file with the bytecode of many modules, which the command line loads in place of many .pyc files.

The bundle is created from .pyc files of modules that earlier processes loaded, and is stored with them in the package's
`__pycache__`. The rules of .pyc files apply: the code of a module is used only if its source has the recorded size and
time; the file is written to a temporary name and renamed; nothing is written where Python writes no .pyc files. Write
access to the bundle is as powerful as write access to plait.

Modules form groups, which are read as a whole. Shared names are read once, which saves a quarter of the time. Initially
a group contains the modules that one process loaded. If a process needs only some of them, the group is split, so
modules that are always loaded together end up in one group.

Tracebacks, `inspect` and `__file__` refer to the source files. `PLAIT_PLAIN=1` disables the bundle.
"""

from __future__ import annotations

import atexit
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import TypeAlias

    # An entry for a module: size and time of its source, True for a package, and its code.
    Entry: TypeAlias = tuple[int, int, bool, CodeType]
    Group: TypeAlias = dict[str, Entry]

# Bytes at the start of a bundle: magic number, and offset of the index. The index is last, so a truncated file has
# none. It has a line for each group: its offset, its length, and the names of its modules, each with a space after it.
HEADER = 12


class Bundle:
    """The bundle of a package, as a finder for `sys.meta_path`."""

    __slots__ = ("_descriptor", "_package", "_parent", "entries", "index", "missed", "path", "used")

    def __init__(self, package: str, directory: str, path: str) -> None:
        """directory: the directory of the package's sources. path: the bundle, which need not exist."""
        self._package = f"{package}."
        self._parent = os.path.dirname(directory)
        self.path = path
        self._descriptor = -1
        # Searched as text: objects for all modules take longer to create than a small command needs to load.
        self.index = ""
        # Entries that were read but not used yet, used modules, and missing ones.
        self.entries: Group = {}
        self.used: set[str] = set()
        self.missed: set[str] = set()
        self._open()

    def _open(self) -> None:
        try:
            # Stays open, because a bundle that replaces this one has other groups.
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            if descriptor <= 2:  # a standard stream is missing, and the file would get its number
                os.close(descriptor)
                return
            header = os.read(descriptor, HEADER)
            if header[:4] == MAGIC_NUMBER:
                start = int.from_bytes(header[4:], "little")
                size = os.fstat(descriptor).st_size - start
                index = os.pread(descriptor, size, start).decode()
                if index.endswith("\n"):
                    self.index, self._descriptor = index, descriptor
        except (OSError, OverflowError, ValueError):
            pass

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - finders are called like that
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """The spec of a module; None if it is not in the bundle or its source has changed."""
        # The reader is loaded before the bundle, and the writer only afterwards.
        if not name.startswith(self._package) or name.startswith(__name__):
            return None
        entry = self._entry(name)
        if entry is not None:
            size, time, is_package, code = entry
            source = self.source(name, is_package=is_package)
            if is_current(source, size, time):
                self.used.add(name)
                spec = ModuleSpec(name, _Loader(name, source, code), origin=source, is_package=is_package)
                spec.has_location = True
                spec.cached = self.path
                if is_package:
                    spec.submodule_search_locations = [os.path.dirname(source)]
                return spec
        self.missed.add(name)
        return None

    def _entry(self, name: str) -> Entry | None:
        """The entry of a module, or None. Reads its group unless it was read."""
        if name not in self.entries:
            found = self.index.find(f" {name} ")
            if found < 0:
                return None
            offset, length, *_ = self.index[self.index.rfind("\n", 0, found) + 1 :].split(" ", 2)
            try:
                self.entries.update(self.read(int(offset), int(length)))
            except (OSError, EOFError, ValueError, TypeError):
                # The file is damaged: this process does without it, and writes another one.
                self._forget()
        return self.entries.pop(name, None)

    def source(self, name: str, *, is_package: bool) -> str:
        return f"{self._parent}/{name.replace('.', '/')}{'/__init__.py' if is_package else '.py'}"

    def _forget(self) -> None:
        """Removes all modules from the bundle, and its file."""
        self.index = ""
        self.entries.clear()
        if not sys.dont_write_bytecode:
            try:
                os.unlink(self.path)
            except OSError:  # a directory that is read-only
                pass

    def read(self, offset: int, length: int) -> Group:
        group: Group = marshal.loads(os.pread(self._descriptor, length, offset))  # noqa: S302 - as Python does
        return group

    def save(self) -> None:
        """Writes the bundle if this process loaded modules that are not in it, or only some of a group."""
        if not sys.dont_write_bytecode and (self.missed or self.is_divided()):
            from plait.base.bundle.saving import save

            save(self)

    def is_divided(self) -> bool:
        """True if this process used only some modules of a group."""
        return bool(self.entries)


def is_current(source: str, size: int, time: int) -> bool:
    """True if the source has the recorded size and time (in seconds)."""
    try:
        status = os.stat(source)
    except OSError:
        return False
    return status.st_size == size and int(status.st_mtime) == time


class _Loader(SourceFileLoader):
    """Python's loader of a source file, with the code from a bundle."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        # Python looks for these attributes before it sets them. A failed look-up takes longer than setting both.
        module = type(sys)(spec.name)
        vars(module).update(__file__=spec.origin, __cached__=spec.cached)
        return module

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - loaders are called like that
        # The package may have been moved since it was compiled.
        _fix_co_filename(self._code, self.path)
        return self._code


def install() -> None:
    """Loads the modules of plait from its bundle from now on, and saves it when the process ends."""
    spec = sys.modules["plait"].__spec__
    if spec is None or type(spec.loader) is not SourceFileLoader or not spec.cached or not spec.origin:
        return
    if not hasattr(os, "pread"):
        return
    # Like .pyc files, one per Python version and optimization level.
    directory, name = os.path.split(spec.cached)
    path = f"{directory}/plait{name.removeprefix('__init__').removesuffix('pyc')}bundle"
    bundle = Bundle("plait", os.path.dirname(spec.origin), path)
    sys.meta_path.insert(0, bundle)

    from plait.base.fast_paths import FAST  # the first module that may come from the bundle

    if FAST:
        atexit.register(bundle.save)
    else:
        sys.meta_path.remove(bundle)
