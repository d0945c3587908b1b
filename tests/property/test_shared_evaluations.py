"""What evaluations of one process share changes nothing of what they give: random programs and environments."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from incremental import differences, evaluated
from plait.base.fast_paths import FAST
from plait.cli.tools import table
from plait.engine.incremental import Engine

# The first template raises the recursion limit.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 12_000))


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(12))
def test_an_engine_gives_what_a_fresh_evaluation_gives(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [*differences(seed, 30, tmp_path, edits=seed % 2 == 1)] == []


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(8))
def test_an_engine_sees_each_text_of_an_editor(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [*differences(seed, 30, tmp_path, edits=True, in_editor=True)] == []


@pytest.mark.untraced
@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
def test_the_random_programs_find_a_text_that_is_not_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plait.ytt.workspace.shared_files.SharedFiles.has_replaced", lambda *_: False)
    assert [one for seed in (1, 3, 5) for one in differences(seed, 20, tmp_path, edits=True, in_editor=True)]


@pytest.mark.untraced
@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
def test_the_random_programs_find_a_file_that_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plait.ytt.workspace.shared_files.SharedFiles._begin_pass", lambda _self: None)
    found = [one for seed in (1, 3, 5) for one in differences(seed, 20, tmp_path, edits=True)]
    assert found
    assert Engine().part().files(frozenset()).disk_pass == 0


@pytest.mark.untraced
def test_each_evaluation_of_an_instance_records_the_files_of_its_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second template uses an instance that the first one has evaluated; in the last run only the second one does.

    By then the schema is known to have the same result each time.
    """
    load = '#@ load("/m.star", "made")\n'
    files = {
        "_ytt_lib/lib/schema.yml": "#@data/values-schema\n---\nsize: 3\n",
        "_ytt_lib/lib/inner.yml": "#@ load('@ytt:data', 'data')\ninner: #@ data.values.size\n",
        "m.star": (
            'load("@ytt:library", "library")\nload("@ytt:data", "data")\n'
            'lib = library.get("lib").with_data_values({"size": data.values.size})\ndef made():\n  return lib.eval()\nend\n'
        ),
        "a.yml": f'{load}#@ load("@ytt:data", "data")\n#@ if data.values.live:\n---\na: #@ [one for one in made()]\n#@ end\n',
        "b.yml": f"{load}---\nb: #@ [one for one in made()]\n",
        "values.yml": "#@data/values\n---\nlive: true\nsize: 1\n",
    }
    for path, text in files.items():
        (tmp_path / "in" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / path).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    engine = Engine()
    for size, live in ((1, "true"), (2, "true"), (2, "false")):
        values = "--data-value-yaml", f"live={live}", "--data-value-yaml", f"size={size}"
        request = table("render").parse(["-f", "in", *values])
        assert evaluated(request, engine) == evaluated(request, None)
