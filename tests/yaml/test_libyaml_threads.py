"""The parser is loaded once, however many threads ask for it at the same time."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, threading
sys.setswitchinterval(1e-6)
from plait.yaml import libyaml
found, ready = [], threading.Barrier(8)
def ask():
    ready.wait()
    found.append(libyaml.parser())
threads = [threading.Thread(target=ask) for _ in range(8)]
for one in threads: one.start()
for one in threads: one.join()
assert len(found) == 8 and len(set(map(id, found))) == 1, found
print(type(sys.modules.get("yaml")).__name__)
"""


def test_threads_get_the_same_parser() -> None:
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout in ("NoneType\n", "module\n")
