"""What files say is shown in an editor as it is: it becomes no link, no image and no HTML."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from workshop import workshop

from plait.authoring.lsp import completion, hover
from plait.authoring.lsp.markdown import block, code, plain

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = [
    "[a](http://evil)",
    "![a](http://evil/x.png)",
    "<img src=http://evil>",
    "<http://evil>",
    "http://evil/x",
    "www.evil.com",
    "me@evil.com",
    "mailto:me@evil.com",
    "` [a](http://evil) `",
    "\\` [a](http://evil) `",
    "a\n```\n[a](http://evil)\n",
    "``` `` [a](http://evil)",
    "[a]: http://evil\n\n[a]",
    "&#91;a](http://evil)",
    "a | b [x](http://evil)",
]


def outside_of_code(text: str) -> str:
    """Markdown without its blocks of code and code spans, by CommonMark's rules for the length of fences."""
    lines, fence = [], ""
    for line in text.split("\n"):
        found = re.match(r" {0,3}(`{3,})([^`]*)$", line)
        if not fence and found:
            fence = found[1]
        elif fence:
            fence = "" if found and len(found[1]) >= len(fence) and not found[2].strip() else fence
        else:
            lines.append(line)
    assert not fence
    return re.sub(r"(?<![`\\])(?:\\\\)*(`+)(?!`)(.*?)(?<!`)\1(?!`)", "", "\n".join(lines))


def is_inert(text: str) -> bool:
    rest = re.sub(r"\\[^\w\s]", "", outside_of_code(text))
    return re.search(r"[\[\]<]|\w://|www\.|\w@|mailto:|&#", rest) is None


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_no_markup(text: str) -> None:
    assert is_inert(plain(text)), plain(text)
    assert is_inert(f"a {code(text)} b")
    assert is_inert(f"a\n\n{block(text)}\n\nb")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_files_say_becomes_markup(text: str, tmp_path: Path) -> None:
    quoted = json.dumps(text)
    line = " ".join(text.split())
    files = {
        "schema.yml": f"#@data/values-schema\n---\n#@schema/desc {quoted}\nname: {quoted}\n",
        "f.star": f"# {line}\ndef f(x):\n  return x\nend\n",
        "app.yml": (
            '#@ load("@ytt:data", "data")\n#@ load("f.star", "f")\n---\nkind: A\nmetadata:\n'
            f"  name: {quoted}\n{quoted}: #@ f(data.values.name)\n"
        ),
        "plait.yml": f"runs:\n  {quoted}:\n    render: {{files: [schema.yml, app.yml, f.star]}}\n",
    }
    shown = []
    with workshop(tmp_path, files) as made:
        for name in ("app.yml", "schema.yml"):
            path = made.open(name)
            for number, one in enumerate(files[name].split("\n"), 1):
                for column in range(1, len(one) + 2, 3):
                    if (found := hover.hover(made.state, path, number, column)) is not None:
                        shown.append(found.text)
                shown += [offer.documentation for offer in completion.complete(made.state, path, number, len(one) + 1)]
    hostile = [one for one in shown if "evil" in one]
    assert hostile
    for one in dict.fromkeys(hostile):
        assert is_inert(one), one
