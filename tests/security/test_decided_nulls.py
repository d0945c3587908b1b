"""Values and documents that a secret made null, empty or of one kind or another, and what overlays and merges do to them.

In the place of null a map is inserted, into another map it is merged; a document that is null or empty is dropped. What
is shown is the same.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import plait

HEAD = '#@ load("@ytt:data", "data")\n#@ load("@ytt:overlay", "overlay")\n#@ flag = data.values.flag\n'
VALUES = {
    "null or a map": 'None if flag else {"p": 1}',
    "null or a list": "None if flag else [1]",
    "null or a scalar": "None if flag else 1",
    "null or empty": "None if flag else {}",
    "empty or a map": '{} if flag else {"p": 1}',
    "a map or a list": '{"p": 1} if flag else [1]',
    "empty or a text": '"" if flag else "a"',
}
PLACES = {
    "a key": ("k: #@ {}\n", 0),
    "a key below": ("m:\n  k: #@ {}\n", 2),
    "a fragment": ("#@ def f():\nk: #@ {}\n#@ end\nm: #@ f()\n", 2),
}
RIGHT = {
    "a map": "k:\n  p: 9\n",
    "a map of maps": "k:\n  p:\n    q: 9\n",
    "a new key": "k:\n  #@overlay/match missing_ok=True\n  q: 9\n",
    "a list": "k:\n- 9\n",
    "an item": "k:\n#@overlay/append\n- 9\n",
    "a scalar": "k: 9\n",
    "null": "k: null\n",
    "a removal": "k:\n  #@overlay/match missing_ok=True\n  #@overlay/remove\n  p: 9\n",
    "a replacement or an addition": "k:\n  #@overlay/match missing_ok=True\n  #@overlay/replace or_add=True\n  b: 9\n",
    "a replacement": "#@overlay/replace\nk:\n  p: 9\n",
    "a function": "#@overlay/replace via=lambda l, r: r\nk:\n  p: 9\n",
    "an assertion": "#@overlay/assert via=lambda l, r: True\nk:\n  p: 9\n",
    "the removal of the value": "#@overlay/remove\nk: 1\n",
    "defaults of children": "#@overlay/match-child-defaults missing_ok=True\nk:\n  q: 9\n",
    "nothing": "",
}
ALL = "#@overlay/match by=overlay.all\n---\n"
# Overlays onto the first of several documents.
ONTO_DOCUMENTS = {
    "nothing": "",
    "a map": "#@overlay/match by=overlay.index(0)\n---\n#@overlay/match-child-defaults missing_ok=True\np: 9\n",
    "a list": "#@overlay/match by=overlay.index(0)\n---\n- 9\n",
    "a scalar": "#@overlay/match by=overlay.index(0)\n--- 9\n",
    "all of them": '#@overlay/match by=overlay.all, expects="0+"\n---\n#@overlay/match missing_ok=True\nnew: 9\n',
    "a replacement by nothing": '#@overlay/match by=lambda i, l, r: flag and i == 0, expects="0+"\n#@overlay/replace\n--- {}\n',
    "a function": '#@overlay/match by=lambda i, l, r: flag, expects="0+"\n#@overlay/replace via=lambda l, r: None\n---\n',
    "a value of a function": "#@overlay/match by=overlay.index(1)\n#@overlay/replace via=lambda l, r: {} if flag else l\n---\n",
    **{
        f"a subset with {what}": f'#@overlay/match by=overlay.subset({what}), expects="0+"\n---\n#@overlay/match missing_ok=True\nnew: 9\n'
        for what in ('{"v": 1}', '{"v": None}', '{"v": {}}', '{"v": {"p": 1}}', '{"v": [1]}', '{"v": "a"}', '{"z": 1}')
    },
    "an insertion": "#@overlay/match by=overlay.index(0)\n#@overlay/insert after=True\n---\nnew: 9\n",
    "a removal": "#@overlay/match by=overlay.index(0)\n#@overlay/remove\n---\n",
}


def said(files: dict[str, str], flag: bool, *, trace: bool = True, merge: str | None = None) -> list[str]:
    given = {name: HEAD + text for name, text in files.items()}
    if merge is not None:
        Path("merge.yml").write_text(merge, "utf-8")
    try:
        merged = [] if merge is None else [Path("merge.yml")]
        made = plait.render(given, secrets={"flag": flag}, trace=trace, merge=merged)
    except plait.PlaitError as error:
        lines = error.report().splitlines()
        # A withheld error names its line.
        return ["failed", *(lines if "withheld" not in lines[0] else ["withheld"])]
    told = [json.dumps(one.to_dict(), default=str, sort_keys=True) for one in plait.explain(made)] if trace else []
    return ["made", *made.printed, *made.warnings, *told]


def compare(files: dict[str, str], merge: str | None = None) -> None:
    first, second = (said(files, flag, merge=merge) for flag in (True, False))
    if first[0] == second[0]:  # the exit status is not hidden
        assert first == second


@pytest.mark.parametrize("right", RIGHT)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", VALUES)
def test_a_value_that_a_secret_made_null(value: str, place: str, right: str) -> None:
    template, indent = PLACES[place]
    lines = "".join(f"{' ' * indent}{line}\n" for line in RIGHT[right].splitlines())
    text = "m:\n" * bool(indent) + lines
    compare(
        {"a.yml": template.format(VALUES[value]), "o.yml": ALL + text} if lines else {"a.yml": template.format("1")}
    )


@pytest.mark.parametrize("overlay", ONTO_DOCUMENTS)
@pytest.mark.parametrize("value", VALUES)
def test_a_document_that_a_secret_made_null(value: str, overlay: str) -> None:
    files = {
        "a.yml": f"---\nfirst: 1\n--- #@ {VALUES[value]}\n---\nz: 1\n",
        "b.yml": f"--- #@ {VALUES[value]}\n---\nz: 2\n",
    }
    if overlay != "nothing":
        files["o.yml"] = ONTO_DOCUMENTS[overlay]
    compare(files)
    compare({name: text for name, text in files.items() if name != "a.yml"})
    files["a.yml"] = f"---\nfirst: 1\n---\nv: #@ {VALUES[value]}\n---\nz: 1\n"
    compare(files)


@pytest.mark.parametrize("right", ["a map", "a map of maps", "a list", "a scalar", "null"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", VALUES)
def test_a_merge_into_a_value_that_a_secret_made_null(
    value: str, place: str, right: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    template, indent = PLACES[place]
    lines = "".join(f"{' ' * indent}{line}\n" for line in RIGHT[right].splitlines())
    head = "kind: A\nmetadata: {name: a}\n"
    above, below = template.format(VALUES[value]).partition("#@ end\n")[::2] if "def" in template else ("", template)
    text = f"{above}#@ end\n---\n{head}{below}" if above else head + below.format(VALUES[value])
    compare({"a.yml": text}, merge=head + "m:\n" * bool(indent) + lines)
