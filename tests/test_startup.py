"""The command line starts quickly because it imports little; what it may import is listed here."""

from __future__ import annotations

import subprocess
import sys

# Standard library modules that a render may load besides those of a bare interpreter.
RENDER_MAY_LOAD = {
    "__future__",
    "_ast",
    "ast_unparser",
    "keyword",
    "math",
    "_stat",
    "stat",
    "posixpath",
    "genericpath",
    "os",
    "os.path",
}

NEVER = {
    "argparse",
    "dataclasses",
    "inspect",
    "importlib.metadata",
    "jsonschema",
    "cryptography",
    "rich",
    "urllib.request",
    "tomlkit",
    "re2",
    "subprocess",
    "logging",
}


def modules_after(argv: list[str]) -> set[str]:
    """What a process has loaded after one command line, less what the bare interpreter has."""
    program = (
        "import sys; before = set(sys.modules); from weft.cli import main; status = main(sys.argv[1:]); "
        "sys.stderr.write('\\n'.join(sorted(set(sys.modules) - before))); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", program, *argv], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines())


def test_version_loads_the_command_line_alone() -> None:
    assert modules_after(["version"]) == {
        "__future__",
        "weft",
        "weft.cli",
        "weft.cli.streams",
        "weft.errors",
        "weft.source",
    }
