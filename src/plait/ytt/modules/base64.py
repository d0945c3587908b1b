"""`@ytt:base64`: encodes and decodes base64 (docs/reference/modules.md)."""

from __future__ import annotations

from base64 import b64decode, b64encode

from plait.base.errors import StarlarkError
from plait.ytt.modules.members import flag, from_utf8, module_of, only_text, utf8
from plait.ytt.starlark.step_budget import check_headroom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_STANDARD = _LETTERS + b"+/"
_URL = _LETTERS + b"-_"
_NEWLINES = b"\r\n"


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("base64", {"decode": _decode, "encode": _encode})


def _encode(args: Args, kwargs: Kwargs) -> object:
    text = only_text(args)
    check_headroom(len(text) * 6)
    data = utf8(text)
    url, raw, _ = flag(kwargs, "url"), flag(kwargs, "raw"), flag(kwargs, "strict")
    encoded = b64encode(data, altchars=b"-_" if url else None)
    return (encoded.rstrip(b"=") if raw else encoded).decode("ascii")


def _decode(args: Args, kwargs: Kwargs) -> object:
    data = utf8(only_text(args))
    url, raw, strict = flag(kwargs, "url"), flag(kwargs, "raw"), flag(kwargs, "strict")
    alphabet = _URL if url else _STANDARD
    fault = _fault(data, alphabet, padded=not raw)
    kept = data.translate(None, _NEWLINES).rstrip(b"=")
    if fault is None and strict and len(kept) % 4:
        # The last letter has more bits than the last byte needs; strict decoding requires zeros.
        unused = 4 if len(kept) % 4 == 2 else 2
        if alphabet.index(kept[-1]) % (1 << unused):
            fault = len(data) - (2 if unused == 4 else 1)
    if fault is not None:
        raise StarlarkError(f"illegal base64 data at input byte {fault}", code="invalid-base64")
    return from_utf8(b64decode(kept + b"=" * (-len(kept) % 4), altchars=b"-_" if url else None))


def _fault(data: bytes, alphabet: bytes, *, padded: bool) -> int | None:
    """The index of the first invalid base64 character, or None. Newlines are ignored; padding is complete or absent."""
    body = data.translate(None, _NEWLINES)
    letters = body.rstrip(b"=") if padded else body
    if not letters.translate(None, alphabet):
        missing = -len(letters) % 4
        if missing != 3 and len(body) - len(letters) == (missing if padded else 0):
            return None
    allowed = frozenset(alphabet)
    group = 0
    for place, byte in enumerate(data):
        if byte in _NEWLINES:
            continue
        if byte in allowed:
            group = (group + 1) % 4
            continue
        if not padded or byte != 0x3D or group < 2:
            return place
        return _padding_fault(data, place, group)
    return len(data) - group


def _padding_fault(data: bytes, index: int, group: int) -> int:
    """The index of the fault in the padding that begins at `index`."""
    if group == 2:
        second = _after_newlines(data, index + 1)
        if second == len(data):
            return second
        if data[second] != 0x3D:
            return second - 1
        index = second
    return _after_newlines(data, index + 1)


def _after_newlines(data: bytes, index: int) -> int:
    while index < len(data) and data[index] in _NEWLINES:
        index += 1
    return index
