"""Required data values, against a model: what is missing is what the schema wants and nobody gave."""

from __future__ import annotations

import random
from typing import Any

import pytest

import plait

KEYS = "abcd"


class Made:
    """A schema, values for it, and what the model says is missing."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.missing: list[str] = []
        self.lines = ["#@data/values-schema", "---"]
        self.values, _ = self.map("", 0, given=True)

    def map(self, indent: str, depth: int, *, given: bool, path: str = "") -> tuple[dict[str, Any], bool]:
        """Declares keys below an indent; gives values for some of them, and whether that is anything."""
        out: dict[str, Any] = {}
        gives = False
        for key in KEYS[: self.random.randrange(1, 4)]:
            name = f"{path}.{key}" if path else key
            is_required = self.random.random() < 0.4
            is_given = given and self.random.random() < 0.5
            if is_required:
                self.lines.append(f"{indent}#@schema/required")
            kind = self.random.choice(["text", "text", "map", "nullable"] if depth < 3 else ["text"])
            if kind == "text":
                self.lines.append(f"{indent}{key}: x")
                value: Any = "x"  # which is not missing, though it is what the schema shows
            else:
                if kind == "nullable":
                    self.lines.append(f"{indent}#@schema/nullable")
                self.lines.append(f"{indent}{key}:")
                before = len(self.missing)
                value, inner = self.map(indent + "  ", depth + 1, given=is_given, path=name)
                if kind == "map" and not inner:
                    # It is given by what is in it.
                    out.update({key: value} if is_given else {})
                    is_given = False
                if not is_given and (is_required or kind == "nullable"):
                    # Nobody looks into what is missing itself, or null.
                    del self.missing[before:]
            gives = gives or is_given
            if is_given:
                out[key] = value
            elif is_required:
                self.missing.append(name)
        return out, gives


@pytest.mark.parametrize("seed", range(150))
def test_what_is_missing_is_told(seed: int) -> None:
    made = Made(seed)
    files = {"schema.yml": "\n".join(made.lines) + "\n", "app.yml": '#@ load("@ytt:data", "data")\nv: #@ data.values\n'}
    plain = plait.render(files, values=made.values)
    if not made.missing:
        assert plait.render(files, values=made.values, extensions=["required"]).to_yaml() == plain.to_yaml()
        return
    with pytest.raises(plait.SchemaError) as info:
        plait.render(files, values=made.values, extensions=["required"])
    told = [one.message.removeprefix("the data value ").partition(" ")[0] for one in info.value.findings]
    assert sorted(told) == sorted(made.missing), files["schema.yml"]


def test_the_model_has_both_ends() -> None:
    ends = {bool(Made(seed).missing) for seed in range(150)}
    assert ends == {True, False}
