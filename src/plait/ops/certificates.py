"""Creates keys and certificates with the `cryptography` package. See docs/reference/variables.md."""

from __future__ import annotations

from base64 import b64decode
from datetime import UTC, datetime, timedelta
from hashlib import md5, sha1
from ipaddress import ip_address
from secrets import randbelow

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from plait.base.errors import OpsError
from plait.base.similar_names import did_you_mean
from plait.base.source import Quoted, Wording, public, quotation
from plait.ops.options import OperationOptions
from plait.tree.nodes import Map, MapItem, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ops.options import Signers
    from plait.tree.nodes import Value

OPTIONS = (
    "common_name",
    "organization",
    "alternative_names",
    "is_ca",
    "ca",
    "extended_key_usage",
    "duration",
    "key_length",
)
KEY_LENGTHS = (2048, 3072, 4096)
DEFAULT_KEY_LENGTH = 3072
DEFAULT_DAYS = 365
USAGES = {"client_auth": ExtendedKeyUsageOID.CLIENT_AUTH, "server_auth": ExtendedKeyUsageOID.SERVER_AUTH}


class _Signer:
    """The issuer of a certificate: its certificate and its key."""

    __slots__ = ("certificate", "key")

    def __init__(self, certificate: x509.Certificate, key: rsa.RSAPrivateKey) -> None:
        self.certificate = certificate
        self.key = key


def certificate(options: Value, sources: Signers) -> Value:
    """A certificate with its key and the certificate of its signer, in PEM format.

    All options are checked before a key is generated. Raises OpsError.
    """
    given = OperationOptions(options, "certificate", OPTIONS)
    length = given.number("key_length") or DEFAULT_KEY_LENGTH
    if length not in KEY_LENGTHS:
        raise OpsError(
            Wording("a certificate's key cannot have ", Quoted(str(length)), " bits"),
            expected=public(", ".join(str(bits) for bits in KEY_LENGTHS)),
            code="variable-options",
        )
    is_ca = given.switch("is_ca")
    signer_name = given.text("ca")
    names = given.texts("alternative_names")
    usages = given.texts("extended_key_usage")
    subject = _subject(given.text("common_name"), given.text("organization"))
    days = given.number("duration")
    signer = _signer(signer_name, sources) if signer_name else None
    if not is_ca:
        if signer is None:
            raise OpsError(
                public('a certificate that is not a CA needs a signer, and the option "ca" names none'),
                hint=public('"is_ca: true" makes a CA that signs itself'),
                code="variable-options",
            )
        for usage in usages:
            if usage not in USAGES:
                told = Wording('unknown extended key usage "', Quoted(usage), '"')
                raise OpsError(told, expected=public(", ".join(USAGES)), code="variable-options")

    key = rsa.generate_private_key(public_exponent=65537, key_size=length)
    key_id = _key_id(key.public_key())
    builder = _dated(x509.CertificateBuilder(), days)
    builder = builder.serial_number(_serial()).subject_name(subject).public_key(key.public_key())
    builder = builder.issuer_name(subject if signer is None else signer.certificate.subject)
    for extension, critical in _purposes(is_ca, usages):
        builder = builder.add_extension(extension, critical=critical)
    authority = key_id if signer is None else _subject_key_id(signer.certificate)
    # In the order of BOSH's library, for tools that compare certificates as text.
    builder = builder.add_extension(x509.SubjectKeyIdentifier(key_id), critical=False)
    if authority is not None:
        builder = builder.add_extension(x509.AuthorityKeyIdentifier(authority, None, None), critical=False)
    if names and not is_ca:
        builder = builder.add_extension(_alternative_names(names), critical=False)
    made = builder.sign(key if signer is None else signer.key, hashes.SHA256())
    return Map(
        [
            MapItem("ca", _pem(made if signer is None else signer.certificate)),
            MapItem("certificate", _pem(made)),
            MapItem("private_key", _private_pem(key)),
        ]
    )


def _subject(common_name: str, organization: str) -> x509.Name:
    parts = [
        x509.NameAttribute(NameOID.COUNTRY_NAME, "US"),
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization or "Cloud Foundry"),
    ]
    if common_name:
        parts.append(x509.NameAttribute(NameOID.COMMON_NAME, common_name, _validate=False))
    return x509.Name(parts)


def _serial() -> int:
    return 1 + randbelow((1 << 128) - 1)


def _dated(builder: x509.CertificateBuilder, days: int) -> x509.CertificateBuilder:
    now = datetime.now(UTC).replace(microsecond=0)
    try:
        return builder.not_valid_before(now).not_valid_after(now + timedelta(days=days if days > 0 else DEFAULT_DAYS))
    except OverflowError:
        raise OpsError(
            Wording("a certificate cannot be valid for ", Quoted(str(days)), " days"), code="variable-options"
        ) from None


def _purposes(is_ca: bool, usages: list[str]) -> list[tuple[x509.ExtensionType, bool]]:
    """The extensions for the purposes of a certificate, each with its critical flag."""
    constraints = x509.BasicConstraints(ca=is_ca, path_length=None)
    if is_ca:  # usages and names are ignored, even if invalid
        return [(_key_usage("key_cert_sign", "crl_sign"), True), (constraints, True)]
    purposes = [USAGES[usage] for usage in usages] or [ExtendedKeyUsageOID.SERVER_AUTH]
    return [
        (_key_usage("digital_signature", "key_encipherment"), True),
        (x509.ExtendedKeyUsage(purposes), False),
        (constraints, True),
    ]


def _key_usage(*names: str) -> x509.KeyUsage:
    flags = dict.fromkeys(
        (
            "digital_signature",
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "key_cert_sign",
            "crl_sign",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    flags.update(dict.fromkeys(names, True))
    return x509.KeyUsage(**flags)


def _alternative_names(texts: list[str]) -> x509.SubjectAlternativeName:
    """The alternative names, host names before addresses."""
    names = [_alternative_name(text) for text in texts]
    return x509.SubjectAlternativeName(sorted(names, key=lambda name: isinstance(name, x509.IPAddress)))


def _alternative_name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(text))
    except ValueError:
        pass
    try:
        return x509.DNSName(text)
    except ValueError:
        told = Wording('an alternative name that is neither an address nor a DNS name: "', Quoted(text), '"')
        raise OpsError(told, code="variable-options") from None


def _signer(name: str, sources: Signers) -> _Signer:
    """The certificate and key in a variable's value, from any source."""
    found, value = sources.get(name)
    if not found:
        meant = did_you_mean(name, sources.names())
        raise OpsError(
            Wording('there is no variable "', Quoted(name), '" with a certificate to sign with'),
            hint=quotation(meant)
            if meant
            else public(
                "define it before the certificate that it signs: {name: NAME, type: certificate, options: {is_ca: true, common_name: NAME}}"
            ),
            code="certificate-signer",
        )
    variable = Wording('the variable "', Quoted(name), '"')
    if type(value) is not Map:
        raise OpsError(
            Wording(variable, " is not a certificate"),
            expected=public('a map with "certificate" and "private_key"'),
            found=public(kind_name(value)),
            code="certificate-signer",
        )
    texts = [item.value if item is not None else "" for item in map(value.find, ("certificate", "private_key"))]
    try:
        made = x509.load_pem_x509_certificate(_encoded(texts[0]))
    except ValueError:
        raise OpsError(
            Wording('the "certificate" of ', variable, " is not a certificate in PEM form"), code="certificate-signer"
        ) from None
    try:
        key = serialization.load_pem_private_key(_encoded(texts[1]), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPrivateKey):
        raise OpsError(
            Wording('the "private_key" of ', variable, " is not an RSA key in PEM form"), code="certificate-signer"
        )
    if key.public_key() != made.public_key():
        raise OpsError(
            Wording('the "private_key" of ', variable, ' does not belong to its "certificate"'),
            code="certificate-signer",
        )
    return _Signer(made, key)


def _encoded(value: Value) -> bytes:
    return value.encode("utf-8", "surrogateescape") if type(value) is str else b""


def _subject_key_id(made: x509.Certificate) -> bytes | None:
    try:
        return made.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    except x509.ExtensionNotFound:
        return None


def _key_id(key: rsa.RSAPublicKey) -> bytes:
    """SHA-1 of the modulus's bytes."""
    modulus = key.public_numbers().n
    return sha1(modulus.to_bytes((modulus.bit_length() + 7) // 8, "big"), usedforsecurity=False).digest()


def _pem(made: x509.Certificate) -> str:
    return made.public_bytes(serialization.Encoding.PEM).decode("ascii")


def _private_pem(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode("ascii")


def rsa_pair(bits: int) -> Value:
    """An RSA key: `private_key` and `public_key` in PEM form."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return Map([MapItem("private_key", _private_pem(key)), MapItem("public_key", public.decode("ascii"))])


def ssh_pair(bits: int) -> Value:
    """An SSH key: `private_key`, `public_key` as one OpenSSH line, and its MD5 fingerprint. See
    docs/reference/variables.md.
    """
    key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    line = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    fingerprint = md5(b64decode(line.split()[1]), usedforsecurity=False).digest().hex(":")
    return Map(
        [
            MapItem("private_key", _private_pem(key)),
            MapItem("public_key", line.decode("ascii") + "\n"),
            MapItem("public_key_fingerprint", fingerprint),
        ]
    )
