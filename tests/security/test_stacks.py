"""Whatever is nested or recursive ends in a named error on any stack, and the host is left as it was."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import threading

import pytest

import plait

SOURCES = pathlib.Path(plait.__file__).parent.parent

RECURSION = "#@ def f({0}):\n#@   return {1}\n#@ end\na: #@ f({2})\n"
DEEP = "#@ deep = {0}\n#@ for _ in range(100000):\n#@   deep = {1}\n#@ end\na: #@ {2}\n"
# What is nested or recursive in all ways that there are.
DEEP_ONES = {
    "recursion": RECURSION.format("a", "f(a)", "1"),
    "recursion with packed arguments": RECURSION.format("*a, **k", "f(*a, **k)", "1"),
    "recursion through sorted": RECURSION.format("a", "sorted([a], key=f)", "1"),
    "recursion through max": RECURSION.format("a", "max([a, a], key=f)", "1"),
    "recursion through a comprehension": RECURSION.format("a", "[f(a) for _ in range(1)]", "1"),
    "recursion through a module": '#@ load("@ytt:assert", "assert")\n' + RECURSION.format("", "assert.try_to(f)", ""),
    "recursion of yaml": "#@ def f(*a):\na: #@ f(*a)\n#@ end\nb: #@ f(1)\n",
    "attributes": f"a: #@ x{'.a' * 3000}\n",
    "more attributes": f"#@ x = 1\na: #@ x{'.a' * 30000}\n",
    "calls": f"#@ x = 1\na: #@ x{'()' * 3000}\n",
    "indexes": f"#@ x = 1\na: #@ x{'[0]' * 3000}\n",
    "parentheses": f"a: #@ {'(' * 3000}1{')' * 3000}\n",
    "lists": f"a: #@ {'[' * 3000}1{']' * 3000}\n",
    "signs": f"a: #@ {'-' * 3000}1\n",
    "sums": f"a: #@ {'1 + ' * 3000}1\n",
    "conditions": f"a: #@ {'1 if 1 else ' * 3000}1\n",
    "lambdas": f"a: #@ {'lambda: ' * 3000}1\n",
    "text of a value": DEEP.format("[]", "[deep]", "str(deep)"),
    "a value as yaml": DEEP.format("[]", "[deep]", "deep"),
    "hash of a value": DEEP.format("()", "(deep,)", "{deep: 1}"),
    "comparison": DEEP.format("()", "(deep,)", "deep == (deep,)"),
    "json of a value": '#@ load("@ytt:json", "json")\n' + DEEP.format("[]", "[deep]", "json.encode(deep)"),
    "json to a value": '#@ load("@ytt:json", "json")\na: #@ json.decode("[" * 100000)\n',
    "yaml to a value": '#@ load("@ytt:yaml", "yaml")\na: #@ yaml.decode("[" * 100000)\n',
    "flow": f"a: {'[' * 5000}{']' * 5000}\n",
    "block": "".join(f"{' ' * depth}a:\n" for depth in range(1500)),
    "groups of a pattern": f'#@ load("@ytt:regexp", "regexp")\na: #@ regexp.match("{"(" * 1000}{")" * 1000}", "a")\n',
}

EVERY = """
import sys, threading, plait
sys.path.insert(0, sys.argv[2])
from test_stacks import DEEP_ONES
def work():
    for name, text in DEEP_ONES.items():
        try:
            print(name, len(plait.render({"a.yml": text}).to_yaml()))
        except plait.PlaitError as error:
            # The limit is named if it was reached, and not the end of a small stack.
            print(name, type(error).__name__, error.message.replace(" (limit depth=12000)", "")[:60])
size = int(sys.argv[1])
if size:
    threading.stack_size(size << 10)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
else:
    work()
"""


def outcomes(kibibytes: int, limit: str = "8192") -> str:
    """What every deep one ends in, on a thread with such a stack (0: the first thread), of a process with such a limit."""
    program = ["sh", "-c", f'ulimit -s {limit}; exec "$@"', "sh", sys.executable, "-c", EVERY, str(kibibytes)]
    done = subprocess.run(
        [*program, str(pathlib.Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{SOURCES}{os.pathsep}{pathlib.Path(__file__).parent}"},
    )
    assert done.returncode == 0, f"ended by {done.returncode}: {done.stdout[-200:]} {done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def usual() -> str:
    found = outcomes(0)
    assert found.count("\n") == len(DEEP_ONES)
    return found


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="limits stacks as Linux does")
@pytest.mark.parametrize("kibibytes", [256, 512, 1024, 5120, 8192])
def test_any_stack_of_a_thread_will_do(kibibytes: int, usual: str) -> None:
    assert outcomes(kibibytes) == usual


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="limits stacks as Linux does")
@pytest.mark.parametrize("limit", ["256", "1024", "4096"])
def test_any_stack_of_a_process_will_do(limit: str, usual: str) -> None:
    assert outcomes(0, limit) == usual


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="limits stacks as Linux does")
@pytest.mark.parametrize("isolated", [[], ["--isolate"]])
def test_the_command_line_has_room_where_the_system_gives_little(isolated: list[str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text(DEEP_ONES["recursion with packed arguments"], "utf-8")
    (tmp_path / "b.yml").write_text("#@ for i in range(1 << 30):\n#@   x = 1\n#@ end\n", "utf-8")

    def run(*argv: str) -> tuple[int, str]:
        command = [sys.executable, "-c", "from plait.cli import run; run()", "render", *argv, *isolated]
        done = subprocess.run(
            ["sh", "-c", 'ulimit -s 256; exec "$@"', "sh", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    status, said = run("-f", "a.yml")
    assert (status, "too many nested calls" in said) == (3, True)
    status, said = run("-f", "b.yml", "--limit", "seconds=0.3", "--limit", "steps=1G")
    assert (status, "the limit seconds=0.3" in said) == (3, True)


def state() -> tuple[object, ...]:
    """What a host has set for its process."""
    return (
        sys.getrecursionlimit(),
        signal.getitimer(signal.ITIMER_REAL),
        signal.getitimer(signal.ITIMER_PROF),
        [signal.getsignal(number) for number in signal.valid_signals()],
        threading.stack_size(),
        threading.active_count(),
        sys.getprofile(),
        os.getcwd(),
        dict(os.environ),
    )


LAYERED = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [site]}
---
schema: demo/Port/v1
metadata: {schema: metadata/Document/v1, name: a, layeringDefinition: {layer: site}}
data: {port: x80}
---
schema: demo/Port/v1
metadata:
  schema: metadata/Document/v1
  name: b
  layeringDefinition: {layer: site}
  substitutions: [{src: {schema: demo/Port/v1, name: a, path: .port, pattern: '[0-9]+'}, dest: {path: .p, pattern: X}}]
data: {p: XX}
"""


def test_the_host_is_as_it_was_after_a_thousand_calls() -> None:
    plait.render({"a.yml": "a: 1\n"})
    before = state()
    for number in range(1000):
        plait.render({"a.yml": f"#@ def f(x):\n#@   return x + 1\n#@ end\na: #@ f({number})\n"}, limits={"depth": 50})
        if number % 50 == 0:
            plait.layer({"a.yml": LAYERED})
            plait.patch({"a.yml": "a: 1\n"}, {"o.yml": "- {type: replace, path: /a, value: 2}\n"})
            with pytest.raises(plait.PlaitError):
                plait.render({"a.yml": DEEP_ONES["recursion with packed arguments"]})
            with pytest.raises(plait.PlaitError):
                plait.render({"a.yml": "a: #@ 1 +\n"})
    assert state() == before


def test_threads_at_once_put_the_limit_of_recursion_back() -> None:
    before = sys.getrecursionlimit()

    def work() -> None:
        for number in range(20):
            plait.render({"a.yml": f"a: #@ {number} + 1\n"})

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.getrecursionlimit() == before
