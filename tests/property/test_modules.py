"""Laws of the `@ytt:` modules: what was encoded decodes to itself, and no text makes anything but a StarlarkError."""

from __future__ import annotations

import base64
import ipaddress
import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.base.errors import StarlarkError
from plait.tree.context import Context
from plait.tree.nodes import from_plain, to_plain
from plait.ytt.modules import load_module
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.comparison import equals
from plait.ytt.starlark.values import Builtin
from plait.ytt.yaml_fragments import to_data

# The first call into the language raises the recursion limit, which must not happen inside a test of hypothesis.
call(Builtin("nothing", lambda: None))

TEXT = st.text(max_size=12)
BYTES = st.binary(max_size=12).map(lambda data: data.decode("utf-8", "surrogateescape"))
# A map that is encoded with the key of a merge is a merge when it is decoded.
KEYS = st.text(max_size=4).filter(lambda key: key != "<<")
SCALARS = st.one_of(TEXT, st.booleans(), st.integers(-(2**50), 2**50), st.floats(allow_nan=False, allow_infinity=False))
TREES = st.recursive(
    st.one_of(SCALARS, st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=10,
)
TABLES = st.dictionaries(
    KEYS,
    st.recursive(
        SCALARS,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
        max_leaves=8,
    ),
    max_size=4,
)


def value(name: str, *args: object, **kwargs: object) -> object:
    module, _, member = name.partition(".")
    return call(load_module(module, Context()).attr(member), args, kwargs)


def starlark(plain: object) -> object:
    return to_data(from_plain(plain))


@given(TREES, st.integers(0, 8), st.booleans())
def test_json_round_trip(tree: object, indent: int, escape_html: bool) -> None:
    encoded = value("json.encode", starlark(tree), indent=indent, escape_html=escape_html)
    assert isinstance(encoded, str)
    assert json.loads(encoded, parse_int=float) == tree
    assert equals(value("json.decode", encoded), starlark(tree))


@given(TREES)
def test_yaml_round_trip(tree: object) -> None:
    assert equals(value("yaml.decode", value("yaml.encode", starlark(tree))), starlark(tree))


@given(TABLES)
def test_toml_round_trip(tree: dict[str, object]) -> None:
    encoded = value("toml.encode", starlark(tree))
    assert isinstance(encoded, str)
    assert tomllib.loads(encoded) == tree
    assert equals(value("toml.decode", encoded), starlark(tree))


@given(BYTES, st.booleans(), st.booleans())
def test_base64_round_trip(text: str, url: bool, raw: bool) -> None:
    encoded = value("base64.encode", text, url=url, raw=raw)
    assert value("base64.decode", encoded, url=url, raw=raw, strict=True) == text


@given(st.text("AQ/+=\n ", max_size=9))
def test_base64_refuses_what_is_none(text: str) -> None:
    kept = text.replace("\n", "")
    # Python takes any padding behind what is complete.
    whole = len(kept) % 4 == 0 and len(kept) - len(kept.rstrip("=")) <= 2
    try:
        expected = base64.b64decode(kept, validate=True) if whole else None
    except ValueError:
        expected = None
    if expected is None:
        with pytest.raises(StarlarkError):
            value("base64.decode", text)
    else:
        assert value("base64.decode", text) == expected.decode("utf-8", "surrogateescape")


@given(BYTES)
def test_url_round_trips(text: str) -> None:
    for part in ("path_segment", "query_param_value"):
        encoded = value(f"url.{part}_encode", text)
        assert isinstance(encoded, str)
        assert encoded.isascii()
        assert value(f"url.{part}_decode", encoded) == text


@given(st.dictionaries(TEXT, st.lists(TEXT, min_size=1, max_size=3), max_size=3))
def test_url_params_round_trip(params: dict[str, list[str]]) -> None:
    encoded = value("url.query_params_encode", starlark(params))
    assert equals(value("url.query_params_decode", encoded), starlark(params))


@given(st.text("ah:/?#@[]%2.é ", max_size=12))
def test_a_url_that_is_read_reads_as_itself(text: str) -> None:
    try:
        url = value("url.parse", text)
    except StarlarkError:
        return
    written = call(url.attr("string"))  # type: ignore[attr-defined]
    again = call(value("url.parse", written).attr("string"))  # type: ignore[attr-defined]
    assert again == written


@given(st.ip_addresses())
def test_addresses_are_printed_as_usual(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    parsed = value("ip.parse_addr", str(address))
    assert call(parsed.attr("string")) == str(getattr(address, "ipv4_mapped", None) or address)  # type: ignore[attr-defined]


@given(TEXT)
def test_no_text_breaks_a_decoder(text: str) -> None:
    messages: list[bool] = []
    for name in ("json.decode", "toml.decode", "yaml.decode", "url.parse", "ip.parse_cidr", "url.query_params_decode"):
        try:
            value(name, text)
        except StarlarkError as error:
            messages.append(error.message.partition(": ")[0] == name)
    assert all(messages)


def test_plain_data_is_what_it_was() -> None:
    assert to_plain(from_plain({"a": [1, None]})) == {"a": [1, None]}
