"""Maps of any keys: data values and the JSON Schema of them say the same of each."""

from __future__ import annotations

import random

import jsonschema
import pytest

import plait

SCHEMA = """\
#@data/values-schema
---
#@schema/type any=False
map:
  #@schema/key "[ab]+"
  first: 1
  #@schema/key one_of=["c", "bb"]
  second: ""
  named:
    inner: true
    #@schema/key
    any: 1.5
  aa: ""
  #@schema/key "a.*|named|c+"
  third: true
list:
- #@ {}
  #@schema/key "x|y"
  #@schema/nullable
  entry: 1
""".replace("- #@ {}\n", "-\n").replace("#@schema/type any=False\n", "")
KEYS = ("a", "aa", "ac", "ab", "bb", "c", "cc", "named", "x", "y", "xy", "any", "")
VALUES: tuple[plait.Plain, ...] = (
    1,
    "t",
    True,
    2.5,
    None,
    {},
    {"inner": False},
    {"other": 1},
    {"other": "t"},
    {"inner": 1},
)


def values(seed: int) -> dict[str, plait.Plain]:
    """Data values at random, mostly with something wrong."""
    chosen = random.Random(seed)
    table: dict[str, plait.Plain] = {key: chosen.choice(VALUES) for key in chosen.sample(KEYS, chosen.randrange(4))}
    lists = [{key: chosen.choice((1, None, "t")) for key in chosen.sample(("x", "y", "z"), chosen.randrange(3))}]
    return {"map": table, "list": lists} if chosen.random() < 0.8 else {"list": lists}


@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_both_take_the_same(first: int) -> None:
    files = {"schema.yml": SCHEMA}
    described = plait.data_values_schema(files, form="json-schema", extensions=["keys"]).to_dict()
    valid = 0
    for seed in range(first, first + 250):
        given = values(seed)
        try:
            plait.data_values(files, values=given, extensions=["keys"])
            taken = True
        except (plait.SchemaError, plait.OverlayError):
            taken = False
        valid += taken
        assert jsonschema.Draft202012Validator(described).is_valid(given) is taken, given
    assert 20 < valid < 230
