"""The flags of all commands: accepted and described everywhere, with one meaning each."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import textwrap

import pytest
from test_command_tree import NODES

from plait.cli import COMMANDS, main
from plait.cli.help import help_text
from plait.cli.man_pages import man_page, man_page_of_all
from plait.engine.options import SHARED

SERVERS = {"lsp", "mcp", "serve", "website"}
FILES = {
    "config/app.yml": """\
        #@ load("@ytt:data", "data")
        kind: Role
        metadata: {name: r}
        size: #@ data.values.size
        #! quoted: it is text
        wrong: "#@ data.values.size"
        """,
    "config/values.yml": "#@data/values\n---\nsize: 0\n",
    "base.yml": "a: ((x))\n",
    "layers.yml": """\
        schema: deckhand/LayeringPolicy/v1
        metadata: {schema: metadata/Control/v1, name: p}
        data: {layerOrder: [site]}
        ---
        schema: a/B/v1
        metadata: {schema: metadata/Document/v1, name: d, layeringDefinition: {abstract: false, layer: site}}
        data: {a: 1}
        """,
    "values.schema.json": '{"type": "object", "properties": {"size": {"type": "integer", "default": 1}}}',
    "pipeline.yml": "steps:\n- render: {files: [config]}\n",
    "report.txt": "out.yml:4:7: error: too small\n",
    "changed.yml": "kind: Role\nmetadata: {name: r}\nsize: 2\n",
    "tests/a.test.yml": "tests: {it is there: {run: app, equals: {'Role/r:size': 0}}}\n",
    "plait.yml": "runs: {app: {render: {files: [config]}}}\n",
    "resources.yml": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig: {apiVersion: plait/v1, kind: Render, spec: {templates: {a.yml: 'a: 1'}}}\n",
}
# A command line of each command, with its arguments.
LINES = {
    "render": "-f config",
    "patch": "base.yml -v x=1",
    "layer": "layers.yml",
    "fmt": "changed.yml",
    "init": "--yes new",
    "ci": "init github --dry-run",
    "schema": "import values.schema.json",
    "krm": "",
    "completion": "bash",
    "shims": "bin",
    "compose": "pipeline.yml",
    "diff": "config/values.yml changed.yml",
    "explain": "render -f config Role/r:size",
    "impact": "render -f config config/values.yml:3",
    "origin": "render -f config report.txt",
    "reduce": "--output kind=Role render -f config",
    "run": "app",
    "project": "",
    "trust": "",
    "set": "run app Role/r:size=3",
    "lint": "",
    "test": "",
    "coverage": "",
    "fleet": "-j 1 --output out",
    "log": "app Role/r:size",
    "blame": "app",
    "review": "HEAD",
}
# Their output on standard output is a summary, or lists what is done.
REPORTS = {"test", "fleet"}
# They evaluate something, or look for something to evaluate.
EVALUATING = {
    "render",
    "patch",
    "layer",
    "compose",
    "diff",
    "explain",
    "run",
    "project",
    "set",
    "lint",
    "coverage",
    "fleet",
    "fmt",
}
EVALUATING |= {"test", "impact", "origin", "reduce", "review", "log", "blame"}  # fmt: skip


@pytest.mark.parametrize("name", NODES)
def test_every_command_accepts_and_names_them(name: str) -> None:
    command = NODES[name].command
    given = command.read(["--quiet", "--verbose", "--debug", "--color=never", "--message-format=json"])
    assert [given.quiet, given.verbose, given.debug, given.color, given.message_format] == [
        True,
        True,
        True,
        "never",
        "json",
    ]
    text = " ".join(help_text(NODES[name], None).split())
    for option in SHARED.shared:
        assert f"--{option.name}" in text
        for own in command.flags:
            assert own.name != option.name or own.help == option.help


def ran(
    words: list[str], directory: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    directory.mkdir()
    for path, text in FILES.items():
        (directory / path).parent.mkdir(exist_ok=True)
        (directory / path).write_text(textwrap.dedent(text), "utf-8")
    monkeypatch.chdir(directory)
    if words[0] in ("review", "log", "blame"):
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-01-01T00:00:00Z")
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        for line in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "one"]):
            subprocess.run(["git", *line], check=True, env={**os.environ, **dates})
        (directory / "config/values.yml").write_text("#@data/values\n---\nsize: 1\n", "utf-8")
    with (directory / "resources.yml").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        status = main(words)
    out, error = (text.replace(str(directory), "/project") for text in capfd.readouterr())
    return status, out, error


def test_each_command_has_a_line() -> None:
    assert set(LINES) | SERVERS == set(COMMANDS)


@pytest.mark.parametrize("name", LINES)
def test_they_have_one_meaning(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = LINES[name].split()

    def told(*flags: str, place: str) -> tuple[int, str, str]:
        return ran([name, *flags, *words], tmp_path / place, monkeypatch, capfd)

    status, out, error = told(place="as-it-is")
    quiet = told("--quiet", place="quiet")
    assert quiet == (status, "" if name in REPORTS else out, "")
    for flag in ("--verbose", "--debug"):
        found = told(flag, place=flag.strip("-"))
        assert found[0] == status
        assert name in REPORTS or found[1] == out
        # Tests are listed on standard output.
        is_longer = name == "test" or found[2].count("\n") > error.count("\n")
        assert is_longer == (name in EVALUATING), found[2]
        assert name != "test" or "it is there" in found[1]


@pytest.mark.parametrize("name", LINES)
def test_quiet_hides_no_error(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    status, _, error = ran([name, "--quiet", "--nope"], tmp_path / "one", monkeypatch, capfd)
    assert status in (1, 2)
    assert "nope" in error


@pytest.mark.parametrize("name", ["", *NODES])
def test_a_manual_page_names_every_flag(name: str) -> None:
    page = man_page(NODES[name]) if name else man_page_of_all()
    options = [*SHARED.shared, *(NODES[name].command.flags if name else ())]
    for option in options:
        assert "\\fB\\-\\-" + option.name.replace("-", "\\-") + "\\fR" in page
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8", "-z"], input=page, text=True, capture_output=True, check=True
        )
        assert done.stderr == ""
