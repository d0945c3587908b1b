"""Reviews: differences between two revisions, their causes, and the lines that are none."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from repositories import commit, git, write

from plait.base.errors import PlaitError, UsageError
from plait.cli import main
from plait.review import Review, review, to_html, to_markdown, to_text
from plait.review.evaluating import Evaluator
from plait.review.joint_causes import separating
from plait.review.markdown import plain
from plait.review.revisions import Entry, Sides

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git")

APP = """\
#@ load("@ytt:data", "data")
#@ load("names.star", "label")
kind: Deployment
metadata:
  name: web
  labels: {app: #@ label("web")
  }
spec:
  replicas: #@ data.values.replicas
  template:
    spec:
      containers:
      - name: web
        image: #@ "web:" + data.values.version
---
kind: Service
metadata: {name: web}
spec:
  ports: [80, 443]
"""
VALUES = "#@data/values-schema\n---\nversion: '1'\nreplicas: 3\n#! comment\nunused: 1\n"
STAR = 'def label(name):\n  prefix = "x-"\n  return prefix + name\nend\n'
FILES: dict[str, str | None] = {
    "plait.yml": "runs: {app: {render: {files: [config]}}}\n",
    "config/app.yml": APP,
    "config/values.yml": VALUES,
    "config/names.star": STAR,
    "README": "hello\n",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    commit(tmp_path / "r", FILES)
    monkeypatch.chdir(tmp_path / "r")
    return tmp_path / "r"


def causes(found: Review) -> dict[str, list[str]]:
    """The paths that each cause changed."""
    return {cause.place: sorted(one.path or one.kind for one in cause.changes) for cause in found.causes}


def test_nothing_has_changed(place: Path) -> None:
    found = review("HEAD")
    assert (found.changes, found.causes, found.evaluated, found.evaluations) == ([], [], 0, 0)
    write(place, {"README": "bye\n"})
    found = review("HEAD")
    assert (found.changes, found.evaluated, found.evaluations, found.unread) == ([], 0, 0, 1)
    assert "output unchanged" in to_text(found)


def test_causes_are_lines_of_all_kinds(place: Path) -> None:
    write(
        place,
        {
            "config/values.yml": VALUES.replace("'1'", "'2'")
            .replace("3", "5")
            .replace("comment", "remark")
            .replace("unused: 1", "unused: 2"),
            "config/names.star": STAR.replace('"x-"', '"y-"'),
            "config/app.yml": APP.replace("[80, 443]", "[443, 80]"),
        },
    )
    found = review("HEAD")
    assert causes(found) == {
        "config/values.yml:3": ["spec.template.spec.containers[name=web].image"],
        "config/values.yml:4": ["spec.replicas"],
        "config/names.star:2": ["metadata.labels.app"],
        "config/app.yml:19": ["spec.ports"],
    }
    assert [one.lines.place for one in found.idle] == ["config/values.yml:5", "config/values.yml:6"]
    assert all(one.is_alone for one in found.idle)
    assert found.verified == found.values == 4
    assert [one.kind for one in found.changes if one.path == "spec.ports"] == ["reordered"]
    proven = review("HEAD", prove=True)
    assert causes(proven) == causes(found)
    assert proven.evaluations > found.evaluations


def test_revisions_and_merge_base(place: Path) -> None:
    first = git(place, "rev-parse", "HEAD")
    git(place, "checkout", "-q", "-b", "topic")
    commit(place, {"config/values.yml": VALUES.replace("replicas: 3", "replicas: 5")})
    git(place, "checkout", "-q", "main")
    commit(place, {"config/names.star": STAR.replace("x-", "y-")})
    both = {one.path for one in review("main", "topic").changes}
    assert both == {"spec.replicas", "metadata.labels.app"}
    assert [one.path for one in review("main...topic").changes] == ["spec.replicas"]
    assert [one.path for one in review(first, "topic").changes] == ["spec.replicas"]
    git(place, "merge", "-q", "--no-edit", "topic")
    assert {one.path for one in review("HEAD^1", "HEAD").changes} == {"spec.replicas"}
    with pytest.raises(UsageError, match="no revision"):
        review("elsewhere")
    with pytest.raises(UsageError, match="already names HEAD"):
        review("main...topic", "topic")


def test_a_head_that_is_older_than_the_base_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(place, {"config/values.yml": VALUES.replace("replicas: 3", "replicas: 5")})
    for words, is_told in (
        (["HEAD", "HEAD~1"], True),
        (["HEAD...HEAD~1"], True),
        (["HEAD~1", "HEAD"], False),
        (["HEAD"], False),
    ):
        assert main(["review", *words]) == 0
        assert ("plait review HEAD~1 HEAD\n" in capsys.readouterr().err) is is_told
    git(place, "checkout", "-q", "--orphan", "other")
    # With the message of the first commit, and in the same second, it would be that commit.
    commit(place, {"config/values.yml": VALUES}, "other")
    assert not review("main", "other").is_backwards


def test_a_commit_compared_with_itself_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, is_told in ((["HEAD", "main"], True), (["HEAD...HEAD"], True), (["HEAD"], False)):
        assert main(["review", *words]) == 0
        told = "plait: both sides are the same commit; plait review HEAD compares it with the working directory\n"
        assert (told in capsys.readouterr().err) is is_told


def test_a_missing_merge_base(place: Path) -> None:
    git(place, "checkout", "-q", "--orphan", "other")
    commit(place, {"config/values.yml": VALUES.replace("replicas: 3", "replicas: 5")})
    with pytest.raises(UsageError, match="no common ancestor"):
        review("main...other")


def test_a_value_that_moved_and_a_definition(place: Path) -> None:
    write(
        place,
        {
            "config/app.yml": APP.replace('"web:" + data.values.version', "image()").replace(
                "kind: Deployment",
                '#@ def image():\n#@   return "web:" + data.values.version\n#@ end\nkind: Deployment',
            )
        },
    )
    found = review("HEAD")
    assert found.changes == []
    places = {one.lines.place for one in (*found.elsewhere, *found.needed)}
    assert places == {"config/app.yml:3-5", "config/app.yml:17"}
    needed = {one.lines.place: one.message for one in found.needed}
    assert "image" in needed["config/app.yml:3-5"]


def test_a_cause_of_two_files_together(place: Path) -> None:
    write(
        place,
        {
            "config/app.yml": APP.replace("data.values.replicas", "data.values.count"),
            "config/values.yml": VALUES.replace("replicas: 3", "count: 5"),
        },
    )
    found = review("HEAD")
    assert [one.place for one in found.causes] == [
        "config/app.yml:9 with config/values.yml:4 with config/values.yml:4 removed"
    ] or [sorted({lines.file for lines in one.lines}) for one in found.causes] == [
        ["config/app.yml", "config/values.yml"]
    ]
    assert found.not_verified == []


def test_causes_of_two_lines_each_share_evaluations(place: Path) -> None:
    numbers = range(30)
    either = "".join(f"  k{number}: #@ data.values.a{number} or data.values.b{number}\n" for number in numbers)
    values = VALUES + "".join(f"a{number}: false\nb{number}: false\n" for number in numbers)
    commit(
        place,
        {"config/more.yml": '#@ load("@ytt:data", "data")\nall:\n' + either, "config/values.yml": values},
    )
    write(place, {"config/values.yml": values.replace("false", "true")})
    found = review("HEAD")
    assert found.not_verified == []
    assert [len(cause.lines) for cause in found.causes] == [2 for _ in numbers]
    # Three for each, one after another, would be more than the budget. Eight confirm that no set needs another one.
    assert found.evaluations < 15


def test_a_set_that_needs_another_one_is_a_cause_with_what_it_needs(place: Path) -> None:
    before = "p = [False]\nb0 = False\nb1 = False\ndef a1():\n  p[0]\n  return False\nend\n"
    after = "p = True\nb0 = True\nb1 = True\ndef a1():\n  return True\nend\n"
    code = '#@ load("values.star", "p", "b0", "a1", "b1")\nk0: #@ p == True or b0\nk1: #@ a1() or b1\n'
    commit(place, {"config/more.yml": code, "config/values.star": before})
    write(place, {"config/values.star": after})
    found = review("HEAD")
    assert found.not_verified == []
    lines = {row.path: sorted(one.line for one in cause.lines) for cause in found.causes for row in cause.changes}
    assert lines == {"k0": [1, 2], "k1": [1, 3, 5]}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 6, 7, 30, 100])
def test_each_number_is_in_a_group_without_each_other(count: int) -> None:
    groups = separating(count)
    assert len(groups) <= min(count, 12)
    for one, other in permutations(range(count), 2):
        assert any(one in group and other not in group for group in groups)


def test_a_value_of_many_candidates_does_not_need_an_evaluation_for_each(place: Path) -> None:
    numbers = range(20)
    commit(place, {"config/more.yml": "all:\n" + "".join(f"  k{number}: 1\n" for number in numbers)})
    write(place, {"config/more.yml": "all:\n" + "".join(f"  k{number}: 1\n" for number in reversed(numbers))})
    found = review("HEAD")
    assert found.not_verified == []
    assert found.evaluations < 45


def test_a_run_that_fails_and_works_again(place: Path) -> None:
    broken = VALUES.replace("replicas: 3", "count: 3")
    write(place, {"config/values.yml": broken, "README": "x"})
    found = review("HEAD")
    (failure,) = found.failures
    assert (failure.side, failure.caused, failure.file, failure.line) == ("head", True, "config/app.yml", 9)
    assert [one.file for one in failure.causes] == ["config/values.yml"]
    assert found.fails_on(["failure"])
    assert str(place) not in json.dumps(found.to_data())
    commit(place, {})
    write(place, {"config/values.yml": VALUES})
    (failure,) = review("HEAD").failures
    assert (failure.side, failure.caused) == ("base", False)
    write(place, {"config/values.yml": broken + "more: 1\n"})
    (failure,) = review("HEAD").failures
    assert (failure.side, failure.caused) == ("both", False)


def test_files_are_added_removed_and_renamed(place: Path) -> None:
    write(
        place,
        {
            "config/app.yml": APP.replace(
                "kind: Service\nmetadata: {name: web}", "kind: Service\nmetadata: {name: api}"
            ),
            "config/more.yml": "kind: Thing\nmetadata: {name: more}\n",
        },
    )
    found = review("HEAD")
    kinds = {(one.kind, one.document) for one in found.changes if not one.path}
    assert kinds == {("renamed", "Service/api"), ("added", "Thing/more")}
    assert causes(found)["config/more.yml added"] == ["added"]
    commit(place, {})
    write(place, {"config/more.yml": None})
    found = review("HEAD")
    assert causes(found) == {"config/more.yml removed": ["removed"]}


def test_a_file_that_moved_is_reverted_as_a_whole(place: Path) -> None:
    commit(place, {"config/z.yml": "kind: Thing\nmetadata: {name: z}\nvalues: [1, 2]\nmore: true\n"})
    write(
        place,
        {"config/z.yml": None, "config/sub/z.yml": "kind: Thing\nmetadata: {name: z}\nvalues: [1, 2]\nmore: true\n"},
    )
    found = review("HEAD")
    assert {one.document for one in found.changes} == {"output files/"}
    assert causes(found) == {"config/sub/z.yml added with config/z.yml removed": ["[1]"]}
    assert (found.unknown, found.needed, found.not_verified) == ([], [], [])
    write(
        place,
        {"config/sub/z.yml": None, "config/a.yml": "kind: Thing\nmetadata: {name: z}\nvalues: [1, 2]\nmore: true\n"},
    )
    found = review("HEAD")
    assert [(one.kind, one.place) for one in found.changes] == [("reordered", "the documents")]
    assert [cause.place for cause in found.causes] == ["config/a.yml added with config/z.yml removed"]
    assert "order of 1 list changed" in to_text(found)


def test_a_value_may_have_several_causes(place: Path) -> None:
    """Reverting either of two lines gives the old value."""
    app = "#@ a = %s\n#@ b = %s\nkind: Thing\nmetadata: {name: t}\nvalue: #@ a and b\n"
    commit(place, {"config/thing.yml": app % ("False", "False")})
    write(place, {"config/thing.yml": app % ("True", "True")})
    found = review("HEAD")
    assert found.not_verified == []
    assert {cause.place for cause in found.causes} == {"config/thing.yml:1", "config/thing.yml:2"}
    assert found.unknown == []


ENTRIES = ["a/z.yml", "a.yml", "a-b/c.yml", ".hidden/x.yml", ".dot.yml", "A.yml", "b/a/a.yml", "b.yml"]


def test_the_order_of_files_is_that_of_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides are what `plait run` prints in a checkout."""
    files: dict[str, str | None] = {f"config/{name}": f"#@ x = 1\nname: {name}\n" for name in ENTRIES}
    place = tmp_path / "r"
    commit(place, {**files, "plait.yml": "runs: {app: {render: {files: [config]}}}\n"})
    monkeypatch.chdir(place)
    write(place, {f"config/{name}": f"name: {name}\nmore: 1\n" for name in ENTRIES})
    found = review("HEAD")
    assert len(found.causes) == len(ENTRIES)
    assert {cause.lines[0].file: [one.document for one in cause.changes] for cause in found.causes} == {
        f"config/{name}": [name] for name in ENTRIES
    }
    assert found.not_verified == []
    assert not any(one.kind == "reordered" for one in found.changes)


def test_modes_links_and_binary_files(place: Path) -> None:
    commit(place, {"config/note.txt": "a\n"})
    os.chmod(place / "config/note.txt", 0o755)
    os.symlink("values.yml", place / "link.yml")
    found = review("HEAD")
    assert found.changes == []
    assert [one.lines.place for one in found.idle] == ["config/note.txt (file → executable file)"]
    (place / "config/note.txt").write_bytes(b"a\0b\n")
    found = review("HEAD")
    assert causes(found) == {"config/note.txt (binary file)": ["[0]"]}


def test_a_link_out_of_the_repository_is_not_read(place: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.yml").write_text("canary: 1\n", "utf-8")
    commit(place, {"config/link.yml": "a: 1\n"})
    (place / "config/link.yml").unlink()
    os.symlink(tmp_path / "secret.yml", place / "config/link.yml")
    found = review("HEAD")
    assert [one.side for one in found.failures] == ["head"]
    assert "canary" not in json.dumps(found.to_data())


def test_a_project_file_that_itself_changed(place: Path) -> None:
    text = "runs: {app: {render: {files: [config], set: {replicas: 7}}}, new: {render: {files: [config]}}}\n"
    write(place, {"plait.yml": text})
    found = review("HEAD")
    assert found.added == ["new"]
    assert [(one.path, one.after) for one in found.changes] == [("spec.replicas", "7")]
    assert causes(found) == {"plait.yml:1": ["spec.replicas"]}
    write(place, {"plait.yml": "runs: {}\n"})
    assert review("HEAD").removed == ["app"]
    write(place, {"plait.yml": "runs: [\n"})
    (failure,) = review("HEAD").failures
    assert (failure.side, failure.file) == ("head", "plait.yml")


def test_a_new_project_file_is_that_of_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project file that was written a moment ago shows what older commits did."""
    top = tmp_path / "r"
    commit(top, {name: text for name, text in FILES.items() if name != "plait.yml"})
    commit(top, {"config/values.yml": VALUES.replace("replicas: 3", "replicas: 5")})
    monkeypatch.chdir(top)
    project = "runs: {app: {render: {files: [config]}}, later: {render: {files: [later]}}}\n"
    write(top, {"plait.yml": project, "later/a.yml": "a: 1\n"})
    found = review("HEAD~1")
    assert (found.new_project, found.added, found.failures) == ("plait.yml", ["later"], [])
    assert causes(found) == {"config/values.yml:4": ["spec.replicas"]}
    for text in (to_text(found), to_markdown(found), to_html(found)):
        assert "BASE has no plait.yml" in text
    # It grants nothing: neither to BASE nor to HEAD.
    (tmp_path / "outside.yml").write_text("a: 1\n", "utf-8")
    write(top, {"plait.yml": "runs: {app: {render: {files: [config, ../outside.yml]}}}\n"})
    found = review("HEAD~1", trust=True)
    assert [access for access, _ in found.permissions] == ["read"]
    assert [one.side for one in found.failures] == ["both"]
    # A project file with another name is one.
    commit(top, {"plait.yaml": project, "plait.yml": None})
    write(top, {"plait.yaml": None, "plait.yml": project})
    assert review("HEAD").new_project == ""


def test_a_project_file_that_is_not_committed_is_that_of_both_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "r"
    commit(top, {name: text for name, text in FILES.items() if name != "plait.yml"})
    commit(top, {"config/values.yml": VALUES.replace("replicas: 3", "replicas: 5")})
    monkeypatch.chdir(top)
    (tmp_path / "outside.yml").write_text("a: 1\n", "utf-8")
    project = "runs: {app: {render: {files: [config]}}, out: {render: {files: [../outside.yml]}}}\n"
    write(top, {"plait.yml": project, "config/values.yml": VALUES})
    found = review("HEAD~1", "HEAD", trust=True)
    assert causes(found) == {"config/values.yml:4": ["spec.replicas"]}
    for text in (to_text(found), to_markdown(found), to_html(found)):
        assert "BASE and HEAD have no plait.yml: both sides are evaluated with that of the working directory" in text
    # It grants nothing.
    assert not any("outside" in need for need in found.permissions)


def test_permissions_are_those_of_the_base(place: Path, tmp_path: Path) -> None:
    """An access that only HEAD asks for is listed, and never granted."""
    (tmp_path / "outside.yml").write_text("#@data/values\n---\nreplicas: 99\n", "utf-8")
    text = "runs: {app: {render: {files: [config, %s]}}}\n"
    for named in ("../outside.yml", str(tmp_path / "outside.yml")):
        write(place, {"plait.yml": text % named})
        for trust in (False, True):
            found = review("HEAD", trust=trust)
            assert [access for access, _ in found.permissions] == ["read"]
            assert found.permissions[0][1].endswith("outside.yml")
            assert [one.side for one in found.failures] == ["head"]
            assert "only HEAD's project file requests it" in found.failures[0].report
            assert "plait trust" not in found.failures[0].report
            assert "99" not in to_text(found)
    commit(place, {})
    write(place, {"config/values.yml": VALUES.replace("'1'", "'2'")})
    for trust, count in ((False, 0), (True, 1)):
        found = review("HEAD", trust=trust)
        assert found.permissions == []
        assert all("plait trust" in one.report for one in found.failures)
        assert len(found.changes) == count
        assert len(found.failures) == 1 - count


def test_local_files_belong_to_the_working_directory_only(place: Path) -> None:
    commit(place, {".gitignore": "*.local.yml\n", "config/app.yml": APP})
    write(place, {"config/mine.local.yml": "#@data/values\n---\nreplicas: 9\n"})
    write(place, {"config/values.yml": VALUES.replace("'1'", "'2'")})
    found = review("HEAD")
    assert [one.path for one in found.changes] == ["spec.template.spec.containers[name=web].image"]
    second = commit(place, {})
    assert [one.path for one in review(f"{second}^", second).changes] == [one.path for one in found.changes]


@pytest.mark.parametrize(
    "settings",
    [
        "data-values-env: [SHOP]",
        "data-values-file: [https://example.com/values.yml]",
        "data-values-file: [/etc/hostname]",
    ],
)
def test_no_hint_proposes_what_a_review_never_grants(settings: str, place: Path) -> None:
    write(place, {"plait.yml": f"runs: {{app: {{render: {{files: [config], {settings}}}}}}}\n"})
    [failure] = review("HEAD").failures
    assert "only HEAD's project file requests it" in failure.report
    assert "plait trust" not in failure.report


def test_a_limit_is_raised_in_the_project(place: Path) -> None:
    """A review has no flags of the runs, so the hint names the setting."""
    loop = "#@ numbers = [one for one in range(100000)]\n---\na: 1\n"
    settings = "runs: {app: {render: {files: [config], limit: {steps: 1000}}}}\n"
    write(place, {"plait.yml": settings, "config/loop.yml": loop})
    [failure] = review("HEAD").failures
    assert "limit: {steps: N} in the run" in failure.report
    assert "--limit" not in failure.report


MATRIX = """\
runs:
  app:
    matrix: {axes: {region: [eu, us], site: [a, b]}, output: "{region}/{site}/"}
    render: {files: [config, "sites/{region}.yml"], set: {version: "{site}"}}
"""


def test_equal_changes_of_items_are_one_row(place: Path) -> None:
    loop = "ports:\n#@ for number in range(20):\n- name: #@ 'p%d' % number\n  protocol: {proto}\n#@ end\n"
    commit(place, {"config/ports.yml": "kind: Ports\nmetadata: {name: web}\n" + loop.replace("{proto}", "TCP")})
    write(place, {"config/ports.yml": "kind: Ports\nmetadata: {name: web}\n" + loop.replace("{proto}", "UDP")})
    found = review("HEAD")
    assert len(found.changes) == 20
    names = ", ".join(f"p{number}" for number in range(12))
    assert f"Ports/web: ports[*].protocol: TCP → UDP (20 items: {names} and 8 more)\n" in to_text(found)
    assert "ports[name=p0]" not in to_text(found)
    assert f"`ports[*].protocol` `TCP` → `UDP` (20 items: {names} and 8 more) (20 values) |" in to_markdown(found)
    assert "(20 items: p0, " in to_html(found)


def test_environments_are_grouped(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    region = "#@data/values\n---\nreplicas: %d\n"
    commit(place, {"plait.yml": MATRIX, "sites/eu.yml": region % 3, "sites/us.yml": region % 3})
    write(place, {"sites/eu.yml": region % 5})
    found = review("HEAD")
    assert (found.runs, found.evaluated) == (4, 2)
    (change,) = found.changes
    assert change.where == "2 of 4 runs: all of region=eu"
    (cause,) = found.causes
    assert (cause.place, cause.verified_in, cause.of) == ("sites/eu.yml:3", 1, 2)
    assert "verified in 1 of 2 runs" in to_text(found)
    assert review("HEAD", where=["region=us"]).changes == []
    assert review("HEAD", where=["region=eu", "site=a"]).runs == 1
    with pytest.raises(UsageError, match="does not select") as raised:
        review("HEAD", where=["regoin=eu"])
    with pytest.raises(UsageError, match='no environment has "ue" on the axis "region"') as caught:
        review("HEAD", where=["region=ue"])
    assert (caught.value.expected, caught.value.hint) == ("eu, us", "such as --where region=eu")
    assert raised.value.hint == 'did you mean "region"?'
    write(place, {"config/values.yml": VALUES.replace("unused: 1", "unused: 2")})
    found = review("HEAD", runs=["app/us/*"])
    assert [one.lines.place for one in found.idle] == ["config/values.yml:6"]


def test_a_cause_counts_for_the_runs_that_need_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both runs have the same change. In one of them, two lines cause it."""
    place = tmp_path / "r"
    runs = "runs: {one: {patch: {base: a.yml, ops: [o.yml]}}, two: {patch: {base: a.yml, ops: [o.yml, p.yml]}}}\n"
    name = "- {type: replace, path: /a/b?, value: %d}\n"
    commit(place, {"plait.yml": runs, "a.yml": "a: {}\n", "o.yml": name % 1, "p.yml": name % 1})
    monkeypatch.chdir(place)
    write(place, {"o.yml": name % 2, "p.yml": name % 2})
    found = review("HEAD")
    assert [(one.place, sorted(one.runs), one.of, one.where) for one in found.causes] == [
        ("o.yml:1", ["one"], 1, "1 of 2 runs: one"),
        ("p.yml:1", ["two"], 1, "1 of 2 runs: two"),
    ]
    assert to_text(found).count("1 value (1 of 2 runs: ") == 2


def test_a_name_that_changed_in_many_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "r"
    name = "".join(f"- {{type: replace, path: /jobs/name=%s/v{number}?, value: 1}}\n" for number in range(12))
    base = "jobs:\n- name: %s\n  a: 1\n"
    runs = "runs: {app: {patch: {base: a.yml, ops: [o.yml]}}}\n"
    commit(place, {"plait.yml": runs, "a.yml": base % "web", "o.yml": name % (("web",) * 12)})
    monkeypatch.chdir(place)
    write(place, {"a.yml": base % "api", "o.yml": name % (("api",) * 12)})
    found = review("HEAD")
    assert ([one.report for one in found.failures], found.not_verified) == ([], [])
    assert {place for one in found.causes for place in one.places} == {
        "a.yml:2-3",
        "o.yml:1-12",
    }


def test_what_the_budget_leaves_open_is_not_verified(place: Path) -> None:
    write(place, {"config/values.yml": VALUES.replace("3", "5").replace("unused: 1", "unused: 2")})
    found = review("HEAD", budget=1e-9)
    assert found.is_cut
    assert (len(found.not_verified), found.causes, found.idle) == (1, [], [])
    assert [one.lines.place for one in found.unknown] == ["config/values.yml:4", "config/values.yml:6"]
    for text in (to_text(found), to_markdown(found), to_html(review("HEAD", budget=1e-9, documents=True))):
        assert "--budget allows more" in text
    assert found.to_data()["budget_spent"] is True
    assert not review("HEAD", budget=0).is_cut
    write(place, {"config/app.yml": APP.replace("replicas: #@", "replicas: #@ nothing +")})
    (failure,) = review("HEAD", budget=1e-9).failures
    assert (failure.caused, failure.causes) == (True, [])


def test_the_cause_of_an_order_is_what_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(*maps: str) -> str:
        return "kind: List\nitems:\n" + "".join(f"- id: {one}\n" for one in maps)

    a, b, c = ("x\n  v: 1\n  w: 1", "y\n  v: 2\n  w: 2", "z\n  v: 3\n  w: 3")
    old = listed(a, b, c)
    commit(tmp_path, {"plait.yml": FILES["plait.yml"], "config/a.yml": old})
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"config/a.yml": listed("x\n  w: 1\n  v: 1", b, "z\n  w: 3\n  v: 3")})
    assert causes(review("HEAD")) == {"config/a.yml:4": ["items[0]"], "config/a.yml:10": ["items[2]"]}


SLOW = """\
#@ load("@ytt:data", "data")
#@ def slow():
#@   for i in range(data.values.a == 1 and data.values.b == 2 and 2000 or 1):
#@     for j in range(2000):
#@       k = j
#@     end
#@   end
#@ end
#@ slow()
a: #@ data.values.a
b: #@ data.values.b
"""


def test_an_evaluation_ends_with_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = "#@data/values-schema\n---\na: 1\nb: 1\n"
    files: dict[str, str | None] = {"plait.yml": FILES["plait.yml"], "config/a.yml": SLOW, "config/v.yml": values}
    commit(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"config/v.yml": values.replace("1", "2")})
    start = time.process_time()
    found = review("HEAD", prove=True, budget=0)
    whole = time.process_time() - start
    assert (found.is_cut, len(found.not_verified)) == (False, 0)
    found = review("HEAD", prove=True, budget=whole / 3)
    assert (found.is_cut, [one.path for one in found.not_verified]) == (True, ["a", "b"])


@pytest.mark.untraced
def test_provenance_of_a_side_ends_with_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = SLOW.replace("data.values.a == 1 and data.values.b == 2 and 2000 or 1", "400")
    values = "#@data/values-schema\n---\na: 1\nb: 1\n"
    commit(tmp_path, {"plait.yml": FILES["plait.yml"], "config/a.yml": template, "config/v.yml": values})
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"config/v.yml": values.replace("1", "2")})
    found = review("HEAD", budget=0)
    assert (found.is_cut, len(found.causes)) == (False, 2)
    traced: list[bool] = []
    evaluated = Evaluator._evaluated

    def noted(*given: Any, trace: bool, **others: Any) -> Any:
        made = evaluated(*given, trace=trace, **others)
        traced.append(made.trace is not None and made.error is None)
        return made

    monkeypatch.setattr(Evaluator, "_evaluated", noted)
    found = review("HEAD", budget=0.01)
    assert (found.is_cut, [one.path for one in found.not_verified], found.failures) == (True, ["a", "b"], [])
    assert not any(traced)


def test_only_inputs_of_runs_are_exchanged(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    far = {f"vendored/{n}/{m}.txt": "old\n" for n in range(3) for m in range(3)}
    commit(place, {**far, "config/values.yml": VALUES, "lists/one.txt": "1\n"})
    (place / "link").symlink_to("lists")
    commit(
        place, {**dict.fromkeys(far, "new\n"), "config/values.yml": VALUES.replace("3", "5"), "lists/one.txt": "2\n"}
    )
    added: list[str] = []
    add = Sides._add

    def noted(self: Sides, path: str, entry: Entry) -> None:
        added.append(path)
        add(self, path, entry)

    monkeypatch.setattr(Sides, "_add", noted)
    found = review("HEAD^", "HEAD")
    assert causes(found) == {"config/values.yml:4": ["spec.replicas"]}
    assert (set(added), found.unread) == ({"config/values.yml", "link"}, len(far) + 2)


def test_an_item_and_the_anchor_of_its_alias_are_one_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = "names:\n  a: &a one\n  b: two\nitems:\n- name: x\n  of: *a\n- name: y\n"
    commit(tmp_path, {"plait.yml": "runs: {app: {patch: {base: m.yml}}}\n", "m.yml": old})
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"m.yml": "names:\n  b: two\nitems:\n- name: y\n"})
    found = review("HEAD")
    assert [([line.place for line in cause.lines], [one.path for one in cause.changes]) for cause in found.causes] == [
        (["m.yml:2 removed", "m.yml:5-6 removed"], ["items[0]"]),
        (["m.yml:2 removed"], ["names.a"]),
    ]


def test_secrets_are_compared_and_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "r"
    files: dict[str, str | None] = {
        "plait.yml": "runs: {app: {render: {files: [app.yml]}}}\n",
        "app.yml": "kind: Secret\nmetadata: {name: s}\nstringData: {password: canary-one, same: x}\n---\nkind: Thing\nmetadata: {name: t}\na: 1\n",
    }
    commit(place, files)
    monkeypatch.chdir(place)
    write(place, {"app.yml": str(files["app.yml"]).replace("canary-one", "canary-two")})
    found = review("HEAD")
    assert [(one.place, one.is_secret) for one in found.changes] == [("Secret/s:stringData.password", True)]
    assert [one.name for one in found.consequences] == ["secret-changed"]
    for text in (json.dumps(found.to_data()), to_text(found), to_markdown(found)):
        assert "canary" not in text


def test_a_hostile_repository_executes_nothing(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark = tmp_path / "executed"
    program = place / ".git" / "evil"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n", "utf-8")
    program.chmod(0o755)
    for hook in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(program, place / ".git" / "hooks" / hook)
    name = "config/$(touch executed)`x`\n<img src=x>|.yml"
    commit_files: dict[str, str | None] = {
        name: "#@ x = 1\na: 1\n",
        ".gitattributes": "*.yml filter=evil diff=evil merge=evil\n",
    }
    git(place, "-c", "core.hooksPath=/dev/null", "add", "-A")
    write(place, commit_files)
    git(place, "-c", "core.hooksPath=/dev/null", "add", "-A")
    git(place, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "one")
    for key in (
        "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "diff.evil.command",
        "diff.external", "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "alias.diff", "alias.ls-files",
        "alias.rev-parse",
    ):  # fmt: skip
        git(place, "config", key, str(program))
    mark.unlink(missing_ok=True)
    (place / name).write_text("#@ x = 1\na: '<script>alert(1)</script> @everyone `x` | y'\n", "utf-8")
    found = review("HEAD")
    assert len(found.causes) == 1
    for form in ("text", "markdown", "json", "github", "sarif"):
        assert main(["review", "HEAD", "-o", form]) == 0
    out = capsys.readouterr().out
    assert not mark.exists()
    assert not (place / "executed").exists()
    assert "\n<img" not in out
    markdown = to_markdown(found)
    assert all(line.count("|") - line.count("\\|") == 3 for line in markdown.splitlines() if line.startswith("| `"))
    for words in (["--upload-pack=x"], ["-x"], ["--output=/tmp/x"], ["main", "--help-me"]):
        with pytest.raises(PlaitError):
            review(*words)


def test_the_command(place: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write(place, {"config/values.yml": VALUES.replace("replicas: 3", "replicas: 5").replace("'1'", "'2'")})
    assert main(["review", "HEAD", "-o", "json", "--message", str(tmp_path / "message")]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["values"] == {"changed": 2, "verified": 2}
    assert data["withheld"] == []
    assert {one["lines"][0]["line"] for one in data["causes"]} == {3, 4}
    assert "config/values.yml:4: 1 value" in (tmp_path / "message").read_text("utf-8")
    for names, status in (
        ("error", 0), ("warning", 1), ("note", 1), ("pods-restart", 1), ("immutable-field", 0), ("failure", 0),
        ("immutable-field,image-changed", 1), ("wrong", 2),
    ):  # fmt: skip
        assert main(["review", "HEAD", "--fail-on", names]) == status, names
    assert main(["review"]) == 2
    assert main(["review", "a", "b", "c"]) == 2
    capsys.readouterr()
    assert main(["review", "HEAD", "-o", "github"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("::warning file=config/values.yml,line=3,title=pods-restart::1 workload restarts")
    assert main(["review", "HEAD", "-o", "sarif"]) == 0
    sarif = json.loads(capsys.readouterr().out)
    assert {one["ruleId"] for one in sarif["runs"][0]["results"]} == {"pods-restart", "image-changed", "review-cause"}


def test_a_message_is_not_written_through_a_link(place: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("keep", "utf-8")
    os.symlink(outside, place / "directory")
    os.symlink(outside / "file", place / "link")
    for name in ("directory/message", "link"):
        assert main(["review", "HEAD", "--message", name]) not in (0, 70), name
    assert [path.name for path in outside.iterdir()] == ["file"]
    assert (outside / "file").read_text("utf-8") == "keep"


def test_a_large_comment_says_what_it_leaves_out(place: Path) -> None:
    many = "".join(
        f"kind: Thing\nmetadata: {{name: thing-{number}}}\nvalue{number}: {{}}\n---\n" for number in range(700)
    )
    commit(place, {"config/many.yml": many.replace("{}", "old" * 30)})
    write(place, {"config/many.yml": many.replace("{}", "new" * 30)})
    found = review("HEAD")
    assert found.verified == 700
    text = to_markdown(found)
    assert len(text) <= 65_536
    assert "entries are left out" in text
    assert text.count("<details>") == text.count("</details>")


def test_the_working_directory_does_not_change(place: Path) -> None:
    write(place, {"config/values.yml": VALUES.replace("replicas: 3", "replicas: 5")})
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    review("HEAD")
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links")
@pytest.mark.parametrize("is_ignored", [True, False], ids=["ignored", "committed"])
def test_a_link_in_place_of_a_directory_is_not_followed(
    is_ignored: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.yml").write_text("canary: 1\n", "utf-8")
    place = tmp_path / "r"
    files: dict[str, str | None] = {
        "plait.yml": "runs: {app: {render: {files: [config/a.yml]}}}\n",
        "config/a.yml": "a: 1\n",
    }
    commit(place, files)
    monkeypatch.chdir(place)
    if is_ignored:
        write(place, {".gitignore": "config\n"})
        commit(place, {})
    shutil.rmtree(place / "config")
    (place / "config").symlink_to(outside)
    told = json.dumps(review("HEAD").to_data())
    assert "canary" not in told
    if is_ignored:
        return
    commit(place, {})
    for sides in (("HEAD~1", "HEAD"), ("HEAD", "HEAD~1")):
        found = review(*sides)
        assert "canary" not in json.dumps(found.to_data())
        assert [one.side for one in found.failures] == ["head" if sides[1] == "HEAD" else "base"]


@pytest.mark.parametrize("kind", ["items", "lines", "long lines"])
def test_long_lists_and_lines_are_compared_in_bounded_time(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def text(each: int) -> str:
        if kind == "long lines":
            return f"a: {'x ' * 100_000}{each}\nb: {each}{' x' * 100_000}\n" + f"c: {each}\n" * (each == 7)
        items = [f"- {number}" if number % each == 0 else "- x" for number in range(4_000)]
        return "\n".join(["a:" if kind == "items" else "#! a", *items]) + "\n"

    place = tmp_path / "r"
    name = "a.yml" if kind == "items" else "a.txt"
    commit(place, {"plait.yml": f"runs: {{app: {{render: {{files: [{name}]}}}}}}\n", name: text(5_000)})
    monkeypatch.chdir(place)
    write(place, {name: text(7)})
    start = time.process_time()
    assert review("HEAD").changed == ["app"]
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    "text",
    [
        "http://evil.example/x",
        "www.evil.example",
        "WWW.evil.example",
        "a@evil.example",
        "@team",
        "o/r#12",
        "#12",
        "GH-12",
        "&commat;team",
        "&#64;team",
        "&#x40;team",
        "&num;12",
        "&lt;img src=x&gt;",
        "&copy;",
    ],
)
def test_a_plain_text_has_no_link_and_no_mention(text: str) -> None:
    found = plain(text)
    assert re.sub(r"<!-- -->|\\", "", found) == text
    assert not re.search(r"://|www\.|[@#]\w|GH-\d|(?<!\\)&", found, re.IGNORECASE)


# ---- the output of HEAD's side

DESTINATIONS = """\
runs:
  app: {render: {files: [config]}, output: app/all.yml}
  split: {render: {files: [config], output-by: "{kind}.yml"}, output: split/}
  other: {patch: {base: base.yml}}
"""


def listing(directory: Path) -> dict[str, str]:
    return {path.relative_to(directory).as_posix(): path.read_text() for path in directory.rglob("*") if path.is_file()}


def test_the_output_of_the_other_side_is_written_as_a_fleet_places_it(
    place: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    commit(place, {"plait.yml": DESTINATIONS, "base.yml": "a: 1\n"})
    commit(place, {"config/values.yml": VALUES.replace("replicas: 3", "replicas: 5")})
    write(place, {"config/values.yml": VALUES.replace("replicas: 3", "replicas: 7")})
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").write_text("x")
    assert main(["review", "HEAD~1", "HEAD", "--output-files", str(tmp_path / "out")]) == 0
    assert "replicas" in capfd.readouterr().out
    found = listing(tmp_path / "out")
    assert found.pop("mine") == "x"
    assert "replicas: 5" in found["app/all.yml"]
    git(place, "stash", "-q")
    assert main(["fleet", "--output", str(tmp_path / "fleet"), "-j", "1"]) == 0
    made = {
        name: text for name, text in listing(tmp_path / "fleet").items() if not name.startswith((".fleet", "fleet."))
    }
    assert found == made
    assert sorted(found) == ["app/all.yml", "other/documents.yml", *sorted(n for n in made if n.startswith("split/"))]


def test_the_output_of_the_working_directory_and_of_some_runs(place: Path, tmp_path: Path) -> None:
    commit(place, {"plait.yml": DESTINATIONS, "base.yml": "a: 1\n"})
    write(place, {"base.yml": "a: 2\n"})
    assert main(["review", "HEAD", "--run", "other", "--output-files", str(tmp_path / "out")]) == 0
    assert listing(tmp_path / "out") == {"other/documents.yml": "a: 2\n"}


def test_without_a_change_the_output_is_complete(place: Path, tmp_path: Path) -> None:
    assert main(["review", "HEAD", "HEAD", "--output-files", str(tmp_path / "out")]) == 0
    assert any("replicas: 3" in text for text in listing(tmp_path / "out").values())


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"config/app.yml": "a: #@ missing\n"}, "config/app.yml:1: undefined: missing"),
        ({"config/names.star": "def label(:\n"}, "config/names.star:1"),
        ({"plait.yml": "runs: [\n"}, "has none of the runs"),
    ],
)
def test_if_a_run_fails_no_output_is_written(
    place: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], files: dict[str, str | None], words: str
) -> None:
    more = "runs:\n  app: {render: {files: [config]}}\n  other: {patch: {base: README}}\n"
    commit(place, {"plait.yml": more})
    commit(place, files)
    assert main(["review", "HEAD~1", "HEAD", "--output-files", str(tmp_path / "out")]) == 1
    told = capfd.readouterr()
    assert told.out
    assert "no output is written" in told.err
    assert words in told.err
    assert "plait-review-" not in told.err + told.out
    assert not (tmp_path / "out").exists()


def test_warnings_about_the_output_name_the_files(
    place: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    commit(place, {"config/more.yml": 'a: "#@ 1"\n'})
    assert main(["review", "HEAD~1", "HEAD", "--output-files", str(tmp_path / "out")]) == 0
    told = capfd.readouterr().err
    assert "config/more.yml:1: this code is a string" in told
    assert "plait-review-" not in told


def test_a_document_is_secret_because_of_its_source(place: Path) -> None:
    source = (
        "schema: demo/Key/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: key\n"
        "  layeringDefinition: {layer: site}\n  storagePolicy: cleartext\ndata: abc\n"
    )
    chart = (
        "schema: demo/Chart/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: chart\n"
        "  layeringDefinition: {layer: site}\n  storagePolicy: cleartext\n  substitutions:\n"
        "  - {src: {schema: demo/Key/v1, name: key, path: .}, dest: {path: .key}}\ndata: {size: 1}\n"
    )
    policy = (
        "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: order}\n"
        "data: {layerOrder: [site]}\n"
    )
    other = source.replace("name: key", "name: other").replace("data: abc\n", "data:\n")
    other += "".join(f"  k{number}: 0\n" for number in range(16))
    files = {"policy.yaml": policy, "chart.yaml": chart, "key.yaml": source, "other.yaml": other}
    commit(
        place,
        {**files, "plait.yml": "runs: {site: {layer: {files: [policy.yaml, chart.yaml, key.yaml, other.yaml]}}}\n"},
    )
    write(place, {"key.yaml": source.replace("cleartext", "encrypted"), "other.yaml": other.replace("0", "1")})
    found = review("HEAD")
    assert found.not_verified == []
    # Without the policy of the source among the candidates, all 17 changed lines are searched.
    assert found.evaluations < 12
    (cause,) = [one for one in found.causes if one.lines[0].file == "key.yaml"]
    assert [(one.file, one.line) for one in cause.lines] == [("key.yaml", 6)]
    assert {row.document for row in cause.changes} == {"demo/Key/v1/key", "demo/Chart/v1/chart"}
