"""Build the playground as static files: `python playground/build.py DIRECTORY`. Needs Node.js and npm.

The page is that of `plait website`, with two of its modules in other forms: `evaluator.js`, which has plait evaluate in the browser,
and `editor.js`, which is CodeMirror with plait's language server. Beside it stand Python for browsers (the package pyodide) and
archives of Python modules: plait and PyYAML, which does without libyaml there; what the language server needs besides; and the
fonts that page.css names, which `plait website` takes from the system.
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
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import metadata
from pathlib import Path

from plait.base.version import __version__
from plait.integrations.playground.examples import examples
from plait.integrations.playground.questions import respond

HERE = Path(__file__).parent
PAGE = HERE.parent / "src" / "plait" / "integrations" / "playground" / "static"
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# Of plait: what a page cannot use.
LEFT_OUT = re.compile(
    r"plait/(pages|review|service|fleet|authoring/(watch|coverage|testing)|base/sandbox|integrations/agents"
    r"|integrations/playground/(static|server|sandboxed|examples))\b|plait-[^/]+/RECORD$"
)
# Of Python: what needs a terminal, a network or processes, and encodings that no file of plait has.
PYTHON_LEFT_OUT = re.compile(
    r"(_pyrepl|unittest|xmlrpc|wsgiref|sqlite3|curses|dbm|venv|ensurepip|__phello__"
    r"|pdb|bdb|cmd|doctest|pydoc|imaplib|smtplib|poplib|ftplib|mailbox|turtle|pickletools|profile|cProfile|pstats|trace"
    r"|encodings/(?!__init__|aliases|ascii|cp437|idna|latin_1|punycode|raw_unicode_escape|unicode_escape|utf_\w+)\w+)(/|\.py$)"
)
LIBRARIES = ("yaml",)
# The fonts by the names that page.css has for them, and the scripts that the page is written in.
FONTS = {"Inter": "inter", "JetBrains Mono": "jetbrains-mono"}
SCRIPTS = ("latin", "latin-ext")
OF_LANGUAGE = ("attr", "attrs", "cattr", "cattrs", "lsprotocol", "pygls", "typing_extensions")
# What the page may do: its own files, and nothing else.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; "
    "font-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
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
    (target / "examples.json").write_text(json.dumps({"version": __version__, "examples": answered()}), "utf-8")
    for name in ("evaluator.js", "worker.js", "language-worker.js", "python.js"):
        shutil.copy(HERE / "src" / name, target)
    evaluator = target / "evaluator.js"
    address = json.dumps(repository(metadata("plait").get_all("Project-URL") or []))
    evaluator.write_text(evaluator.read_text("utf-8").replace('REPOSITORY = ""', f"REPOSITORY = {address}"), "utf-8")
    bundle(target, HERE / "src" / "editor.js")
    # Of these, `plait website` has one of its own, and the other takes longest: the page is there before it is.
    bundle(target, target / "page.js", apart=("evaluator.js", "editor.js"))
    add_fonts(target)
    (target / "pyodide").mkdir()
    for name in PYODIDE:
        shutil.copy(HERE / "node_modules" / "pyodide" / name, target / "pyodide")
    reduce(target / "pyodide" / "python_stdlib.zip")
    pack(target / "plait.zip")
    with zipfile.ZipFile(target / "language.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        add(packed, OF_LANGUAGE)
    keep(target)


def bundle(target: Path, module: Path, apart: Iterable[str] = ()) -> None:
    """Makes one module of a module and what it imports, except the modules apart, which the page requests, too."""
    command = [
        str(HERE / "node_modules" / ".bin" / "esbuild"),
        str(module.resolve()),
        "--bundle",
        "--minify",
        "--format=esm",
    ]
    command += [f"--external:*/{name}" for name in apart]
    command += ["--legal-comments=eof", f"--outfile={target.resolve() / module.name}", "--allow-overwrite"]
    subprocess.run(command, cwd=HERE, check=True)
    if apart:
        page = target / "index.html"
        links = re.compile(r'<link rel="modulepreload" href="([^"]+)">\n')
        text = page.read_text("utf-8")
        for name in set(links.findall(text)).difference(apart):
            (target / name).unlink()
        page.write_text(links.sub(lambda found: found[0] if found[1] in apart else "", text), "utf-8")


def repository(urls: Iterable[str]) -> str:
    """The address of the repository among the URLs of a project's metadata, `Label, URL`; empty without one."""
    known = {label.strip().lower(): url.strip() for label, _, url in (one.partition(",") for one in urls)}
    return next((known[label] for label in ("repository", "source", "source code", "homepage") if label in known), "")


def reduce(archive: Path) -> None:
    """Leaves those modules of Python out that no page needs."""
    with zipfile.ZipFile(archive) as given:
        kept = {one.filename: given.read(one) for one in given.infolist() if not PYTHON_LEFT_OUT.match(one.filename)}
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in kept.items():
            packed.writestr(name, content)


def add_fonts(target: Path) -> None:
    """Copies the fonts and their licenses, and puts their rules before those of page.css."""
    (target / "fonts").mkdir()
    rules = ""
    for family, package in FONTS.items():
        given = HERE / "node_modules" / "@fontsource-variable" / package
        shutil.copy(given / "LICENSE", target / "fonts" / f"{package}-license.txt")
        ranges = json.loads((given / "unicode.json").read_text("utf-8"))
        for script in SCRIPTS:
            name = f"{package}-{script}-wght-normal.woff2"
            shutil.copy(given / "files" / name, target / "fonts")
            rules += (
                f'@font-face {{ font-family: "{family}"; src: url(fonts/{name}) format("woff2"); font-weight: 100 900; '
                f"font-display: swap; unicode-range: {ranges[script]}; }}\n"
            )
    sheet = target / "page.css"
    sheet.write_text(rules + sheet.read_text("utf-8"), "utf-8")


def keep(target: Path) -> None:
    """The service worker, which keeps the files of the page as they are now."""
    files = sorted(path for path in target.rglob("*") if path.suffix not in ("", ".py", ".txt"))
    digest = sha256()
    for path in files:
        digest.update(path.read_bytes())
    names = ["./", "kept.js", *(path.relative_to(target).as_posix() for path in files)]
    cache = f"plait {digest.hexdigest()[:16]}"
    (target / "kept.js").write_text(f"export const KEPT = {json.dumps(cache)};\n", "utf-8")
    text = (HERE / "src" / "service-worker.js").read_text("utf-8").replace("plait VERSION", cache)
    (target / "service-worker.js").write_text(text.replace("FILES = []", f"FILES = {json.dumps(names)}"), "utf-8")


def answered() -> list[dict[str, object]]:
    """The examples with their answers, which a page shows before there is anything that could evaluate them."""
    found: list[dict[str, object]] = []
    for one in examples():
        request = {"kind": one["kind"], "files": one["files"]}
        answer = json.loads(respond(json.dumps(request)))
        asked: dict[str, object] = {}
        if one["view"] != "output":
            asked[one["view"]] = json.loads(respond(json.dumps({**request, "ask": one["view"]})))
        if answer["report"]:
            asked["fixes"] = json.loads(respond(json.dumps({**request, "ask": "fixes"})))["fixes"]
        found.append({**one, "answer": answer, "asked": asked})
    return found


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
        add(packed, LIBRARIES)


def add(packed: zipfile.ZipFile, libraries: Iterable[str]) -> None:
    """Put libraries that are written in Python into an archive, as they are installed here."""
    for library in libraries:
        found = importlib.util.find_spec(library)
        assert found is not None
        assert found.origin is not None
        origin = Path(found.origin)
        is_package = found.submodule_search_locations is not None
        top = origin.parents[1] if is_package else origin.parent
        for path in sorted(origin.parent.rglob("*.py")) if is_package else [origin]:
            packed.write(path, path.relative_to(top).as_posix())


if __name__ == "__main__":
    raise SystemExit(main())
