"""What is kept of YAML templates: the next run prints the same, warns and refuses the same, and reads no template."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import casefiles
from plait.base.code_cache import CodeCache
from plait.base.errors import LimitError, PlaitError, ReadError, TemplateError, render
from plait.base.limits import Limits, budget_scope
from plait.tree.context import Context
from plait.yaml.output_formats import FORMATS
from plait.ytt.starlark.step_budget import budget_of
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import RenderJob, RenderOptions

if TYPE_CHECKING:
    from pathlib import Path

AREAS = ["templates", "text", "overlay", "schema", "modules", "libraries", "starlark", "yaml"]
CASES = [path for area in AREAS for path in casefiles.found(area)]

# Every kind of node and key, and of place where it stands.
TEXT = """\
#@ load("@ytt:overlay", "overlay")
#@ def part(x):
deep: {flow: [1, {two: 2.5}], "quoted": ~}
#@yaml/text-templated-strings
n(@= x @): (@= x @) and more
? [a, {b: c}]
: true
#@ end
---
first: &anchor
  - 1
  - - nested
    - {}
  - other: |
      text
      of lines
again: *anchor
merged:
  <<: {kept: 12345678901234567890}
  #@ if/end True:
  own: #@ part("k")
#@schema/title "t"
annotated: [1, 2]
--- #@ [1, {"a": None}]
---
just: constants
twice: 1
---
#@ for i in range(2):
#@yaml/map-key-override
? {key: 1}
: - #@ i
  - below:
      #@overlay/match missing_ok=True
      name: #@ i + 1
#@ end
"""


def printed(
    cache: CodeCache | None, text: str, *, name: str = "config.yml", options: RenderOptions | None = None
) -> tuple[object, ...]:
    """What a run prints, and where its nodes stand, the steps that it takes, and what it warns of."""
    return printed_all(cache, f"=== {name}\n{text}", options)


def printed_all(cache: CodeCache | None, given: str, options: RenderOptions | None = None) -> tuple[object, ...]:
    context = Context(cache=cache)
    result = run(RenderJob(casefiles.files_of(given), options), context)
    if cache is not None:
        cache.save()
    shown = [FORMATS[form](result.documents) for form in ("yaml", "pos")]
    texts = [(file.path, file.text) for file in result.texts]
    return (*shown, texts, budget_of(context).spent, context.warnings)


@pytest.fixture
def cache(tmp_path: Path) -> CodeCache:
    return CodeCache(str(tmp_path))


@pytest.mark.parametrize("path", [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in CASES])
def test_every_run_of_a_case_is_like_the_first(path: Path, cache: CodeCache) -> None:
    given = path.read_text("utf-8").partition("\n+++\n")[0] + "\n"

    def outcome(cache: CodeCache | None) -> object:
        try:
            return printed_all(cache, given)
        except PlaitError as error:
            return render(error)

    assert outcome(cache) == outcome(cache) == outcome(None)


@pytest.mark.untraced
def test_nodes_of_every_kind_are_kept(cache: CodeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    first = printed(cache, TEXT)
    assert first == printed(None, TEXT)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("plait.yaml.reader.read", refuse)
    monkeypatch.setattr("plait.ytt.templates.compiler.plan", refuse)
    assert printed(cache, TEXT) == first


_MANY = "".join(f"    k{number}: {{a: [1, 2]}}\n" for number in range(70))
# A function with many nodes: constant, below code, below an annotation, below a loop; and with `@ytt:template`, node by
# node.
COUNTED = {
    "constant": f"top:\n  inner:\n{_MANY}",
    "value": f"top:\n  x: #@ 1\n  inner:\n{_MANY}    v: #@ 2\n",
    "annotation": f"#@overlay/match missing_ok=True\ntop:\n  inner:\n{_MANY}    #@overlay/match missing_ok=True\n    v: 2\n",
    "text": f"#@yaml/text-templated-strings\ntop:\n  inner:\n{_MANY}    v: (@= 'b' @)\n",
    "key": f"#@yaml/text-templated-strings\ntop:\n  (@= 'in' @):\n{_MANY}",
    "block": f"top:\n  #@ if True:\n  inner:\n{_MANY}  #@ end\n",
}


@pytest.mark.parametrize("stepwise", [False, True])
@pytest.mark.parametrize("which", COUNTED)
def test_steps_of_nodes_are_those_of_the_first_run(which: str, cache: CodeCache, *, stepwise: bool) -> None:
    load = '#@ load("@ytt:template", "template")\n' if stepwise else ""
    text = (
        f'#@ load("@ytt:overlay", "overlay")\n{load}#@ def many():\n{COUNTED[which]}#@ end\n'
        "#@ def change():\n#@overlay/match missing_ok=True\nmore: 1\n#@ end\n"
        "a: #@ overlay.apply(many(), change())\n"
    )
    assert printed(cache, text) == printed(cache, text) == printed(None, text)


def test_warnings_are_kept(cache: CodeCache) -> None:
    text = "#@overlay/matsch by='x'\na: #@ 1\n#@overlay/match by='x'\nb: {{ c }}\n"
    first = printed(cache, text)
    assert len(first[-1]) == 3  # type: ignore[arg-type]
    assert printed(cache, text) == first


def test_plain_comments_are_refused_where_they_are_not_allowed(cache: CodeCache) -> None:
    text = "# plain\na: #@ 1\n"
    for _ in range(2):
        assert printed(cache, text, options=RenderOptions(ignore_unknown_comments=True))[0] == "a: 1\n"
        with pytest.raises(TemplateError, match="Failed to parse line 1: '# plain'"):
            printed(cache, text)


def test_what_is_strict_is_read_again(cache: CodeCache) -> None:
    text = "a: #@ 1\nb: yes\n"
    for _ in range(2):
        assert printed(cache, text)[0] == "a: 1\nb: true\n"
        with pytest.raises(ReadError, match="Strict parsing"):
            printed(cache, text, options=RenderOptions(strict=True))


def test_limits_of_a_text_hold_for_what_is_kept(cache: CodeCache) -> None:
    text = "a: #@ 1\nb: {c: {d: {e: 1}}}\nf: &f [1, 2, 3]\ng: *f\n"
    for _ in range(2):
        printed(cache, text)
        for limit in ({"nesting": 2}, {"aliases": 2}):
            with budget_scope(Limits(**limit)), pytest.raises(LimitError):
                printed(cache, text)


def test_a_library_file_is_refused_as_an_input(cache: CodeCache) -> None:
    """As a library file it is not asked whether its annotations make it data values."""
    text = "a: #@ 1\n#@data/values\nb: 2\n"
    for _ in range(2):
        assert printed(cache, text, name="a.lib.yml")[0] == ""
        with pytest.raises(TemplateError, match="Found @data/values on map item"):
            printed(cache, text)


def test_data_values_and_schemas_are_found_again(cache: CodeCache) -> None:
    given = (
        "=== schema.yml\n#@data/values-schema\n---\na: 1\n=== values.yml\n#@data/values\n---\na: 5\n"
        '=== use.yml\n#@ load("@ytt:data", "data")\nis: #@ data.values.a\n'
    )
    for _ in range(2):
        assert printed_all(cache, given)[0] == "is: 5\n"


def test_what_is_nested_too_deep_is_not_kept(cache: CodeCache, tmp_path: Path) -> None:
    text = "a: #@ 1\nb: " + "[" * 2500 + "]" * 2500 + "\n"
    with budget_scope(Limits(nesting=3000)):
        assert printed(cache, text) == printed(cache, text) == printed(None, text)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.untraced
def test_deep_nesting_is_kept(cache: CodeCache, tmp_path: Path) -> None:
    text = "a: #@ 1\nb: " + "[" * 400 + "]" * 400 + "\n"
    assert printed(cache, text) == printed(cache, text) == printed(None, text)
    assert len(list(tmp_path.iterdir())) == 1


def test_another_path_has_its_own_positions(cache: CodeCache) -> None:
    printed(cache, "a: #@ 1\nb:\n  c: 2\n", name="one.yml")
    assert "two.yml:3" in str(printed(cache, "a: #@ 1\nb:\n  c: 2\n", name="two.yml")[1])


def test_a_file_in_memory_is_no_different(cache: CodeCache) -> None:
    for _ in range(2):
        result = run(RenderJob([in_memory("a.yml", "a: #@ 1\nb: [x]\n")], RenderOptions()), Context(cache=cache))
        assert FORMATS["yaml"](result.documents) == "a: 1\nb:\n- x\n"
