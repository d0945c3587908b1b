"""The bundle: modules come from it only while it says what their sources say; see `plait.base.bundle`."""

from __future__ import annotations

import marshal
import os
import pathlib
import py_compile
import subprocess
import sys

import pytest

import plait
from plait.base.bundle import Bundle

if not hasattr(os, "pread"):
    pytest.skip("there are no bundles on this system", allow_module_level=True)

SOURCES = pathlib.Path(plait.__file__).parent
LAUNCHER = pathlib.Path(__file__).parents[2] / "scripts" / "plait"

# Imports the modules that the arguments name with a bundle, prints where each came from and the name in it.
PROGRAM = """\
import sys
sys.path[:0] = [sys.argv[1]]
import small
from plait.base.bundle import Bundle
bundle = Bundle("small", sys.argv[1] + "/small", sys.argv[2])
sys.meta_path.insert(0, bundle)
for name in sys.argv[3:]:
    module = __import__(f"small.{name}", fromlist=["VALUE"])
    print(name, type(module.__loader__).__name__, module.VALUE)
bundle.save()
"""
MODULES = ("one", "two", "three")
FILES = "SourceFileLoader"
BUNDLED = "_Loader"


class Small:
    """A small package, and processes that import from it."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory
        self.package = directory / "small"
        self.package.mkdir(parents=True)
        self.bundle = self.package / "__pycache__" / "small.bundle"
        (self.package / "__init__.py").write_text("", "utf-8")
        for name in MODULES:
            (self.package / f"{name}.py").write_text(f"VALUE = '{name}'\n", "utf-8")

    def load(self, *names: str, **environment: str) -> dict[str, tuple[str, str]]:
        """What one process loads: the class of each module's loader, and the module's value."""
        done = run(
            [sys.executable, "-c", PROGRAM, str(self.directory), str(self.bundle), *names],
            self.directory,
            **environment,
        )
        assert (done.returncode, done.stderr) == (0, "")
        rows = (line.split() for line in done.stdout.splitlines())
        return {name: (loader, value) for name, loader, value in rows}

    def groups(self) -> list[set[str]]:
        bundle = Bundle("small", str(self.package), str(self.bundle))
        lines = [line.split() for line in bundle.index.splitlines()]
        return [{name.removeprefix("small.") for name in names} for _, _, *names in lines]


def run(command: list[str], cwd: pathlib.Path, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PLAIT"))}
    path = {"PYTHONPATH": str(SOURCES.parent)}
    everything = inherited | path | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=everything)


@pytest.fixture
def small(tmp_path: pathlib.Path) -> Small:
    return Small(tmp_path)


def version(file: pathlib.Path) -> tuple[int, int]:
    """Tells a file from one that has taken its place."""
    status = file.stat()
    return status.st_ino, status.st_mtime_ns


def loaders(found: dict[str, tuple[str, str]]) -> list[str]:
    return [loader for loader, _ in found.values()]


def test_what_one_process_loads_the_next_finds_in_the_bundle(small: Small) -> None:
    assert loaders(small.load(*MODULES)) == [FILES] * 3
    first = version(small.bundle)
    assert small.load(*MODULES) == {name: (BUNDLED, name) for name in MODULES}
    assert version(small.bundle) == first, "nothing was missing, nothing is written"


def test_modules_that_are_loaded_together_are_a_group(small: Small) -> None:
    small.load(*MODULES)
    assert small.groups() == [set(MODULES)]
    small.load("one", "two")
    assert small.groups() == [{"one", "two"}, {"three"}]
    before = version(small.bundle)
    assert small.load(*MODULES) == {name: (BUNDLED, name) for name in MODULES}
    assert small.load("three") == {"three": (BUNDLED, "three")}
    assert version(small.bundle) == before


def test_a_module_that_was_missing_is_added(small: Small) -> None:
    small.load("one")
    assert loaders(small.load("one", "two")) == [BUNDLED, FILES]
    assert small.groups() == [{"one"}, {"two"}]
    assert loaders(small.load("one", "two")) == [BUNDLED, BUNDLED]


@pytest.mark.parametrize("same", ["size", "time", "neither"])
def test_a_source_that_changed_is_read_again(same: str, small: Small) -> None:
    small.load(*MODULES)
    source = small.package / "two.py"
    before = source.stat()
    source.write_text("VALUE = 'TWO'\n" if same == "size" else "VALUE = 'longer'\n", "utf-8")
    os.utime(source, ns=(0, before.st_mtime_ns + (0 if same == "time" else 5_000_000_000)))
    value = "TWO" if same == "size" else "longer"
    assert small.load(*MODULES) == {"one": (BUNDLED, "one"), "two": (FILES, value), "three": (BUNDLED, "three")}
    assert small.load(*MODULES)["two"] == (BUNDLED, value)


def test_a_module_that_is_gone_is_not_found(small: Small) -> None:
    small.load(*MODULES)
    (small.package / "two.py").unlink()
    done = run([sys.executable, "-c", PROGRAM, str(small.directory), str(small.bundle), "two"], small.directory)
    assert "ModuleNotFoundError: No module named 'small.two'" in done.stderr
    small.load("one")
    assert set().union(*small.groups()) == {"one", "three"}


def test_a_damaged_bundle_is_not_used(small: Small) -> None:
    small.load(*MODULES)
    whole = small.bundle.read_bytes()
    index = int.from_bytes(whole[4:12], "little")
    damaged = [whole[:length] for length in (0, 3, 11, 12, 13, index - 1, index, index + 1, len(whole) - 1)]
    damaged += [b"\0" * len(whole), b"abcd" + whole[4:], whole[:4] + b"\xff" * 8 + whole[12:]]
    for content in damaged:
        small.bundle.write_bytes(content)
        assert small.load(*MODULES) == {name: (FILES, name) for name in MODULES}
        assert small.load(*MODULES) == {name: (BUNDLED, name) for name in MODULES}


def test_damaged_code_in_a_bundle_is_compiled_again(small: Small) -> None:
    small.load(*MODULES)
    whole = small.bundle.read_bytes()
    index = int.from_bytes(whole[4:12], "little")
    # A sound index, and bytes that are no code.
    for start in (12, 20, index - 4):
        small.bundle.write_bytes(whole[:start] + b"\xff" * (index - start) + whole[index:])
        assert {name: value for name, (_, value) in small.load(*MODULES).items()} == {name: name for name in MODULES}
    small.load(*MODULES)
    assert small.load(*MODULES) == {name: (BUNDLED, name) for name in MODULES}


def test_a_damaged_file_of_a_module_is_named(copied: pathlib.Path) -> None:
    loaders_of_a_render(copied)
    (copied / "a.yml").write_text("a: 1\n", "utf-8")
    for bundle in (copied / "lib").rglob("*.bundle"):
        bundle.unlink()
    (found,) = (copied / "lib" / "plait" / "cli" / "__pycache__").glob("render.cpython-*.pyc")
    content = found.read_bytes()
    for length in (20, len(content) // 2):
        found.write_bytes(content[:length])
        done = subprocess.run(
            [sys.executable, "-m", "plait", "render", "-f", "a.yml"],
            cwd=copied, env={**os.environ, "PYTHONPATH": str(copied / "lib")}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert done.stderr.startswith(f"plait: a compiled file of the installation is damaged: {found}")


def test_a_package_that_was_moved_is_found_where_it_is(small: Small, tmp_path: pathlib.Path) -> None:
    (small.package / "two.py").write_text("VALUE = '2'\ndef fail():\n    raise ValueError('here')\n", "utf-8")
    small.load("two")
    moved = tmp_path / "moved"
    moved.mkdir()
    small.package.rename(moved / "small")
    program = PROGRAM + "module.fail()\n"
    done = run([sys.executable, "-c", program, str(moved), str(moved / "small/__pycache__/small.bundle"), "two"], moved)
    assert done.stdout == "two _Loader 2\n"
    assert f"File \"{moved}/small/two.py\", line 3, in fail\n    raise ValueError('here')" in done.stderr


def test_nothing_is_written_where_python_writes_no_bytecode(small: Small) -> None:
    small.load(*MODULES, PYTHONDONTWRITEBYTECODE="1")
    assert not small.bundle.exists()
    # Python does not compare these with the times of their sources.
    for name in MODULES:
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(small.package / f"{name}.py"), invalidation_mode=mode, doraise=True)
    assert loaders(small.load(*MODULES)) == loaders(small.load(*MODULES)) == [FILES] * 3


def test_the_number_of_a_standard_stream_is_left_to_it(small: Small) -> None:
    small.load(*MODULES)
    program = "import os; os.close(0)\n" + PROGRAM + "os.fstat(0)\n"
    done = run([sys.executable, "-c", program, str(small.directory), str(small.bundle), "one"], small.directory)
    assert done.stdout == "one SourceFileLoader one\n"
    assert "Bad file descriptor" in done.stderr


# ---- the command

# Runs the launcher as it is, and says after its end where modules came from.
OBSERVED = """\
import atexit, runpy, sys
def tell():
    for name, module in sorted(sys.modules.items()):
        if name.startswith("plait.") and name not in ("plait.base", "plait.base.bundle", "plait.base.fast_paths"):
            sys.stderr.write(f"{name} {type(module.__loader__).__name__}\\n")
atexit.register(tell)
sys.argv[:] = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def loaders_of_a_render(directory: pathlib.Path, **environment: str) -> set[str]:
    file = directory / "a.yml"
    file.write_text("#@ x = 1\na: #@ x\nb: bundled\n", "utf-8")
    command = [sys.executable, "-c", OBSERVED, str(LAUNCHER), "render", "-f", file.name]
    done = run(command, directory, **{"PYTHONPATH": str(directory / "lib")} | environment)
    done.check_returncode()
    assert done.stdout == "a: 1\nb: bundled\n"
    return {line.split()[1] for line in done.stderr.splitlines()}


@pytest.fixture
def copied(tmp_path: pathlib.Path) -> pathlib.Path:
    """A directory with a copy of plait in `lib`: the tests leave nothing beside the sources."""
    target = tmp_path / "lib" / "plait"
    for source in SOURCES.rglob("*.py"):
        copy = target / source.relative_to(SOURCES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
    return tmp_path


def test_the_command_loads_its_modules_from_the_bundle(copied: pathlib.Path) -> None:
    # The first compiles the template, which the second does not; both write what the next needs.
    loaders_of_a_render(copied)
    loaders_of_a_render(copied)
    cache = copied / "lib" / "plait" / "__pycache__"
    (bundle,) = cache.glob("*.bundle")
    before = version(bundle)
    assert loaders_of_a_render(copied) == {BUNDLED}
    assert version(bundle) == before
    assert loaders_of_a_render(copied, PLAIT_PLAIN="1") == {FILES}
    assert loaders_of_a_render(copied, PYTHONOPTIMIZE="1") == {FILES}, "another bundle"
    assert len([*cache.glob("*.bundle")]) == 2


def test_a_process_that_finds_all_in_the_bundle_does_not_load_what_writes_it(copied: pathlib.Path) -> None:
    observed = OBSERVED.replace('"plait.base.bundle", ', "")
    last = set()
    for _ in range(4):
        done = run([sys.executable, "-c", observed, str(LAUNCHER), "version"], copied, PYTHONPATH=str(copied / "lib"))
        last = {line.split()[0] for line in done.stderr.splitlines()}
    assert "plait.base.bundle" in last
    assert "plait.base.bundle.saving" not in last


def test_modules_beside_the_launcher_are_not_looked_for(copied: pathlib.Path) -> None:
    """Other programs are there, in /usr/bin as many as thousands."""
    launcher = copied / "bin" / "plait"
    launcher.parent.mkdir()
    launcher.write_bytes(LAUNCHER.read_bytes())
    for name in ("gc", "_signal", "__future__", "resource", "_contextvars", "yaml", "plait"):
        (launcher.parent / f"{name}.py").write_text("raise SystemExit(99)\n", "utf-8")
    (copied / "a.yml").write_text("a: 1\n", "utf-8")
    command = [sys.executable, str(launcher), "render", "-f", "a.yml"]
    done = run(command, copied, PYTHONPATH=str(copied / "lib"))
    assert (done.returncode, done.stdout) == (0, "a: 1\n")


def test_a_bundle_beside_the_inputs_is_not_used(copied: pathlib.Path) -> None:
    loaders_of_a_render(copied)
    (bundle,) = (copied / "lib" / "plait" / "__pycache__").glob("*.bundle")
    code = compile("import os; os._exit(99)", "poison", "exec")
    entries = {}
    for path in (copied / "lib" / "plait").rglob("*.py"):
        name = ".".join(path.relative_to(copied / "lib").with_suffix("").parts)
        status = path.stat()
        entry = (status.st_size, int(status.st_mtime), path.stem == "__init__", code)
        entries[name.removesuffix(".__init__")] = entry
    poison = marshal.dumps(entries)
    index = f"12 {len(poison)} {' '.join(entries)} \n"
    content = bundle.read_bytes()[:4] + (12 + len(poison)).to_bytes(8, "little") + poison + index.encode()
    for directory in ("", "__pycache__", "plait/__pycache__", "src/plait/__pycache__"):
        (copied / directory).mkdir(parents=True, exist_ok=True)
        (copied / directory / bundle.name).write_bytes(content)
    loaders_of_a_render(copied)
    # It would have been used where Python's own bytecode is.
    bundle.write_bytes(content)
    with pytest.raises(subprocess.CalledProcessError) as raised:
        loaders_of_a_render(copied)
    assert raised.value.returncode == 99
