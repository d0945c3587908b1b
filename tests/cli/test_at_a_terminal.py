"""What a person at a terminal sees: progress of long runs, no waiting for input that nobody knows of, no colours unasked."""

from __future__ import annotations

import contextlib
import itertools
import os
import pathlib
import re
import select
import struct
import subprocess
import sys
import time
from typing import cast

import pytest

from patience import LONGEST
from plait.base.fast_paths import FAST
from plait.cli import COMMANDS, main
from plait.cli.terminal import ProgressDisplay, Terminal
from plait.tree.context import Context

pty = pytest.importorskip("pty")

# Takes seconds, with the optimizer or without.
FILES = 40
DEPTH, FOUND = (27, 196418) if FAST else (24, 46368)
SLOW = f"#@ def f(n):\n#@   return f(n - 1) + f(n - 2) if n > 1 else n\n#@ end\na: #@ f({DEPTH})\n"


def at_terminal(
    argv: list[str],
    directory: pathlib.Path,
    *,
    out: bool = False,
    env: dict[str, str] | None = None,
    columns: int = 0,
) -> tuple[int, str, bytes]:
    """Status, what the terminal got (standard error, and with `out` standard output), and standard output otherwise."""
    ours, theirs = pty.openpty()
    if columns:
        import fcntl
        import termios

        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", *argv], cwd=directory, stdin=theirs, stderr=theirs,
        stdout=theirs if out else subprocess.PIPE, env={**os.environ, "TERM": "xterm", **(env or {})},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while True:
        # Asked before, not after: a process may write its last line and end while nothing is ready.
        ended = process.poll() is not None
        ready, _, _ = select.select([ours], [], [], 0.1)
        if ready:
            try:
                piece = os.read(ours, 4096)
            except OSError:
                piece = b""
            if not piece:
                break
            seen += piece
        elif ended:
            break
        elif time.monotonic() - start > LONGEST:
            process.kill()
            process.communicate()
            pytest.fail("it waits")
    printed = b"" if process.stdout is None else process.stdout.read()
    status = process.wait()
    if process.stdout is not None:
        process.stdout.close()
    os.close(ours)
    return status, seen.decode(), printed


def plain(text: str) -> str:
    """The text without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.fixture
def slow(tmp_path: pathlib.Path) -> pathlib.Path:
    for number in range(FILES):
        (tmp_path / f"file{number:02}.yml").write_text(SLOW, "utf-8")
    return tmp_path


def test_a_long_run_says_what_it_does_and_leaves_nothing(slow: pathlib.Path) -> None:
    status, seen, printed = at_terminal(["render", "--no-code-cache", "--limit", "steps=9G", "-f", "."], slow)
    assert status == 0
    assert printed.count(b"a: %d\n" % FOUND) == FILES
    lines = [line for line in seen.replace("\r\x1b[K", "\n").split("\n") if line]
    assert lines
    assert all(line.startswith("plait: ") and " s " in line for line in lines), lines
    assert any(f"of {FILES})" in line for line in lines)
    assert seen.endswith("\r\x1b[K")
    assert "\x1b[3" not in seen


def test_nothing_of_it_where_lines_cannot_be_taken_back(slow: pathlib.Path) -> None:
    assert at_terminal(["render", "--limit", "steps=9G", "-f", "."], slow, env={"TERM": "dumb"})[1] == ""


def test_a_short_run_shows_nothing(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    assert at_terminal(["render", "-f", "a.yml"], tmp_path, out=True)[:2] == (0, "a: 1\r\n")


@pytest.mark.parametrize(
    "argv",
    [
        ["render", "-f", "-"], ["patch", "-"], ["layer", "-"], ["krm"], ["diff", "-", "a.yml"], ["fmt", "-f", "-"],
        ["patch", "a.yml", "-o", "-"], ["explain", "render", "-f", "-", "a"], ["render", "-f", "a.yml", "-d", "-"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_command_waits_for_a_person_to_type(argv: list[str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    status, seen, _ = at_terminal(argv, tmp_path)
    assert status in (1, 2)
    assert plain(seen).startswith("plait: ")


@pytest.mark.parametrize(
    "argv", [[], ["help"], ["version"], ["compose"], ["render"], ["completion", "bash"]], ids=" ".join
)
def test_nor_one_without_inputs(argv: list[str], tmp_path: pathlib.Path) -> None:
    at_terminal(argv, tmp_path)


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_on_a_terminal_only_and_not_against_a_wish(
    env: dict[str, str], coloured: bool, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "b.yml").write_text("a: 2\n", "utf-8")
    (tmp_path / "c.yml").write_text("a:\n    b: 1\n", "utf-8")
    for words in (["diff", "a.yml", "b.yml"], ["fmt", "--diff", "c.yml"], ["set", "patch", "a.yml", "/a=3"]):
        _, seen, _ = at_terminal(words, tmp_path, out=True, env=env)
        assert ("\x1b[31m" in seen) == coloured, words
        _, _, printed = at_terminal(words, tmp_path, env=env)
        assert (b"\x1b[31m" in printed) == ("FORCE_COLOR" in env and coloured)


# Whether a pipe gets colours, and whether a terminal does.
WISHES: list[tuple[list[str], dict[str, str], tuple[bool, bool]]] = [
    ([], {}, (False, True)),
    ([], {"NO_COLOR": "1"}, (False, False)),
    ([], {"FORCE_COLOR": "1"}, (True, True)),
    ([], {"TERM": "dumb"}, (False, False)),
    ([], {"NO_COLOR": "1", "FORCE_COLOR": "1"}, (False, False)),
    (["--color", "always"], {"NO_COLOR": "1", "TERM": "dumb"}, (True, True)),
    (["--color=never"], {"FORCE_COLOR": "1"}, (False, False)),
]


@pytest.mark.parametrize("command", [*COMMANDS, "help", "no-such-command"])
def test_every_command_colours_its_messages_and_its_help_by_one_rule(
    command: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    for flags, env, wanted in WISHES:
        for is_terminal in (False, True):
            with monkeypatch.context() as patch:
                for name, value in {"TERM": "xterm", **env}.items():
                    patch.setenv(name, value)
                patch.setattr("sys.stdout.isatty", lambda is_terminal=is_terminal: is_terminal)
                patch.setattr("sys.stderr.isatty", lambda is_terminal=is_terminal: is_terminal)
                assert main([command, *flags, "--no-such-flag"]) in (1, 2)
                out, error = capsys.readouterr()
                assert out == ""
                assert ("\x1b[31;1mplait: \x1b[0m" in error) == wanted[is_terminal], (flags, env, is_terminal)
                assert plain(error).startswith("plait: ")
                if command in COMMANDS:
                    assert main([command, *flags, "--help"]) == 0
                    assert ("\x1b[1mUsage:\x1b[0m" in capsys.readouterr().out) == wanted[is_terminal]
                elif command == "help":
                    assert main([command, *flags]) == 0
                    assert ("\x1b[1mUsage:\x1b[0m" in capsys.readouterr().out) == wanted[is_terminal]


def test_answers_are_coloured_by_the_same_rule(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text("#@data/values\n---\na: 1\nb: 2\n", "utf-8")
    (tmp_path / "b.yml").write_text('#@ load("@ytt:data", "data")\nc: #@ data.values.a\n', "utf-8")
    (tmp_path / "c.test.yml").write_text("tests: {t: {render: {files: [a.yml, b.yml]}, equals: {c: 1}}}\n", "utf-8")
    for words in (
        ["lint", "render", "-f", "."],
        ["explain", "render", "-f", ".", "c"],
        ["diff", "a.yml", "b.yml"],
        ["set", "render", "-f", ".", "c=3"],
        ["test"],
    ):
        for flags, coloured in ((["--color", "always"], True), (["--color", "never"], False), ([], False)):
            main([words[0], *flags, *words[1:]])
            assert ("\x1b[" in capsys.readouterr().out) == coloured, words


def test_what_an_input_says_is_no_colour(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text('a: "\\e[31mred"\n', "utf-8")
    _, seen, _ = at_terminal(["explain", "render", "-f", "a.yml", "a"], tmp_path, out=True)
    assert "\x1b[31mred" not in seen
    _, seen, _ = at_terminal(["explain", "render", "-f", "\x1b[31mred.yml", "a"], tmp_path)
    assert "\x1b[31mred" not in seen
    assert "\\x1b[31mred" in seen


def test_tests_have_a_bar_that_goes_and_a_colour_for_the_count(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    lines = "".join(f"  t{number}: {{render: {{files: a.yml}}, equals: {{a: 1}}}}\n" for number in range(5))
    (tmp_path / "a.test.yml").write_text(f"tests:\n{lines}  not: {{render: {{files: a.yml}}, has: b}}\n", "utf-8")
    status, seen, _ = at_terminal(["test"], tmp_path, out=True)
    assert status == 1
    shown = seen.split("\r")
    assert "5/6" in seen.split("FAILED")[0]
    assert any(part.startswith("\x1b[K") for part in shown)
    assert "\x1b[32m5 passed\x1b[0m, \x1b[31;1m1 failed\x1b[0m" in seen


def test_patch_says_which_variable_is_being_made(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("cryptography")
    keys = "".join(f"- {{name: key{number}, type: rsa}}\n" for number in range(64))
    (tmp_path / "a.yml").write_text(f"variables:\n{keys}", "utf-8")
    status, seen, _ = at_terminal(["patch", "a.yml", "--vars-store", "store.yml"], tmp_path)
    assert status == 0
    lines = [line for line in seen.replace("\r\x1b[K", "\n").split("\n") if line]
    assert lines
    assert all(" s generating the variable key" in line for line in lines), lines
    assert any(line.endswith(" of 64)") for line in lines)


@pytest.mark.parametrize("argv", [["explain", "render", "--all"], ["impact", "render"]], ids=lambda argv: argv[0])
def test_questions_say_what_they_are_at(argv: list[str], slow: pathlib.Path) -> None:
    asked = ["file00.yml:1"] if argv[0] == "impact" else []
    _, seen, _ = at_terminal([*argv, "--no-code-cache", "--limit", "steps=9G", "-f", ".", *asked], slow)
    assert "plait: 1 s " in seen
    assert f" of {FILES})" in seen


# Commands that evaluate runs, each with the flags that it needs. Those with tests of their own, and those that serve, wait
# for a reader or evaluate nothing are named with them.
WORKING: dict[str, list[str]] = {
    "lint": [],
    "test": [],
    "coverage": [],
    "set": ["run", "app", "a=1"],
    "blame": [],
    "log": ["a"],
    "origin": ["run", "app", "report.txt"],
    "reduce": ["--output", "a=1", "run", "app"],
    "project": [],
    "init": ["--dry-run"],
    "fleet why": ["a"],
}
TESTED_ABOVE = {
    "review",
    "render",
    "patch",
    "run",
    "compose",
    "diff",
    "explain",
    "impact",
    "fleet",
    "layer",
}  # and of review in tests/review
WITHOUT_PROGRESS = {"ci", "schema", "completion", "shims", "trust", "serve", "lsp", "mcp", "website", "krm", "fmt"}


def test_every_command_has_progress_or_a_reason_for_none() -> None:
    assert {one.partition(" ")[0] for one in WORKING} | TESTED_ABOVE | WITHOUT_PROGRESS == set(COMMANDS)


@pytest.mark.parametrize("command", WORKING)
def test_work_without_a_context_of_its_own_is_told(
    command: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.yml").write_text("#@ x = 1\na: #@ x\n", "utf-8")
    if command in ("project", "init"):
        (tmp_path / "build.sh").write_text("ytt -f a.yml\n", "utf-8")
    else:
        (tmp_path / "plait.yml").write_text("runs: {app: {render: {files: [a.yml]}}}\n", "utf-8")
    (tmp_path / "report.txt").write_text("out.yml:1: x\n", "utf-8")
    (tmp_path / "a.test.yml").write_text("tests: {t: {run: app, equals: {a: 1}}}\n", "utf-8")
    if command in ("log", "blame"):
        (tmp_path / ".git").rmdir()
        for words in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm1"],
        ):
            subprocess.run(["git", *words], check=True)
    seen = []

    def watched(context: Context, *, steps: bool) -> contextlib.nullcontext[None]:
        seen.append(context.doing)
        return contextlib.nullcontext()

    monkeypatch.setattr("plait.cli.progress.watched", watched)
    assert main([*command.split(), *WORKING[command]]) in (0, 1)
    assert seen
    assert all(seen)


def test_progress_is_shown_after_one_second_and_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of the test's own: a busy machine would prove nothing."""
    now = 0.0
    seen: list[tuple[float, str]] = []

    class Screen:
        def show(self, text: str) -> None:
            seen.append((now, text))

    context = Context()
    context.doing, context.total = "evaluating app.yml", 4
    display = ProgressDisplay(context, cast("Terminal", Screen()))

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        context.done = int(now)
        if now > 3:
            display.__exit__()

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("plait.cli.terminal.monotonic", lambda: now)
    monkeypatch.setattr("plait.cli.terminal.sleep", sleep)
    monkeypatch.setattr("plait.cli.terminal.start_new_thread", lambda watch, given: watch(*given))
    with display:
        pass
    shown = [one for one in seen if one[1]]
    assert shown[0] == (1.0, "plait: 1 s evaluating app.yml (1 of 4)")
    assert all(after - before <= 1 for (before, _), (after, _) in itertools.pairwise(shown))
    assert shown[-1][0] > 2
    # It goes away at the end.
    assert seen[-1][1] == ""


LONG = "word " * 40
# A busy machine takes more than the second after which progress is shown.
PROGRESS = re.compile(r"plait: \d+ s [^\r\n]*\r\x1b\[K")


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_answers_fit_the_terminal(columns: int, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text(f"a: {LONG}1\nb: {LONG.replace(' ', '_')}1\n", "utf-8")
    (tmp_path / "b.yml").write_text(f"a: {LONG}2\nc: {LONG}\n", "utf-8")
    commands = [
        ["explain", "render", "--all", "-f", "a.yml"],
        ["explain", "render", "-f", "a.yml", "bb" * 80],
        ["diff", "a.yml", "b.yml"],
        ["impact", "render", "-f", "a.yml", "missing.yml:1"],
    ]
    for argv in commands:
        _, seen, _ = at_terminal(argv, tmp_path, out=True, columns=columns)
        seen = PROGRESS.sub("", seen)
        shown = plain(seen).replace("\r", "").split("\n")
        assert max(map(len, shown)) <= columns, argv
        if "--all" in argv:
            # Values of entries are shortened to fit; the value itself is shown whole.
            assert all(
                _letters(one) in _letters("".join(shown)) for one in (f"a: {LONG}1", f"b: {LONG.replace(' ', '_')}1")
            )
            continue
        # Nothing is lost; a source line that goes on has a bar before each part.
        _, errors, printed = at_terminal([argv[0], "--color", "never", *argv[1:]], tmp_path)
        assert _letters("".join(shown)) == _letters(printed.decode() + PROGRESS.sub("", errors))


def _letters(text: str) -> str:
    return re.sub(r"[\s|]", "", text)


def test_a_fleet_says_how_far_it_is(tmp_path: pathlib.Path) -> None:
    rounds = 3_000_000 if FAST else 1_000_000
    loop = f"#@ def slow(n):\n#@   for i in range({rounds}):\n#@     n = (n * 3 + i) % 1000003\n#@   end\n#@   return n\n#@ end\n"
    (tmp_path / "config").mkdir()
    text = f'#@ load("@ytt:data", "data")\n{loop}---\na: #@ slow(data.values.name)\n'
    (tmp_path / "config/a.yml").write_text(text)
    (tmp_path / "config/schema.yml").write_text("#@data/values-schema\n---\nname: 0\n")
    names = ", ".join(map(str, range(12)))
    run = '{files: config, data-value-yaml: "name={name}"}'
    (tmp_path / "plait.yml").write_text(f"runs: {{app: {{matrix: {{axes: {{name: [{names}]}}}}, render: {run}}}}}\n")
    status, seen, printed = at_terminal(["fleet", "-j", "1", "--no-cache"], tmp_path)
    assert (status, printed.startswith(b"12 runs: 12 rendered, in ")) == (0, True)
    assert re.search(r"plait: \d+ of 12 runs, [0-9.]+/s, [0-9.]+ s left", seen)
    # It goes away, and no code of the terminal is shown as text.
    assert "\\x" not in seen
    assert seen.endswith("\x1b[K")
