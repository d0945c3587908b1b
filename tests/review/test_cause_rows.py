"""Reports of large changes: what is the same is said once, and what differs is seen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from repositories import commit, write

from plait.cli import main
from plait.review import review, to_html, to_markdown, to_text
from plait.review.cause_rows import cause_rows, kind_of, last_key
from plait.review.file_links import FileLinks
from plait.review.reports import subjects_text

MANIFEST = "runs: {%s}\n"
RUN = "%s: {patch: {base: %s.yml}}"


def changed(place: Path, files: dict[str, str], others: dict[str, str]) -> None:
    commit(place, {**files})
    write(place, {**others})


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "r").mkdir()
    monkeypatch.chdir(tmp_path / "r")
    return tmp_path / "r"


def manifest(version: str, *names: str, groups: str = "[]") -> str:
    rows = "".join(f"- name: {name}\n  version: {name}-{version}\n  sha1: {name}{version}\n" for name in names)
    return f"name: cf\nreleases:\n{rows}instance_groups: {groups}\n"


def test_many_causes_of_one_kind_are_one_row(place: Path) -> None:
    names = [f"r{number}" for number in range(8)]
    project = MANIFEST % RUN % ("a", "a")
    changed(place, {"plait.yml": project, "a.yml": manifest("1", *names)}, {"a.yml": manifest("2", *names)})
    found = review("HEAD")
    rows = cause_rows(found.causes)
    assert (len(found.causes), len(rows)) == (16, 2)
    assert sorted(number for row in rows for number in row.numbers) == [*range(16)]
    lines = ("4,7,10,13,16,19,22,25", "5,8,11,14,17,20,23,26")
    assert [place[:2] for row in rows for place in row.places] == [(f"a.yml:{one}", "") for one in lines]
    text = to_markdown(found)
    assert all(f"| `a.yml:{one}` | `releases[name=r" in text for one in lines)
    # In the order of lines, not of their numbers as text.
    assert "| `releases[name=r0].version` `r0-1` → `r0-2`; `releases[name=r1].version` `r1-1` → `r1-2`; " in text
    assert text.count("; 4 more (8 values) |\n") == 2
    assert all(f"a.yml:{one}: 8 values\n" in to_text(found) for one in lines)


def test_one_change_with_another_cause_in_each_run(place: Path) -> None:
    """Two sites set the same value in files of their own: neither file is a cause in the other site."""
    names = ("north", "south", "west")
    project = MANIFEST % ", ".join(RUN % (name, name) for name in names)
    before, after = ({f"{name}.yml": f"hosts: {count}\n" for name in names} for count in (1, 2))
    changed(place, {"plait.yml": project, **before}, after)
    found = review("HEAD")
    [change] = found.changes
    assert len(change.runs) == 3
    assert {(one.lines[0].file, one.where, one.verified_in, one.of) for one in found.causes} == {
        (f"{name}.yml", f"1 of 3 runs: {name}", 1, 1) for name in names
    }
    assert "north.yml:1: 1 value (1 of 3 runs: north)\n" in to_text(found)
    assert "| `north.yml:1` | `hosts` `1` → `2` (1 of 3 runs: north) |" in to_markdown(found)
    assert "1 of 3 runs: north" in to_html(found)
    assert "verified in" not in to_text(found) + to_markdown(found)


def test_places_are_links_in_a_job(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """On GitHub and GitLab, to the lines of the commit that has them; a comment without room for links has none."""
    file = "a (b)|[c].yml"
    project = MANIFEST % f"a: {{patch: {{base: '{file}'}}}}"
    commit(place, {"plait.yml": project, file: "x: 1\ny: [1]\nz: 1\n"})
    old = commit(place, {})
    new = commit(place, {file: "x: 1\ny:\n- 2\n- 3\n"})
    github = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "o/r"}
    gitlab = {"CI_PROJECT_URL": "https://gitlab.com/g/s/r"}
    for variables, start, dash in (
        (github, "https://github.com/o/r/blob/", "-L"),
        (gitlab, "https://gitlab.com/g/s/r/-/blob/", "-"),
    ):
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            assert main(["review", old, new, "-o", "markdown"]) == 0
        text = capfd.readouterr().out
        assert f"| [`a (b)\\|[c].yml:2-4`]({start}{new}/a%20%28b%29%7C%5Bc%5D.yml#L2{dash}4) | " in text
        assert f"| [`a (b)\\|[c].yml:3 removed`]({start}{old}/a%20%28b%29%7C%5Bc%5D.yml#L3) | " in text
    found = review(old, new)
    assert "](" not in to_markdown(found)
    assert "](" not in to_markdown(found, FileLinks("https://x/" + "y" * 70_000, "-L", *found.commits))


def test_a_removed_document_is_not_folded(place: Path) -> None:
    keys = [f"k{number}" for number in range(12)]
    many = "\n".join(f"{key}: [%d, %d]" for key in keys)
    gone = "---\nschema: a/B/v1\nmetadata: {name: gone}\n"
    project = MANIFEST % "app: {render: {files: [a.yml, b.yml]}}"
    commit(place, {"plait.yml": project, "a.yml": many % ((1,) * 24), "b.yml": gone})
    write(place, {"a.yml": many % ((2,) * 24), "b.yml": ""})
    rows = cause_rows(review("HEAD").causes)
    assert [row.removes for row in rows] == [True] + [False] * 12
    assert rows[0].values <= rows[1].values


def test_names_of_commits_are_shortened(place: Path) -> None:
    project = MANIFEST % RUN % ("a", "a")
    old = commit(place, {"plait.yml": project, "a.yml": "a: 1\n"})
    new = commit(place, {"a.yml": "a: 2\n"})
    assert f"`{old[:10]}...{new[:10]}`" in to_markdown(review(f"{old}...{new}"))
    assert f" {old[:10]}...{new[:10]}:" in to_text(review(old, new))


@pytest.mark.skipif(sys.platform != "linux", reason="only there is memory limited in this way")
def test_the_memory_limit_is_that_of_several_evaluations(place: Path) -> None:
    """A review keeps both sides with their provenance, so the limit of one run would end it."""
    code = (
        "from resource import RLIMIT_DATA, getrlimit\nfrom plait.base.process import own_process\n"
        "import plait.cli.review as one\nfrom plait.cli import main\nown_process()\n"
        "one._reviewed = lambda _: print(getrlimit(RLIMIT_DATA)[0] >> 20) or 0\nmain(['review', 'HEAD'])\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) > 5 * 192


def test_few_causes_are_a_row_each(place: Path) -> None:
    names = [f"r{number}" for number in range(5)]
    project = MANIFEST % RUN % ("a", "a")
    changed(place, {"plait.yml": project, "a.yml": manifest("1", *names)}, {"a.yml": manifest("2", *names)})
    found = review("HEAD")
    assert len(cause_rows(found.causes)) == len(found.causes) == 10


def test_one_value_in_many_files_is_one_row(place: Path) -> None:
    files = {f"config/part/f{n}.yml": f"kind: Thing\nmetadata: {{name: t{n}, version: v1}}\n" for n in range(11)}
    project = "runs: {app: {render: {files: [config]}}}\n"
    changed(place, {"plait.yml": project, **files}, {name: text.replace("v1", "v2") for name, text in files.items()})
    (row,) = cause_rows(review("HEAD").causes)
    assert list(row.places) == [("config/part", "11 files, 11 places", ())]


def test_consequences_of_several_runs_are_told_once(place: Path) -> None:
    """What happens in all runs is one entry, and what only one run adds is another; the most severe come first."""
    groups = "[{name: web, stemcell: old}, {name: db, stemcell: old}%s]"
    project = MANIFEST % ", ".join(RUN % (name, name) for name in ("a", "b"))
    one = manifest("1", "x", groups=groups % "")
    more = manifest("1", "x", groups=groups % ", {name: cell, stemcell: old}")
    files = {"a.yml": one, "b.yml": more}
    news = {name: text.replace("old", "new").replace("x-1", "x-2") for name, text in files.items()}
    changed(place, {"plait.yml": project, **files}, news)
    found = review("HEAD")
    assert [(one.text, one.where, subjects_text(one)) for one in found.consequences] == [
        ("2 instance groups are recreated", "", "cf: web (stemcell); db (stemcell)"),
        ("1 instance group is recreated", "1 of 2 runs: b", "cf: cell (stemcell)"),
        ("1 release has a different version", "", "cf: x x-1 → x-2"),
    ]


def test_long_values_show_where_they_differ(place: Path) -> None:
    text = "kind: Thing\nmetadata: {{name: a}}\nnote: " + "word " * 60 + "{} end\n"
    project = "runs: {app: {render: {files: [config]}}}\n"
    changed(place, {"plait.yml": project, "config/a.yml": text.format("one")}, {"config/a.yml": text.format("two")})
    (change,) = review("HEAD").changes
    assert (change.before, change.after) == (
        "…word word word word word word one end", "…word word word word word word two end"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("storage-cli", "https://a.example/?b=1", "storage-cli → https://a.example/?b=1"),
        ("'5'", "5", '"5" → 5'),
        ("'true'", "true", '"true" → true'),
        ("a", "' a'", "a → ' a'"),
    ],
)
def test_quotes_only_where_they_say_something(place: Path, old: str, new: str, shown: str) -> None:
    text = "kind: Thing\nmetadata: {{name: a}}\nvalue: {}\n"
    project = "runs: {app: {render: {files: [config]}}}\n"
    changed(place, {"plait.yml": project, "config/a.yml": text.format(old)}, {"config/a.yml": text.format(new)})
    assert f"value: {shown}\n" in to_text(review("HEAD"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("Deployment/web", "Deployment"), ("ns/Deployment/web", "Deployment"), ("armada/Chart/v1/web", "Chart"),
     ("a.yml", ""), ("v1/web", "v1"), ("", "")],
)  # fmt: skip
def test_the_kind_in_a_name(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("path", "key"),
    [("a.b", "b"), ("a", "a"), ("l[name=x].v", "v"), ("l[name=a.b]", "l"), ("l[0][1]", "l"), ('m."a.b/c"', '"a.b/c"'),
     ('m."a[0].b"[1]', '"a[0].b"'), ("", "")],
)  # fmt: skip
def test_the_last_key_of_a_path(path: str, key: str) -> None:
    assert last_key(path) == key
