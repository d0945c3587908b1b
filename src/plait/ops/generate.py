"""Generates the values of variables: passwords, certificates, RSA and SSH keys (docs/reference/variables.md).

Keys need the `cryptography` package (the `certificates` extra), which is imported on demand.
"""

from __future__ import annotations

import warnings
from secrets import choice

from plait.base.errors import OpsError
from plait.base.similar_names import did_you_mean
from plait.base.source import Quoted, Wording, public, quotation
from plait.ops.options import OperationOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from plait.ops.options import Signers
    from plait.tree.nodes import Value

PASSWORD_LENGTH = 20
PASSWORD_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789"  # noqa: S105 - an alphabet, not a password
KEY_BITS = 2048


def check_kind(kind: str) -> None:
    """Raises OpsError for a type that cannot be generated."""
    if kind not in GENERATORS:
        meant = did_you_mean(kind, GENERATORS)
        raise OpsError(
            Wording('a value of type "', Quoted(kind), '" cannot be generated'),
            expected=public(", ".join(GENERATORS)),
            hint=meant and quotation(meant),
            reference=f"Unsupported value type: {kind}",
            code="variable-type",
        )


def generate(kind: str, options: Value, sources: Signers) -> Value:
    """Generates a value. kind: the type of the definition. sources: provide the signer of a certificate.

    Raises OpsError for an unknown type and for invalid options.
    """
    check_kind(kind)
    return GENERATORS[kind](options, sources)


# Characters of a generated password.
_MOST_CHARACTERS = 1 << 16


def _password(options: Value, _sources: Signers) -> Value:
    """A password of letters and digits, uniformly distributed."""
    length = OperationOptions(options, "password", ("length",)).number("length")
    if length < 0:
        raise OpsError(
            public("the length of a password is negative"),
            expected=public("0 (the default, 20) or more"),
            found=quotation(str(length)),
            code="variable-options",
        )
    if length > _MOST_CHARACTERS:
        raise OpsError(
            public("the length of a password is too large"),
            expected=public(f"at most {_MOST_CHARACTERS}"),
            found=quotation(str(length)),
            code="variable-options",
        )
    return "".join([choice(PASSWORD_CHARACTERS) for _ in range(length or PASSWORD_LENGTH)])


def _keys() -> ModuleType:
    try:
        from plait.ops import certificates
    except ImportError:
        told = public("keys and certificates need the cryptography package")
        raise OpsError(told, hint=public("pip install cryptography"), code="extra-not-installed") from None
    return certificates


def _certificate(options: Value, sources: Signers) -> Value:
    with warnings.catch_warnings():  # accept long common names, which are in use
        warnings.simplefilter("ignore")
        value: Value = _keys().certificate(options, sources)
    return value


def _rsa(_options: Value, _sources: Signers) -> Value:
    value: Value = _keys().rsa_pair(KEY_BITS)
    return value


def _ssh(_options: Value, _sources: Signers) -> Value:
    value: Value = _keys().ssh_pair(KEY_BITS)
    return value


GENERATORS: Mapping[str, Callable[[Value, Signers], Value]] = {
    "password": _password,
    "certificate": _certificate,
    "rsa": _rsa,
    "ssh": _ssh,
}
