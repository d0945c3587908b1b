"""What is kept between evaluations of the same files changes nothing of what they give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

import plait
from plait.base.code_cache import MemoryCache
from plait.base.limits import Limits, budget_scope
from plait.cli.tools import table
from plait.engine.incremental import Engine
from plait.engine.world import evaluate_in
from plait.tree.context import Context
from plait.ytt.workspace.session import KEPT
from plait.ytt.workspace.template_cache import TemplateCache
from typed import evaluate

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


@contextmanager
def keeping(kept: TemplateCache) -> Iterator[None]:
    token = KEPT.set(kept)
    try:
        yield
    finally:
        KEPT.reset(token)


def evaluated(context: Context, engine: Engine | None = None) -> tuple[str, list[str], int]:
    """The output, what was printed, and the steps that it took."""
    from plait.starlark.step_budget import budget_of

    printed: list[str] = []
    context.print_line.to = printed.append
    made = evaluate_in(context, table("render").parse(["-f", "."]), engine)
    return made.to_yaml(), printed, budget_of(context).spent


@pytest.mark.untraced
@pytest.mark.parametrize("engine", [None, Engine()], ids=["alone", "engine"])
def test_each_change_is_seen(engine: Engine | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    kept, cache = TemplateCache(), MemoryCache()
    before = ""
    for name, new in CHANGES:
        if new is None:
            (tmp_path / name).unlink()
        else:
            (tmp_path / name).write_text(new, "utf-8")
        with keeping(kept):
            text_again, printed_again, steps_again = evaluated(Context(cache=cache), engine)
        text_anew, printed_anew, steps_anew = evaluated(Context(cache=cache))
        assert (text_again, printed_again) == (text_anew, printed_anew), name
        assert steps_again >= steps_anew
        assert text_again != before or name == "prints.yml", name
        before = text_again


@pytest.mark.untraced
def test_what_is_the_same_is_not_evaluated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yml").write_text("a: #@ 1 + 1\n")
    (tmp_path / "b.yml").write_text("b: #@ 1 + 2\n")
    monkeypatch.chdir(tmp_path)
    kept = TemplateCache()

    def documents() -> list[object]:
        with keeping(kept):
            return [one.value for one in evaluate("render", ["-f", "."], Context()).nodes.items]

    first = documents()
    (tmp_path / "b.yml").write_text("b: #@ 1 + 3\n")
    second = documents()
    assert second[0] is first[0]
    assert second[1] is not first[1]


@pytest.mark.untraced
def test_limits_hold_for_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yml").write_text("a: #@ [x for x in range(1000)]\n")
    monkeypatch.chdir(tmp_path)
    kept = TemplateCache()
    for words in (["-f", "."], ["-f", ".", "--limit", "steps=100"]):
        # The limits that flags set end with what they are for.
        with (
            keeping(kept),
            budget_scope(Limits()),
            pytest.raises(plait.LimitError) if len(words) > 2 else nullcontext(),
        ):
            evaluate("render", words, Context())
