"""One file with the bytecode of many modules, from which the command line loads them instead of from as many .pyc files.

The bundle is made of the .pyc files of modules that earlier processes loaded, and lies beside them, in the package's
`__pycache__`. So it has their protection, and their rules: the code of a module is used only while its source has the size
and time noted with it; Python's own loader writes the file, aside and renamed; and nothing is written where Python writes
no .pyc files. Whoever can change the bundle can change plait itself.

Modules in a bundle form groups: a group is read as a whole, because names that its modules share are then read once, which
saves a quarter of the time. At first a group has the modules that one process loaded. When a process needs only some
of a group, the group is divided into those and the rest. So modules end up together that are always loaded together.

Tracebacks, `inspect` and `__file__` refer to the source files. `PLAIT_PLAIN=1` turns the bundle off.
"""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType, ModuleType
    from typing import TypeAlias

    Codes: TypeAlias = dict[str, CodeType]
    # Of one module: the number of its group; size and time of its source; and if it is a package.
    Entry: TypeAlias = tuple[int, int, int, bool]

# Bytes at the start of a .pyc file: magic number, flags, time and size of the source, 4 each.
_PYC_HEADER = 16
# Bytes at the start of a bundle: magic number, and the offset of the index, which is last: a file cut short has none.
_HEADER = 12


class Bundle:
    """The bundle of a package, as a finder for `sys.meta_path`."""

    __slots__ = ("_codes", "_descriptor", "_entries", "_groups", "_missed", "_package", "_parent", "_path", "_used")

    def __init__(self, package: str, directory: str, path: str) -> None:
        """directory: of the package's sources. path: the bundle, which need not exist."""
        self._package = f"{package}."
        self._parent = os.path.dirname(directory)
        self._path = path
        self._descriptor = -1
        self._groups: list[tuple[int, int]] = []
        self._entries: dict[str, Entry] = {}
        # The codes of groups that were read and are not used yet, the modules that use one, and those that are not here.
        self._codes: dict[int, Codes] = {}
        self._used: set[str] = set()
        self._missed: set[str] = set()
        self._open()

    def _open(self) -> None:
        try:
            # Stays open: a bundle that takes the place of this one has other groups.
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            if descriptor <= 2:  # a standard stream is missing, and its number belongs to what takes its place
                os.close(descriptor)
                return
            header = os.read(descriptor, _HEADER)
            if header[:4] == MAGIC_NUMBER:
                start = int.from_bytes(header[4:], "little")
                size = os.fstat(descriptor).st_size - start
                self._groups, self._entries = marshal.loads(os.pread(descriptor, size, start))  # noqa: S302 - as Python does
                self._descriptor = descriptor
        except (OSError, OverflowError, EOFError, ValueError, TypeError):
            pass

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - finders are called like that
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Returns None for a module that is not in the bundle, or whose source has changed."""
        if not name.startswith(self._package):
            return None
        entry = self._entries.get(name)
        source = "" if entry is None else self._source(name, entry)
        if entry is None or not _is_current(source, entry):
            self._missed.add(name)
            return None
        spec = ModuleSpec(name, _Loader(self, name, source), origin=source, is_package=entry[3])
        spec.has_location = True
        spec.cached = self._path
        if entry[3]:
            spec.submodule_search_locations = [os.path.dirname(source)]
        return spec

    def _source(self, name: str, entry: Entry) -> str:
        return f"{self._parent}/{name.replace('.', '/')}{'/__init__.py' if entry[3] else '.py'}"

    def code(self, name: str) -> CodeType:
        """The code of a module of which there is a spec."""
        number = self._entries[name][0]
        codes = self._codes.get(number)
        if codes is None or name not in codes:
            codes = self._codes[number] = self._read(number)
        self._used.add(name)
        return codes.pop(name)

    def _read(self, number: int) -> Codes:
        offset, length = self._groups[number]
        codes: Codes = marshal.loads(os.pread(self._descriptor, length, offset))  # noqa: S302 - as Python does
        return codes

    def save(self) -> None:
        """Write the bundle if this process loaded modules that are not in it, or only some of a group."""
        if sys.dont_write_bytecode or not (self._missed or any(self._codes.values())):
            return
        if not os.access(os.path.dirname(self._path), os.W_OK):
            return
        try:
            data = self._data()
        except (OSError, EOFError, ValueError, TypeError, MemoryError):
            return
        if data is not None:
            SourceFileLoader(__name__, __file__).set_data(self._path, data)

    def _data(self) -> bytes | None:
        """The content of the bundle after this process; None if nothing is different."""
        entries = {
            name: entry for name, entry in self._entries.items() if _is_current(self._source(name, entry), entry)
        }
        groups: list[Codes] = []
        for number in range(len(self._groups)):
            codes = {name: code for name, code in self._read(number).items() if name in entries}
            used = {name: codes.pop(name) for name in self._used if name in codes}
            groups += filter(None, (used, codes))
        loaded = {name: (entry, code) for name, entry, code in self._loaded()}
        if not loaded and len(groups) == len(self._groups):
            return None
        entries.update({name: entry for name, (entry, _) in loaded.items()})
        if loaded:
            groups.append({name: code for name, (_, code) in loaded.items()})
        parts = [b""]
        places = []
        offset = _HEADER
        for number, codes in enumerate(groups):
            for name in codes:
                entries[name] = (number, *entries[name][1:])
            parts.append(marshal.dumps(codes))
            places.append((offset, len(parts[-1])))
            offset += len(parts[-1])
        parts[0] = MAGIC_NUMBER + offset.to_bytes(_HEADER - len(MAGIC_NUMBER), "little")
        parts.append(marshal.dumps((places, entries)))
        return b"".join(parts)

    def _loaded(self) -> Iterator[tuple[str, Entry, CodeType]]:
        """The modules of this process that came from .pyc files."""
        for name in self._missed & sys.modules.keys():
            spec = sys.modules[name].__spec__
            if spec is not None and type(spec.loader) is SourceFileLoader and spec.cached:
                with open(spec.cached, "rb", buffering=0) as file:
                    data = file.read()
                flags, time, size = (int.from_bytes(data[start : start + 4], "little") for start in (4, 8, 12))
                entry = (0, size, time, spec.submodule_search_locations is not None)
                source = self._source(name, entry)
                if data[:4] == MAGIC_NUMBER and flags == 0 and source == spec.origin and _is_current(source, entry):
                    yield name, entry, marshal.loads(data[_PYC_HEADER:])  # noqa: S302 - as Python does


def _is_current(source: str, entry: Entry) -> bool:
    """True if the source has the size and the time, in seconds, that are noted with its code."""
    try:
        status = os.stat(source)
    except OSError:
        return False
    return status.st_size == entry[1] and int(status.st_mtime) == entry[2]


class _Loader(SourceFileLoader):
    """Python's loader of a source file, with the code from a bundle."""

    def __init__(self, bundle: Bundle, name: str, path: str) -> None:
        super().__init__(name, path)
        self._bundle = bundle

    def get_code(self, fullname: str) -> CodeType:
        code = self._bundle.code(fullname)
        # The package may have been moved since it was compiled.
        _fix_co_filename(code, self.path)
        return code


def install() -> None:
    """Load the modules of plait from its bundle from now on, and save it when the process ends."""
    spec = __spec__
    if not hasattr(os, "pread") or type(spec.loader) is not SourceFileLoader or not spec.cached or not spec.origin:
        return
    directory, name = os.path.split(spec.cached)
    # As .pyc files: one for each version of Python, and for each level of its optimization.
    bundle = Bundle("plait", os.path.dirname(spec.origin), f"{directory}/plait{name.removeprefix('bundle')[:-3]}bundle")
    sys.meta_path.insert(0, bundle)

    import atexit

    from plait.passes import FAST  # the first module that may come from the bundle

    if FAST:
        atexit.register(bundle.save)
    else:
        sys.meta_path.remove(bundle)
