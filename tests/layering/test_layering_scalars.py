"""Plain scalars of layered documents mean what PyYAML takes them for."""

from __future__ import annotations

import datetime as dt
import math

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from plait.layering.job import LayerJob
from plait.layering.plain_scalars import Float, plain_values
from plait.tree.nodes import Document, DocumentSet, Map, MapItem
from plait.yaml.writer import write_value

WORDS = [
    "yes",
    "No",
    "ON",
    "off",
    "y",
    "n",
    "null",
    "~",
    "Null",
    ".inf",
    "-.INF",
    ".nan",
    "1e3",
    "1.5e+3",
    "0o17",
    "017",
    "08",
    "0x1F",
    "0xg",
    "1:30",
    "01:30",
    "1:30.5",
    "1:99",
    "1_000",
    "1.",
    ".5",
    "+.5",
    "-0",
    "0b11",
    "0b2",
    "12e03",
    "1_",
    "_1",
    "0_7",
    "1._",
    "1.5.5",
    "-1:30",
    "+12",
    "-",
    "+",
    ".",
    "1e+20",
    "1.0e+20",
    "x",
]


def same(ours: object, theirs: object) -> bool:
    if isinstance(theirs, dt.date):
        return isinstance(ours, str)
    if isinstance(theirs, float):
        return isinstance(ours, float) and (ours == theirs or (math.isnan(ours) and math.isnan(theirs)))
    return type(ours) is type(theirs) and ours == theirs


def resolved(text: str) -> object:
    """What PyYAML makes of a plain scalar."""
    node = pyyaml.ScalarNode(pyyaml.SafeLoader("").resolve(pyyaml.ScalarNode, text, (True, False)), text)  # type: ignore[no-untyped-call]
    try:
        return pyyaml.SafeLoader("").construct_document(node)
    except (ValueError, IndexError):
        return text


@pytest.mark.parametrize("text", WORDS)
def test_words(text: str) -> None:
    assert same(plain_values[text], resolved(text))


@given(st.text("0123456789abexo_.:+-", min_size=1, max_size=7))
def test_numbers(text: str) -> None:
    theirs = resolved(text)
    # A prefix without digits fails in PyYAML; here it is text.
    assert same(plain_values[text], theirs)


@given(st.floats())
def test_a_float_is_read_back_as_the_same_float(number: float) -> None:
    again = pyyaml.safe_load(write_value(Float(number)))
    assert isinstance(again, float)
    assert again == number or math.isnan(number)


def test_a_float_prints_its_point() -> None:
    assert [write_value(Float(n)) for n in (1.0, 1e20, -2.5e-7)] == ["1.0\n", "1.0e+20\n", "-2.5e-07\n"]


@given(
    st.one_of(
        st.text(st.sampled_from("0123456789xb_-+.:eEaAfF~=<nyTZ "), min_size=1, max_size=24),
        st.from_regex(r"0x[0-9A-F]{15,20}", fullmatch=True),
        st.from_regex(r"0x[0-9A-F]{130}", fullmatch=True),
        st.sampled_from(["=", "<<", "0x_", ".9_"]),
    )
)
def test_a_string_is_read_back_as_the_same_string(text: str) -> None:
    written = LayerJob.text(DocumentSet([Document(Map([MapItem("a", text), MapItem(text, "b")]))]))
    assert pyyaml.safe_load(written) == {"a": text, text: "b"}


def test_what_go_yaml_takes_for_a_string_is_quoted_for_pyyaml_alone() -> None:
    text = "0x0C0000300000C00003"
    assert write_value(text) == f"{text}\n"
    assert LayerJob.text(DocumentSet([Document(text)])) == f'"{text}"\n'
