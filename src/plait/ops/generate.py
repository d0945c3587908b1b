"""Making the values of variables: passwords, certificates, RSA and SSH keys (spec ops 11).

What has to do with keys needs the `cryptography` package (the `certificates` extra); it is imported only when a key is
made.
"""

from __future__ import annotations

from plait.errors import OpsError
from plait.nodes import Array, Map, MapItem, kind_name
from plait.ops.files import scalar_text
from plait.spell import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

    from plait.nodes import Value
    from plait.ops.variables import Sources

PASSWORD_LENGTH = 20
PASSWORD_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789"  # noqa: S105 - an alphabet, not a password
KEY_BITS = 2048


def check_kind(kind: str) -> None:
    """Raises OpsError for a type that cannot be made."""
    if kind not in GENERATORS:
        raise OpsError(
            f'a value of type "{kind}" cannot be made',
            expected=", ".join(GENERATORS),
            hint=did_you_mean(kind, GENERATORS),
        )


def generate(kind: str, options: Value, sources: Sources) -> Value:
    """A new value. kind: the type of the definition. sources: where a certificate finds its signer.

    Raises OpsError for an unknown type and for options that do not fit.
    """
    check_kind(kind)
    return GENERATORS[kind](options, sources)


class Options:
    """The options of a definition: each read by the type that it should have, others refused by name."""

    __slots__ = ("_items", "kind")

    def __init__(self, value: Value, kind: str, known: Sequence[str]) -> None:
        self.kind = kind
        self._items: dict[str, MapItem] = {}
        if value is None:
            return
        if type(value) is not Map:
            raise OpsError(f"the options of a {kind} are not a map", expected="a map", found=kind_name(value))
        for item in value.items:
            name = scalar_text(item.key)
            if name not in known:
                raise OpsError(
                    f'a {kind} has no option "{name}"',
                    at=item.position if item.source is not None else None,
                    expected=", ".join(known),
                    hint=did_you_mean(name, known),
                )
            self._items[name] = item

    def _value(self, name: str) -> Value:
        item = self._items.get(name)
        return None if item is None else item.value

    def _wrong(self, name: str, expected: str) -> OpsError:
        item = self._items[name]
        return OpsError(
            f'the option "{name}" of a {self.kind} has the wrong type',
            at=item.position if item.source is not None else None,
            expected=expected,
            found=kind_name(item.value),
        )

    def text(self, name: str) -> str:
        value = self._value(name)
        if type(value) is Map or type(value) is Array:
            raise self._wrong(name, "a string")
        return "" if value is None else scalar_text(value)

    def number(self, name: str) -> int:
        value = self._value(name)
        if value is None:
            return 0
        if type(value) is float and abs(value) < 1 << 63:
            return int(value)
        if type(value) is not int:
            raise self._wrong(name, "an integer")
        return value

    def switch(self, name: str) -> bool:
        value = self._value(name)
        if value is not None and type(value) is not bool:
            raise self._wrong(name, "true or false")
        return value is True

    def texts(self, name: str) -> list[str]:
        value = self._value(name)
        if value is None:
            return []
        if type(value) is not Array or any(type(item.value) in (Map, Array) for item in value.items):
            raise self._wrong(name, "an array of strings")
        return ["" if item.value is None else scalar_text(item.value) for item in value.items]


def _password(options: Value, _sources: Sources) -> Value:
    """Letters and digits, each as likely as any other. Spec ops 11.1."""
    from secrets import choice

    length = Options(options, "password", ("length",)).number("length")
    if length < 0:
        raise OpsError(
            "the length of a password is negative", expected="0 (the default, 20) or more", found=str(length)
        )
    return "".join([choice(PASSWORD_CHARACTERS) for _ in range(length or PASSWORD_LENGTH)])


def _keys() -> ModuleType:
    try:
        from plait.ops import certificates
    except ImportError:
        raise OpsError("keys and certificates need the cryptography package", hint="pip install cryptography") from None
    return certificates


def _certificate(options: Value, sources: Sources) -> Value:
    import warnings

    with warnings.catch_warnings():  # a common name longer than the standard has it is in use, and accepted
        warnings.simplefilter("ignore")
        value: Value = _keys().certificate(options, sources)
    return value


def _rsa(_options: Value, _sources: Sources) -> Value:
    value: Value = _keys().rsa_pair(KEY_BITS)
    return value


def _ssh(_options: Value, _sources: Sources) -> Value:
    value: Value = _keys().ssh_pair(KEY_BITS)
    return value


GENERATORS: Mapping[str, Callable[[Value, Sources], Value]] = {
    "password": _password,
    "certificate": _certificate,
    "rsa": _rsa,
    "ssh": _ssh,
}
