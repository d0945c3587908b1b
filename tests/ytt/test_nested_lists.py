"""A list that an expression adds as one item among maps or strings is warned of; the proposed change adds its items."""

from __future__ import annotations

import pytest

import plait

HEAD = """\
#@ load("@ytt:template", "template")
#@ load("envs.lib.yml", "envs")
#@ load("both.lib.yml", "both")
#@ texts = ["a", "b"]
#@ maps = [{"name": "D"}]
#@ pair = [["a"], ["b"]]
"""
LIBRARIES = {
    "envs.lib.yml": "#@ def envs():\n- name: A\n- name: B\n#@ end\n",
    "both.lib.yml": """\
#@ load("@ytt:template", "template")
#@ load("envs.lib.yml", "envs")
#@ def both():
env:
- #@ envs()
- name: C
#@ end
""",
}
MESSAGE = (
    "this item is a list in a list that has no other lists; - #@ template.replace({code}), "
    'with load("@ytt:template", "template"), adds its items instead'
)


def rendered(text: str, code: str = "") -> plait.Rendered:
    """The result of a template. code: the item to which the warning is applied, or ""."""
    files = {"a.yml": HEAD + text, **LIBRARIES}
    if code:
        files = {name: one.replace(f"- #@ {code}", f"- #@ template.replace({code})") for name, one in files.items()}
    return plait.render(files)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("env:\n- #@ envs()\n- name: C\n", "envs()", "a.yml:8"),
        ("any:\n- name: C\n- #@ maps\n", "maps", "a.yml:9"),
        ("any:\n- name: C\n- #@ maps\n- #@ None\n", "maps", "a.yml:9"),
        ("spec:\n  containers:\n  - name: x\n    env:\n    - #@ envs()\n", "envs()", "a.yml:11"),
        ("args:\n- --x\n- #@ texts\n", "texts", "a.yml:9"),
        ("command:\n- #@ texts\n", "texts", "a.yml:8"),
        ("inner: #@ both()\n", "envs()", "both.lib.yml:5"),
    ],
)
def test_a_list_among_other_values(text: str, code: str, place: str) -> None:
    found = rendered(text)
    assert [str(one) for one in found.warnings] == [f"{place}: {MESSAGE.format(code=code)}"]
    assert "- - " in str(found)
    repaired = rendered(text, code)
    assert repaired.warnings == []
    assert "- - " not in str(repaired)


@pytest.mark.parametrize(
    "text",
    [
        'join:\n- ","\n- #@ texts\n',
        "pairs:\n- #@ texts\n- #@ texts\n",
        "pairs:\n- [a, b]\n- #@ texts\n",
        "args:\n- 1\n- #@ texts\n",
        "if:\n- condition\n- #@ maps\n",
        "either:\n- #@ maps\n- other: 1\n",
        "env: #@ envs()\n",
        "args:\n- #@ []\n- a\n",
        "pairs: #@ pair\n",
        "list:\n- #@ envs()\n",
    ],
)
def test_a_list_that_may_be_meant(text: str) -> None:
    assert rendered(text).warnings == []
