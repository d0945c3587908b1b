"""The `@ytt:` modules, called as templates call them."""

from __future__ import annotations

import math

import pytest

from plait.base.errors import PlaitError, StarlarkError
from plait.base.source import Source
from plait.tree.context import Context
from plait.yaml.reader import read
from plait.ytt.modules import MODULES, load_module
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.containers import Dict, List, insert
from plait.ytt.starlark.structs import Module, Struct
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import Builtin, NoAttribute, type_of
from plait.ytt.yaml_fragments import YamlFragment, to_nodes


def starlark(value: object) -> object:
    if isinstance(value, dict):
        made = Dict()
        for key, inner in value.items():
            insert(made, key, starlark(inner))
        return made
    if type(value) is list:
        return List([starlark(inner) for inner in value])
    if type(value) is tuple:
        return tuple(starlark(inner) for inner in value)
    return value


def function(name: str, context: Context | None = None) -> object:
    module, _, member = name.partition(".")
    return load_module(module, context or Context()).attr(member)


def value(name: str, *args: object, **kwargs: object) -> object:
    """What `MODULE.FUNCTION(args)` gives."""
    return call(
        function(name), [starlark(arg) for arg in args], {key: starlark(inner) for key, inner in kwargs.items()}
    )


def shown(name: str, *args: object, **kwargs: object) -> str:
    return repr_of(value(name, *args, **kwargs))


def text(name: str, *args: object, **kwargs: object) -> str:
    found = value(name, *args, **kwargs)
    assert type(found) is str
    return found


def fault(name: str, *args: object, **kwargs: object) -> str:
    with pytest.raises(StarlarkError) as caught:
        value(name, *args, **kwargs)
    return caught.value.message


def method(owner: object, name: str, *args: object) -> object:
    return call(owner.attr(name), args)  # type: ignore[attr-defined]


def fragment(yaml: str) -> YamlFragment:
    documents = read(Source("f.yml", yaml))
    inner = documents.items[0].value if len(documents.items) == 1 else documents
    return YamlFragment(inner)  # type: ignore[arg-type]


def test_every_row_of_the_table_leads_to_a_module() -> None:
    for name in MODULES:
        module = load_module(name, Context())
        assert type(module) is Module
        assert module.name == name


@pytest.mark.parametrize(
    "name",
    [
        "base64.encode",
        "base64.decode",
        "json.encode",
        "json.decode",
        "md5.sum",
        "sha256.sum",
        "toml.encode",
        "toml.decode",
        "yaml.encode",
        "yaml.decode",
        "ip.parse_addr",
        "ip.parse_cidr",
        "struct.encode",
        "struct.decode",
        "url.parse",
        "url.path_segment_encode",
        "url.path_segment_decode",
        "url.query_param_value_encode",
        "url.query_param_value_decode",
        "url.query_params_encode",
        "url.query_params_decode",
        "version.require_at_least",
    ],
)
def test_wrong_number_of_arguments(name: str) -> None:
    assert fault(name) == f"{name}: expected exactly one argument"
    assert fault(name, "a", "b") == f"{name}: expected exactly one argument"


@pytest.mark.parametrize(
    "name",
    [
        "base64.encode",
        "base64.decode",
        "json.decode",
        "md5.sum",
        "sha256.sum",
        "toml.decode",
        "yaml.decode",
        "ip.parse_addr",
        "ip.parse_cidr",
        "url.parse",
        "url.path_segment_encode",
        "url.query_param_value_decode",
        "url.query_params_decode",
        "version.require_at_least",
    ],
)
def test_wrong_type_of_argument(name: str) -> None:
    assert fault(name, 1) == f"{name}: expected a string, but was int"


class TestBase64:
    def test_round_trip_of_options(self) -> None:
        assert value("base64.encode", "a?>~~~é") == "YT8+fn5+w6k="
        assert value("base64.encode", "a?>~~~é", url=True) == "YT8-fn5-w6k="
        assert value("base64.encode", "a?>~~~é", url=True, raw=True) == "YT8-fn5-w6k"
        assert value("base64.decode", "YT8-fn5-w6k", url=True, raw=True) == "a?>~~~é"

    def test_newlines_do_not_count(self) -> None:
        assert value("base64.decode", "Y\r\nWI\n=\n") == "ab"

    def test_bytes_that_are_no_text(self) -> None:
        assert value("base64.encode", value("base64.decode", "/+8=")) == "/+8="

    @pytest.mark.parametrize(
        ("given", "options", "at"),
        [
            ("YWJj=", {}, 4),
            ("Y", {}, 0),
            ("YWJjY", {}, 4),
            ("YW", {}, 0),
            ("YW=", {}, 3),
            ("YW=a", {}, 2),
            ("Y=", {}, 1),
            ("=", {}, 0),
            ("YW==YQ==", {}, 4),
            ("YWI\n=\nx", {}, 6),
            ("a b=", {}, 1),
            ("YT8-", {}, 3),
            ("YT8+", {"url": True}, 3),
            ("YWI=", {"raw": True}, 3),
            ("YX==", {"strict": True}, 2),
            ("YWJ=", {"strict": True}, 3),
        ],
    )
    def test_faults(self, given: str, options: dict[str, bool], at: int) -> None:
        assert fault("base64.decode", given, **options) == f"base64.decode: illegal base64 data at input byte {at}"

    def test_options_are_bools(self) -> None:
        assert fault("base64.encode", "a", url=1) == "base64.encode: expected a bool, but was int"


class TestJson:
    def test_encode(self) -> None:
        given = {"b": 1, "a": [1, 2.5, None, True, 2.0, 1e21], "c": {}}
        assert value("json.encode", given) == '{"a":[1,2.5,null,true,2,1e+21],"b":1,"c":{}}'
        assert value("json.encode", "<a&b>") == '"\\u003ca\\u0026b\\u003e"'
        assert value("json.encode", "<a&b>", escape_html=False) == '"<a&b>"'
        assert value("json.encode", [{"a": 1}, []], indent=1) == '[\n {\n  "a": 1\n },\n []\n]'
        assert value("json.encode", fragment("b: [1]\na: x\n")) == '{"a":"x","b":[1]}'
        assert value("json.encode", Struct({"a": (1, 2)})) == '{"a":[1,2]}'

    def test_encode_faults(self) -> None:
        assert fault("json.encode", 1, indent=9) == "json.encode: indent value must be between 0 and 8"
        assert fault("json.encode", 1, indent="1") == "json.encode: expected an int, but was string"
        assert fault("json.encode", 1, indnt=1) == "json.encode: invalid argument name: indnt"
        assert fault("json.encode", math.nan).startswith("json.encode: ")
        assert fault("json.encode", {1: 2}).startswith("json.encode: ")

    def test_decode(self) -> None:
        assert shown("json.decode", '{"b": 1, "a": [true, null, "\\u00e9"], "b": 2}') == (
            '{"a": [True, None, "é"], "b": 2}'
        )
        assert type(value("json.decode", "1000000")) is float
        assert value("json.decode", '"\\ud800x"') == "\ufffdx"

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ("", "unexpected end of JSON input"),
            ("[1", "unexpected end of JSON input"),
            ("[1] x", "invalid character 'x' after top-level value"),
            ("[1 2]", "invalid character '2' after array element"),
            ("[01]", "invalid character '1' after array element"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("{a: 1}", "invalid character 'a' looking for beginning of object key string"),
            ('{"a" 1}', "invalid character '1' after object key"),
            ('{"a": 1 "b": 2}', "invalid character '\"' after object key:value pair"),
            ('{"a": 1,}', "invalid character '}' looking for beginning of object key string"),
            ("'a'", "invalid character '\\'' looking for beginning of value"),
            ("NaN", "invalid character 'N' looking for beginning of value"),
            ("nil", "invalid character 'i' in literal null (expecting 'u')"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("1e+", "invalid character ' ' in exponent of numeric literal"),
            ('"\t"', "invalid character '\\t' in string literal"),
            ('"\\x"', "invalid character 'x' in string escape code"),
            ('"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"),
        ],
    )
    def test_decode_faults(self, given: str, message: str) -> None:
        assert fault("json.decode", given) == f"json.decode: {message}"


class TestYaml:
    def test_encode(self) -> None:
        assert value("yaml.encode", {"b": [1], "a": None, "c": {}, "d": 1.0}) == "b:\n- 1\na: null\nc: {}\nd: 1\n"
        assert value("yaml.encode", []) == "[]\n"
        assert value("yaml.encode", None) == ""
        assert value("yaml.encode", fragment("{}")) == ""
        assert value("yaml.encode", fragment("a: 1\n---\n---\nb: 2\n")) == "a: 1\n---\nb: 2\n"

    def test_decode(self) -> None:
        assert shown("yaml.decode", "a: 1 #@ not code\nb: [1.5, ~, 2020-01-01]\na: 2\n") == (
            '{"a": 2, "b": [1.5, None, "2020-01-01"]}'
        )
        assert value("yaml.decode", "") is None
        assert type(value("yaml.decode", "{}")) is Dict

    def test_decode_faults(self) -> None:
        assert fault("yaml.decode", "a\n---\nb") == "yaml.decode: Expected to find exactly one YAML document"
        assert fault("yaml.decode", "a: 1\nb: [") == "yaml.decode: yaml: line 2: did not find expected node content"


class TestToml:
    def test_encode(self) -> None:
        given = {
            "t": {"u": {"x": 1.5}, "k": True},
            "n": None,
            "a": [1, "b", {"z": 1, "y": {}}],
            "l": [{"p": 1}, {"q": {"r": 2}}],
            "k.e y": 'quo"te\n',
            "f": 1e21,
        }
        assert (
            value("toml.encode", given)
            == """\
a = [1, "b", {z = 1, y = {}}]
f = 1000000000000000000000.0
"k.e y" = "quo\\"te\\n"

[[l]]
  p = 1

[[l]]
  [l.q]
    r = 2

[t]
  k = true
  [t.u]
    x = 1.5
"""
        )
        assert value("toml.encode", {"a": {"b": {"c": 1}}}, indent=1) == "[a]\n [a.b]\n  c = 1\n"
        assert value("toml.encode", {}) == ""

    def test_encode_faults(self) -> None:
        assert fault("toml.encode", [1]) == "toml.encode: toml: top-level values must be maps"
        assert fault("toml.encode", {"a": [None]}) == "toml.encode: toml: cannot encode array with nil element"
        assert fault("toml.encode", {}, width=1) == "toml.encode: invalid argument name: width"

    def test_decode(self) -> None:
        assert shown("toml.decode", "b = 1\na = [1.5, 'x']\n[[t]]\ny = 0x1f\n") == (
            '{"a": [1.5, "x"], "b": 1, "t": [{"y": 31}]}'
        )

    def test_decode_faults(self) -> None:
        assert fault("toml.decode", "a").startswith("toml.decode: toml: ")
        assert fault("toml.decode", "a = 2020-01-01").startswith("toml.decode: toml: dates and times")


class TestIp:
    @pytest.mark.parametrize(
        ("given", "expected", "version"),
        [
            ("10.0.0.1", "10.0.0.1", 4),
            ("::ffff:10.0.0.1", "10.0.0.1", 4),
            ("2001:DB8:0:0:0:1:0:0", "2001:db8::1:0:0", 6),
            ("::", "::", 6),
        ],
    )
    def test_addresses(self, given: str, expected: str, version: int) -> None:
        address = value("ip.parse_addr", given)
        assert type_of(address) == "@ytt:ip.addr"
        assert method(address, "string") == expected
        assert method(address, "is_ipv4") is (version == 4)
        assert method(address, "is_ipv6") is (version == 6)

    @pytest.mark.parametrize(
        "given", ["", "1.2.3", "1.2.3.04", "1.2.3.256", "fe80::1%lo", "1::2::3", " 1.2.3.4", "g::"]
    )
    def test_no_addresses(self, given: str) -> None:
        assert fault("ip.parse_addr", given) == f"ip.parse_addr: invalid IP address: {given}"

    @pytest.mark.parametrize(
        ("given", "address", "network"),
        [
            ("10.1.2.3/8", "10.1.2.3", "10.0.0.0/8"),
            ("10.1.2.3/032", "10.1.2.3", "10.1.2.3/32"),
            ("fd00::1/16", "fd00::1", "fd00::/16"),
            ("::ffff:10.1.2.3/104", "10.1.2.3", "10.0.0.0/8"),
        ],
    )
    def test_networks(self, given: str, address: str, network: str) -> None:
        parsed = value("ip.parse_cidr", given)
        assert isinstance(parsed, tuple)
        assert method(parsed[0], "string") == address
        assert method(parsed[1], "string") == network
        assert type_of(parsed[1]) == "@ytt:ip.net"
        assert method(method(parsed[1], "addr"), "string") == network.partition("/")[0]

    @pytest.mark.parametrize("given", ["10.1.2.3", "10.1.2.3/33", "10.1.2.3/", "10.1.2.3/255.0.0.0", "/8", "::/-1"])
    def test_no_networks(self, given: str) -> None:
        assert fault("ip.parse_cidr", given) == f"ip.parse_cidr: invalid CIDR address: {given}"

    def test_members(self) -> None:
        address = value("ip.parse_addr", "::1")
        with pytest.raises(StarlarkError, match=r"ip\.addr\.string: expected no argument"):
            method(address, "string", 1)
        with pytest.raises(NoAttribute):
            method(address, "strings")
        with pytest.raises(StarlarkError, match=r"use \.string\(\)"):
            to_nodes(address)


class TestMath:
    @pytest.mark.parametrize(
        ("name", "args", "expected"),
        [
            ("round", (2.5,), 3),
            ("round", (-2.5,), -3),
            ("round", (0.49999999999999994,), 0),
            ("mod", (-7, 3), -1),
            ("mod", (7, 0), math.nan),
            ("remainder", (5, 3), -1),
            ("pow", (2, 10), 1024),
            ("pow", (-8, 0.5), math.nan),
            ("pow", (0, -1), math.inf),
            ("pow", (-0.0, -3), -math.inf),
            ("pow", (-10, 999), -math.inf),
            ("sqrt", (-1,), math.nan),
            ("exp", (1000,), math.inf),
            ("log", (0,), -math.inf),
            ("log", (-1,), math.nan),
            ("log", (8, 2), 3),
            ("log", (8, 1), math.inf),
            ("gamma", (0,), math.inf),
            ("gamma", (-2,), math.nan),
            ("gamma", (5,), 24),
            ("sinh", (-9999,), -math.inf),
            ("cosh", (-9999,), math.inf),
            ("atanh", (-1,), -math.inf),
            ("atan2", (0, -1), math.pi),
            ("copysign", (3, -0.0), -3),
            ("hypot", (3, 4), 5),
            ("radians", (180,), math.pi),
            ("degrees", (math.pi,), 180),
            ("fabs", (10**400,), math.inf),
            ("sin", (math.inf,), math.nan),
        ],
    )
    def test_functions(self, name: str, args: tuple[float, ...], expected: float) -> None:
        found = value(f"math.{name}", *args)
        assert type(found) is float
        assert found == expected or (math.isnan(found) and math.isnan(expected))

    def test_whole_numbers(self) -> None:
        assert [value("math.ceil", 1.2), value("math.floor", -1.2), value("math.floor", 10**30)] == [2, -2, 10**30]
        assert type(value("math.ceil", 1.2)) is int
        assert fault("math.ceil", math.nan) == "math.ceil: cannot convert float NaN to integer"

    def test_faults(self) -> None:
        assert fault("math.sqrt", "x") == "math.sqrt: expected float value, but was string"
        assert fault("math.sqrt", True) == "math.sqrt: expected float value, but was bool"
        assert fault("math.pow", 1) == "math.pow: expected exactly two arguments"
        assert fault("math.log") == "math.log: got 0 arguments, want at least 1"
        assert fault("math.floor", 1, 2) == "math.floor: got 2 arguments, want 1"

    def test_the_first_call_warns(self) -> None:
        context = Context()
        sqrt = function("math.sqrt", context)
        assert context.warnings == []
        call(sqrt, (4,))
        call(sqrt, (9,))
        assert len(context.warnings) == 1
        assert "@ytt:math" in context.warnings[0]


class TestRegexp:
    @pytest.mark.parametrize(
        ("pattern", "subject", "expected"),
        [("b+", "abbc", True), ("^b", "ab", False), ("(?i)B", "ab", True), (r"\pL", "é", True), ("^.$", "é", True)],
    )
    def test_match(self, pattern: str, subject: str, expected: bool) -> None:
        assert value("regexp.match", pattern, subject) is expected

    @pytest.mark.parametrize(
        ("pattern", "subject", "by", "expected"),
        [
            ("a*", "baac", "-", "-b-c-"),
            ("", "ab", ".", ".a.b."),
            ("(a)(b)?", "ab a", "[$1$2]", "[ab] [a]"),
            ("(a)", "a", "$1x-${1}x-$$1-$-$2-$0", "-ax-$1-$--a"),
            ("(?P<first>.)(.)", "éa", "${2}${first}$first", "aéé"),
            ("x", "abc", "y", "abc"),
        ],
    )
    def test_replace(self, pattern: str, subject: str, by: str, expected: str) -> None:
        assert value("regexp.replace", pattern, subject, by) == expected

    def test_replace_by_function(self) -> None:
        assert value("regexp.replace", "[a-c]", "xaby", Builtin("f", lambda found: f"<{found}>")) == "x<a><b>y"
        assert fault("regexp.replace", "a", "a", Builtin("f", len)) == "regexp.replace: expected a string, but was int"

    @pytest.mark.parametrize(
        ("pattern", "message"),
        [
            ("(a", "missing closing ): `(a`"),
            ("[a", "missing closing ]: `[a`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("+", "missing argument to repetition operator: `+`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
        ],
    )
    def test_faults(self, pattern: str, message: str) -> None:
        assert fault("regexp.match", pattern, "") == f"regexp.match: error parsing regexp: {message}"

    def test_arguments(self) -> None:
        assert fault("regexp.match", "a") == "regexp.match: expected exactly two arguments"
        assert fault("regexp.replace", "a", "b") == "regexp.replace: expected exactly 3 arguments"
        assert fault("regexp.match", "a", 1) == "regexp.match: expected a string, but was int"

    def test_time_is_linear(self) -> None:
        assert value("regexp.match", "(a*)*b", "a" * 20_000) is False


class TestStructs:
    def test_make_and_convert(self) -> None:
        made = value("struct.make", a=1, b=[1])
        assert isinstance(made, Struct)
        assert list(made.members) == ["a", "b"]
        encoded = value("struct.encode", {"a": [{"b": 1}], "c": (1, {"d": 2})})
        assert isinstance(encoded, Struct)
        assert encoded.members["a"][0].members == {"b": 1}  # type: ignore[index]
        assert shown("struct.decode", encoded) == '{"a": [{"b": 1}], "c": [1, {"d": 2}]}'
        assert fault("struct.make", 1).startswith("struct.make: unexpected positional arguments")
        assert fault("struct.encode", {1: 2}) == "struct.encode: expected struct key 1 to be string"

    def test_bind(self) -> None:
        minus = Builtin("minus", lambda left, right: left - right)
        assert call(value("struct.bind", minus, 3), (1,)) == 2
        assert fault("struct.bind", minus) == "struct.bind: expected at least two arguments"
        with pytest.raises(StarlarkError, match=r"struct.bind_result: invalid call of non-function \(int\)"):
            call(value("struct.bind", 1, 2))
        made = value("struct.make_and_bind", 10, take=minus, kept=1)
        assert method(made, "take", 4) == 6
        assert made.attr("kept") == 1  # type: ignore[attr-defined]

    def test_modules(self) -> None:
        made = value("module.make", "m", b=1, a=2)
        assert isinstance(made, Module)
        assert (made.name, made.attr("a")) == ("m", 2)
        assert fault("module.make") == "module.make: got 0 arguments, want 1"
        assert fault("module.make", 1) == "module.make: for parameter 1: got int, want string"


class TestUrl:
    def test_parts(self) -> None:
        given = "az-_.~ !*'();:@&=+$,/?#[]é%"
        assert value("url.path_segment_encode", given) == "az-_.~%20%21%2A%27%28%29%3B:@&=+$%2C%2F%3F%23%5B%5D%C3%A9%25"
        assert value("url.query_param_value_encode", given) == (
            "az-_.~+%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%C3%A9%25"
        )
        assert value("url.path_segment_decode", "a+%c3%A9%2F") == "a+é/"
        assert value("url.query_param_value_decode", "a+%c3%A9%2B") == "a é+"
        assert fault("url.path_segment_decode", "a%4") == 'url.path_segment_decode: invalid URL escape "%4"'
        assert fault("url.query_param_value_decode", "%zz") == 'url.query_param_value_decode: invalid URL escape "%zz"'

    def test_params(self) -> None:
        assert value("url.query_params_encode", {"b": ["1", "x y"], "a": ["&"], "c": []}) == "a=%26&b=1&b=x+y"
        assert shown("url.query_params_decode", "b=1;a&&b=%41+&=") == '{"": [""], "a": [""], "b": ["1", "A "]}'
        assert fault("url.query_params_encode", {"a": 1}) == (
            "url.query_params_encode: expected map value to be array, but was integer"
        )

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("HTTP://u:p@h:80/a?b#c", "http://u:p@h:80/a?b#c"),
            ("http://u%40:@[::1]:80/ä b?x y#f g", "http://u%40:@[::1]:80/%C3%A4%20b?x y#f%20g"),
            ("/a;b=c,d(e)!*%2f", "/a;b=c,d(e)!*%2f"),
            ("mailto:a@b", "mailto:a@b"),
            ("file:///a", "file:///a"),
            ("x:/a", "x:/a"),
            ("///a", "///a"),
            ("a/b:c", "a/b:c"),
            ("http://h?", "http://h?"),
            ("", ""),
        ],
    )
    def test_parse(self, given: str, expected: str) -> None:
        assert method(value("url.parse", given), "string") == expected

    def test_members(self) -> None:
        url = value("url.parse", "https://u%20x:p@[fd00::1]:8443/a")
        assert method(url, "hostname") == "fd00::1"
        user = url.attr("user")  # type: ignore[attr-defined]
        assert (user.attr("name"), user.attr("password"), method(user, "string")) == ("u x", "p", "u%20x:p")
        assert method(method(url, "without_user"), "string") == "https://[fd00::1]:8443/a"
        assert value("url.parse", "http://h").attr("user") is None  # type: ignore[attr-defined]
        assert value("url.parse", "http://u@h").attr("user").attr("password") is None  # type: ignore[attr-defined]
        assert (type_of(url), type_of(user)) == ("@ytt:url.value", "@ytt:url.user")

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (":a", "missing protocol scheme"),
            ("1a:b", "first path segment in URL cannot contain colon"),
            ("http://h:x/", 'invalid port ":x" after host'),
            ("http://[::1]x/", 'invalid port "x" after host'),
            ("http://[::1/", "missing ']' in host"),
            ("http://u v@h", "net/url: invalid userinfo"),
            ("http://a b", 'invalid character " " in host name'),
            ("http://a%20b", 'invalid URL escape "%20"'),
            ("/%g1", 'invalid URL escape "%g1"'),
        ],
    )
    def test_faults(self, given: str, message: str) -> None:
        assert fault("url.parse", given) == f'url.parse: parse "{given}": {message}'


class TestVersion:
    @pytest.mark.parametrize("wanted", ["0.0.1", "0.48.9+b.1", "0.55.1", "0.55.1-rc.1"])
    def test_new_enough(self, wanted: str) -> None:
        assert value("version.require_at_least", wanted) is None

    @pytest.mark.parametrize("wanted", ["0.55.2", "0.56.0-alpha", "1.0.0"])
    def test_too_old(self, wanted: str) -> None:
        assert fault("version.require_at_least", wanted).endswith(
            f"does not meet the minimum required version '{wanted}'"
        )

    @pytest.mark.parametrize("wanted", ["1", "1.2", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3 ", "1.2.3\n"])
    def test_no_versions(self, wanted: str) -> None:
        assert fault("version.require_at_least", wanted) == (
            f"version.require_at_least: version string '{wanted}' must be a valid semver"
        )


class TestAssert:
    def test_equals_compares_text(self) -> None:
        assert value("assert.equals", {"a": 1}, fragment("a: 1.0\n")) is None
        assert fault("assert.equals", {"a": 1, "b": 2}, {"b": 2, "a": 1}) == (
            "assert.equals: Not equal:\n(expected type: dict)\na: 1\nb: 2\n\n\n(was type: dict)\nb: 2\na: 1\n"
        )
        assert fault("assert.equals", 1) == "assert.equals: got 1 arguments, want 2"
        assert fault("assert.equals", 1, Builtin("f", len)).startswith(
            "assert.equals: expected argument not to be a function"
        )

    def test_fail_and_try_to(self) -> None:
        assert fault("assert.fail", "no") == "assert.fail: fail: no"
        assert value("assert.try_to", Builtin("f", lambda: 3)) == (3, None)

        def fails() -> object:
            raise StarlarkError("it broke")

        assert value("assert.try_to", Builtin("f", fails)) == (None, "it broke")
        assert fault("assert.try_to", 3) == "assert.try_to: expected argument to be a function, but was int"

    @pytest.mark.parametrize(
        ("name", "args", "valid", "invalid", "message"),
        [
            ("min", (5,), 5, 4.5, "fail: value < 5"),
            ("max", ("b",), "a", "c", "fail: value > b"),
            ("min_len", (2,), "é", "a", "fail: length = 1"),
            ("max_len", (1,), [1], [1, 2], "fail: length = 2"),
            ("not_null", (), 0, None, "fail: value is null"),
            ("one_of", (["a", 1],), 1.0, "b", "fail: not one of allowed values"),
            ("one_of", ("a", "b"), "b", "c", "fail: not one of allowed values"),
            ("one_not_null", (), {"a": 1, "b": None}, {"a": 1, "b": 2}, 'check: ["a", "b"] are not null'),
            ("one_not_null", (True,), {"a": 1}, {"a": None}, "check: all values are null"),
            ("one_not_null", (["a", "z"],), {"a": 1, "b": 2}, {}, "check: value is empty"),
        ],
    )
    def test_rules(self, name: str, args: tuple[object, ...], valid: object, invalid: object, message: str) -> None:
        rule = value(f"assert.{name}", *args)
        assert type_of(rule) == "@ytt:assert.assertion"
        assert method(rule, "check", starlark(valid)) is True
        with pytest.raises(StarlarkError) as caught:
            method(rule, "check", starlark(invalid))
        assert caught.value.message == message
        with pytest.raises(PlaitError, match="check"):
            to_nodes(rule)

    def test_rules_see_data(self) -> None:
        rule = value("assert.one_not_null", ["a"])
        for given in (fragment("a: 1\n"), Struct({"a": 1}), starlark({"a": 1})):
            assert method(rule, "check", given) is True

    def test_arguments_of_check(self) -> None:
        check = value("assert.min", 1).attr("check")  # type: ignore[attr-defined]
        assert call(check, (), {"val": 1}) is True
        for args, kwargs, message in (
            ((), {}, "function lambda missing 1 argument (val)"),
            ((1, 2), {}, "function lambda accepts 1 positional argument (2 given)"),
            ((), {"v": 1}, 'function lambda got an unexpected keyword argument "v"'),
            ((1,), {"val": 1}, 'function lambda got multiple values for parameter "val"'),
        ):
            with pytest.raises(StarlarkError) as caught:
                call(check, args, kwargs)
            assert caught.value.message == message

    def test_not_null_at_once(self) -> None:
        assert value("assert.not_null", 0) is True
        assert fault("assert.not_null", None) == "assert.not_null: fail: value is null"

    def test_arguments(self) -> None:
        assert fault("assert.min") == "assert.min: got 0 arguments, want 1"
        assert fault("assert.min_len", "1") == "assert.min_len: expected value to be an number, but was string"
        assert fault("assert.one_not_null", False) == "assert.one_not_null: one_not_null() cannot be False"
        assert fault("assert.one_not_null", 1) == "assert.one_not_null: expected a sequence of keys, but was a 'int'"
        assert fault("assert.one_of") == "assert.one_of: got 0 arguments, want at least 1"
        assert fault("assert.one_of", "abc") == "assert.one_of: expected a sequence, but was a 'string'"


def test_hashes() -> None:
    assert value("md5.sum", "abc") == "900150983cd24fb0d6963f7d28e17f72"
    assert value("sha256.sum", "") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
