"""Files are opened for writing, renamed and removed by `plait.base.writing` alone: the source of all other modules is searched."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

import pytest

import plait

PACKAGE = pathlib.Path(plait.__file__).parent
# What may stand elsewhere, and why: it names no path of a user's, or a library writes it by itself.
EXCEPTIONS = {
    ("base/bundle/__init__.py", "unlink"): "a damaged file of plait's own bytecode, which is written again",
    ("base/bundle/__init__.py", "os.unlink"): "the same",
    ("base/bundle/saving.py", "set_data"): "Python's own loader writes the bytecode of plait, as it writes .pyc files",
    ("cli/streams.py", "os.open"): "/dev/null in the place of standard output",
    ("cli/streams.py", "open"): "/dev/null in the place of a closed stream",
}
# Of `os`: everything that changes a file system.
CHANGES = {
    *("chflags", "chmod", "chown", "fchmod", "fchown", "ftruncate", "lchflags", "lchmod", "lchown", "link", "makedirs"),
    *("mkdir", "mkfifo", "mknod", "remove", "removedirs", "removexattr", "rename", "renames", "replace", "rmdir"),
    *("setxattr", "symlink", "truncate", "unlink", "utime"),
}
# _NO_LINK is a constant of `plait.service.project_files`, which reads.
READS = {
    "_NO_LINK",
    "O_RDONLY",
    "O_CLOEXEC",
    "O_BINARY",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "O_DIRECTORY",
    "O_NOCTTY",
    "O_PATH",
    "READ_ONLY",
}
MODULES = {"shutil", "tempfile", "tarfile", "zipfile"}
# Methods of paths; `rename`, `replace` and `touch` are names of other methods too, unless a module imports pathlib.
METHODS = {
    *("hardlink_to", "lchmod", "link_to", "mkdir", "rmdir", "set_data", "symlink_to", "unlink"),
    *("write_bytes", "write_text"),
}
OF_PATHS = {"rename", "touch"}


def found_in(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """What changes files: its name, and the line."""
    aliases: dict[str, str] = {}
    has_paths = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                aliases[one.asname or one.name.partition(".")[0]] = one.name
                has_paths |= one.name == "pathlib"
                if one.name.partition(".")[0] in MODULES:
                    yield one.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            has_paths |= node.module == "pathlib"
            if (node.module or "").partition(".")[0] in MODULES and not node.level:
                yield str(node.module), node.lineno
            if node.module in ("os", "posix", "nt", "io", "codecs", "gzip", "bz2", "lzma"):
                for one in node.names:
                    if one.name in CHANGES | {"open", "fdopen"}:
                        yield f"{node.module}.{one.name}", node.lineno
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = aliases.get(node.value.id, "")
            if name in ("os", "posix", "nt") and node.attr in CHANGES:
                yield f"os.{node.attr}", node.lineno
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name) and function.id == "open" and not _reads(node, 1):
            yield "open", node.lineno
        if not isinstance(function, ast.Attribute):
            continue
        owner = aliases.get(function.value.id, "") if isinstance(function.value, ast.Name) else ""
        if owner == "os" and function.attr == "open":
            names = {one.attr if isinstance(one, ast.Attribute) else one.id for one in _names(node.args[1:2])}
            if not names <= READS | {"os", "getattr"}:
                yield "os.open", node.lineno
        elif owner in ("io", "codecs", "gzip", "bz2", "lzma") and function.attr == "open" and not _reads(node, 1):
            yield f"{owner}.open", node.lineno
        elif function.attr in METHODS or (has_paths and function.attr in OF_PATHS):
            yield function.attr, node.lineno
        elif has_paths and function.attr == "open" and _is_mode(node) and not _reads(node, 0):
            yield "open", node.lineno
        elif has_paths and function.attr == "replace" and len(node.args) == 1:
            yield "replace", node.lineno


def _names(values: list[ast.expr]) -> Iterator[ast.Attribute | ast.Name]:
    for value in values:
        for node in ast.walk(value):
            if isinstance(node, ast.Attribute | ast.Name):
                yield node


def _mode(node: ast.Call, place: int) -> ast.expr | None:
    named = [one.value for one in node.keywords if one.arg == "mode"]
    return named[0] if named else node.args[place] if len(node.args) > place else None


def _is_mode(node: ast.Call) -> bool:
    mode = _mode(node, 0)
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) <= set("rwxabt+")


def _reads(node: ast.Call, place: int) -> bool:
    """True for a call of `open` that is sure to read."""
    mode = _mode(node, place)
    if mode is None:
        return True
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and not set(mode.value) & set("wax+")


def found_below(package: pathlib.Path) -> Iterator[tuple[str, str, int]]:
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package).as_posix()
        if not path.startswith("base/writing/"):
            yield from ((path, name, line) for name, line in found_in(ast.parse(file.read_text("utf-8"))))


def test_one_package_writes() -> None:
    found = [*found_below(PACKAGE)]
    assert [f"{path}:{line}: {name}" for path, name, line in found if (path, name) not in EXCEPTIONS] == []
    assert {(path, name) for path, name, _ in found} == set(EXCEPTIONS), "an exception that nothing needs"


@pytest.mark.parametrize(
    "text",
    [
        "open(path, 'w')",
        "open(path, mode)",
        "open(path, mode='r+b')",
        "import io\nio.open(path, 'a')",
        "import os\nos.open(path, os.O_WRONLY | os.O_CREAT)",
        "import os\nos.open(path, flags)",
        "import os as system\nsystem.replace(a, b)",
        "from os import unlink",
        "import os\nremoved = os.remove",
        "import os\nos.makedirs(path)",
        "import shutil",
        "from tempfile import mkdtemp",
        "from pathlib import Path\nPath(a).replace(b)",
        "from pathlib import Path\nPath(a).open('x')",
        "import pathlib\npathlib.Path(a).touch()",
        "path.write_text(text)",
        "path.unlink()",
        "import zipfile",
    ],
)
def test_other_writers_are_found(text: str) -> None:
    assert [*found_in(ast.parse(text))]


@pytest.mark.parametrize(
    "text",
    [
        "open(path)",
        "open(path, 'rb')",
        "import os\nos.open(path, os.O_RDONLY | getattr(os, 'O_CLOEXEC', 0))",
        "text.replace('a', 'b')",
        "state.touch(path)",
        "write_text(value)",
    ],
)
def test_readers_are_not(text: str) -> None:
    assert not [*found_in(ast.parse(text))]
