"""`@ytt:url`: escapes and parses URLs (docs/reference/modules.md).

The rules are those of Go's net/url, which escapes different characters in each part.
"""

from __future__ import annotations

from urllib.parse import quote_from_bytes

from plait.base.errors import StarlarkError
from plait.tree.nodes import Array, Map, kind_name
from plait.ytt.modules.members import Parsed, answering, exactly, from_utf8, member, module_of, only_text, utf8
from plait.ytt.starlark.containers import Dict, List, insert
from plait.ytt.starlark.step_budget import charge
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.yaml_fragments import go_type_name, to_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module

_HEX = frozenset("0123456789abcdefABCDEF")
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")

# Characters that need no escape in each part of a URL, besides letters, digits and "-_.~".
_SEGMENT = "$&+=:@"
_PATH = "$&+,/:;=@"
_USER = "$&+,;="
_FRAGMENT = "$&+,/:;=?@!()*"
_HOST = "!$&'()*+,;=:[]<>\""
# Characters that an explicit path or fragment may contain unescaped.
_KEPT_PATH = _PATH + "!'()*[]%"
_KEPT_FRAGMENT = _FRAGMENT + "'[]%"


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of(
        "url",
        {
            "parse": _parse,
            "path_segment_decode": lambda args, kwargs: _unescape(only_text(args)),  # noqa: ARG005
            "path_segment_encode": lambda args, kwargs: _escape(only_text(args), _SEGMENT),  # noqa: ARG005
            "query_param_value_decode": lambda args, kwargs: _query_unescape(only_text(args)),  # noqa: ARG005
            "query_param_value_encode": lambda args, kwargs: _query_escape(only_text(args)),  # noqa: ARG005
            "query_params_decode": _query_params_decode,
            "query_params_encode": _query_params_encode,
        },
        slow=True,
    )


def _escape(text: str, allowed: str) -> str:
    charge(len(text))
    return quote_from_bytes(utf8(text), safe=allowed)


def _unescape(text: str) -> str:
    if "%" not in text:
        return text
    charge(len(text))
    pieces = text.split("%")
    out = [utf8(pieces[0])]
    for place, piece in enumerate(pieces[1:], 1):
        if len(piece) < 2 or piece[0] not in _HEX or piece[1] not in _HEX:
            rest = "%".join(["", *pieces[place : place + 3]])
            raise StarlarkError(f'invalid URL escape "{rest[:3]}"', code="invalid-url")
        out += [bytes((int(piece[:2], 16),)), utf8(piece[2:])]
    return from_utf8(b"".join(out))


def _query_escape(text: str) -> str:
    return _escape(text, " ").replace(" ", "+")


def _query_unescape(text: str) -> str:
    return _unescape(text.replace("+", " "))


def _unexpected(wanted: str, value: object, node: object) -> StarlarkError:
    """The error for an argument of another type. node: the value as a node."""
    told = f"expected {wanted}, but was"
    return StarlarkError(
        f"{told} {kind_name(node)}", reference=f"{told} {go_type_name(value)}", code="wrong-argument-type"
    )


def _query_params_encode(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
    (given,) = exactly(1, args)
    params = to_nodes(given)
    if type(params) is not Map:
        raise _unexpected("argument to be a map", given, params)
    pairs: list[tuple[str, str]] = []
    for item in params.items:
        if type(item.key) is not str:
            raise _unexpected("map key to be string", item.key, item.key)
        if type(item.value) is not Array:
            raise _unexpected("map value to be array", item.value, item.value)
        for entry in item.value.items:
            if type(entry.value) is not str:
                raise _unexpected("array value to be string", entry.value, entry.value)
            pairs.append((item.key, entry.value))
    pairs.sort(key=lambda pair: pair[0])
    return "&".join(f"{_query_escape(key)}={_query_escape(value)}" for key, value in pairs)


def _query_params_decode(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    found: dict[str, List] = {}
    for part in only_text(args).replace(";", "&").split("&"):
        if part:
            key, _, value = part.partition("=")
            found.setdefault(_query_unescape(key), List()).append(_query_unescape(value))
    params = Dict()
    for key in sorted(found):
        insert(params, key, found[key])
    return params


class Url:
    """The parts of a URL, unescaped. A path and a fragment keep their escapes if these are valid."""

    __slots__ = ("fragment", "host", "opaque", "path", "query", "scheme", "slashes", "user")

    def __init__(self) -> None:
        self.scheme = ""
        self.opaque = ""
        self.user: tuple[str, str | None] | None = None
        self.host = ""
        self.slashes = True
        self.path = ""
        self.query: str | None = None
        self.fragment = ""

    def without_user(self) -> Url:
        other = Url()
        for name in Url.__slots__:
            setattr(other, name, getattr(self, name))
        other.user = None
        return other

    def hostname(self) -> str:
        """The host without port and brackets."""
        host = self.host
        before, colon, port = host.rpartition(":")
        if colon and _is_port(port):
            host = before
        return host[1:-1] if host.startswith("[") and host.endswith("]") else host

    def text(self) -> str:
        out = [self.scheme + ":"] if self.scheme else []
        if self.opaque:
            out.append(self.opaque)
        else:
            if (self.scheme or self.host or self.user) and (self.slashes or self.host or self.user):
                if self.host or self.path or self.user:
                    out.append("//")
                if self.user is not None:
                    out.append(user_text(self.user) + "@")
                out.append(_escape(self.host, _HOST))
            if self.path and not self.path.startswith("/") and self.host:
                out.append("/")
            if not "".join(out) and ":" in self.path.partition("/")[0]:
                out.append("./")
            out.append(self.path)
        if self.query is not None:
            out.append("?" + self.query)
        if self.fragment:
            out.append("#" + self.fragment)
        return "".join(out)


def user_text(user: tuple[str, str | None]) -> str:
    """`name` or `name:password`, escaped."""
    name, password = user
    return _escape(name, _USER) + ("" if password is None else ":" + _escape(password, _USER))


def read_url(text: str) -> Url:
    """Parses a URL. Raises StarlarkError."""
    try:
        return _read(text)
    except StarlarkError as error:
        error.message = f"parse {repr_of(text)}: {error.message}"
        raise


def _read(text: str) -> Url:
    url = Url()
    if any(character < " " or character == "\x7f" for character in text):
        raise StarlarkError("net/url: invalid control character in URL", code="invalid-url")
    text, _, fragment = text.partition("#")
    url.scheme, rest = _scheme(text)
    rest, question, query = rest.partition("?")
    if question:
        url.query = query
    if not rest.startswith("/"):
        if url.scheme:
            url.opaque = rest
            url.fragment = _escaped_if_needed(fragment, _KEPT_FRAGMENT, _FRAGMENT)
            return url
        if ":" in rest.partition("/")[0]:
            raise StarlarkError("first path segment in URL cannot contain colon", code="invalid-url")
    if rest.startswith("//") and (url.scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        _authority(url, authority)
    elif url.scheme and rest.startswith("/"):
        url.slashes = False
    url.path = _escaped_if_needed(rest, _KEPT_PATH, _PATH)
    url.fragment = _escaped_if_needed(fragment, _KEPT_FRAGMENT, _FRAGMENT)
    return url


def _scheme(text: str) -> tuple[str, str]:
    scheme, colon, rest = text.partition(":")
    if text.startswith(":"):
        raise StarlarkError("missing protocol scheme", code="invalid-url")
    if not colon or not scheme[0].isalpha() or not scheme.isascii():
        return "", text
    if all(character.isalnum() or character in "+-." for character in scheme):
        return scheme.lower(), rest
    return "", text


def _escaped_if_needed(text: str, kept: str, allowed: str) -> str:
    """A path or fragment, unchanged if it is escaped correctly, else escaped again."""
    plain = _unescape(text)
    if all(character in _PLAIN or character in kept for character in text):
        return text
    return _escape(plain, allowed)


def _authority(url: Url, authority: str) -> None:
    userinfo, at, host = authority.rpartition("@")
    url.host = _host(host)
    if not at:
        return
    if not all(character in _PLAIN or character in ":!$&'()*+,;=%@" for character in userinfo):
        raise StarlarkError("net/url: invalid userinfo", code="invalid-url")
    name, colon, password = userinfo.partition(":")
    url.user = (_unescape(name), _unescape(password) if colon else None)


def _host(host: str) -> str:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise StarlarkError("missing ']' in host", code="invalid-url")
        rest = host[end + 1 :]
        if rest and not (rest.startswith(":") and _is_port(rest[1:])):
            raise StarlarkError(f'invalid port "{rest}" after host', code="invalid-url")
    else:
        _, colon, port = host.rpartition(":")
        if colon and not _is_port(port):
            raise StarlarkError(f'invalid port ":{port}" after host', code="invalid-url")
    for place, character in enumerate(host):
        # Only bytes that are not ASCII may be escaped in a host; a zone's "%25" may too.
        if character == "%" and not (host[place + 1 : place + 2] in "89abcdefABCDEF" or host[place + 1 :][:2] == "25"):
            raise StarlarkError(f'invalid URL escape "{host[place : place + 3]}"', code="invalid-url")
        if character.isascii() and character not in _PLAIN and character not in _HOST and character != "%":
            raise StarlarkError(f'invalid character "{character}" in host name', code="invalid-url")
    return _unescape(host)


def _is_port(text: str) -> bool:
    return not text or (text.isascii() and text.isdigit())


class UrlValue(Parsed):
    """A URL as templates see it."""

    __slots__ = ()
    type_name = "@ytt:url.value"

    def __init__(self, url: Url) -> None:
        def without_user(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
            if args:
                raise StarlarkError("expected no argument", code="argument-count")
            return UrlValue(url.without_user())

        super().__init__(
            {
                "user": None if url.user is None else UserValue(url.user),
                "without_user": member("url.value.without_user", without_user),
                **answering("url.value", {"string": url.text(), "hostname": url.hostname()}),
            }
        )


class UserValue(Parsed):
    """The part of a URL before the `@`."""

    __slots__ = ()
    type_name = "@ytt:url.user"

    def __init__(self, user: tuple[str, str | None]) -> None:
        name, password = user
        answers = answering("url.user", {"string": user_text(user)})
        super().__init__({"name": name, "password": password, **answers})


def _parse(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    return UrlValue(read_url(only_text(args)))
