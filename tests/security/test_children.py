"""Every process that plait starts is started by `plait.base.children`: nothing of a working directory is run, and nothing goes on."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

import plait

PACKAGE = pathlib.Path(plait.__file__).parent
# Modules whose names start processes, and functions of `os` that do.
MODULES = {
    "subprocess",
    "multiprocessing",
    "_posixsubprocess",
    "pty",
    "_winapi",
    "pexpect",
    "concurrent.futures.process",
}
NAMES = {
    "ProcessPoolExecutor",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "subprocess_exec",
    "subprocess_shell",
}
FUNCTIONS = ("exec", "fork", "popen", "posix_spawn", "spawn", "startfile", "system")


def starting(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of everything in a module that can start a process."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, one.name) for one in node.names if is_module(one.name))
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            for one in node.names:
                if is_module(module) or is_module(f"{module}.{one.name}") or one.name in NAMES:
                    yield node.lineno, f"{module}.{one.name}"
                if module in ("os", "posix", "nt") and one.name.startswith(FUNCTIONS):
                    yield node.lineno, f"{module}.{one.name}"
        elif isinstance(node, ast.Attribute):
            if node.attr in NAMES:
                yield node.lineno, node.attr
            if (
                isinstance(node.value, ast.Name)
                and node.value.id in ("os", "posix", "nt")
                and node.attr.startswith(FUNCTIONS)
            ):
                yield node.lineno, f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            name = node.args[0].value
            if called in ("__import__", "import_module") and isinstance(name, str) and is_module(name):
                yield node.lineno, name
            if called == "getattr" and isinstance(name, str) and name in NAMES:
                yield node.lineno, name


def is_module(name: str) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in MODULES)


def test_no_other_module_starts_processes() -> None:
    found = [
        f"{file.relative_to(PACKAGE)}:{line}: {name}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.parent != PACKAGE / "base" / "children"
        for line, name in starting(ast.parse(file.read_text("utf-8")))
    ]
    assert found == []


def test_what_starts_a_process_is_found() -> None:
    text = """\
import subprocess
import os, multiprocessing.pool
from concurrent.futures import ProcessPoolExecutor
from os import execvp
def f():
    from subprocess import run
    os.fork()
    os.posix_spawnp("a", [], {})
    __import__("pty")
    asyncio.create_subprocess_exec("a")
    importlib.import_module("multiprocessing")
    concurrent.futures.ProcessPoolExecutor()
"""
    assert [line for line, _ in sorted(starting(ast.parse(text)))] == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]
