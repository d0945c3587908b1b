"""The keys that an issuer publishes: found, fetched again, and kept where fetching fails."""

from __future__ import annotations

import gc
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import issuing
import pytest
import serving
from issuing import AUDIENCE, Provider, signed

from patience import LONGEST
from plait.base.errors import PlaitError, UsageError
from plait.cli import main
from plait.service import discovery
from plait.service.api_errors import ApiError
from plait.service.app import application
from plait.service.issuers import Issuer

WELL_KNOWN = "/.well-known/openid-configuration"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with issuing.provider() as found:
        yield found


def issuer_of(provider: Provider, issuer: str | None = None) -> Issuer:
    found = Issuer(issuer or provider.address, AUDIENCE, "realm.roles")
    found.discover()
    return found


def takes(issuer: Issuer, provider: Provider, name: str) -> bool:
    """Whether a token by a key is taken."""
    try:
        issuer.read(signed(name, name, iss=provider.address))
    except ApiError as refusal:
        return refusal.status != 401
    return True


@pytest.fixture
def a_minute_later(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets the minute pass in which nothing is fetched again."""
    now = [time.monotonic()]
    monkeypatch.setattr(discovery, "_now", lambda: now[0])

    def later() -> None:
        now[0] += 61

    return later


def test_keys_are_found(provider: Provider, tmp_path: Path) -> None:
    app = application(f"sqlite:///{tmp_path / 'plait.db'}", issuer=Issuer(provider.address, AUDIENCE, "realm.roles"))
    client = serving.Client(app)

    def ask(token: str) -> int:
        return client.ask("GET", "/revisions", authorization=f"Bearer {token}", host="documents.example").status

    assert ask(signed(iss=provider.address)) == 200
    assert (ask(""), ask(signed()), ask(signed("two", iss=provider.address))) == (401, 401, 401)
    assert provider.asked == [WELL_KNOWN, "/keys"]
    client.close()


def test_an_address_that_ends_in_a_slash_names_the_issuer_with_it(provider: Provider) -> None:
    provider.publish("one", issuer=f"{provider.address}/")
    found = issuer_of(provider, f"{provider.address}/")
    assert provider.asked == [WELL_KNOWN, "/keys"]
    assert found.read(signed(iss=f"{provider.address}/"))[0] == "openid:deploy"
    with pytest.raises(ApiError):
        found.read(signed(iss=provider.address))


def test_a_key_that_is_not_there_is_asked_for_once_a_minute(
    provider: Provider, a_minute_later: Callable[[], None]
) -> None:
    found = issuer_of(provider)
    provider.publish("one", "two")
    assert not takes(found, provider, "two")
    assert len(provider.asked) == 2
    a_minute_later()
    assert takes(found, provider, "two")
    for kid in ("three", "four", "five"):
        with pytest.raises(ApiError):
            found.read(signed("two", kid, iss=provider.address))
    assert len(provider.asked) == 4
    a_minute_later()
    provider.publish("two")
    assert takes(found, provider, "one")
    with pytest.raises(ApiError):
        found.read(signed("two", "three", iss=provider.address))
    assert not takes(found, provider, "one")


def test_keys_stay_where_fetching_fails(
    provider: Provider, a_minute_later: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    found = issuer_of(provider)
    for number, (path, answer) in enumerate({"/keys": '{"keys": []}', WELL_KNOWN: "{}"}.items(), 1):
        provider.answers[path] = answer
        a_minute_later()
        assert not takes(found, provider, "two")
        assert takes(found, provider, "one")
        assert caplog.text.count("the earlier keys are used") == number


def test_requests_share_a_fetch(provider: Provider, a_minute_later: Callable[[], None]) -> None:
    found = issuer_of(provider)
    provider.publish("one", "two")
    a_minute_later()
    provider.slow = 0.2
    with ThreadPoolExecutor(5) as pool:
        new = [pool.submit(takes, found, provider, "two") for _ in range(4)]
        while len(provider.asked) < 3:
            time.sleep(0.01)
        assert takes(found, provider, "one")
        assert not any(one.done() for one in new)
        assert [one.result() for one in new] == [True] * 4
    assert len(provider.asked) == 4


def test_only_some_requests_wait(
    provider: Provider, a_minute_later: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "_WAITING", 1)
    found = issuer_of(provider)
    a_minute_later()
    provider.slow = 0.2
    waiting = threading.Thread(target=takes, args=(found, provider, "two"))
    waiting.start()
    while len(provider.asked) < 3:
        time.sleep(0.01)
    with pytest.raises(ApiError, match="try again later") as refused:
        found.read(signed("two", "two", iss=provider.address))
    assert refused.value.status == 503
    waiting.join()


def test_keys_are_fetched_in_the_background(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_OFTEN", 0.05)
    before = threading.active_count()
    found = issuer_of(provider)
    provider.publish("two")
    until = time.monotonic() + LONGEST
    while takes(found, provider, "one"):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert takes(found, provider, "two")
    del found
    gc.collect()
    while threading.active_count() > before:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_what_takes_too_long(
    provider: Provider, a_minute_later: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "_BOUND", 0.3)
    found = issuer_of(provider)
    for slow, drops in ((30.0, 0.0), (0.0, 0.2)):
        provider.slow, provider.drops = slow, drops
        a_minute_later()
        assert not takes(found, provider, "two")
        with pytest.raises(PlaitError, match=r"no complete answer after 0\.3 seconds"):
            issuer_of(provider)


def test_what_is_at_an_address_must_be_the_issuers_keys(provider: Provider) -> None:
    with issuing.provider() as other:
        about = {"issuer": provider.address, "jwks_uri": f"{provider.address}/keys"}
        wrong: dict[str, tuple[str, str | tuple[int, str], str]] = {
            "nothing": (WELL_KNOWN, (404, ""), "404 Not Found"),
            "another issuer": (WELL_KNOWN, json.dumps(about | {"issuer": other.address}), "describes the issuer"),
            "with a slash": (
                WELL_KNOWN,
                json.dumps(about | {"issuer": f"{provider.address}/"}),
                "describes the issuer",
            ),
            "no map": (WELL_KNOWN, "[]", "not a JSON map"),
            "no JSON": (WELL_KNOWN, "<html>", "not a JSON map"),
            "too deep": (WELL_KNOWN, "[" * 100_000, "not a JSON map"),
            "not UTF-8": (WELL_KNOWN, "\xff", "not a JSON map"),
            "no keys": (WELL_KNOWN, json.dumps({"issuer": provider.address}), "has no jwks_uri"),
            "keys in the clear": (
                WELL_KNOWN,
                json.dumps(about | {"jwks_uri": "http://sso.example.com/keys"}),
                "not an address of keys",
            ),
            "a file of keys": (WELL_KNOWN, json.dumps(about | {"jwks_uri": "file:///etc/passwd"}), "not an address of"),
            "keys elsewhere": ("/keys", (302, f"{other.address}/keys"), "302 Found"),
            "a description elsewhere": (WELL_KNOWN, (307, f"{other.address}{WELL_KNOWN}"), "307 Temporary"),
            "too much": ("/keys", " " * (1 << 20) + "{}", "more than 1048576 bytes"),
            "keys that are none": ("/keys", '{"keys": 1}', "not the keys of an issuer"),
            "keys that are too deep": ("/keys", "[" * 100_000, "not the keys of an issuer"),
        }
        for what, (path, answer, told) in wrong.items():
            provider.publish("one")
            provider.answers[path] = answer
            with pytest.raises(PlaitError, match=f"the keys of {provider.address} cannot be fetched") as error:
                issuer_of(provider)
            assert told in error.value.message, what
        assert other.asked == []


@pytest.mark.parametrize(
    "address", ["http://sso.example.com", "file:///keys", "sso.example.com", "https://", "https://[", ""]
)
def test_addresses_that_are_not_asked(address: str) -> None:
    with pytest.raises(UsageError, match="not an address of keys"):
        Issuer(address, AUDIENCE).discover()


def test_a_proxy_is_not_asked_for_what_is_on_this_machine(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    assert takes(issuer_of(provider), provider, "one")


def test_the_command_line(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    check = ["serve", "--check", "--port", "0", "--issuer"]
    assert main([*check, provider.address]) == 0
    assert main([*check, f"{provider.address}/realm"]) == 1
    told = capsys.readouterr().err
    assert f"{provider.address}/realm{WELL_KNOWN}': 404 Not Found" in told
    assert "--issuer-keys reads them from a file" in told
