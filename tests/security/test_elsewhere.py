"""A system without the module `resource`, timers and /proc, such as Windows: what is bounded there by nothing still ends well."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import pathlib

# Takes away what such a system has not, then runs the command line.
ELSEWHERE = """
import builtins, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "resource":
            raise ImportError(name)

sys.meta_path.insert(0, Missing())
sys.modules.pop("resource", None)
there = builtins.open

def open(file, *arguments, **options):
    if str(file).startswith("/proc"):
        raise FileNotFoundError(file)
    return there(file, *arguments, **options)

builtins.open = open
import signal, _signal
for module in (signal, _signal):
    for name in ("setitimer", "SIGALRM"):
        delattr(module, name)
sys.platform = sys.argv.pop(1)
from plait.cli import run
run()
"""
LONG = "#@ l = []\n#@ for i in range(300000):\n#@   l.append(str(i))\n#@ end\na: #@ len(l)\n"
DEEP = "#@ def f(*a):\n#@   return f(*a)\n#@ end\na: #@ f(1)\n"


@pytest.mark.parametrize("platform", ["linux", "win32"])
@pytest.mark.parametrize(
    ("text", "status", "out"),
    [(LONG, 0, "a: 300000\n"), (DEEP, 3, ""), ("a: #@ 1 +\n", 1, ""), ("a: 1\n", 0, "a: 1\n")],
)
def test_programs_end_as_elsewhere(platform: str, text: str, status: int, out: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, platform, "render", "-f", "a.yml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (status, out), done.stderr
    assert "Traceback" not in done.stderr
