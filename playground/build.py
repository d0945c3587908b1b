"""Build the playground as static files: `python playground/build.py DIRECTORY`. Needs Node.js and npm.

The page is that of `plait website`, with two of its modules in other forms: `evaluator.js`, which has plait evaluate in the browser,
and `editor.js`. Beside it stand Python for browsers (the package pyodide) and an archive of Python modules: plait and PyYAML,
which does without libyaml there.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from plait.version import __version__
from plait.website.examples import examples

HERE = Path(__file__).parent
PAGE = HERE.parent / "src" / "plait" / "website" / "static"
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# Of plait: what a page cannot use.
LEFT_OUT = re.compile(r"plait/(service|fleet|watching|sealed|website/(static|server|command|examples))\b")
LIBRARIES = ("yaml",)
# What the page may do: its own files, and nothing else.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)


def main() -> int:
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python playground/build.py DIRECTORY\n")
        return 2
    build(Path(sys.argv[1]))
    return 0


def build(target: Path) -> None:
    """Fill a directory, which is made anew."""
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=HERE, check=True)
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(PAGE, target)
    page = target / "index.html"
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    page.write_text(page.read_text("utf-8").replace("<title>", f"{policy}\n<title>"), "utf-8")
    (target / "__init__.py").write_text('"""The playground of plait, as static files."""\n', "utf-8")
    (target / "version.txt").write_text(__version__, "utf-8")
    (target / "examples.json").write_text(json.dumps(examples()), "utf-8")
    for name in ("evaluator.js", "worker.js"):
        shutil.copy(HERE / "src" / name, target)
    (target / "pyodide").mkdir()
    for name in PYODIDE:
        shutil.copy(HERE / "node_modules" / "pyodide" / name, target / "pyodide")
    pack(target / "plait.zip")


def pack(archive: Path) -> None:
    """An archive of the Python modules that the page needs."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        with tempfile.TemporaryDirectory() as place:
            subprocess.run(
                [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place, str(HERE.parent)], check=True
            )
            (wheel,) = Path(place).glob("plait-*.whl")
            with zipfile.ZipFile(wheel) as given:
                for name in given.namelist():
                    if not LEFT_OUT.match(name):
                        packed.writestr(name, given.read(name))
        for library in LIBRARIES:
            for path in modules(library):
                packed.write(path, f"{library}/{path.relative_to(path_of(library)).as_posix()}")


def modules(library: str) -> list[Path]:
    """The files of a library that is written in Python."""
    return sorted(path_of(library).rglob("*.py"))


def path_of(library: str) -> Path:
    """Where a library is installed."""
    found = importlib.util.find_spec(library)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


if __name__ == "__main__":
    raise SystemExit(main())
