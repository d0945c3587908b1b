"""Runs inferred from build files: found in every kind of file, evaluated before they are offered, and never executed."""

from __future__ import annotations

import os
import pathlib
import shlex
import time

import pytest

from plait.authoring.project.drafting import draft
from plait.authoring.project.file import read
from plait.authoring.project.inference.runs import infer
from plait.authoring.project.inference.shell import Shell
from plait.authoring.project.inference.text_budget import TextBudget
from plait.authoring.project.inference.walk import DEEPEST
from plait.authoring.project.run_inference import guess
from plait.base.content import OUTPUT_LINKS
from plait.base.errors import LimitError, UsageError
from plait.base.limits import Limits, budget_scope
from plait.cli import main

TEMPLATE = '#@ load("@ytt:data", "data")\na: #@ data.values.a\n'
SCHEMA = "#@data/values-schema\n---\na: 1\nversion: none\n"
LINE = "ytt -f config --data-value-yaml a=2"

# Each kind of build file, with the line of the command and the name of the run.
BUILD_FILES = {
    "build.sh": (f"#!/bin/bash\nset -e\n{LINE} > out.yml\n", 3, "build"),
    "hack/build.bash": (f'cd "$(dirname "$0")/.."\n{LINE}\n', 2, "build"),
    "hack/build": (
        '#!/usr/bin/env bash\nROOT=$(git rev-parse --show-toplevel)\nytt -f "$ROOT/config" --data-value-yaml a=2\n',
        3,
        "build",
    ),
    "Makefile": (
        "CONFIG := config\n\n.PHONY: render\nrender: deps\n\t@ytt -f $(CONFIG) \\\n\t  --data-value-yaml a=2 | kapp deploy -f -\n",
        5,
        "render",
    ),
    "deploy.mk": ("YTT ?= ytt\nrender:\n\t$(YTT) -f $(CURDIR)/config --data-value-yaml a=2\n", 3, "render"),
    "justfile": ('dir := "config"\n\nrender env="x":\n    ytt -f {{dir}} --data-value-yaml a=2\n', 4, "render"),
    "Taskfile.yml": (f"version: '3'\ntasks:\n  render:\n    cmds:\n      - {LINE}\n", 5, "render"),
    ".github/workflows/ci.yml": (
        f"on: push\njobs:\n  render:\n    steps:\n    - name: r\n      run: |\n        set -e\n        {LINE} | tee x\n",
        8,
        "render",
    ),
    ".github/workflows/dir.yml": (
        "on: push\njobs:\n  render:\n    steps:\n    - working-directory: config\n      run: ytt -f . --data-value-yaml a=2\n",
        6,
        "render",
    ),
    ".gitlab-ci.yml": (f"render:\n  script:\n  - echo hello\n  - {LINE}\n", 4, "render"),
    "ci/task.yml": (f"platform: linux\nrun:\n  path: bash\n  args:\n  - -c\n  - |\n    {LINE}\n", 7, "render"),
    "Jenkinsfile": (f"node {{\n  stage('x') {{\n    sh '''\n      {LINE}\n    '''\n  }}\n}}\n", 4, "render"),
    "README.md": (f"# App\n\n## Render\n\n```bash\n$ {LINE} |\n    kapp deploy -f -\n```\n", 6, "render"),
    "docs/deploy.md": (f"# Render\n- Then:\n  ```\n  {LINE}\n  ```\n", 4, "render"),
    "package.json": (f'{{\n "scripts": {{\n  "render": "{LINE}"\n }}\n}}\n', 3, "render"),
}


@pytest.fixture
def repository(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    (tmp_path / ".git").mkdir()
    put(tmp_path, "config/app.yml", TEMPLATE)
    put(tmp_path, "config/schema.yml", SCHEMA)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(top: pathlib.Path, name: str, text: str) -> None:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.mark.parametrize("name", BUILD_FILES)
def test_a_command_line_is_found_in_each_kind_of_build_file(name: str, repository: pathlib.Path) -> None:
    text, line, group = BUILD_FILES[name]
    put(repository, name, text)
    (run,) = infer(str(repository)).runs
    assert (run.command, run.name, run.why) == ("render", group, f"{name}:{line}")
    assert run.evaluate().to_yaml() == "a: 2\n"


def test_the_commands_of_bosh_are_found_with_their_operations_in_order(repository: pathlib.Path) -> None:
    put(repository, "base.yml", "a: 0\nb: ((b))\n")
    put(repository, "ops/1.yml", "- {type: replace, path: /a, value: 1}\n")
    put(repository, "ops/2.yml", "- {type: replace, path: /a, value: 2}\n")
    put(repository, "x.sh", "bosh -n -e env int base.yml -o ops/1.yml -o ops/2.yml -v b=x --path /a\n")
    put(
        repository,
        "y.sh",
        'OPS=(-o ops/2.yml -o ops/1.yml)\nbosh -d dep deploy base.yml "${OPS[@]}" --recreate -v b=z\n',
    )
    runs = {run.name: run.evaluate().to_yaml() for run in infer(str(repository)).runs}
    assert runs == {"x": "2\n", "y": "a: 1\nb: z\n"}


# A command line, and why it is not offered.
REJECTED = {
    "ytt -f config -f $DIR": "$DIR is only known when the script runs",
    "ytt -f config -f <(cat <<EOF\na:   1\nEOF\n)": "<(cat <<EOF a: 1 EOF ) is only known when the script runs",
    "ytt -f config -f -": "it reads standard input",
    "ytt -f config -f https://example.com/x.yml": "https://example.com/x.yml is on the network",
    "ytt -f config -f /etc": "/etc is outside the repository",
    "ytt -f config -f ../x": "../x is outside the repository",
    "ytt -f config -f out": "out is outside the repository",
    "ytt -f config -f missing.yml": "missing.yml is not in the repository",
    "ytt -f config -v a=b": "it fails: (data-value arg):1: Given data value is not of the declared type",
    "ytt -f config --data-values-env=A -v a=b -v c=$C": (
        "without --data-values-env=A, c=$C, only known when the script runs, it fails: (data-value arg):1: Given data "
        "value is not of the declared type"
    ),
    "ytt -f config --unknown": "unknown flag: --unknown",
    "cd $X && ytt -f config": "its directory is only known when the script runs",
    "plait render -f config --secrets exec:id": "it reads secrets",
}


@pytest.mark.parametrize("line", REJECTED)
def test_what_cannot_be_verified_is_listed_with_the_reason(line: str, repository: pathlib.Path) -> None:
    os.symlink("/etc", repository / "out")
    put(repository, "x.sh", f"{line}\n")
    found = infer(str(repository))
    assert found.runs == []
    assert [one.reason for one in found.rejected] == [REJECTED[line]]
    assert str(found.rejected[0].at) == "x.sh:1"


def test_a_data_value_of_the_running_script_is_left_out_if_the_run_succeeds_without(repository: pathlib.Path) -> None:
    put(repository, "x.sh", 'ytt -f config -v version="$(cat v)" --data-value-yaml=a=$A\n')
    (run,) = infer(str(repository)).runs
    assert run.evaluate().to_yaml() == "a: 1\n"
    assert run.why == 'x.sh:1; without version="$(cat v)", a=$A, only known when the script runs'


LEFT_OUT = {
    "Makefile": ('a:\n\tytt -f config -v b=$(B) -v c="${C}"\n', 'b=$(B), c="$(C)"'),
    ".github/workflows/a.yml": (
        "jobs:\n  a:\n    steps:\n    - run: ytt -f config -v b=${{ env.B }}\n",
        "b=${{ env.B }}",
    ),
    "Taskfile.yml": ("tasks:\n  a:\n    cmds:\n    - ytt -f config -v b={{.B}}\n", "b={{.B}}"),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_is_shown_with_its_name(name: str, repository: pathlib.Path) -> None:
    text, omitted = LEFT_OUT[name]
    put(repository, name, text)
    (run,) = infer(str(repository)).runs
    assert run.why.partition("; ")[2] == f"without {omitted}, only known when the script runs"


@pytest.mark.parametrize(
    ("delimiter", "count"), [("EOF", 2), ('"EOF"', 0), ("'EOF'", 0), ("\\EOF", 0), ("-EOF", 2)], ids=repr
)
def test_a_command_in_a_here_document_is_found_if_the_shell_runs_it(
    delimiter: str, count: int, repository: pathlib.Path
) -> None:
    text = f'cat > out << {delimiter}\na: "$({LINE})"\n\\$(ytt -f none)\nb: `ytt -f config`\nEOF\n'
    if delimiter.startswith("-"):
        text = text.replace("<< -", "<<-")
    (repository / "make.sh").write_text(f"{text}ytt -f config -o json\n", "utf-8")
    found = infer(str(repository))
    assert not found.rejected
    lines = sorted(run.why.rpartition(":")[2] for run in found.runs)
    assert lines == ["2", "4", "6"][2 - count :]


def test_a_variables_store_is_not_filled_for_a_verification(
    repository: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_certificates(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key", no_certificates)
    put(repository, "base.yml", "a: ((ca))\nvariables:\n- {name: ca, type: rsa}\n")
    put(repository, "x.sh", "bosh int base.yml --vars-store creds.yml\n")
    (run,) = draft(str(repository)).runs
    assert [one.name for one in run.settings] == ["base", "vars-store"]
    put(repository, "x.sh", "bosh int base.yml -o missing.yml --vars-store creds.yml\n")
    assert infer(str(repository)).runs == []


def test_equal_command_lines_are_one_run(repository: pathlib.Path) -> None:
    put(repository, "a.sh", "ytt -f config\nytt --file=./config\n")
    put(repository, "b/c.sh", 'cd "$(dirname "$0")"/..; ytt -f config\n')
    runs = infer(str(repository)).runs
    assert [(run.name, run.why) for run in runs] == [("a", "a.sh:1, b/c.sh:1"), ("a-2", "a.sh:2")]


def test_nothing_is_executed_or_written(repository: pathlib.Path) -> None:
    put(repository, "vars.yml", "variables: [{name: p, type: password}]\na: ((p))\n")
    put(repository, "x.sh", "touch ran\nytt -f config --output-files out\nbosh int vars.yml --vars-store store.yml\n")
    put(repository, "y.sh", "ytt -f config --dangerous-emptied-output-directory config\n$(touch ran)\n")
    before = sorted(repository.rglob("*"))
    assert len(infer(str(repository)).runs) == 3
    assert sorted(repository.rglob("*")) == before


def test_a_command_line_of_a_build_file_permits_nothing(repository: pathlib.Path) -> None:
    put(repository, "x.sh", "ytt -f config --allow-symlink-output /etc --quote-values\n")
    infer(str(repository))
    assert not OUTPUT_LINKS.get().allows("/etc")


def test_vendored_directories_are_skipped_and_listed(repository: pathlib.Path) -> None:
    put(repository, "vendor/x/build.sh", "ytt -f ../config\n")
    found = infer(str(repository))
    assert (found.runs, found.skipped) == ([], ["vendor"])


def test_a_search_that_ends_early_is_noted(repository: pathlib.Path) -> None:
    put(repository, "x.sh", f"{LINE}\n" * 300)
    assert guess(str(repository)).notes == []
    put(repository, "y.sh", f"{LINE}\n")
    assert "searched only the first 300 command lines" in guess(str(repository)).notes


def test_a_run_counts_for_the_directories_it_reads(repository: pathlib.Path) -> None:
    put(repository, "build.sh", f"{LINE}\n")
    put(repository, "other/app.yml", "b: #@ 1 + 1\n")
    assert guess(str(repository)).run().evaluate().to_yaml() == "a: 2\n"
    assert guess(str(repository / "config")).run().evaluate().to_yaml() == "a: 2\n"
    assert guess(str(repository / "other")).run().evaluate().to_yaml() == "b: 2\n"


def test_a_guess_from_the_files_that_fails_is_a_note(repository: pathlib.Path) -> None:
    put(repository, "config/broken.yml", "x: #@ nothing\n")
    found = guess(str(repository))
    assert found.runs == {}
    assert any("config/broken.yml:1: undefined: nothing" in note for note in found.notes)
    assert [*guess(str(repository), verify=False).runs] == ["render"]


# Shell text, and the words of its commands; None for a word of unknown value.
SHELL: dict[str, list[list[str | None]]] = {
    "a 'b c' \"d e\" f\\ g": [["a", "b c", "d e", "f g"]],
    "X=1; Y=$X-2; a $Y ${Z:-3} $Q": [["a", "1-2", "3", None]],
    "X='b c'; a $X \"$X\" $E": [["a", "b", "c", "b c", None]],
    "a <<E b\nytt\nE\nc": [["a", "b"], ["c"]],
    "for i in 1 2; do a $i; done; b $i": [["a", "1"], ["a", "2"], ["b", None]],
    "for i in $(ls); do for j in x y; do a $i $j; done; done": [["ls"], ["a", None, "x"], ["a", None, "y"]],
    "if a; then b; else c; fi && d || e": [["a"], ["b"], ["c"], ["d"], ["e"]],
    "a() { b $1; }\na 2": [["b", None], ["a", "2"]],
    'A=(1 "2 3"); A+=(4); a "${A[@]}" x': [["a", "1", "2 3", "4", "x"]],
    "a >out 2>&1 <in b": [["a", "b"]],
    "a $((1+2)) ${x/y/z} `b`": [["b"], ["a", None, None, None]],
    "a # b\nc#d": [["a"], ["c#d"]],
    'a {{.B | c "d" ""}} x={{.E}} "{{ .F | g "h" }}" {{i': [["a", None, None, None, "{{i"]],
    "case $x in a) b;; esac": [["case", None, "in", "a"], ["b"]],
    "(X=1; a $X); a $X": [["a", "1"], ["a", None]],
    "a \\\n  b": [["a", "b"]],
    "a 'open": [["a", "open"]],
    "a $(b $(c": [["c"], ["b", None], ["a", None]],
    'a "$(b "$(c)")"': [["c"], ["b", None], ["a", None]],
}


@pytest.mark.parametrize("text", SHELL)
def test_shell_text_is_read_as_a_shell_reads_it(text: str) -> None:
    found = Shell("/top", "/top").read(text)
    assert [[one.text for one in command.arguments] for command in found] == SHELL[text]


def test_any_text_is_read_in_time_and_without_an_error() -> None:
    from random import Random

    random = Random(5)
    for _ in range(1000):
        Shell("/top", "/top").read("".join(random.choice("ab $(){}`'\"\\<>|;&\n=*[]#for do done") for _ in range(60)))
    for piece in ("$(", "(", "`", "${", "'", '"', "<(", "for i in a b; do ", "a=(", "<<E\n", "{ "):
        Shell("/top", "/top").read(piece * 500)


def test_a_rejected_command_line_has_no_path_of_the_machine(repository: pathlib.Path) -> None:
    put(repository, "Makefile", "render:\n\tytt -f $(CURDIR)/missing.yml\n")
    (rejected,) = infer(str(repository)).rejected
    assert rejected.shown == "ytt -f missing.yml"


def test_runs_that_share_variables_are_named_like_their_bases(tmp_path: pathlib.Path) -> None:
    for base in ("north", "south"):
        put(tmp_path, f"{base}.yml", "name: ((name))\n")
    put(tmp_path, "keys.yml", "name: web\n")
    assert [*guess(str(tmp_path), is_top=True).runs] == ["north-keys", "south-keys"]


def test_a_project_file_is_drafted_and_verified(repository: pathlib.Path) -> None:
    put(repository, "Makefile", f"render:\n\t{LINE}\n")
    put(repository, "env/build.sh", "#!/bin/sh\ncd ../config\nytt -f . -f ../extra.yml\n")
    put(repository, "extra.yml", "b: 1\n")
    found = draft(str(repository))
    assert found.path == "plait.yml"
    assert [run.name for run in found.runs] == ["render", "build"]
    (repository / found.path).write_text(found.text, "utf-8")
    project = read(found.path)
    assert {name: run.evaluate().to_yaml() for name, run in project.runs.items()} == {
        "render": "a: 2\n",
        "build": "a: 1\n---\nb: 1\n",
    }
    with pytest.raises(UsageError, match=r"plait\.yml already exists"):
        draft(str(repository / "config"))


@pytest.mark.parametrize(
    ("line", "omitted"),
    [
        ("ytt -f config --data-values-env APP", "--data-values-env APP"),
        ("ytt --data-values-env=APP -f config", "--data-values-env=APP"),
        ("ytt --data-values-env-yaml APP -f config", "--data-values-env-yaml APP"),
        ("ytt --data-values-env=$PREFIX -f config", "--data-values-env=$PREFIX"),
        ("bosh int base.yml --vars-env=APP", "--vars-env=APP"),
        ("bosh int base.yml --vars-store $HOME/creds.yml", "$HOME/creds.yml"),
        ("bosh int base.yml --vars-store=$HOME/creds.yml", "$HOME/creds.yml"),
    ],
)
def test_a_draft_leaves_out_what_a_project_file_may_not_do(
    line: str, omitted: str, repository: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment of the script, and a store outside of the repository."""
    monkeypatch.setenv("APP_a", "3")
    put(repository, "base.yml", "a: ((a))\n")
    put(repository, "Makefile", f"render:\n\t{line.replace('$', '$$')}\n")
    found = draft(str(repository))
    assert "APP" not in found.text
    assert "creds" not in found.text
    (run,) = found.runs
    assert run.why == f"Makefile:2; without {omitted}, only known when the script runs"
    assert run.evaluate().to_yaml() == ("a: ((a))\n" if "bosh" in line else "a: 1\n")


def test_a_script_is_started_in_the_directory_in_which_its_inputs_exist(repository: pathlib.Path) -> None:
    """Every command line of a script runs in the same directory, even if one of them could run elsewhere."""
    for name in ("app", "shop/app", "shop/proxy"):
        put(repository, f"{name}/config.yml", f"name: {name}\n")
    put(repository, "shop/install.sh", "kapp deploy -f <(ytt -f app) \\\n  -f <(ytt -f proxy)\n")
    put(repository, "other/install.sh", "ytt -f app\n")
    runs = infer(str(repository)).runs
    assert {run.why: run.evaluate().to_yaml() for run in runs} == {
        "shop/install.sh:1": "name: shop/app\n",
        "shop/install.sh:2": "name: shop/proxy\n",
        "other/install.sh:1": "name: app\n",
    }
    # The reason names what is missing in that directory.
    put(repository, "shop/more.sh", "ytt -f proxy -f values.yml\nytt -f app -f values.yml\n")
    assert {one.reason for one in infer(str(repository)).rejected} == {"values.yml is not in the repository"}
    # The name of a script that several directories have is that of its directory as well.
    assert [run.name for run in runs] == ["install", "shop-install", "shop-install-2"]


def test_the_reason_is_shown_after_a_long_command_line(repository: pathlib.Path) -> None:
    put(repository, "x.sh", f"ytt -f config {' '.join(f'-v a{number}=1' for number in range(90))} -f $DIR\n")
    (note,) = [note for note in guess(str(repository)).notes if "not offered: x.sh" in note]
    assert len(note) < 200
    assert note.endswith(" ...: $DIR is only known when the script runs")


def test_inferred_runs_leave_out_vendored_files_and_charts(repository: pathlib.Path) -> None:
    put(repository, "all/schema.yml", SCHEMA)
    put(repository, "all/app/app.yml", TEMPLATE)
    put(repository, "all/charts/web/Chart.yaml", "name: web\n")
    put(repository, "all/charts/web/templates/a.yaml", "a: {{ .Values.a }}\n")
    put(repository, "all/vendor/x.yml", "#@ fail()\n")
    found = guess(str(repository / "all"))
    assert found.run().evaluate().to_yaml() == "a: 1\n"
    assert found.notes == ["not searched: vendor", "not searched: charts/web"]


def test_init_writes_only_when_told_to(repository: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(repository, "Makefile", f"render:\n\t{LINE}\n")
    assert main(["init", "--dry-run"]) == 0
    assert main(["init"]) != 0  # there is no terminal for the question
    assert not (repository / "plait.yml").exists()
    assert main(["init", "--yes"]) == 0
    assert main(["run", "render"]) == 0
    assert capsys.readouterr().out.endswith("a: 2\n")
    (repository / "plait.yml").unlink()
    assert main(["run"]) == 0
    assert "inferred: plait render --file=config --data-value-yaml=a=2" in capsys.readouterr().err


def test_documentation_counts_only_if_no_build_file_has_a_run(repository: pathlib.Path) -> None:
    put(repository, "README.md", f"```sh\n{LINE}\n```\n```yaml\nrun: ytt -f config\n```\n")
    assert [run.why for run in infer(str(repository)).runs] == ["README.md:2"]
    put(repository, "build.sh", "ytt -f config\n")
    assert [run.why for run in infer(str(repository)).runs] == ["build.sh:1"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"# Render\n\n{LINE} \\\n    | kubectl apply -f-\n\nMore text.\n", 3),
        (f"# Render\n\n    $ {LINE}\n", 3),
        (f"# Render\nRun `{LINE} | kapp deploy -f -`, then wait.\n", 2),
    ],
)
def test_command_lines_outside_of_blocks_are_found(text: str, line: int, repository: pathlib.Path) -> None:
    put(repository, "README.md", text)
    found = infer(str(repository))
    assert [(run.name, run.why) for run in found.runs] == [("render", f"README.md:{line}")]
    assert not found.rejected


def test_sentences_about_a_program_are_not_command_lines(repository: pathlib.Path) -> None:
    put(
        repository,
        "README.md",
        "ytt renders the files - all of them.\nCall `ytt`, or `ytt version`. ytt -- it works.\n",
    )
    found = infer(str(repository))
    assert (found.runs, found.rejected) == ([], [])


@pytest.mark.parametrize("example", ["values-example.yml", "example.values.yml", "values_sample.yml"])
def test_a_missing_input_is_replaced_by_its_example(example: str, repository: pathlib.Path) -> None:
    put(repository, f"stage/{example}", "#@data/values\n---\na: 7\n")
    put(repository, "x.sh", "ytt -f config -f stage/values.yml -v version=$V\n")
    (run,) = draft(str(repository)).runs
    assert run.evaluate().to_yaml() == "a: 7\n"
    assert run.why == (
        f"x.sh:1; with stage/{example} for stage/values.yml, which is not in the repository; "
        "without version=$V, only known when the script runs"
    )
    put(repository, "stage/values.yml", "#@data/values\n---\na: 8\n")
    (run,) = draft(str(repository)).runs
    assert run.evaluate().to_yaml() == "a: 8\n"


def test_the_reason_why_an_example_fails_names_it(repository: pathlib.Path) -> None:
    put(repository, "values-example.yml", "#@data/values\n---\nb: 7\n")
    put(repository, "x.sh", "ytt -f config -f values.yml\n")
    (one,) = infer(str(repository)).rejected
    assert one.reason.startswith("with values-example.yml for values.yml, which is not in the repository, it fails: ")


_SITE = "schema: pegleg/SiteDefinition/v1\nmetadata: {schema: metadata/Document/v1, name: north}\ndata: {site_type: small}\n"
_POLICY = (
    "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [site]}\n"
)


def test_sites_are_found_below_the_top(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for top in ("a", "b"):
        put(tmp_path, f"{top}/global/policy.yaml", _POLICY)
        put(tmp_path, f"{top}/site/north/site-definition.yaml", _SITE)
    put(tmp_path, "other/policy.yaml", _POLICY)
    found = draft(".")
    assert [(run.name, run.command) for run in found.runs] == [
        ("north", "layer"),
        ("b-north", "layer"),
        ("layer", "layer"),
    ]
    assert "site: b/site/north" in found.text


@pytest.mark.parametrize("other", ["a: #@ missing\n", "a: {{ .Values.a }}\n", "a: [\n"])
def test_templates_are_no_plain_manifests(
    other: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "a/app.yml", "apiVersion: v1\nkind: Pod\n")
    put(tmp_path, "a/deep/other.yml", other)
    assert main(["init"]) == 2
    assert "plain manifests" not in capsys.readouterr().err
    put(tmp_path, "b/app.yml", "apiVersion: v1\nkind: Pod\n")
    assert main(["init"]) == 2
    assert "plain manifests need no project file: plait render -f b --merge patch.yml" in capsys.readouterr().err


def test_instructions_may_start_above_the_clone(repository: pathlib.Path) -> None:
    put(repository, "README.md", f"```sh\ngit clone https://host.example/x\nytt -f {repository.name}/config\n```\n")
    (run,) = infer(str(repository)).runs
    assert run.evaluate().to_yaml() == "a: 1\n"


@pytest.mark.parametrize("clone", ["git clone https://host.example/x.git", "git clone -q git@host.example:a/b.git x/"])
def test_instructions_may_enter_the_clone(clone: str, repository: pathlib.Path) -> None:
    put(repository, "README.md", f"```sh\n{clone}\ncd x\nytt -f config\n```\n")
    (run,) = infer(str(repository)).runs
    assert run.evaluate().to_yaml() == "a: 1\n"
    (repository / "x").mkdir()  # a directory of the repository with the same name
    assert infer(str(repository)).runs == []


def test_directories_that_render_by_themselves_are_offered_if_all_together_fail(repository: pathlib.Path) -> None:
    put(repository, "other/app.yml", '#@ load("@ytt:data", "data")\nb: #@ data.values.b\n')
    put(repository, "other/values.yml", "#@data/values\n---\nb: 1\n")
    # Neither a private library, nor what kustomize builds, nor what a build file renders in a way that is not known.
    for name in ("_ytt_lib/lib", "built", "piped"):
        put(repository, f"{name}/app.yml", "c: #@ 1 + 1\n")
    put(repository, "built/kustomization.yaml", "resources: [app.yml]\n")
    put(repository, "piped/deploy.sh", "cat values.yml | ytt -f . -f -\n")
    found = guess(str(repository))
    assert {name: run.evaluate().to_yaml() for name, run in found.runs.items()} == {
        "config": "a: 1\n",
        "other": "b: 1\n",
    }
    assert any("piped/deploy.sh:1" in note and "it reads standard input" in note for note in found.notes)


def test_an_unpacked_archive_is_adopted_like_a_clone(repository: pathlib.Path) -> None:
    (repository / ".git").rmdir()
    put(repository, "build.sh", f"{LINE}\n")
    assert [run.why for run in draft(str(repository)).runs] == ["build.sh:1"]


def test_a_draft_is_compared_by_its_output(repository: pathlib.Path) -> None:
    # A warning names its file, and a generated password is another one each time.
    put(repository, "config/warned.yml", "#@ def f():\nb: 1\n#@ end\n---\n#@ f()\nc: 1\n")
    put(repository, "base.yml", "p: ((p))\nvariables:\n- {name: p, type: password}\n")
    put(repository, "env/build.sh", "cd ..\nytt -f config\nbosh int base.yml --vars-store=creds.yml\n")
    assert [run.name for run in draft(str(repository)).runs] == ["build", "build-2"]


def test_rejected_command_lines_are_grouped(repository: pathlib.Path) -> None:
    rows = "".join(f"bosh int gone.yml --path /{number}\n" for number in range(40))
    put(repository, "a.sh", rows + "".join(f"ytt -f gone{number}\n" for number in range(40)))
    notes = [note for note in guess(str(repository)).notes if note.startswith("not offered: ")]
    assert len(notes) == 13
    assert " and 39 more: gone.yml is not in the repository" in notes[0]
    assert notes[-1] == "not offered: 29 more command lines"


def test_each_directory_with_a_policy_is_layered_by_itself_if_all_together_fail(repository: pathlib.Path) -> None:
    for name in ("one", "two"):
        policy = f"schema: deckhand/LayeringPolicy/v1\nmetadata: {{schema: metadata/Control/v1, name: {name}}}\ndata: {{layerOrder: [{name}]}}\n"
        put(repository, f"sites/{name}/policy.yaml", policy)
        text = f"schema: a/B/v1\nmetadata: {{schema: metadata/Document/v1, name: same, layeringDefinition: {{layer: {name}}}}}\n"
        put(repository, f"sites/{name}/document.yaml", f"{text}data: {{a: 1}}\n")
    put(repository, "sites/chart/Chart.yaml", "name: c\n")
    put(repository, "sites/LICENSE", "This: is: no YAML\n")
    found = guess(str(repository / "sites"))
    assert sorted(found.runs) == ["sites-one", "sites-two"]


def test_each_file_of_data_values_is_a_run(tmp_path: pathlib.Path) -> None:
    put(tmp_path, ".git/HEAD", "")
    put(tmp_path, "config/schema.yml", "#@data/values-schema\n---\nname: web\nreplicas: 1\n")
    put(tmp_path, "config/app.yml", '#@ load("@ytt:data", "data")\nreplicas: #@ data.values.replicas\n')
    put(tmp_path, "values/dev.yml", "replicas: 2\n")
    put(tmp_path, "envs/prod/values.yml", "replicas: 3\nname: shop\n")
    put(tmp_path, "values/of-another-type.yml", "replicas: many\n")
    put(tmp_path, "values/unknown.yml", "replicas: 2\nport: 80\n")
    found = guess(str(tmp_path)).runs
    assert {name: run.evaluate().to_dict() for name, run in found.items()} == {
        "render": {"replicas": 1},
        "dev": {"replicas": 2},
        "prod": {"replicas": 3},
    }
    assert found["prod"].why.endswith("envs/prod/values.yml has data values of this run")


def test_each_file_of_variables_is_a_run(tmp_path: pathlib.Path) -> None:
    put(tmp_path, ".git/HEAD", "")
    put(tmp_path, "manifest.yml", "name: ((name))\nport: ((db.port))\n")
    put(tmp_path, "vars/prod.yml", "name: shop\ndb: {port: 80}\n")
    put(tmp_path, "vars/broken.yml", "name: shop\ndb: 80\n")
    put(tmp_path, "vars/other.yml", "name: shop\nzone: z1\n")
    found = guess(str(tmp_path)).runs
    assert {name: run.evaluate().to_dict() for name, run in found.items()} == {"prod": {"name": "shop", "port": 80}}


def test_documents_whose_sources_are_made_later_are_layered_leniently(repository: pathlib.Path) -> None:
    policy = "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [site]}\n"
    put(repository, "layers/policy.yaml", policy)
    text = """\
schema: a/B/v1
metadata:
  schema: metadata/Document/v1
  name: web
  layeringDefinition: {layer: site}
  substitutions:
  - src: {schema: deckhand/Certificate/v1, name: web, path: .}
    dest: {path: .certificate}
data: {a: 1}
"""
    put(repository, "layers/web.yaml", text)
    found = guess(str(repository / "layers"))
    [run] = found.runs.values()
    assert [one.name for one in run.settings] == ["files", "lenient"]
    assert "without --lenient" in run.why
    assert run.evaluate().to_list()[-1]["data"] == {"a": 1}  # type: ignore[index, call-overload]


def test_a_repository_of_manifests_gets_its_first_step(
    repository: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "config/app.yml").unlink()
    (repository / "config/schema.yml").unlink()
    put(repository, "deploy/web.yml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n")
    assert main(["init"]) == 2
    assert "plait render -f deploy --merge patch.yml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "hint"), [("kustomization.yaml", "kustomize build base"), ("Chart.yaml", "helm template base")]
)
def test_a_repository_of_another_tool_gets_its_first_step(
    file: str, hint: str, repository: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "config/app.yml").unlink()
    (repository / "config/schema.yml").unlink()
    put(repository, f"base/{file}", "name: x\n")
    assert main(["init"]) == 2
    assert f"{hint} | plait render -f - -f overlay.yml" in capsys.readouterr().err


def test_a_repository_of_two_tools_gets_a_first_step_for_each(
    repository: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "config/app.yml").unlink()
    (repository / "config/schema.yml").unlink()
    put(repository, "charts/web/Chart.yaml", "name: x\n")
    put(repository, "charts/web/templates/kustomization.yaml", "name: x\n")  # of the chart
    put(repository, "deploy/base/kustomization.yaml", "name: x\n")
    assert main(["init"]) == 2
    hint = capsys.readouterr().err.partition("hint:     ")[2]
    assert hint == (
        "Helm renders charts/web and kustomize builds deploy/base; to change the output: "
        "helm template charts/web | plait render -f - -f overlay.yml, "
        "or kustomize build deploy/base | plait render -f - -f overlay.yml\n"
    )


@pytest.mark.parametrize(
    "reference", ["resources: [../../base]", "bases:\n- '../../base'", "resources:\n  - ../../base/"]
)
def test_overlays_are_named_and_not_their_base(
    reference: str, repository: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "config/app.yml").unlink()
    (repository / "config/schema.yml").unlink()
    put(repository, "k8s/base/kustomization.yaml", "resources: [a.yml]\n")
    put(repository, "k8s/parts/kustomization.yaml", "kind: Component\n")
    for name in ("a", "b", "c", "d", "e", "f", "g"):
        put(repository, f"k8s/overlays/{name}/kustomization.yml", f"{reference}\n")
    assert main(["init"]) == 2
    names = ", ".join(f"k8s/overlays/{name}" for name in "abcde")
    assert capsys.readouterr().err.partition("hint:     ")[2] == (
        f"kustomize builds {names} and 2 more; to change the output: "
        "kustomize build k8s/overlays/a | plait render -f - -f overlay.yml\n"
    )


def test_a_site_of_several_repositories_gets_its_project_file(
    repository: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "config/app.yml").unlink()
    (repository / "config/schema.yml").unlink()
    put(
        repository,
        "site/north/site-definition.yaml",
        "schema: pegleg/SiteDefinition/v1\nmetadata: {schema: metadata/Document/v1, name: north}\n"
        "data: {site_type: small, repositories: {global: {url: https://host.example/g.git, revision: v1}}}\n",
    )
    assert main(["init"]) == 2
    err = capsys.readouterr().err
    assert "--repository global=DIR" in err
    assert "runs: {north: {layer: {site: site/north, repository: [global=DIR]}}}" in err


@pytest.mark.parametrize(
    ("text", "example"),
    [
        (
            "kind: Pod\nmetadata: {name: a}\nspec: {t: x, ports: [{name: p, port: 80}]}\n",
            "Pod/a:spec.ports[name=p].port",
        ),
        ("kind: Pod\nmetadata: {name: a}\nspec: {t: x}\n", "PATH"),
        (
            '#@ load("@ytt:data", "data")\nkind: Pod\nmetadata: {name: a}\nb: 5\nc: #@ data.values.a\n',
            "Pod/a:c",
        ),
        (
            "kind: Pod\nmetadata: {name: a, n: 1}\nspec: {ports: [{port: 80, to: 81}]}\n",
            "Pod/a:spec.ports[port=80].to",
        ),
        ("kind: Pod\nmetadata: {name: a}\nspec: {ports: [{port: 80}]}\n", "Pod/a:spec.ports[port=80].port"),
    ],
)
def test_the_next_steps_name_a_value_of_the_output(
    text: str, example: str, repository: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(repository, "config/app.yml", text)
    assert main(["init", "--yes"]) == 0
    out = capsys.readouterr().out
    [command] = [line.strip() for line in out.splitlines() if "plait explain" in line]
    assert shlex.split(command)[-1] == example
    put(repository, "tests/render.test.yml", "\n".join(out.partition("runs it:\n\n")[2].splitlines()) + "\n")
    assert main(["test"]) == (0 if example != "PATH" else 1)


def test_a_directory_that_its_build_file_renders_in_another_way_is_no_run(repository: pathlib.Path) -> None:
    put(repository, "config/deploy.sh", "ytt -f . -f secret-values.yml\n")
    found = guess(str(repository))
    assert not found.runs
    assert "not offered: plait render --file=config: its build files render it differently" in found.notes


# Hostile build files: name and text. Each of them would grow, or take time, without end.
_LONG = 250_000
_MAKE = "".join(f"A{n} = {f'$(A{n + 1})' * 10}\n" for n in range(10))
HOSTILE = {
    "a variable of the shell that doubles": ("b.sh", "A=x\n" + "A=$A$A$A$A\n" * 40 + "ytt -f config -v x=$A\n"),
    "one that is appended to": ("b.sh", "A=" + "x" * 60_000 + "\n" + "A+=$A\n" * 40 + "ytt -f config -v x=$A\n"),
    "an array that doubles": ("b.sh", "A=(a b)\n" + 'A+=("${A[@]}")\n' * 40 + 'ytt "${A[@]}"\n'),
    "a value of many words": ("b.sh", "A='" + "a " * 30_000 + "'\n" + 'ytt $A"' + "x" * 100_000 + '"\n'),
    "loops in loops": ("b.sh", "for i in 1 2 3 4 5 6 7 8; do\n" * 40 + f"ytt -f {'x' * 200_000}\n" + "done\n" * 40),
    "loops that do not end": ("b.sh", ("for i in 1 2 3 4; do a; " * 2_000) + "\nytt -f x\n"),
    "a long word": ("b.sh", f"ytt -f {'x' * _LONG}\n"),
    "a long text between quotes": ("b.sh", f'ytt -f "{"x" * _LONG}"\n'),
    "many escapes": ("b.sh", "ytt -f " + r"\x" * 100_000 + "\n"),
    "many words": ("b.sh", "ytt " + "-f a " * 10_000 + "\n"),
    "many prefixes": ("b.sh", "env " * 60_000 + "ytt -f a\n"),
    "a pattern that goes up again": ("b.sh", "ytt -f " + "*/../" * 10 + "*\n"),
    "variables of make that name each other": ("Makefile", f"{_MAKE}A10 = x\nall:\n\tytt -f $(A0)\n"),
    "a long variable of make in many lines": ("Makefile", f"A = {'x' * 60_000}\nall:\n" + "\tytt -f $(A)\n" * 10_000),
    "one that is used often": ("Makefile", f"A = {'x' * 60_000}\nall:\n\tytt " + "$(A)" * 40_000 + "\n"),
    "many variables of make": (
        "Makefile",
        "".join(f"A{n}=1\n" for n in range(12_000)) + "a:\n" + "\tytt -f $@\n" * 9_000,
    ),
    "spaces in a target": ("Makefile", f"# ytt\na{' ' * _LONG}!"),
    "spaces in a variable": ("Makefile", f"# ytt\na = b{' ' * _LONG}c"),
    "lines that go on": ("Makefile", "# ytt\n" + "a\\\n" * 80_000),
    "a long variable of just": ("justfile", f'a := "{"x" * 100_000}"\nr:\n' + "  ytt -f {{a}}{{a}}\n" * 8_000),
    "spaces in a step of Jenkins": ("Jenkinsfile", f"// ytt\nsh{' ' * _LONG}x"),
    "spaces in a heading": ("README.md", f"ytt\n# a{' ' * _LONG}b\n"),
    "many commands in one line": ("package.json", '{"scripts": {"ytt": [' + '"ytt -f a",' * 20_000 + '"x"]}}'),
    "an alias of a long text": ("ci.yml", f"a: &a {'ytt ' * 5_000}\nscript: [{'*a, ' * 2_000}]\n"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_search_reads_and_produces_so_much_text(name: str, repository: pathlib.Path) -> None:
    file, text = HOSTILE[name]
    assert len(text) < 1 << 18, "a larger file is not read"
    # The script is read once for each directory above it.
    put(repository, f"{'d/' * 20}{file}", text)
    start = time.process_time()
    found = infer(str(repository))
    # Ordinary files take less than a second. These took minutes, and gigabytes.
    assert time.process_time() - start < 60
    assert sum(len(one.shown) + len(one.reason) for one in found.rejected) < 32 << 20


def test_a_search_that_reads_too_much_text_is_noted(repository: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(repository, "a/Makefile", f"render:\n\t{LINE}\n")
    put(repository, "b/build.sh", f"{LINE}\n" + f"echo {'x' * 100_000}\n" * 2)
    put(repository, "c/Makefile", f"render:\n\t{LINE}\n")
    assert infer(str(repository)).bound == ""
    monkeypatch.setattr(TextBudget.__init__, "__defaults__", (100_000,))
    assert infer(str(repository)).bound == "the first 8 MiB of text"


@pytest.mark.parametrize("limits", [{"entries": 2}, {"seconds": 1e-9}], ids=str)
def test_a_search_has_the_limits_of_a_run(limits: dict[str, float], repository: pathlib.Path) -> None:
    put(repository, "Makefile", f"# {'x' * 100_000}\n" * 2 + f"render:\n\t{LINE}\n")
    with budget_scope(Limits(**limits)), pytest.raises(LimitError):
        infer(str(repository))


@pytest.mark.parametrize("depth", [10, 90])
def test_a_walk_takes_time_in_proportion_to_the_tree(depth: int, repository: pathlib.Path) -> None:
    put(repository, f"{'d/' * depth}a.yml", "a: #@ 1\n")
    put(repository, f"{'d/' * depth}v.yml", "#@data/values\n---\na: 1\n")
    with budget_scope(Limits()) as budget:
        assert [run.command for run in guess(str(repository), is_top=True).runs.values()] == ["render"]
    # The tree is walked by several questions, each once.
    assert budget.visited < 40 * (depth + 2)


def test_directories_are_searched_to_a_depth(tmp_path: pathlib.Path) -> None:
    put(tmp_path, f"{'d/' * DEEPEST}a.yml", "a: #@ 1\n")
    assert guess(str(tmp_path), is_top=True).runs
    (tmp_path / ("d/" * DEEPEST) / "d").mkdir()
    (tmp_path / ("d/" * DEEPEST) / "a.yml").rename(tmp_path / ("d/" * (DEEPEST + 1)) / "a.yml")
    assert not guess(str(tmp_path), is_top=True).runs


def test_verifications_have_a_time_together(repository: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(repository, "Makefile", f"render:\n\t{LINE}\n\t{LINE} -v size=2\n")
    monkeypatch.setattr("plait.authoring.project.inference.runs._MOST_SECONDS", 0)
    found = infer(str(repository))
    assert len(found.runs) == 1
    assert [one.reason for one in found.rejected] == ["not verified: the command lines before it took 0 s"]


PIPELINE = """\
resource_types:
- {name: bosh-deployment, type: registry-image}
jobs:
- name: north
  plan:
  - get: config
  - in_parallel:
    - put: north-deployment
      params: &params
        manifest: config/base.yml
        ops_files: [config/ops/1.yml]
        vars_files: [config/north.yml, secrets/north.yml]
        vars: {d: text, e: ((e))}
- name: south
  plan:
  - put: south-deployment
    params:
      <<: *params
      vars_files: []
      vars: {}
  - put: notice
    params: {text: deployed}
"""


def test_a_deployment_of_a_pipeline_is_a_run(repository: pathlib.Path) -> None:
    put(repository, "base.yml", "a: 0\nb: ((b))\nc: ((c))\nd: ((d))\ne: ((e))\n")
    put(repository, "ops/1.yml", "- {type: replace, path: /a, value: 1}\n")
    put(repository, "north.yml", "b: 2\n")
    put(repository, "ci/pipeline.yml", PIPELINE)
    runs = {run.name: run for run in infer(str(repository)).runs}
    assert list(runs) == ["north-deployment", "south-deployment"]
    assert runs["north-deployment"].evaluate().to_yaml() == "a: 1\nb: 2\nc: ((c))\nd: text\ne: ((e))\n"
    assert runs["south-deployment"].evaluate().to_yaml() == "a: 1\nb: ((b))\nc: ((c))\nd: ((d))\ne: ((e))\n"
    assert runs["north-deployment"].why == (
        "ci/pipeline.yml:8; without secrets/north.yml, which is not in the repository; "
        "without e=$((e)), only known when the script runs"
    )


# Files of variables that are not there, and what the evidence says of them. The placeholders stay.
MISSING_VARIABLES = {
    "bosh int base.yml -l $SECRETS/x.yml": "without $SECRETS/x.yml, only known when the script runs",
    "bosh int base.yml --vars-file=$X": "without $X, only known when the script runs",
    "bosh int base.yml -l /etc/secrets.yml": "without /etc/secrets.yml, which is not in the repository",
    "bosh int base.yml --var-file b=gone.pem -l gone.yml": "without gone.pem, gone.yml, which are not in the repository",
    "bosh int base.yml -l gone.yml -l c.yml": "without gone.yml, which is not in the repository",
}


@pytest.mark.parametrize("line", MISSING_VARIABLES)
def test_missing_files_of_variables_are_left_out(line: str, repository: pathlib.Path) -> None:
    put(repository, "base.yml", "b: ((b))\nc: ((c))\n")
    put(repository, "c.yml", "c: 1\n")
    put(repository, "x.sh", f"{line}\nbosh int base.yml -o gone.yml -l gone.yml\n")
    inference = infer(str(repository))
    (run,) = inference.runs
    assert run.why == f"x.sh:1; {MISSING_VARIABLES[line]}"
    assert run.evaluate().to_yaml() == ("b: ((b))\nc: 1\n" if "c.yml" in line else "b: ((b))\nc: ((c))\n")
    assert [one.reason for one in inference.rejected] == ["gone.yml is not in the repository"]


def test_a_text_stands_for_a_value_without_which_a_run_fails(repository: pathlib.Path) -> None:
    put(repository, "config/token.yml", '#@ load("@ytt:data", "data")\nb: #@ data.values.my.token or fail("needed")\n')
    put(repository, "config/schema.yml", '#@data/values-schema\n---\na: 1\nmy: {token: ""}\n')
    put(repository, "x.sh", "ytt -f config -v my.token=${TOKEN} --data-value-yaml a=$A\n")
    (run,) = infer(str(repository)).runs
    assert run.evaluate().to_yaml() == "a: 1\n---\nb: MY_TOKEN\n"
    assert run.why == (
        "x.sh:1; with my.token=MY_TOKEN instead of my.token=${TOKEN}, a=$A, only known when the script runs"
    )


@pytest.mark.parametrize(
    "text",
    [
        "DIR=${DIR:-NAME}\nytt -f $DIR/config\n",
        "ytt --file=./NAME/config\n",
        "cd NAME\ngit pull\ncd -\nytt -f NAME/config\n",
        "cd config\ncd -\nytt -f config\n",
        "ytt -f config \\",
    ],
)
def test_a_checkout_has_the_name_of_the_repository(text: str, repository: pathlib.Path) -> None:
    put(repository, "ci/x.sh", text.replace("NAME", repository.name))
    (run,) = infer(str(repository)).runs
    assert run.evaluate().to_yaml() == "a: 1\n"
    (repository / repository.name).mkdir()  # a directory of that name is what the script means
    assert len(infer(str(repository)).runs) == ("NAME" not in text)


def test_runs_of_a_loop_are_named_after_its_words(repository: pathlib.Path) -> None:
    put(repository, "env/a.yml", "a: 2\n")
    put(repository, "env/b.yml", "a: 3\n")
    put(
        repository,
        "Makefile",
        "all:\n\tfor v in 1.0 1.1; do \\\n\t\tytt -f config -v version=$$v; \\\n\tdone\n"
        "each:\n\tfor f in env/*.yml; do ytt -f config -d $$f; done\n"
        "one:\n\tfor x in c d; do ytt -f config; done\n",
    )
    put(repository, "x.sh", "for f in env/a.yml env/b.yml; do ytt -f config --data-values-file $f; done\n")
    runs = {run.name: run.why for run in infer(str(repository)).runs}
    assert runs == {
        "all-1.0": "Makefile:3",
        "all-1.1": "Makefile:3",
        "each-a": "Makefile:6, x.sh:1",
        "each-b": "Makefile:6, x.sh:1",
        "one": "Makefile:8",
    }


def test_a_word_that_expands_to_several_is_shown_once(repository: pathlib.Path) -> None:
    put(repository, "x.sh", 'ARGS="-f config -f gone.yml"\nytt $ARGS -f config/*.yml\n')
    (one,) = infer(str(repository)).rejected
    assert one.shown == "ytt $ARGS -f config/*.yml"


def test_a_step_of_kuttl_runs_in_its_directory(repository: pathlib.Path) -> None:
    step = (
        "apiVersion: kuttl.dev/v1beta1\nkind: TestStep\ncommands:\n- script: ytt -f ../../config | kubectl apply -f -\n"
    )
    put(repository, "test/a/00-install.yaml", step)
    (run,) = infer(str(repository)).runs
    assert (run.why, run.evaluate().to_yaml()) == ("test/a/00-install.yaml:4", "a: 1\n")


def test_templates_without_their_values_get_a_project_file(
    repository: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "config/schema.yml").unlink()
    put(repository, "README.md", "```sh\nytt -f config -f $VALUES_YAML\n```\n")
    assert main(["init"]) == 2
    err = capsys.readouterr().err
    assert "README.md:2: ytt -f config -f $VALUES_YAML: $VALUES_YAML is only known when the script runs" in err
    advised = "runs: {app: {render: {files: [config], data-values-file: [values.yml]}}}"
    assert f"write a plait.yml, such as {advised} with the values that it needs" in err
    put(repository, "plait.yml", advised)
    put(repository, "values.yml", "a: 1\n")
    assert main(["run", "app"]) == 0
