"""What is kept between evaluations of the same files changes nothing of what they give."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

import plait
from files import write_files
from plait.base.fast_paths import FAST
from plait.base.limits import Limits, budget_scope
from plait.base.memory_cache import MemoryCache
from plait.cli.tools import table
from plait.engine.incremental import Engine
from plait.engine.results import Documents
from plait.engine.world import evaluate_in
from plait.tree.context import Context

FILES = {
    "schema.yml": "#@data/values-schema\n---\nname: web\nsize: 1\n",
    "plain.yml": "kind: Plain\nname: plain\n",
    "template.yml": (
        '#@ load("@ytt:data", "data")\n#@ load("names.lib.yml", "name")\nkind: Template\nname: #@ name(data.values.name)\n'
    ),
    "other.yml": '#@ load("@ytt:data", "data")\nkind: Other\nname: other\nsize: #@ data.values.size\n',
    "names.lib.yml": '#@ def name(one):\n#@   return one + "-a"\n#@ end\n',
    "reads.yml": '#@ load("@ytt:data", "data")\nkind: Reads\nname: reads\ntext: #@ data.read("text.dat")\n',
    "reader.star": (
        'load("@ytt:data", "data")\ntext = data.read("text.dat")\ndef later():\n  return data.read("text.dat")\nend\n'
    ),
    "read_once.yml": '#@ load("reader.star", "text")\nkind: ReadOnce\nname: a\ntext: #@ text\n',
    "read_again.yml": '#@ load("reader.star", "text", "later")\nkind: ReadAgain\nname: a\ntext: #@ text + later()\n',
    "text.dat": "one",
    "prints.yml": '#@ print("printed")\nkind: Prints\nname: prints\n',
    "library.yml": (
        '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n'
        '--- #@ template.replace(library.get("lib").eval())\n'
    ),
    "_ytt_lib/lib/inner.yml": "kind: Inner\nname: inner\n",
    "overlay.yml": (
        '#@ load("@ytt:overlay", "overlay")\n#@ def is_other(index, left, right):\n#@   return left["kind"] == "Other"\n'
        "#@ end\n#@overlay/match by=is_other\n---\n#@overlay/match missing_ok=True\nchanged: true\n"
    ),
}

CHANGES: list[tuple[str, str | None]] = [
    ("plain.yml", FILES["plain.yml"]),
    ("plain.yml", "kind: Plain\nname: changed\n"),
    ("text.dat", "two"),
    ("names.lib.yml", FILES["names.lib.yml"].replace('"-a"', '"-b"')),
    ("_ytt_lib/lib/inner.yml", "kind: Inner\nname: changed\n"),
    ("other.yml", FILES["other.yml"].replace("name: other", "name: another")),
    ("overlay.yml", FILES["overlay.yml"].replace("changed: true", "changed: again")),
    ("schema.yml", FILES["schema.yml"].replace("size: 1", "size: 2")),
    ("prints.yml", FILES["prints.yml"].replace('"printed"', '"anew"')),
    ("template.yml", FILES["template.yml"] + "size: #@ data.values.size\n"),
    ("new.yml", "kind: New\nname: new\n"),
    ("plain.yml", None),
]


def evaluated(context: Context, engine: Engine | None = None) -> tuple[str, list[str], int]:
    """The output, what was printed, and the steps that it took."""
    from plait.ytt.starlark.step_budget import budget_of

    printed: list[str] = []
    context.print_line.to = printed.append
    made = evaluate_in(context, table("render").parse(["-f", "."]), engine)
    return made.to_yaml(), printed, budget_of(context).spent


@pytest.mark.untraced
def test_each_change_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    engine, cache = Engine(), MemoryCache()
    before = ""
    for name, new in CHANGES:
        if new is None:
            (tmp_path / name).unlink()
        else:
            (tmp_path / name).write_text(new, "utf-8")
        again = evaluated(Context(), engine)
        assert again == evaluated(Context(cache=cache)), name
        assert again[0] != before or name == "prints.yml", name
        before = again[0]


def documents(engine: Engine) -> Documents:
    return evaluate_in(Context(), table("render").parse(["-f", "."]), engine)


@pytest.mark.untraced
@pytest.mark.skipif(not FAST, reason="nothing is kept without passes for speed")
def test_what_is_the_same_is_not_evaluated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yml").write_text("a: #@ 1 + 1\n")
    (tmp_path / "b.yml").write_text("b: #@ 1 + 2\n")
    monkeypatch.chdir(tmp_path)
    engine = Engine()
    first = documents(engine).nodes.items
    (tmp_path / "b.yml").write_text("b: #@ 1 + 3\n")
    second = documents(engine).nodes.items
    assert second[0] is first[0]
    assert second[1] is not first[1]


# A template, and True if its result is kept while `size` changes.
_TEMPLATES = {
    "the value of a key": ("a: #@ data.values.name\n", True),
    "the value that changes": ("a: #@ data.values.size\n", False),
    "everything": ('#@ load("@ytt:json", "json")\na: #@ json.encode(data.values)\n', False),
    "all keys": ("a: #@ [one for one in data.values]\n", True),
    "a list, which it changes": ("#@ tags = data.values.tags\n#@ tags.append('x')\na: #@ tags\n", True),
    "a list that a module gives": ('#@ load("m.star", "tags")\na: #@ tags()\n', False),
    "a value that a module reads late": ('#@ load("m.star", "late")\na: #@ late()\n', True),
    "the changed value, by a module, late": ('#@ load("m.star", "size")\na: #@ size()\n', False),
    "what it prints": ("#@ print(data.values.name)\na: 1\nb: #@ data.values.name\n", False),
    "a file": ('a: #@ data.read("m.star")\n', False),
    "a function in an annotation": ("#@my/note lambda: data.values.size\n---\na: #@ data.values.name\n", False),
}


@pytest.mark.untraced
@pytest.mark.skipif(not FAST, reason="nothing is kept without passes for speed")
@pytest.mark.parametrize("reads", _TEMPLATES)
def test_a_result_is_kept_while_what_it_reads_is_the_same(
    reads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, is_kept = _TEMPLATES[reads]
    (tmp_path / "a.yml").write_text(f'#@ load("@ytt:data", "data")\n{text}')
    (tmp_path / "m.star").write_text(
        'load("@ytt:data", "data")\ndef tags():\n  return data.values.tags\nend\n'
        "def late():\n  return data.values.nested.a\nend\ndef size():\n  return data.values.size\nend\n"
    )
    (tmp_path / "v.yml").write_text("#@data/values\n---\nname: a\nsize: 0\ntags: [b]\nnested: {a: 1}\n")
    monkeypatch.chdir(tmp_path)
    engine = Engine()
    for size in range(3):
        request = table("render").parse(["-f", ".", "--data-value-yaml", f"size={size}"])
        assert evaluate_in(Context(), request, engine).to_yaml() == evaluate_in(Context(), request).to_yaml()
    reused, _ = engine.statistics()["templates"]
    # The module can be reused twice.
    assert (reused > 2) is is_kept


@pytest.mark.untraced
def test_limits_hold_for_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yml").write_text("a: #@ [x for x in range(1000)]\n")
    monkeypatch.chdir(tmp_path)
    engine = Engine()
    for words in ([], [], ["--limit", "steps=100"], ["--limit", "nodes=100"], ["--limit", "output=100"]):
        # The limits that flags set end with what they are for.
        with budget_scope(Limits()), pytest.raises(plait.LimitError) if words else nullcontext():
            evaluate_in(Context(), table("render").parse(["-f", ".", *words]), engine).to_yaml()
