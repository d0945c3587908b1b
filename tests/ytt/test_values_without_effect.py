"""A text template with a value as a statement is warned of; statements are not."""

from __future__ import annotations

import pytest

import plait

LOAD = '(@ load("@ytt:data", "data") -@)\n(@- v, w = data.values, "x" -@)\n'
SCHEMA = "#@data/values-schema\n---\nname: web\n"


def warnings_of(text: str) -> list[str]:
    return [str(one) for one in plait.render({"a.txt": LOAD + text, "schema.yml": SCHEMA}).warnings]


@pytest.mark.parametrize("value", ["w", "v.name", "data.values.name", 'v["name"]', "data.values['name']"])
@pytest.mark.parametrize("form", ["(@ {} @)", "(@- {} -@)", "(@  {} -@)"])
def test_values(value: str, form: str) -> None:
    [warning] = warnings_of("Name:\n" + form.format(value) + "\n")
    assert warning == f"a.txt:4: (@ {value} @) inserts nothing; (@= {value} @) inserts the value"
    assert warnings_of(f"Name:\n(@= {value} @)\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "(@ if True: @)x(@ else: @)y(@ end @)",
        "(@ for one in [1]: @)(@ continue @)(@ end @)",
        "(@ for one in [1]: @)(@ break @)(@ end @)",
        "(@ def f(): @)(@ return @)(@ end @)",
        '(@ print("x") @)',
        "(@ u = v @)",
    ],
)
def test_statements(text: str) -> None:
    assert warnings_of(text + "\n") == []
