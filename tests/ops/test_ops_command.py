"""`plait patch` on files: in place, with the format kept, and what a small run loads."""

from __future__ import annotations

import io
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from plait.base.source import Source
from plait.cli import main
from plait.ops.definitions import interpolate
from plait.ops.job import patch
from plait.ops.operations import Replace
from plait.ops.pointer import parse
from plait.ops.reader import keep_format, read_first
from plait.ops.variables import Sources
from plait.tree.nodes import Array, ArrayItem, Map, from_plain, to_plain

if TYPE_CHECKING:
    from pathlib import Path

KEPT = """\
# the platform team owns this file
name: web   # shown on the wall

releases:
- name: nginx
  version: "1.27"   # a string, please

- {name: cron, version: 2}
defaults: &defaults {memory: 1G, disk: 2G}
small:
  <<: *defaults
  memory: 512M
motd: |
  hello

  there

# the end
"""


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "utf-8"))


def test_in_place_with_the_format_kept(tmp_path: Path) -> None:
    base, ops = tmp_path / "base.yml", tmp_path / "ops.yml"
    base.write_text(KEPT)
    base.chmod(0o640)
    ops.write_text(
        "- {type: replace, path: /name, value: shop}\n"
        "- {type: replace, path: /releases/name=nginx/version, value: '1.28'}\n"
        "- {type: replace, path: /releases/name=cron:before, value: {name: logs, version: 1}}\n"
        "- {type: replace, path: /releases/name=cron/version, value: 3}\n"
        "- {type: replace, path: /small/memory, value: 1G}\n"
        "- {type: remove, path: /motd}\n"
        '- {type: replace, path: "/owner?", value: {team: ((team))}}\n'
    )
    assert main(["patch", "--in-place", "--keep-format", str(base), "-o", str(ops), "-v", "team=looms"]) == 0
    assert (
        base.read_text()
        == """\
# the platform team owns this file
name: shop   # shown on the wall

releases:
- name: nginx
  version: "1.28"   # a string, please
- name: logs
  version: 1

- {name: cron, version: 3}
defaults: &defaults {memory: 1G, disk: 2G}
small:
  <<: *defaults
  memory: 1G
owner:
  team: looms

# the end
"""
    )
    assert stat.S_IMODE(base.stat().st_mode) == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["base.yml", "ops.yml"]


def test_in_place_without_it_prints_sorted(tmp_path: Path) -> None:
    base = tmp_path / "base.yml"
    base.write_text("b: 1\na: 2 # gone\n")
    assert main(["patch", "--in-place", str(base)]) == 0
    assert base.read_text() == "a: 2\nb: 1\n"


def kept(text: str, path: str, value: object) -> str:
    from plait.tree.nodes import from_plain

    source = Source("base.yml", text)
    old = read_first(source)
    return keep_format(source, old, patch(old, [Replace(parse(path), from_plain(value))]))


def test_an_alias_of_what_is_changed_is_written_out() -> None:
    assert kept("a: &x {p: 1}   # one\nb: *x   # two\n", "/a/p", 2) == "a: &x {p: 2}   # one\nb:   # two\n  p: 1\n"


def test_an_alias_that_is_changed_leaves_its_anchor_alone() -> None:
    assert kept("a: &x\n  p: 1\nb: *x\n", "/b/p", 2) == "a: &x\n  p: 1\nb:\n  p: 2\n"


def test_a_key_that_a_merge_brings_is_changed() -> None:
    text = "a: &x {p: 1, q: 1}\nb:\n  # why\n  <<: *x\n  r: 1\nc: 1 # stays\n"
    assert kept(text, "/b/p", 2) == "a: &x {p: 1, q: 1}\nb:\n  # why\n  p: 2\n  q: 1\n  r: 1\nc: 1 # stays\n"


def test_later_documents_and_line_ends_stay() -> None:
    assert kept("a: 1\r\nb: 2 # c\r\n---\r\nz : [ 1]\r\n", "/c?", [1]) == (
        "a: 1\r\nb: 2 # c\r\nc:\r\n- 1\r\n---\r\nz : [ 1]\r\n"
    )


def test_the_input_tree_is_shared_and_stays() -> None:
    inner = Map([])
    tree = Array([ArrayItem(inner), ArrayItem(1)])
    changed = patch(tree, [Replace(parse("/1"), 2)])
    assert isinstance(changed, Array)
    assert changed.items[0] is tree.items[0]
    assert tree.items[1].value == 1


def test_a_small_run_loads_little(tmp_path: Path) -> None:
    base = tmp_path / "base.yml"
    base.write_text("a: ((x))\n")
    program = (
        "import sys; before = set(sys.modules); from plait.cli import main; status = main(sys.argv[1:]); "
        "sys.stderr.write(' '.join(set(sys.modules) - before)); sys.exit(status)"
    )
    argv = [sys.executable, "-c", program, "patch", str(base), "-v", "x=1"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout == "a: 1\n"
    loaded = set(done.stderr.split())
    assert not loaded & {
        "argparse",
        "cryptography",
        "dataclasses",
        "enum",
        "functools",
        "inspect",
        "json",
        "jsonschema",
        "pathlib",
        "re",
        "secrets",
        "typing",
        "plait.ops.certificates",
        "plait.ops.difference",
        "plait.yaml.format_preserving",
        "plait.ops.generate",
        "plait.ops.store",
        "plait.ytt.workspace",
    }


def test_the_text_of_a_file_is_its_bytes_and_yaml_may_be_utf_16(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    utf_16 = "x: \u00e9\n".encode("utf-16")
    base, value = tmp_path / "base.yml", tmp_path / "value"
    value.write_bytes(utf_16)
    base.write_text("a: ((v))\nb: ((x))\n")
    assert main(["patch", str(base), "--var-file", f"v={value}", "-l", str(value)]) == 0
    assert capfd.readouterr().out == "a: !!binary //54ADoAIADpAAoA\nb: \u00e9\n"
    value.write_bytes(utf_16[:-1])
    assert main(["patch", str(value)]) == 1


@pytest.mark.parametrize("text", ["((vault))", "(( vault ))"])
def test_a_variable_with_the_name_of_an_operator_is_one(text: str) -> None:
    import plait

    patched = plait.patch({"base.yml": f"a: {text}\n"}, variables={"vault": 1})
    assert (patched.to_yaml(), patched.warnings) == ("a: 1\n", [])


def test_the_time_of_dotted_names_grows_with_their_number() -> None:
    def calls(size: int) -> int:
        count = 0

        def note(_frame: object, event: str, _argument: object) -> None:
            nonlocal count
            count += event == "call"

        given = from_plain({f"v{number}": {"a": number} for number in range(size)})
        base = from_plain({f"k{number}": f"((v{number}.a))" for number in range(size)})
        assert type(given) is Map
        sources = Sources()
        sources.give_map(given)
        sys.setprofile(note)
        try:
            filled = interpolate(base, sources)
        finally:
            sys.setprofile(None)
        assert to_plain(filled) == {f"k{number}": number for number in range(size)}
        return count

    assert calls(400) < 5 * calls(100)
