"""The tree of input files: each directory is a library node, `_ytt_lib` nodes are private
(docs/reference/libraries.md).
"""

from __future__ import annotations

from plait.base.errors import ReadError, did_you_mean, replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from plait.ytt.workspace.input_files import InputFile

PRIVATE_NAME = "_ytt_lib"


class Library:
    """A directory of input files.

    name: "" for the root. private: it is a `_ytt_lib`. files: those directly in it, in the
    order read. children: its subdirectories, in the order of discovery. Built by `build_library`, then unchanged.
    """

    __slots__ = ("_children_by_name", "_files_by_name", "children", "files", "name", "private")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.private = name == PRIVATE_NAME
        self.files: list[InputFile] = []
        self.children: list[Library] = []
        self._files_by_name: dict[str, InputFile] = {}
        self._children_by_name: dict[str, Library] = {}

    def __repr__(self) -> str:
        return f"Library({self.name!r})"

    def _child(self, name: str) -> Library:
        found = self._children_by_name.get(name)
        if found is None:
            found = self._children_by_name[name] = Library(name)
            self.children.append(found)
        return found

    def take(self, children: list[Library]) -> None:
        """Replaces the subdirectories by equal, shared objects."""
        self.children = children
        self._children_by_name = {child.name: child for child in children}

    def _add(self, file: InputFile) -> None:
        self.files.append(file)
        self._files_by_name.setdefault(file.name, file)

    def accessible_files(self) -> list[LibraryFile]:
        """All files except those in private libraries, in tree order: a directory's own first, then its subdirectories."""
        found: list[LibraryFile] = []
        stack: list[tuple[Library, str]] = [(self, "")]
        while stack:
            library, prefix = stack.pop()
            found += [LibraryFile(file, library, prefix + file.name) for file in library.files]
            stack += [(child, f"{prefix}{child.name}/") for child in reversed(library.children) if not child.private]
        return found

    def find_file(self, path: str) -> LibraryFile:
        """The file at a path relative to this directory. Raises ReadError; private libraries are not entered."""
        directory, _, name = path.rpartition("/")
        library = self
        if directory:
            try:
                library = self.find_directory(directory)
            except ReadError as error:
                raise ReadError(
                    f"Expected to find file '{path}', but did not: {error.message}",
                    hint=error.hint,
                    reference=f"Expected to find file '{path}', but did not: {error.reference}",
                    code="input-not-found",
                ) from None
        file = library._files_by_name.get(name)
        if file is None:
            raise ReadError(
                f"Expected to find file '{path}' (hint: only files included via -f flag are available)",
                hint=replacing(path, [f"@{path}"], f'did you mean "@{path}"?')
                if path.startswith("ytt:")
                else did_you_mean(path, [path[: -len(name)] + one for one in library._files_by_name]),
                code="input-not-found",
            )
        return LibraryFile(file, library, path)

    def find_directory(self, path: str) -> Library:
        """The directory at a relative path. Raises ReadError if it is missing, private or below a private library."""
        library = self
        for index, piece in enumerate(pieces := path.split("/")):
            found = library._children_by_name.get(piece)
            if found is None:
                raise ReadError(
                    f"Did not find '{'/'.join(pieces[: index + 1])}'",
                    reference=f"Did not find '{'/'.join(pieces[:index])}'",
                    hint=did_you_mean(piece, (child.name for child in library.children if not child.private)),
                    code="input-not-found",
                )
            if found.private:
                raise ReadError(f"Encountered private library '{PRIVATE_NAME}'", code="library-not-found")
            library = found
        return library

    def find_library(self, path: str) -> Library:
        """The library at a path under this directory's own `_ytt_lib`. Raises ReadError."""
        library = self._children_by_name.get(PRIVATE_NAME)
        if library is None:
            raise ReadError(
                f"Could not find private library (directory '{PRIVATE_NAME}' missing?)", code="library-not-found"
            )
        for index, piece in enumerate(pieces := path.split("/")):
            found = library._children_by_name.get(piece)
            if found is None:
                raise ReadError(
                    f"Expected to find library '{path}', but did not find '{'/'.join(pieces[: index + 1])}'",
                    reference=f"Expected to find library '{path}', but did not find '{'/'.join(pieces[:index])}'",
                    hint=did_you_mean(piece, (child.name for child in library.children)),
                    code="library-not-found",
                )
            if found.private:
                raise ReadError(
                    f"Could not load private library '{'/'.join(pieces[: index + 1])}'",
                    reference=f"Could not load private library '{'/'.join(pieces[:index])}'",
                    code="library-not-found",
                )
            library = found
        return library

    def list_files(self, path: str = "") -> list[str]:
        """The accessible files under a directory, relative to it, in tree order (`data.list`). Raises ReadError."""
        library = self.find_directory(path) if path else self
        return [file.path for file in library.accessible_files()]


class LibraryFile:
    """A file and its location. library: its directory. path: relative to the directory of the search."""

    __slots__ = ("file", "library", "path")

    def __init__(self, file: InputFile, library: Library, path: str) -> None:
        self.file = file
        self.library = library
        self.path = path

    def __repr__(self) -> str:
        return f"LibraryFile({self.path!r})"


def build_library(files: Iterable[InputFile]) -> Library:
    """The tree of these files, by their (marked) paths."""
    root = Library()
    for file in files:
        library = root
        for piece in file.path.split("/")[:-1]:
            library = library._child(piece)
        library._add(file)
    return root


def in_sequence(files: Iterable[LibraryFile]) -> list[LibraryFile]:
    """The files by sequence number: the order of documents, overlays, data values and schemas."""
    return sorted(files, key=lambda found: found.file.order)


def outline(library: Library) -> Iterator[str]:
    """The tree as lines, for `--debug`."""
    stack = [(library, 0)]
    while stack:
        node, depth = stack.pop()
        indent = "  " * depth
        yield f"{indent}- {node.name} (private {'true' if node.private else 'false'})"
        yield f"{indent}  files:"
        yield from (f"{indent}  - {file.path} ({file.kind})" for file in node.files)
        if not node.files:
            yield f"{indent}    <none>"
        yield f"{indent}  libraries:"
        if not node.children:
            yield f"{indent}    <none>"
        stack += [(child, depth + 1) for child in reversed(node.children)]


def data_reader(current: Library, root: Library) -> tuple[Callable[[str], bytes], Callable[[str], list[str]]]:
    """The functions `data.read` and `data.list` for a file in `current`. A path with a leading `/` starts at `root`.

    Both raise ReadError. `read` accepts the paths that `list` returns.
    """

    def read(path: str) -> bytes:
        library, rest = (root, path[1:]) if path.startswith("/") else (current, path)
        return library.find_file(rest).file.bytes()

    def listing(path: str) -> list[str]:
        if path.startswith("/"):
            # ytt omits the directory: the paths that it lists could not be read.
            below = path.strip("/")
            return [f"/{below}/{found}" if below else f"/{found}" for found in root.list_files(path[1:])]
        return current.list_files(path)

    return read, listing
