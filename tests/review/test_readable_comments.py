"""Comments on pull requests as somebody reads them who knows neither plait nor the change."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories import commit, write

from plait.review import review, to_markdown, to_text

OPS = "- type: replace\n  path: /groups/name=%s/%s?\n  value: %s\n"
PATCH = "runs:\n  app:\n    patch:\n      base: base.yml\n      ops:\n%s"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "r").mkdir()
    monkeypatch.chdir(tmp_path / "r")
    return tmp_path / "r"


def thing(**values: str) -> str:
    rows = "".join(f"  {key}: {value}\n" for key, value in values.items())
    return f"kind: Thing\nmetadata: {{name: t}}\nspec:\n{rows}"


def compare(place: Path, before: str, after: str) -> str:
    commit(place, {"plait.yml": "runs: {app: {render: {files: [a.yml]}}}\n", "a.yml": before})
    write(place, {"a.yml": after})
    return to_markdown(review("HEAD"))


def test_a_value_that_only_became_longer_shows_how(place: Path) -> None:
    long = "-D".join("option " * 40)
    text = compare(place, thing(java=long), thing(java=f"{long} last=1"))
    assert "last=1` |" in text
    row = next(line for line in text.split("\n") if "spec.java" in line)
    before, _, after = row.partition(" → ")
    assert before.rpartition("`")[0].rpartition("`")[2] != after.split("`")[1]


def test_small_collections_are_shown(place: Path) -> None:
    text = compare(place, thing(a="1"), thing(a="1", limits="{cpu: 500m, memory: 2000Mi}", flag="workspaces"))
    assert "`spec.limits` added: `{cpu: 500m, memory: 2000Mi}`" in text
    assert "`spec.flag` added: `workspaces`" in text
    many = ", ".join(f"k{number}: 1" for number in range(30))
    assert "added: `30 keys` (30 values)" in compare(place, thing(a="1"), thing(a="1", many=f"{{{many}}}"))


def test_data_of_a_secret_are_not_shown(place: Path) -> None:
    secret = "kind: Secret\nmetadata: {name: s}\n"
    assert "cGFzcw" not in compare(place, secret, f"{secret}data: {{password: cGFzcw==}}\n")


def test_the_order_of_keys_is_not_that_of_a_list(place: Path) -> None:
    text = compare(place, thing(a="1", b="2"), thing(b="2", a="1"))
    assert "**output unchanged except that the order of keys in 1 map changed**" in text
    assert "order of keys in `spec`" in text
    text = compare(place, thing(a="[1, 2]"), thing(a="[2, 1]"))
    assert "**output unchanged except that the order of 1 list changed**" in text
    assert "order of `spec.a`" in text


def test_items_are_named(place: Path) -> None:
    items = "[{name: web, v: %s}, {name: db, v: %s}, {name: log, v: 0}]"
    text = compare(place, thing(a=items % (1, 1)), thing(a=items % (2, 2)))
    assert "`spec.a[*].v` `1` → `2` (2 items: web, db)" in text


def test_a_renamed_document_is_removed_and_created(place: Path) -> None:
    rows = {f"k{number}": str(number) for number in range(6)}
    text = compare(place, thing(**rows), thing(**rows).replace("name: t", "name: u"))
    assert "renamed: `Thing/t` is removed, `Thing/u` is new" in text
    assert "all causes verified" in text


def test_one_set_of_lines_explains_values_with_other_candidates(place: Path) -> None:
    """An operations file that is switched on in the project file changes many groups, and each group changed itself."""
    names = [f"g{number}" for number in range(40)]
    base = "name: m\ngroups:\n" + "".join(f"- name: {name}\n  jobs: [%s]\n" for name in names)
    ops = "".join(OPS % (name, "store", "{s3: bucket}") for name in names)
    commit(place, {"plait.yml": PATCH % "      - none.yml\n", "none.yml": "[]\n", "base.yml": base.replace("%s", "x")})
    write(place, {"plait.yml": PATCH % "      - none.yml\n      - on.yml\n", "on.yml": ops})
    write(place, {"base.yml": base.replace("%s", "'x'")})
    found = review("HEAD")
    assert found.not_verified == []
    assert "plait.yml:7" in {cause.place for cause in found.causes}


def test_a_hopeless_search_leaves_time_for_the_others(place: Path) -> None:
    """A renamed document that an overlay needs is found from its name, and does not use up the budget of others."""
    kinds = [f"n{number}" for number in range(8)]
    docs = "".join(
        f"---\nkind: Map\nmetadata: {{name: {name}%s}}\ndata: {{a: 1, b: 2, c: 3, d: 4}}\n" for name in kinds
    )
    load = '#@ load("@ytt:overlay", "overlay")\n'
    over = load + "".join(
        f'#@overlay/match by=overlay.subset({{"metadata": {{"name": "{name}%s"}}}})\n---\ndata:\n  a: 5\n'
        for name in kinds
    )
    project = "runs: {app: {render: {files: [a.yml, o.yml]}}}\n"
    commit(place, {"plait.yml": project, "a.yml": docs.replace("%s", ""), "o.yml": over.replace("%s", "")})
    write(place, {"a.yml": docs.replace("%s", "-new"), "o.yml": over.replace("%s", "-new")})
    found = review("HEAD")
    assert found.not_verified == []


def test_lines_that_were_reverted_with_others_say_so(place: Path) -> None:
    rows = "".join(f"#! comment {number}\n" for number in range(3))
    files = {f"f{number}.yml": f"#@ a{number} = 1\nkind: T{number}\n" for number in range(20)}
    names = ", ".join(files)
    commit(place, {"plait.yml": f"runs: {{app: {{render: {{files: [{names}]}}}}}}\n", **files})
    write(place, {name: rows + text.replace("= 1", "= 2") for name, text in files.items()})
    text = to_markdown(review("HEAD"))
    assert "<summary>Same values, written elsewhere or otherwise: 20</summary>" in text
    assert "- `f8.yml:1-4` (reverted together with others)\n" in text


def test_a_run_that_only_works_with_the_change_was_not_compared(place: Path) -> None:
    project = (
        "runs:\n  old: {render: {files: [v.yml, a.yml]}}\n  new: {render: {files: [v.yml, a.yml], set: {more: x}}}\n"
    )
    schema = "#@data/values-schema\n---\na: %s\n"
    app = '#@ load("@ytt:data", "data")\nkind: T\na: #@ data.values.a\n'
    commit(place, {"plait.yml": project, "v.yml": schema % 1, "a.yml": app})
    write(place, {"v.yml": f"{schema % 2}more: text\n"})
    found = review("HEAD")
    text = to_markdown(found)
    assert "1 of 2 runs changed · 1 run not compared" in text
    assert "ℹ️ **the run works only with this change, so it was not compared (1 of 2 runs: new)**. Before" in text
    # In all runs that were compared.
    assert [one.where for one in found.changes] == [""]
    assert "No effect on the output in the compared runs" in text
    assert "1 run not compared" in to_text(found)


def test_a_problem_is_named_not_only_announced(place: Path) -> None:
    schema = '#@data/values-schema\n---\n#@schema/validation one_of=["a", "b"]\nx: %s\n'
    commit(place, {"plait.yml": "runs: {app: {render: {files: [v.yml]}}}\n", "v.yml": schema % "a"})
    write(place, {"v.yml": schema % "c"})
    [failure] = review("HEAD").failures
    assert failure.message == 'v.yml:4: x - must be: one of ["a", "b"] (by: v.yml:3)'


def test_one_line_for_a_consequence_in_several_runs(place: Path) -> None:
    app = "kind: Deployment\nmetadata: {name: %s}\nspec: {template: {spec: {containers: [{name: c, image: i:%s}]}}}\n"
    names = ("a", "b", "c")
    runs = "".join(f"  {name}: {{render: {{files: [{name}.yml]}}}}\n" for name in names)
    commit(place, {"plait.yml": f"runs:\n{runs}", **{f"{name}.yml": app % (name, 1) for name in names}})
    write(place, {f"{name}.yml": app % (name, 2) for name in names})
    text = to_markdown(review("HEAD"))
    assert text.count("restart") == 1
    assert (
        "⚠️ **3 workloads restart** (pod template changed): `Deployment/a` (1 of 3 runs: a); "
        "`Deployment/b` (1 of 3 runs: b); `Deployment/c` (1 of 3 runs: c)\n"
    ) in text


def test_parts_of_a_manifest_are_counted_for_each_run(place: Path) -> None:
    """One group is updated in two runs, by different jobs: it is not two groups."""
    base = "name: m\ninstance_groups:\n- name: web\n  instances: 1\n  jobs:\n  - {name: a, properties: {x: %s}}\n  - {name: b, properties: {x: %s}}\n"
    runs = "".join(f"  {name}: {{patch: {{base: {name}.yml}}}}\n" for name in ("one", "two"))
    commit(place, {"plait.yml": f"runs:\n{runs}", "one.yml": base % (1, 1), "two.yml": base % (1, 1)})
    write(place, {"one.yml": base % (2, 1), "two.yml": base % (2, 2)})
    text = to_markdown(review("HEAD"))
    assert text.count("**1 instance group is updated**") == 2
