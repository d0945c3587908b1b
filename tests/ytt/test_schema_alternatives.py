"""Alternatives: data values and the JSON Schema of them say the same of each; merging keeps to one of them."""

from __future__ import annotations

import random
from collections.abc import Mapping

import jsonschema
import pytest

import plait

SCHEMA = """\
#@ def s3():
kind: s3
region: eu
#@schema/validation min_len=1
bucket: b
#@ end
#@ def gcs():
kind: gcs
region: 1
#@schema/nullable
labels:
  #@schema/one-of "", 0
  a: 1
#@ end
#@ def low():
#@schema/validation max=5
a: 1
#@ end
#@ def high():
a: 1.5
b: ""
#@ end
#@data/values-schema
---
#@schema/one-of s3(), gcs(), by="kind"
told:
  kind: gcs
#@schema/one-of "", [0], low(), high()
near: [1]
#@schema/nullable
#@schema/one-of 1.5, True, {"a": ""}, {"a": 0}
null: 1
#@schema/validation not_null=True
#@schema/nullable
#@schema/one-of "", 0
given: 1
list:
#@schema/one-of s3(), gcs(), by="kind"
- kind: s3
map:
  #@schema/key
  #@schema/one-of low(), high()
  key:
    a: 2
""".replace("\nnull:", "\nmaybe:")
WITH = ["alternatives", "keys"]
SCALARS: tuple[plait.Plain, ...] = ("", "t", 0, 7, 2.5, True, None, [], [1], ["t"], {})
MAPS: dict[str, tuple[plait.Plain, ...]] = {
    "kind": ("s3", "gcs", "gcx", 1),
    "region": ("us", 2),
    "bucket": ("", "b"),
    "labels": (None, {}, {"a": ""}, {"a": 2}, {"a": True}),
    "a": (1, 9, "t", 2.5),
    "b": ("t", 1),
}


def some(chosen: random.Random) -> plait.Plain:
    """A value that some of the alternatives take."""
    if chosen.random() < 0.3:
        return chosen.choice(SCALARS)
    keys = chosen.choice((["kind", "region"], ["kind", "region", "bucket", "labels"], ["a", "b"], ["a"], ["b", "kind"]))
    return {key: chosen.choice(MAPS[key]) for key in chosen.sample(keys, chosen.randrange(len(keys) + 1))}


def values(seed: int) -> dict[str, plait.Plain]:
    """Data values at random, with something wrong in about half of them."""
    chosen = random.Random(seed)
    found: dict[str, plait.Plain] = {"given": some(chosen) if chosen.random() < 0.2 else 1}
    for key in chosen.sample(("told", "near", "maybe", "list", "map"), chosen.randrange(1, 3)):
        if key == "list":
            found[key] = [some(chosen) for _ in range(chosen.randrange(3))]
        else:
            found[key] = {"x": some(chosen)} if key == "map" else some(chosen)
    return found


def taken(given: Mapping[str, plait.Plain]) -> dict[str, plait.Plain] | None:
    """The data values that come of it; None where they are refused."""
    try:
        found = plait.data_values({"schema.yml": SCHEMA}, values=given, extensions=WITH).to_dict()
    except plait.SchemaError:
        return None
    return {str(key): value for key, value in found.items()}


@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_both_take_the_same(first: int) -> None:
    described = plait.data_values_schema({"schema.yml": SCHEMA}, form="json-schema", extensions=WITH).to_dict()
    schema = {str(key): value for key, value in described.items()}
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    valid = 0
    for seed in range(first, first + 250):
        given = values(seed)
        found = taken(given)
        valid += found is not None
        assert validator.is_valid(given) is (found is not None), given
        if found is not None:  # what came of it is complete, and stays as it is
            assert taken(found) == found, given
    assert 40 < valid < 210


def test_a_secret_of_another_alternative_is_hidden() -> None:
    schema = (
        "#@ def a():\nkind: a\nuser: x\n#@ end\n"
        "#@ def b():\nkind: b\n#@schema/secret\npassword: x\n#@ end\n"
        '#@data/values-schema\n---\n#@schema/one-of a(), b(), by="kind"\nlogin:\n  kind: a\n'
    )
    values = {"1.yml": "login: {kind: b}", "2.yml": "login:\n  password: hunter2"}
    templates = {
        "schema.yml": schema,
        "app.yml": '#@ load("@ytt:data", "data")\nfound: #@ data.values.login.password\n',
    }
    run = plait.render(templates, values_files=values, extensions=["alternatives", "secrets"], trace=True)
    assert run.to_dict() == {"found": "hunter2"}
    [told] = plait.explain(run, "found")
    assert told.entries
    assert "hunter2" not in str([(entry.value, entry.text) for entry in told.entries])
