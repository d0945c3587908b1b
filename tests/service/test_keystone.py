"""Tokens of Keystone: a server that speaks as much of its API as the middleware needs, and what becomes of its answers."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import issuing
import pytest
import serving
from listening import Quiet, listening

from patience import LONGEST
from plait.base.errors import UsageError
from plait.cli import main
from plait.service import keystone
from plait.service.app import application
from plait.service.identity import digest_of
from plait.service.issuers import Issuer

# Of libraries that the middleware uses, under Python 3.11 and 3.12.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
with_middleware = pytest.mark.usefixtures("middleware")

TOKENS = "/v3/auth/tokens"
SERVICE = {"name": "deckhand", "domain": {"name": "Default"}, "password": "pa$$word"}
PROJECT = {"id": "p1", "name": "demo", "domain": {"id": "default", "name": "Default"}}


@pytest.fixture
def middleware() -> None:
    pytest.importorskip("keystonemiddleware.auth_token", reason="there is no plait[keystone]")


def stamp(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Server:
    """A Keystone. tokens: what it says of each. asked: the tokens that it was asked about."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.tokens: dict[str, dict[str, object]] = {}
        self.asked: list[str] = []
        self.slow = 0.0
        self.fails: int | None = None

    def issue(self, token: str, *roles: str, lasts: float = 600, **other: object) -> str:
        """Issue a token."""
        self.tokens[token] = {
            "methods": ["password"],
            "user": {"id": "u1", "name": "someone", "domain": {"id": "default", "name": "Default"}},
            "audit_ids": ["a"],
            "issued_at": stamp(-600),
            "expires_at": stamp(lasts),
            "roles": [{"id": role, "name": role} for role in roles],
            "project": PROJECT,
        } | other
        return token


class Handler(Quiet):
    server_of_tests: Server

    def tell(self, body: object, status: int = 200, **headers: str) -> None:
        self.answer(status, json.dumps(body).encode(), Content_Type="application/json", **headers)

    def do_GET(self) -> None:
        server = self.server_of_tests
        if self.path.partition("?")[0] != TOKENS:
            links = [{"rel": "self", "href": f"{server.address}/v3/"}]
            version = {"id": "v3.14", "status": "stable", "updated": "2020-04-07T00:00:00Z", "links": links}
            self.tell({"version": version} if self.path.startswith("/v3") else {"versions": {"values": [version]}})
            return
        asked = self.headers["X-Subject-Token"]
        server.asked.append(asked)
        time.sleep(server.slow)
        found = server.tokens.get(asked)
        if server.fails is not None:
            self.tell({"error": {"code": server.fails, "message": "no", "title": "No"}}, server.fails)
        elif self.headers["X-Auth-Token"] != "of-the-service":
            self.tell({"error": {"code": 401, "message": "no", "title": "Unauthorized"}}, 401)
        elif found is None or str(found["expires_at"]) < stamp(0):
            self.tell({"error": {"code": 404, "message": f"no token {asked}", "title": "Not Found"}}, 404)
        else:
            self.tell({"token": found}, X_Subject_Token=asked)

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if given["auth"]["identity"]["password"]["user"] != SERVICE:
            self.tell({"error": {"code": 401, "message": "no", "title": "Unauthorized"}}, 401)
            return
        endpoint = {"id": "e", "interface": "internal", "region": "one", "url": f"{self.server_of_tests.address}/v3"}
        catalog = [{"id": "c", "type": "identity", "name": "keystone", "endpoints": [endpoint]}]
        body = {"expires_at": stamp(600), "issued_at": stamp(0), "catalog": catalog, "user": SERVICE, "methods": []}
        self.tell({"token": body}, 201, X_Subject_Token="of-the-service")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    class Own(Handler):
        pass

    with listening(Own) as address:
        Own.server_of_tests = Server(address)
        yield Own.server_of_tests


def settings(server: Server, path: Path, **other: object) -> str:
    """A file of settings, as the chart of Deckhand writes it."""
    given = {
        "auth_type": "password",
        "auth_url": f"{server.address}/v3",
        "auth_version": "v3",
        "delay_auth_decision": "true",
        "http_request_max_retries": 0,
        "password": "pa$$$$word",
        "project_domain_name": "Default",
        "project_name": "service",
        "region_name": "one",
        "user_domain_name": "Default",
        "username": "deckhand",
        "www_authenticate_uri": "https://keystone.example.com",
    } | other
    lines = "".join(f"{name} = {value}\n" for name, value in given.items())
    path.write_text(
        "[DEFAULT]\ndebug = true\nprofiler_enabled = false\n"
        f"[database]\nconnection = ${{URL}}\n[keystone_authtoken]\n{lines}[oslo_policy]\npolicy_file = policy.yaml\n",
        "utf-8",
    )
    return str(path)


Ask = Callable[..., serving.Reply]


@pytest.fixture
def clients(tmp_path: Path) -> Iterator[Callable[..., Ask]]:
    """Makes services; what it gives asks one with a token."""
    made: list[serving.Client] = []

    def serve(keystone: str, **other: object) -> Ask:
        app = application(f"sqlite:///{tmp_path / f'{len(made)}.db'}", keystone=keystone, **other)  # type: ignore[arg-type]
        client = serving.Client(app)
        made.append(client)
        return lambda token, **headers: client.ask("GET", "/revisions", x_auth_token=token, **headers)

    yield serve
    for client in made:
        client.close()


@pytest.fixture
def ask(server: Server, clients: Callable[..., Ask], tmp_path: Path) -> Ask:
    policy = {"deckhand:list_revisions": ["viewer"]}
    return clients(settings(server, tmp_path / "deckhand.conf"), policy=policy)


@with_middleware
def test_roles_go_to_the_policy(server: Server, ask: Ask) -> None:
    assert ask(server.issue("good", "member", "viewer"), host="documents.example").status == 200
    refused = ask(server.issue("other", "member", "admin"))
    assert refused.status == 403
    assert "deckhand:list_revisions to keystone:u1/p1 (someone of the project demo)" in refused.text
    without = ask(server.issue("unscoped", project=None))
    assert (without.status, "list_revisions to keystone:u1 (someone)\n" in without.text) == (403, True)
    of_a_domain = server.issue("domain", project=None, domain={"id": "d", "name": "all"})
    assert "to keystone:u1/d (someone of the domain all)" in ask(of_a_domain).text


@with_middleware
def test_tokens_that_keystone_does_not_know(server: Server, ask: Ask) -> None:
    server.issue("old", "viewer", lasts=-1)
    for token in ("unknown", "old", "two words", "\xff", "", None):
        refused = ask(token)
        assert (refused.status, "HTTPUnauthorized" in refused.text) == (401, True)
        assert refused.headers["www-authenticate"] == 'Keystone uri="https://keystone.example.com"'
    assert server.asked == ["unknown", "old"]


@with_middleware
def test_what_a_client_says_of_itself_is_not_believed(server: Server, ask: Ask) -> None:
    said = {
        "x_identity_status": "Confirmed",
        "x_roles": "viewer",
        "x_role": "viewer",
        "x_user_name": "boss",
        "x_user_id": "boss",
        "x_service_token": "good",
        "x_service_identity_status": "Confirmed",
        "x_storage_token": "good",
    }
    server.issue("good", "viewer")
    for token in (None, "", "unknown"):
        assert ask(token, **said).status == 401
    refused = ask(server.issue("other", "member"), **said)
    assert (refused.status, "(someone of" in refused.text, "boss" in refused.text) == (403, True, False)
    assert "good" not in server.asked


@with_middleware
def test_what_keystone_said_is_kept_for_a_while(server: Server, clients: Callable[..., Ask], tmp_path: Path) -> None:
    ask = clients(settings(server, tmp_path / "deckhand.conf"))
    server.issue("good", "admin", lasts=1)
    assert [ask("good").status, ask("good").status] == [200, 200]
    assert server.asked == ["good"]
    until = time.monotonic() + LONGEST
    while ask("good").status == 200:
        assert time.monotonic() < until
        time.sleep(0.05)
    ask = clients(settings(server, tmp_path / "deckhand.conf", token_cache_time=-1))
    server.issue("lasting", "admin")
    assert [ask("lasting").status, ask("lasting").status] == [200, 200]
    assert server.asked[-2:] == ["lasting", "lasting"]


# The cache's client leaves sockets open.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@with_middleware
def test_a_cache_that_is_away(server: Server, clients: Callable[..., Ask], tmp_path: Path) -> None:
    pytest.importorskip("memcache")
    cache = {"memcached_servers": "127.0.0.1:1", "memcache_security_strategy": "ENCRYPT", "memcache_secret_key": "k"}
    ask = clients(settings(server, tmp_path / "deckhand.conf", **cache))
    server.issue("good", "admin")
    assert [ask("good").status, ask("unknown").status] == [200, 401]


@with_middleware
def test_keystone_that_cannot_be_asked(
    server: Server, clients: Callable[..., Ask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keystone, "_BOUND", 1)
    path = tmp_path / "deckhand.conf"
    server.issue("good", "admin")

    def unavailable(ask: Ask) -> bool:
        refused = ask("good")
        assert "retry: true" in refused.text
        return (refused.status, "KeystoneNotAvailable" in refused.text) == (503, True)

    assert unavailable(clients(settings(server, path, auth_url="http://127.0.0.1:1/v3")))
    assert unavailable(clients(settings(server, path, password="wrong")))
    assert unavailable(clients(settings(server, path, region_name="elsewhere")))
    ask = clients(settings(server, path))
    for status in (500, 503, 403):
        server.fails = status
        assert unavailable(ask)
    server.fails = None
    server.slow = 2
    assert unavailable(ask)
    server.slow = 0
    assert ask("good").status == 200


@with_middleware
def test_who_is_known_does_not_wait_for_keystone(
    server: Server, clients: Callable[..., Ask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plait.service.app._ASKING", 1)
    (tmp_path / "tokens.yml").write_text(f"- {{name: me, digest: {digest_of('mine')}, roles: [admin]}}\n", "utf-8")
    path = settings(server, tmp_path / "deckhand.conf")
    with issuing.provider() as provider:
        issuer = Issuer(provider.address, issuing.AUDIENCE, "realm.roles")
        ask = clients(path, tokens=str(tmp_path / "tokens.yml"), issuer=issuer)
        assert ask("mine").status == 200
        assert ask(None, authorization="Bearer mine").status == 200
        signed = issuing.signed(iss=provider.address)
        assert (ask(signed).status, ask(None, authorization=f"Bearer {signed}").status) == (200, 200)
        assert server.asked == []
        assert ask(server.issue("a.b.c", "admin")).status == 200
        # A token for another service is not shown to Keystone.
        assert ask(None, authorization="Bearer d.e.f").status == 401
        assert ask(None, authorization="Bearer unknown").status == 401
        assert server.asked == ["a.b.c"]


@with_middleware
def test_requests_of_others_go_on_while_keystone_is_slow(server: Server, tmp_path: Path) -> None:
    import asyncio

    (tmp_path / "tokens.yml").write_text(f"- {{name: me, digest: {digest_of('mine')}, roles: [admin]}}\n", "utf-8")
    path = settings(server, tmp_path / "deckhand.conf")
    app = application(f"sqlite:///{tmp_path / 'plait.db'}", tokens=str(tmp_path / "tokens.yml"), keystone=path)
    client = serving.Client(app)
    server.slow = 0.5
    server.issue("good", "admin")

    async def both() -> list[str]:
        ended: list[str] = []

        async def ask(token: str) -> None:
            reply = await client._ask("GET", "/revisions", b"", {"x-auth-token": token})
            assert reply.status == 200
            ended.append(token)

        await asyncio.gather(ask("good"), ask("mine"))
        return ended

    assert client._loop.run_until_complete(both()) == ["mine", "good"]
    client.close()


@with_middleware
def test_a_token_that_is_limited_to_some_requests(server: Server, clients: Callable[..., Ask], tmp_path: Path) -> None:
    ask = clients(settings(server, tmp_path / "deckhand.conf", service_type="document"))
    catalog = [{"id": "c", "type": "document", "name": "plait", "endpoints": []}]

    def token(name: str, **rule: str) -> str:
        limited = {"access_rules": [{"id": "r", "service": "document"} | rule]}
        return server.issue(name, "admin", application_credential=limited, catalog=catalog)

    assert ask(token("right", method="GET", path="/api/v1.0/revisions")).status == 200
    assert ask(token("method", method="PUT", path="/api/v1.0/revisions")).status == 401
    assert ask(token("path", method="GET", path="/api/v1.0/revisions/*")).status == 401


@with_middleware
def test_settings_that_change(
    server: Server, clients: Callable[..., Ask], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "deckhand.conf"
    ask = clients(settings(server, path, password="wrong"))
    server.issue("good", "admin")
    assert ask("good").status == 503
    settings(server, path)
    os.utime(path, ns=(1, 1))
    assert ask("good").status == 200
    path.write_text("[keystone_authtoken]\n", "utf-8")
    assert ask("good").status == 200
    assert "deckhand.conf cannot be read again" in caplog.text


@with_middleware
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", None),
        ("[DEFAULT]\nauth_type = password\n", None),
        ("[keystone_authtoken]\nusername = x\n", None),
        ("[keystone_authtoken]\nauth_type = canary\n", "NoMatchingPlugin"),
        ("[keystone_authtoken]\nauth_type = password\n", "no auth_url"),
        ("[keystone_authtoken]\ncanary\n", "line 2 is not a setting"),
        ("[keystone_authtoken\ncanary = 1\n", "line 1 is not a setting"),
        ("canary = 1\n", "line 1 is not a setting"),
        ("[keystone_authtoken]\nauth_type = none\nhttp_connect_timeout = canary\n", "ConfigFileValueError"),
        ("[keystone_authtoken]\nauth_type = none\nmemcache_security_strategy = canary\n", "ConfigFileValueError"),
    ],
)
def test_settings_that_are_none(text: str, found: str | None, tmp_path: Path) -> None:
    path = tmp_path / "deckhand.conf"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match="no usable Keystone settings") as error:
        application(f"sqlite:///{tmp_path / 'plait.db'}", keystone=str(path))
    assert error.value.found == found
    assert "canary" not in str(error.value)


@with_middleware
def test_the_command_line(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    settings(server, tmp_path / "deckhand.conf")
    check = ["serve", "--check", "--port", "0"]
    assert main([*check, "--host", "0.0.0.0", "--keystone", "deckhand.conf"]) == 0
    assert main([*check, "--keystone", "no.conf"]) == 1
    assert "cannot read no.conf" in capsys.readouterr().err
    assert server.asked == []


def test_the_extra_is_named_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "keystonemiddleware.auth_token", None)
    monkeypatch.setitem(sys.modules, "keystonemiddleware", None)
    assert main(["serve", "--check", "--port", "0", "--keystone", "deckhand.conf"]) == 2
    assert "pip install 'plait[keystone]'" in capsys.readouterr().err


@with_middleware
def test_users_of_the_same_name_differ(server: Server, ask: Ask) -> None:
    """Names are unique only within a domain."""
    other = {"id": "u2", "name": "someone", "domain": {"id": "d2", "name": "other"}}
    texts = [ask(server.issue("one")).text, ask(server.issue("two", user=other)).text]
    assert texts[0] != texts[1]


@with_middleware
@pytest.mark.parametrize("name", ["a\nb", "a\0b", "\ud800", "x" * 256])
def test_names_that_nobody_can_have(server: Server, ask: Ask, name: str) -> None:
    user = {"id": "u1", "name": name, "domain": {"id": "default", "name": "Default"}}
    assert ask(server.issue("good", "viewer", user=user)).status == 401
