"""Other systems: what Linux alone has is hidden, and the commands do the same; names and line ends of Windows."""

from __future__ import annotations

import ast
import io
import ntpath
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types

import pytest

import plait
from patience import LONGEST
from plait.base import content, output_files
from plait.cli import main
from plait.insight import impact

ROOT = pathlib.Path(__file__).parent.parent
SOURCE = ROOT / "src" / "plait"

# What a process begins with on another system, as far as one can be made to look like it.
NO_PROC = """\
import builtins, os, sys
import _signal, subprocess, shutil, tempfile, threading, asyncio, ctypes
def open_elsewhere(path, *arguments, open=builtins.open, **options):
    if str(path).startswith("/proc"):
        raise FileNotFoundError(2, "No such file or directory", path)
    return open(path, *arguments, **options)
builtins.open = open_elsewhere
"""
HIDDEN = """\
for name in ("resource", "fcntl", "pwd", "grp", "termios", "tty", "pty", "readline", "syslog"):
    sys.modules[name] = None
for name in ("fork", "getuid", "geteuid", "register_at_fork", "O_NOFOLLOW", "O_CLOEXEC", "mkfifo", "killpg", "setsid", "sysconf"):
    delattr(os, name)
for name in ("setitimer", "getitimer", "alarm", "SIGALRM", "SIGVTALRM", "SIGKILL", "ITIMER_REAL", "ITIMER_VIRTUAL"):
    delattr(_signal, name)
    if hasattr(sys.modules.get("signal"), name):
        delattr(sys.modules["signal"], name)
"""
WINDOWS = """\
import types
locks = []
msvcrt = sys.modules["msvcrt"] = types.ModuleType("msvcrt")
msvcrt.LK_LOCK = 1
def locking(handle, mode, size):
    locks.append(handle)
    if len(locks) == 1:
        raise OSError(__import__("errno").EDEADLK, "resource deadlock avoided")
msvcrt.locking = locking
ctypes.CDLL = lambda name: (_ for _ in ()).throw(TypeError("not here"))
sys.platform = "win32"
"""
SYSTEMS = {"windows": NO_PROC + HIDDEN + WINDOWS, "macos": NO_PROC + "sys.platform = 'darwin'\n"}

COMMANDS = [
    "render -f quickstart",
    "render -f quickstart --output-files out",
    "render -f quickstart --dangerous-emptied-output-directory out",
    "render -f quickstart --data-values-env STR -o json",
    "patch patch/base.yml -o patch/ops.yml -v password=x",
    "patch generated.yml --vars-store store.yml --path /name",
    "layer layer --validate-data",
    "layer pattern.yml --validate-data --short",
    "fmt -f quickstart",
    "diff patch/base.yml patch/ops.yml",
    "explain render -f quickstart Deployment/shop:spec.replicas",
    "impact render -f quickstart schema.yml:3",
    "origin render -f quickstart report.txt",
    "reduce --to out --output kind=Deployment render -f quickstart",
    "compose three-dialects/plait.yml",
    "init new",
    "completion bash",
    "version",
    "render -f quickstart --isolate",
    "render -f deep.yml",
    "render -f missing.yml",
]
FILES = {
    "report.txt": "out.yml:1: wrong\n",
    "generated.yml": "name: a\nkey: ((k))\nvariables:\n- {name: k, type: password}\n",
    "deep.yml": "#@ def f(n):\n#@   return f(n - 1) if n else 1\n#@ end\na: #@ f(400)\n",
    "pattern.yml": (
        "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [a]}\n---\n"
        "schema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: demo/T/v1}\n"
        "data: {properties: {a: {pattern: '^(x|y)+$'}}}\n---\n"
        "schema: demo/T/v1\nmetadata: {schema: metadata/Document/v1, name: t, storagePolicy: cleartext,"
        " layeringDefinition: {layer: a}}\ndata: {a: xyx}\n"
    ),
}


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    for name in ("quickstart", "patch", "layer", "three-dialects"):
        shutil.copytree(ROOT / "examples" / name, tmp_path / name)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outcome(prelude: str, argv: list[str]) -> tuple[int, bytes, bytes]:
    program = f"{prelude}\nimport sys; from plait.cli import run; run()"
    done = subprocess.run([sys.executable, "-c", program, *argv], capture_output=True, timeout=LONGEST, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="hides what Linux has")
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_does_the_same_elsewhere(command: str, system: str, here: pathlib.Path) -> None:
    argv = command.split()
    found = outcome(SYSTEMS[system], argv)
    if "--isolate" in argv and system == "windows":
        assert (found[0], found[1]) == (2, b"")
        assert b"--isolate needs a system that can fork a process" in found[2]
        return
    for made in ("out", "new", "store.yml"):
        place = here / made
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
    assert found == outcome("", argv)


@pytest.mark.skipif(sys.platform != "linux", reason="hides what Linux has")
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_api_does_the_same_elsewhere(system: str, here: pathlib.Path) -> None:
    program = (
        "import asyncio, plait\n"
        "print(plait.render('quickstart', isolated=True) == plait.render('quickstart'), end=' ')\n"
        "print(asyncio.run(plait.arender({'a.yml': 'a: #@ 1 + 1'})).to_dict(), end=' ')\n"
        "plait.patch('generated.yml', store='store.yml')\n"
        "try:\n"
        "    plait.render({'a.yml': 'a: #@ [n for n in range(100)]'}, limits={'steps': 10})\n"
        "except plait.LimitError as error:\n"
        "    print(error.limit)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", SYSTEMS[system] + program], capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert (done.stdout, done.stderr) == ("True {'a': 2} steps\n", "")
    assert (here / "store.yml").exists()


# What is not on every system that Python runs on.
ELSEWHERE = {
    "fcntl",
    "grp",
    "msvcrt",
    "nt",
    "posix",
    "pwd",
    "readline",
    "resource",
    "syslog",
    "termios",
    "tty",
    "winreg",
}


def test_modules_of_one_system_are_imported_where_they_can_be_missing() -> None:
    """Within a `try` that takes an ImportError, or a function behind a question for the system."""
    allowed = {("base/content.py", "nt"), ("ops/store.py", "msvcrt"), ("base/process.py", "resource")}
    imported = re.compile(rf"\b(?:import|from)\b.*\b(?:{'|'.join(ELSEWHERE)})\b")
    for file in SOURCE.rglob("*.py"):
        text = file.read_text("utf-8")
        if not imported.search(text):
            continue
        tree = ast.parse(text)
        guarded = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.Try) and any("ImportError" in ast.dump(handler) for handler in node.handlers)
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in ELSEWHERE & {name.partition(".")[0] for name in names}:
                assert node in guarded or (file.relative_to(SOURCE).as_posix(), name) in allowed, f"{file}: {name}"


def test_files_are_opened_as_bytes_or_as_utf_8() -> None:
    """Nothing is read or written in the encoding, or with the line ends, of the machine."""
    called = re.compile(r"\b(?:open|getpreferredencoding|popen|system|read_text|write_text)\b")
    for file in SOURCE.rglob("*.py"):
        text = file.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if called.search(text) else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
                mode = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else "r"
                given = {keyword.arg for keyword in node.keywords}
                assert "b" in str(mode) or "encoding" in given, f"{file}:{node.lineno}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in ("getpreferredencoding", "popen", "system"), file
                assert node.func.attr not in ("read_text", "write_text") or "utf-8" in ast.dump(node), file


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("app.yml", None),
        ("a/b c/console.yml", None),
        ("a/.hidden", None),
        ("comment.yml/com.txt", None),
        ("con", "con"),
        ("a/NUL.yml", "NUL.yml"),
        ("a\\aux .txt", "aux .txt"),
        ("COM1.tar.gz", "COM1.tar.gz"),
        ("lpt³", "lpt³"),
        ("a:stream.yml", "a:stream.yml"),
        ("what?.yml", "what?.yml"),
        ("a/b./c.yml", "b."),
        ("a/b /c.yml", "b "),
        ("a/line\nbreak", "line\nbreak"),
    ],
)
def test_names_that_windows_takes_for_something_else(place: str, name: str | None) -> None:
    assert output_files.no_name_on_windows(place) == name


def test_output_files_on_windows(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announced: list[str] = []
    output_files.add_files(str(tmp_path), [("aux.yml", b"a: 1\n")], announced.append)
    monkeypatch.setattr(output_files, "_ON_WINDOWS", True)
    with pytest.raises(plait.UsageError) as caught:
        output_files.add_files(str(tmp_path), [("fine.yml", b"a: 1\n"), ("more/aux.yml", b"a: 1\n")], announced.append)
    assert caught.value.found == "aux.yml"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["aux.yml"]
    monkeypatch.setattr(os, "path", ntpath)
    monkeypatch.setattr(os, "sep", "\\")
    for path in ("C:\\x.yml", "C:x.yml", "..\\x.yml", "a\\..\\..\\x.yml", "\\\\server\\share\\x.yml", "a/../../x.yml"):
        with pytest.raises(plait.UsageError, match="inside the output directory"):
            output_files.inside(path)
    assert output_files.inside("a/b.yml") == "a\\b.yml"


def test_the_longest_names(tmp_path: pathlib.Path) -> None:
    name = "x" * 251 + ".yml"
    announced: list[str] = []
    output_files.add_files(str(tmp_path), [(name, b"a: 1\n")], announced.append)
    output_files.add_files(str(tmp_path), [(name, b"a: 2\n")], announced.append)
    assert (tmp_path / name).read_text() == "a: 2\n"
    store = tmp_path / ("s" * 251 + ".yml")
    plait.patch({"a.yml": "a: ((x))\nvariables: [{name: x, type: password}]"}, store=store)
    plait.patch({"a.yml": "a: ((z))\nvariables: [{name: z, type: password}]"}, store=store)
    assert set(plait.read(store).to_dict()) == {"x", "z"}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, store.name])
    with pytest.raises(plait.ReadError, match="file name too long"):
        output_files.add_files(str(tmp_path), [("x" * 300, b"a: 1\n")], announced.append)


def test_an_output_directory_that_cannot_be_renamed_keeps_what_it_has(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / "old.yml").write_text("old")

    def refused(_from: str, _to: str, **_directories: int) -> None:
        raise PermissionError(13, "Access is denied", _from)

    monkeypatch.setattr("plait.base.writing.directory.Directory.exchange", lambda *_: False)
    monkeypatch.setattr(os, "rename", refused)
    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(plait.ReadError, match="access is denied"):
        output_files.replace_directory(str(target), [("new.yml", b"new")], lambda _: None)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (target / "old.yml").read_text() == "old"


def test_variables_keep_their_case_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    nt = types.ModuleType("nt")
    nt.environ = {"STR_name": "web"}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nt", nt)
    assert content.environment() is os.environ
    monkeypatch.setattr(os, "name", "nt")
    assert dict(content.environment()) == {"STR_name": "web"}


def test_backslashes_name_the_same_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sep", "\\")
    assert impact.same_file("config\\app.yml", "config/app.yml")
    assert impact.same_file("app.yml", "C:\\x\\app.yml")
    assert not impact.same_file("app.yml", "C:\\x\\map.yml")


def test_paths_with_drives_and_backslashes_are_paths(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "C:\\x\\y.yml"
    (tmp_path / name).write_text("a: ((b))\n", "utf-8")
    (tmp_path / "D:\\v.yml").write_text("b: 1\n", "utf-8")
    (tmp_path / "D:\\values.yml").write_text("c: 1\n", "utf-8")
    for argv, out in (
        (["render", "-f", name], "a: ((b))\n"),
        (["render", "-f", f"name.yml={name}"], "a: ((b))\n"),
        (["render", "-f", name, "--data-values-file", "D:\\values.yml", "--data-value-file", "t=D:\\v.yml", "--data-values-inspect"],
         "c: 1\nt: |\n  b: 1\n"),
        (["patch", name, "-l", "D:\\v.yml"], "a: 1\n"),
        (["patch", name, "--var-file", "b=D:\\v.yml"], "a: |\n  b: 1\n"),
        (["impact", "render", "-f", name, f"{name}:1"], "a\n"),
    ):  # fmt: skip
        assert main(argv) == 0, argv
        assert capfd.readouterr().out == out, argv


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-16"])
def test_messages_and_output_are_utf_8_whatever_the_locale(encoding: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "ä.yml").write_text("ü: #@ 'ß' + nmae\n", "utf-8")
    (tmp_path / "good.yml").write_text("ü: #@ 'ß' + '€'\r\nb: 1\r\n", "utf-8", newline="")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    bad = subprocess.run(
        [sys.executable, "-m", "plait", "render", "-f", "ä.yml"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert "ä.yml:1: undefined: nmae".encode() in bad.stderr
    assert "| ü: #@ 'ß' + nmae".encode() in bad.stderr
    good = subprocess.run(
        [sys.executable, "-m", "plait", "render", "-f", "good.yml"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=True,
    )
    assert good.stdout == "ü: ß€\nb: 1\n".encode()


def test_standard_output_is_written_as_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """A text stream of Windows would make two characters of each line's end."""
    (tmp_path / "a.yml").write_text("a: 1\nb: 2\n", "utf-8")
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="cp1252", newline="\r\n"))
    monkeypatch.chdir(tmp_path)
    for argv in (
        ["render", "-f", "a.yml"],
        ["fmt", "-f", "a.yml"],
        ["diff", "a.yml", "a.yml"],
        ["version"],
        ["--help"],
        ["init", "x"],
    ):
        assert main(argv) == 0
    sys.stdout.flush()
    assert b"a: 1\nb: 2\n" in buffer.getvalue()
    assert b"\r" not in buffer.getvalue()
