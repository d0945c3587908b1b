"""No command shows a secret, or anything that was made of one, beside the output of the run: on the terminal, or in files."""

from __future__ import annotations

import json
import pathlib
import subprocess
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import plait
from plait.cli import COMMANDS, main, module_of
from plait.cli.coverage_reports import _FORMS as COVERAGE_FORMS
from plait.cli.lint import FORMS as LINT_FORMS
from plait.cli.origin import FORMS as ORIGIN_FORMS
from plait.cli.test import TEST
from plait.engine.common import OUTPUT
from secret_forms import CANARY, FORMS, PROJECTS, shown

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS = """\
tests:
  values:
    run: r
    equals: {"**": other}
    types: {"**": "null"}
    matches: {"**": "^none$"}
    lacks: "**"
    count: 99
  kept:
    run: r
    snapshot: true
  part:
    run: r
    snapshot: ["**"]
  same:
    run: r
    same-as: {file: other.yml}
  refused:
    run: r
    fails: other
"""


class Site:
    """A project in the working directory. kind: of PROJECTS."""

    def __init__(self, kind: str, top: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
        files, run, self.argv = PROJECTS[kind]
        self.kind = kind
        self.top = top
        self._capfd = capfd
        self.inputs = {*files, "plait.yml", "other.yml"}
        for name, text in {
            **files,
            "plait.yml": f"runs:\n  r:\n    {run}\n    output: out/\n{TESTS}",
            "other.yml": f"kind: App\nmetadata: {{name: web}}\nspec: {{plain: {CANARY}}}\n",
        }.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def said(self, *argv: str, status: tuple[int, ...] = (0, 1)) -> str:
        """All that a command prints, on both streams."""
        found = main([*argv])
        text = "".join(self._capfd.readouterr())
        assert found in status, text
        return text

    def commit(self) -> None:
        """Commits all files in a new repository, except keys and output."""
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@y"]
        (self.top / ".gitignore").write_text("out\nkeys\n", "utf-8")
        self.inputs.add(".gitignore")
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
            subprocess.run([*git, *words], check=True, cwd=self.top)

    def change(self, old: str, new: str) -> None:
        """Replaces a text in all inputs."""
        for path in self.top.rglob("*"):
            name = path.relative_to(self.top).as_posix()
            if path.is_file() and not name.startswith(("out/", ".git")) and name != "plait.yml":
                text = path.read_bytes()
                if old.encode() in text:
                    path.write_bytes(text.replace(old.encode(), new.encode()))

    def stored(self) -> str:
        """All files beside the inputs and the output of runs, with their names."""
        found = []
        for path in sorted(self.top.rglob("*")):
            name = path.relative_to(self.top).as_posix()
            is_output = name.startswith("out/") and not name.startswith("out/.fleet")
            if path.is_file() and name not in self.inputs and not is_output and not name.startswith(".git/"):
                found.append(f"{name}\n{path.read_bytes().decode('utf-8', 'replace')}")
        return "\n".join(found)


FUNCTIONS = """\
load("@ytt:assert", "assert")
load("@ytt:data", "data")
run = "r"

def test_equal():
  print(data.values.db.pw, data.values.db.pw[::-1])
  assert.equals(data.values.db.pw.upper(), "other")
end

def test_fail():
  assert.fail("it is " + data.values.db.pw)
end

def test_error():
  [][data.values.db.pw]
end

def test_output(documents):
  print(documents[0]["spec"]["upper"])
  assert.equals(documents[0]["spec"], {})
end
"""


def test_command(site: Site) -> str:
    """`plait test` with every reporter; each test fails, so that it tells what is there."""
    if site.argv[0] == "render":
        (site.top / "own_test.star").write_text(FUNCTIONS, "utf-8")
        site.inputs.add("own_test.star")
    out = [site.said("test"), site.said("test", "--update"), site.said("test", "-v", "--junit", "junit.xml")]
    out += [site.said("test", "--tap"), site.said("test", "--github"), site.said("test", "-j", "2"), again(site)]
    for name in (site.top / "plait.snapshots").glob("*"):
        name.write_text(f"kind: App\nspec:\n  plain: {CANARY}\n", "utf-8")
    out.append(site.said("test"))
    out.append(site.said("test", "--cov", "--cov-report", "json:cov.json", "--update"))
    return "\n".join([*out, site.stored()])


# The flags of `plait test` that say how results are told, each used above.
TOLD = {"verbose", "junit", "tap", "github", "update", "cov", "cov-report", "watch", "jobs"}
UNTOLD = {
    "keyword",
    "lf",
    "list",
    "exitfirst",
    "cov-append",
    "fail-under",
    "project",
    "help",
    "trust",
    "allow-symlink-output",
}


def test_the_reporters_of_tests_are_all_tried() -> None:
    names = {flag.name for flag in TEST.flags}
    assert names <= TOLD | UNTOLD, "a new flag: say whether it tells results, and use it in test_command"


def again(site: Site) -> str:
    """One turn of `plait test --watch`."""
    from plait.authoring.testing.collecting import Collector
    from plait.base.input_view import InputView
    from plait.cli.test_watch import TestWatcher

    TestWatcher(lambda: Collector().collect([]).cases, verbose=False, update=False).work(InputView(), frozenset())
    return "".join(site._capfd.readouterr())


def coverage(site: Site) -> str:
    reports = [word for form in COVERAGE_FORMS for word in ("--report", f"{form}:cov-{form}")]
    return site.said("coverage", *reports) + site.stored()


def lint(site: Site) -> str:
    return "\n".join(site.said("lint", "-o", form) for form in LINT_FORMS)


def explain(site: Site) -> str:
    # It has the flag as well, and shows secrets for it.
    site.argv = [word for word in site.argv if word != "--cleartext-secrets"]
    out = [site.said("explain", "-o", form, *site.argv, "--all") for form in OUTPUT.choices]
    out += [site.said("explain", "-o", form, "run", "r", "**", status=(0, 1, 2)) for form in OUTPUT.choices]
    out.append(site.said("explain", "--not", *site.argv, "--all"))
    out.append(site.said("explain", "--not", *site.argv, "App/web:spec.nothing", status=(0, 1, 2)))
    out.append(site.said("explain", *site.argv, "App/web:spec.plian", status=(0, 1, 2)))
    return "\n".join(out)


def impact(site: Site) -> str:
    out = []
    for name in sorted(site.inputs - {"other.yml"}):
        for line in range(1, 8):
            out += [
                site.said("impact", "-o", form, *site.argv, f"{name}:{line}", status=(0, 1, 2, 3))
                for form in OUTPUT.choices
            ]
    return "\n".join(out)


def origin(site: Site) -> str:
    """`plait origin`, about every line of the output, and about named documents."""
    lines = "".join(f"out.yml:{line}:{column}: wrong\n" for line in range(1, 40) for column in (1, 9, 12))
    named = [
        {"kind": "App", "name": "web", "msg": "m", "validationErrors": [{"path": path, "msg": "wrong"}]}
        for path in ("", "/spec", "/spec/upper", "/spec/plain", "/spec/none")
    ]
    sarif = {"runs": [{"results": [{"message": {"text": "wrong"}, "locations": [
        {"physicalLocation": {"artifactLocation": {"uri": "out.yml"}, "region": {"startLine": line}}}]}
        for line in range(1, 40)]}]}  # fmt: skip
    texts = {"lines.txt": lines, "kubeconform.json": json.dumps({"resources": named}), "sarif.json": json.dumps(sarif)}
    site.inputs.update(texts)
    for name, text in texts.items():
        (site.top / name).write_text(text, "utf-8")
    argv = [word for word in site.argv if word != "--cleartext-secrets"]
    return "\n".join(
        site.said("origin", "-o", form, *words, name)
        for form in ORIGIN_FORMS
        for name in texts
        for words in (argv, ["run", "r"])
    )


def reduce(site: Site) -> str:
    """`plait reduce` to a value beside secrets: what it prints and writes."""
    argv = [word for word in site.argv if word != "--cleartext-secrets"]
    out = [
        site.said("reduce", "--to", f"out-{number}", "--output", "App/web:kind=App", *words, status=(0, 1, 2))
        for number, words in enumerate((argv, ["run", "r"]))
    ]
    return "\n".join([*out, site.stored()])


def fleet(site: Site) -> str:
    out = [
        site.said("fleet"),
        site.said("fleet"),
        site.said("fleet", "why", "**"),
        site.said("fleet", "why", "-o", "json", "**"),
    ]
    site.commit()
    site.change("size: 1", "size: 2")
    site.change("port: 2", "port: 3")
    out += [
        site.said("fleet", "impact", "--since", "HEAD"),
        site.said("fleet", "impact", "--since", "HEAD", "-o", "json"),
    ]
    out.append(site.said("fleet", "impact", f"{max(site.inputs)}:1", status=(0, 1, 2, 3)))
    out += [site.said("fleet", "diff", status=(0, 1)), site.stored()]
    return "\n".join(out)


def reviewed(site: Site) -> str:
    """`plait review` of changed values beside secrets, and of changed secrets, as which others replace them."""
    site.commit()
    site.change("size: 1", "size: 2")
    site.change("port: 2", "port: 3")
    site.change(CANARY, "Harrier7Wb")
    out = [site.said("review", "HEAD", "-o", form) for form in import_module(module_of("review")).FORMS]
    out.append(site.said("review", "HEAD", "--prove", "--message", "message.txt"))
    return "\n".join([*out, site.stored()])


def histories(site: Site) -> str:
    """`plait log` and `plait blame` of each value, as text and as JSON, after changed secrets and others."""
    site.commit()
    site.change("size: 1", "size: 2")
    site.change("port: 2", "port: 3")
    for words in (["add", "."], ["commit", "-qm", "y"]):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@y", *words], check=True, cwd=site.top)
    out = [site.said("blame", *words, status=(0, 1, 2)) for words in ([], ["--verify"], ["-o", "json"], ["r", "**"])]
    for path in ("App/web:spec.plain", "App/web:**", "plain", "items[0].name", "Kind/web:**"):
        out += [site.said("log", "-o", form, "r", path, status=(0, 1, 2)) for form in OUTPUT.choices]
    return "\n".join([*out, site.stored()])


def edits(site: Site) -> str:
    """`plait set`: what it would change, for values beside secrets and for secrets."""
    out = []
    for path in (
        "App/web:spec.size=7",
        "App/web:spec.plain=7",
        "size=7",
        "items[1].port=7",
        "items[0].port=7",
        "plain=7",
        "Kind/web:size=7",
    ):
        out.append(site.said("set", *site.argv, path, status=(0, 1, 2)))
        out.append(site.said("set", "--also", *site.argv, path, status=(0, 1, 2)))
    return "\n".join(out)


def watched(site: Site) -> str:
    """Two turns of `--watch` on a terminal, with a change between."""
    from plait.base.input_view import InputView
    from plait.cli.tools import table
    from plait.cli.watch import WatchedRequest

    request = table(site.argv[0]).parse(site.argv[1:])
    work = WatchedRequest(lambda: (request, None), lambda _: 0)
    work._shows_differences = True
    view = InputView()
    work.work(view, frozenset())
    for path in site.top.rglob("*"):
        if path.is_file() and "out" not in path.parts:
            path.write_text(
                path.read_text("utf-8").replace(CANARY, CANARY + CANARY).replace("size: 1", "size: 2"), "utf-8"
            )
    work.work(InputView(), frozenset({str(site.top / "in/app.yml")}))
    return "".join(site._capfd.readouterr())


def source_maps(site: Site) -> str:
    if site.argv[0] != "render":
        return ""
    main([*site.argv, "--source-map", "map.json", "--output-files", "out"])
    site._capfd.readouterr()
    return site.stored()


def debugged(site: Site) -> str:
    """What a run says beside its output, with everything that makes it say more."""
    main([*site.argv, *{"render": ["--debug"]}.get(site.argv[0], [])])
    return site._capfd.readouterr().err


def inspected(site: Site) -> str:
    """`plait project` and the run by its name."""
    out = [site.said("project", status=(0, 1, 2))]
    main(["run", "r"])
    return "\n".join([*out, site._capfd.readouterr().err])


def composed(site: Site) -> str:
    """The run as a step of a pipeline, with what the steps change."""
    entry = PROJECTS[site.kind][1]
    if site.argv[0] != "render" or "data-value" in entry:
        return ""
    (site.top / "pipeline.yml").write_text(f"steps:\n- {{{entry}}}\n- {{patch: {{ops: more.yml}}}}\n", "utf-8")
    (site.top / "more.yml").write_text("- {type: replace, path: /spec/plain/x, value: 1}\n", "utf-8")
    site.inputs |= {"pipeline.yml", "more.yml"}
    main(["compose", "pipeline.yml", "--diff"])
    out = "".join(site._capfd.readouterr())
    main(["explain", "compose", "pipeline.yml", "--all"])
    return out + "".join(site._capfd.readouterr())


# By the command: what tries all of its ways to show values. None: it shows none, for the reason given.
CHANNELS: dict[str, Callable[[Site], str] | None] = {
    "render": source_maps,
    "patch": debugged,
    "layer": debugged,
    "compose": composed,
    "fmt": None,  # prints the text of the files that it is given
    "init": None,  # has no inputs
    "schema": None,  # prints what the schema that it is given declares
    "ci": None,  # evaluates nothing
    "krm": None,  # has no secrets
    "completion": None,  # has no inputs
    "diff": None,  # compares files: see test_encrypted_documents_of_a_difference
    "explain": explain,
    "impact": impact,
    "origin": origin,
    "reduce": reduce,
    "run": inspected,
    "project": inspected,  # it shows the text of the project file, so no secret may be in that
    "set": edits,
    "lint": lint,
    "test": test_command,
    "coverage": coverage,
    "fleet": fleet,
    "review": reviewed,
    "serve": None,  # tests/service
    "lsp": None,  # tests/lsp/test_canary.py
    "mcp": None,  # tests/agents/test_attacks.py
    "log": histories,
    "blame": histories,
    "shims": None,  # evaluates nothing
    "trust": None,  # evaluates nothing
    "website": None,  # runs in the user's own browser
}
MORE: dict[str, Callable[[Site], str]] = {"--watch": watched, "--debug": debugged}
test_command.__test__ = False  # type: ignore[attr-defined]


def test_every_command_has_an_entry() -> None:
    ours = {name for name in COMMANDS if not name.startswith("_")}
    assert ours == set(CHANNELS), "a new command: say how it shows values"
    assert all(module_of(name) for name in ours)


CASES = [
    pytest.param(kind, channel, id=f"{name}-{kind.replace(' ', '_')}")
    for name, channel in {**CHANNELS, **MORE}.items()
    if channel is not None
    for kind in PROJECTS
    if channel is not inspected or kind != "schema by a flag"
]


@pytest.mark.parametrize(("kind", "channel"), CASES)
def test_nothing_of_a_secret_is_shown(
    kind: str,
    channel: Callable[[Site], str],
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert shown(channel(Site(kind, tmp_path, capfd))) == []


def test_there_are_thirty_transformations() -> None:
    assert len(FORMS) >= 30


@pytest.mark.parametrize("kind", PROJECTS)
def test_the_output_has_the_secrets(
    kind: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The tests above can fail: what the run makes has every transformation that it can make."""
    monkeypatch.chdir(tmp_path)
    site = Site(kind, tmp_path, capfd)
    assert main(site.argv) == 0
    found = shown(capfd.readouterr().out)
    wanted = len(FORMS) if site.argv[0] == "render" else 1
    assert len(found) >= wanted, [form for form in FORMS if not any(one.startswith(f"{form}: ") for one in found)]


@pytest.mark.parametrize("form", ["text", "json"])
def test_encrypted_documents_of_a_difference(
    form: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = PROJECTS["encrypted"][0]["layers.yml"]
    (tmp_path / "a.yml").write_text(text, "utf-8")
    (tmp_path / "b.yml").write_text(text.replace(CANARY, CANARY * 2), "utf-8")
    assert main(["diff", "-o", form, "a.yml", "b.yml"]) in (0, 1)
    assert shown("".join(capfd.readouterr())) == []


def test_the_api() -> None:
    files = {**PROJECTS["file"][0]}
    inputs = {"app.yml": files["in/app.yml"], "schema.yml": files["in/schema.yml"]}
    made = plait.render(inputs, secrets={"db": {"pw": CANARY}}, trace=True)
    other = plait.render(inputs, secrets={"db": {"pw": CANARY * 2}}, trace=True)
    found = plait.explain(made)
    said = [repr(made), "\n".join(made.warnings), "\n".join(made.printed), *map(str, found)]
    said += [str(one.to_dict()) for one in found]
    said += [str(plait.diff(made, other)), repr(plait.diff(made, other))]
    assert shown("\n".join(said)) == []
    with pytest.raises(plait.PlaitError) as error:
        plait.render(
            {**inputs, "x.yml": "#@ load('@ytt:data', 'data')\na: #@ data.values.db.pw + 1\n"},
            secrets={"db": {"pw": CANARY}},
        )
    assert shown(error.value.report() + repr(error.value)) == []


COVERED = """\
#@ load("@ytt:data", "data")
#@ pw = data.values.pw
#@ def one():
#@   return 1
#@ end
#@ def two():
#@   if pw:
#@     return 1
#@   end
#@   return 2
#@ end
kind: App
#@ if pw == "first":
a: #@ one()
#@ else:
b: #@ two()
#@ end
c: #@ 1 if pw else 2
d: #@ [x for x in [1, 2] if pw]
e: #@ two()
f:
#@ for x in pw.elems():
- #@ pw and one()
#@ end
#@ if data.values.size:
g: 1
#@ end
"""


def test_coverage_is_the_same_whatever_the_secrets_are(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Lines and branches that a secret decides are not told apart, and those that none decides are counted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.yml").write_text(COVERED, "utf-8")
    (tmp_path / "schema.yml").write_text("#@data/values-schema\n---\npw: ''\nsize: 1\n", "utf-8")
    run = "render: {files: [app.yml, schema.yml], secrets: ['file:s.yml']}"
    (tmp_path / "plait.yml").write_text(f"runs: {{r: {{{run}}}}}\n", "utf-8")
    reports = []
    for text in ("first", "second", ""):
        (tmp_path / "s.yml").write_text(f"pw: '{text}'\n", "utf-8")
        assert (
            main(["coverage", *(word for form in COVERAGE_FORMS for word in ("--report", f"{form}:cov-{form}"))]) == 0
        )
        stored = [
            path.read_text("utf-8") for path in sorted(tmp_path.rglob("cov-*/*")) + sorted(tmp_path.glob("cov-[jl]*"))
        ]
        reports.append(("".join(capfd.readouterr()), stored))
    assert reports[0] == reports[1] == reports[2]
    assert "1 run uses secrets" in reports[0][0]
    row = next(line for line in reports[0][0].splitlines() if line.startswith("app.yml"))
    # The last condition and the line under it are used: no secret leads there.
    assert ", 25 (false)" in row
    assert "26" not in row
