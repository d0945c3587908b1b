"""Values that are made: each is parsed again, and has the names, usages, dates and signatures it should have."""

from __future__ import annotations

import hashlib
import stat
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("cryptography")

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from plait.base.errors import OpsError
from plait.base.source import Source
from plait.ops.definitions import interpolate
from plait.ops.generate import PASSWORD_CHARACTERS, generate
from plait.ops.reader import read_first
from plait.ops.store import VariableStore
from plait.ops.variables import Sources
from plait.tree.nodes import Map, from_plain, to_plain

if TYPE_CHECKING:
    from pathlib import Path

    from plait.tree.nodes import Value

SMALL = 2048  # bits: the shortest allowed key, to be quick


def made(kind: str, options: object = None, **given: Value) -> dict[str, str]:
    sources = Sources()
    sources.give("var", given)
    value = to_plain(generate(kind, from_plain(options), sources))
    assert isinstance(value, dict)
    return value


@pytest.fixture(scope="module")
def ca() -> Value:
    return generate("certificate", from_plain({"is_ca": True, "common_name": "root", "key_length": SMALL}), Sources())


def certificate(value: dict[str, str], field: str = "certificate") -> x509.Certificate:
    return x509.load_pem_x509_certificate(value[field].encode())


def plain(value: Value) -> dict[str, str]:
    found = to_plain(value)
    assert isinstance(found, dict)
    return found


def check_signed_by(signed: x509.Certificate, signer: x509.Certificate) -> None:
    assert signed.issuer == signer.subject
    signed.verify_directly_issued_by(signer)
    authority = signed.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    subject = signer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    assert authority.key_identifier == subject.digest


def usages(of: x509.Certificate) -> set[str]:
    extension = of.extensions.get_extension_for_class(x509.KeyUsage)
    assert extension.critical
    names = ("digital_signature", "key_encipherment", "key_cert_sign", "crl_sign", "key_agreement", "data_encipherment")
    return {name for name in names if getattr(extension.value, name)}


def test_password_has_letters_and_digits_and_the_length_asked_for() -> None:
    for options, length in ((None, 20), ({"length": 0}, 20), ({"length": 7}, 7), ({"length": None}, 20)):
        value = generate("password", from_plain(options), Sources())
        assert type(value) is str
        assert len(value) == length
        assert set(value) <= set(PASSWORD_CHARACTERS)
    long = generate("password", from_plain({"length": 2000}), Sources())
    assert type(long) is str
    assert set(long) == set(PASSWORD_CHARACTERS)


def test_certificate_has_three_fields_in_pem_form(ca: Value) -> None:
    value = plain(ca)
    assert sorted(value) == ["ca", "certificate", "private_key"]
    assert value["ca"] == value["certificate"]
    assert value["private_key"].startswith("-----BEGIN RSA PRIVATE KEY-----\n")
    assert all(text.endswith("-----\n") for text in value.values())


def test_ca_signs_itself(ca: Value) -> None:
    found = certificate(plain(ca))
    check_signed_by(found, found)
    constraints = found.extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical
    assert constraints.value.ca
    assert usages(found) == {"key_cert_sign", "crl_sign"}
    assert found.not_valid_after_utc - found.not_valid_before_utc == timedelta(days=365)
    assert [each.value for each in found.subject] == ["US", "Cloud Foundry", "root"]
    assert found.serial_number.bit_length() <= 128
    key = found.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    modulus = key.public_numbers().n.to_bytes(SMALL // 8, "big")
    digest = found.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    assert digest == hashlib.sha1(modulus).digest()
    kinds = {type(extension.value) for extension in found.extensions}
    assert not kinds & {x509.ExtendedKeyUsage, x509.SubjectAlternativeName}


def test_default_key_has_3072_bits() -> None:
    key = certificate(made("certificate", {"is_ca": True})).public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    assert key.key_size == 3072


def test_leaf_is_for_servers_and_is_no_ca(ca: Value) -> None:
    found = certificate(made("certificate", {"ca": "root", "common_name": "web", "key_length": SMALL}, root=ca))
    check_signed_by(found, certificate(plain(ca)))
    constraints = found.extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical
    assert not constraints.value.ca
    assert usages(found) == {"digital_signature", "key_encipherment"}
    purposes = found.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(purposes) == [ExtendedKeyUsageOID.SERVER_AUTH]
    with pytest.raises(x509.ExtensionNotFound):
        found.extensions.get_extension_for_class(x509.SubjectAlternativeName)


def test_leaf_key_belongs_to_it(ca: Value) -> None:
    value = made("certificate", {"ca": "root", "key_length": SMALL}, root=ca)
    key = serialization.load_pem_private_key(value["private_key"].encode(), None)
    public = certificate(value).public_key()
    assert isinstance(key, rsa.RSAPrivateKey)
    assert isinstance(public, rsa.RSAPublicKey)
    from cryptography.hazmat.primitives import hashes

    public.verify(key.sign(b"text", padding.PKCS1v15(), hashes.SHA256()), b"text", padding.PKCS1v15(), hashes.SHA256())
    assert value["ca"] == plain(ca)["certificate"]


def test_extended_key_usages_keep_their_order(ca: Value) -> None:
    options = {"ca": "root", "key_length": SMALL, "extended_key_usage": ["client_auth", "server_auth"]}
    purposes = certificate(made("certificate", options, root=ca)).extensions.get_extension_for_class(
        x509.ExtendedKeyUsage
    )
    assert list(purposes.value) == [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]


def test_unknown_extended_key_usage_is_refused_on_a_leaf_only(ca: Value) -> None:
    with pytest.raises(OpsError, match='unknown extended key usage "mail"'):
        made("certificate", {"ca": "root", "extended_key_usage": ["mail"]}, root=ca)
    made("certificate", {"is_ca": True, "key_length": SMALL, "extended_key_usage": ["mail"]})


def test_alternative_names_are_addresses_or_dns_names(ca: Value) -> None:
    names = ["*.example.org", "10.0.0.7", "::1", "localhost"]
    found = certificate(made("certificate", {"ca": "root", "key_length": SMALL, "alternative_names": names}, root=ca))
    value = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [type(each) for each in value] == [x509.DNSName] * 2 + [x509.IPAddress] * 2
    assert [extension.oid._name for extension in found.extensions] == [
        "keyUsage",
        "extendedKeyUsage",
        "basicConstraints",
        "subjectKeyIdentifier",
        "authorityKeyIdentifier",
        "subjectAltName",
    ]
    assert value.get_values_for_type(x509.DNSName) == ["*.example.org", "localhost"]
    assert [str(each) for each in value.get_values_for_type(x509.IPAddress)] == ["10.0.0.7", "::1"]


@pytest.mark.filterwarnings("ignore:Attribute's length")
def test_duration_organization_and_name() -> None:
    options = {"is_ca": True, "key_length": SMALL, "duration": 30, "organization": "Looms", "common_name": "n" * 80}
    found = certificate(made("certificate", options))
    assert found.not_valid_after_utc - found.not_valid_before_utc == timedelta(days=30)
    assert found.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)[0].value == "Looms"
    assert found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "n" * 80
    other = certificate(made("certificate", {"is_ca": True, "key_length": SMALL, "duration": -3}))
    assert other.not_valid_after_utc - other.not_valid_before_utc == timedelta(days=365)


def test_intermediate_is_signed_by_its_ca_and_signs_a_leaf(ca: Value) -> None:
    options = {"is_ca": True, "ca": "root", "common_name": "middle", "key_length": SMALL}
    middle = generate("certificate", from_plain(options), given(root=ca))
    assert plain(middle)["ca"] == plain(ca)["certificate"]
    check_signed_by(certificate(plain(middle)), certificate(plain(ca)))
    leaf = made("certificate", {"ca": "middle", "key_length": SMALL}, middle=middle)
    assert leaf["ca"] == plain(middle)["certificate"]
    check_signed_by(certificate(leaf), certificate(plain(middle)))


def given(**values: Value) -> Sources:
    sources = Sources()
    sources.give("var", values)
    return sources


def test_a_key_that_is_not_the_signers_is_refused(ca: Value) -> None:
    other = plain(generate("rsa", None, Sources()))["private_key"]
    forged = from_plain({"certificate": plain(ca)["certificate"], "private_key": other})
    with pytest.raises(OpsError, match="does not belong"):
        made("certificate", {"ca": "root"}, root=forged)


def test_rsa_pair() -> None:
    value = made("rsa", {"ignored": 1})
    assert sorted(value) == ["private_key", "public_key"]
    key = serialization.load_pem_private_key(value["private_key"].encode(), None)
    public = serialization.load_pem_public_key(value["public_key"].encode())
    assert isinstance(key, rsa.RSAPrivateKey)
    assert key.key_size == 2048
    assert key.public_key() == public
    assert value["private_key"].startswith("-----BEGIN RSA PRIVATE KEY-----\n")
    assert value["public_key"].startswith("-----BEGIN PUBLIC KEY-----\n")


def test_ssh_pair() -> None:
    value = made("ssh")
    assert sorted(value) == ["private_key", "public_key", "public_key_fingerprint"]
    key = serialization.load_pem_private_key(value["private_key"].encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    assert serialization.load_ssh_public_key(value["public_key"].encode()) == key.public_key()
    assert value["public_key"].startswith("ssh-rsa ")
    assert value["public_key"].endswith("\n")
    import base64

    blob = base64.b64decode(value["public_key"].split()[1])
    pairs = value["public_key_fingerprint"].split(":")
    assert "".join(pairs) == hashlib.md5(blob).hexdigest()
    assert {len(pair) for pair in pairs} == {2}


SECTION = """\
variables:
- {name: root, type: certificate, options: {is_ca: true, common_name: ca, key_length: 2048}}
- {name: web, type: certificate, options: {ca: root, common_name: ((host)), key_length: 2048}}
- {name: unused, type: password}
tls: ((web))
pem: "((web.certificate))"
"""


def filled(text: str, store: VariableStore, **values: Value) -> Value:
    sources = given(**values)
    sources.store = store
    return interpolate(read_first(Source("base.yml", text)), sources)


def test_definitions_are_generated_stored_and_used(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "store.yml"
    result = filled(SECTION, VariableStore(str(path)), host="web.example.org")
    assert type(result) is Map
    document = to_plain(result)
    assert isinstance(document, dict)
    assert document["variables"] == []
    stored = to_plain(read_first(Source("store.yml", path.read_text())))
    assert isinstance(stored, dict)
    assert list(stored) == ["root", "unused", "web"]
    assert document["tls"] == stored["web"]
    assert document["pem"] == stored["web"]["certificate"]
    check_signed_by(certificate(stored["web"]), certificate(stored["root"]))
    subject = certificate(stored["web"]).subject
    assert subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "web.example.org"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "private_key: |\n" in path.read_text()
    before = path.read_bytes()
    assert to_plain(filled(SECTION, VariableStore(str(path)), host="other")) == document
    assert path.read_bytes() == before


def test_a_signer_defined_later_is_unknown(tmp_path: Path) -> None:
    first, second, third, *_ = SECTION.splitlines(keepends=True)
    with pytest.raises(OpsError, match="is defined after the certificate that it signs"):
        filled(first + third + second, VariableStore(str(tmp_path / "store.yml")), host="x")
