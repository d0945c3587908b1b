"""Hints for values whose type is another one because of a slip of the keyboard, or of a copy from a page."""

from __future__ import annotations

import pathlib

import pytest

from plait.base.errors import PlaitError
from plait.engine.common import SECRETS
from plait.engine.options import Use
from plait.engine.render import Render
from plait.engine.world import World, evaluate

SCHEMA = "#@data/values-schema\n---\nreplicas: 1\nratio: 1.5\ndebug: false\nname: web\n"
NO_BREAK = "no-break space (U+00A0)"


def hints(tmp_path: pathlib.Path, values: str) -> str:
    (tmp_path / "schema.yml").write_text(SCHEMA, "utf-8")
    (tmp_path / "values.yml").write_text(values, "utf-8")
    request = Render(inputs=[str(tmp_path / "schema.yml")], values_files=[str(tmp_path / "values.yml")])
    with pytest.raises(PlaitError) as caught:
        evaluate(request, World())
    return "\n".join(str(one.hint) for one in (caught.value, *caught.value.findings) if one.hint)


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        ("replicas: 5#five\n", "a space precedes the #"),
        ("debug: true#x\n", "a space precedes the #"),
        ("replicas:3\n", "a space follows the colon"),
        ("replicas:\u00a03\n", NO_BREAK),
        ("replicas: \u00a03\n", NO_BREAK),
        ("ratio: 2\u00a0\n", NO_BREAK),
        ("name: x\nreplicas:\u00a03\ndebug: true\n", NO_BREAK),
        ("replicas: “3”\n", "“ is not a quote"),
        ("debug: ‘true’\n", "‘ is not a quote"),
    ],
)
def test_the_hint_names_the_slip(values: str, hint: str, tmp_path: pathlib.Path) -> None:
    assert hint in hints(tmp_path, values)


@pytest.mark.parametrize(
    "values",
    ["replicas: five#5\n", "replicas: “three”\n", "replicas: a\u00a0b\n", "http://a\n", "text\n", "debug: 5#\n"],
)
def test_other_values_have_the_general_hint(values: str, tmp_path: pathlib.Path) -> None:
    assert "write " in hints(tmp_path, values)


def test_a_file_in_a_directory_of_secrets_is_a_string(tmp_path: pathlib.Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s/replicas").write_text("3", "utf-8")
    (tmp_path / "schema.yml").write_text(SCHEMA, "utf-8")
    request = Render(inputs=[str(tmp_path / "schema.yml")]).over([Use(SECRETS, f"dir:{tmp_path / 's'}")])
    with pytest.raises(PlaitError) as caught:
        evaluate(request, World())
    assert "all of the file is one string" in str([one.hint for one in caught.value.findings])
