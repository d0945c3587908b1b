"""Rules that hold for every request and every file that the service reads, whatever is in it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import serving
import yaml
from starlette.routing import Route

from patience import LONGEST
from plait.base.errors import PlaitError, UsageError
from plait.cli import main
from plait.service.app import application
from plait.service.encryption import KeyRing
from plait.service.identity import tokens_of
from plait.service.project_files import documents_in
from plait.service.responses import EVERY_RESPONSE
from plait.tree.nodes import Map, MapItem

ALWAYS = {name.decode(): value.decode() for name, value in EVERY_RESPONSE}
ROOT = Path(__file__).parents[2]


def keys_of(text: str) -> KeyRing:
    return KeyRing(lambda: Map([MapItem(name, key) for name, key in yaml.safe_load(text).items()]))


# Files that have credentials, and what reads them.
USED: dict[str, Callable[[str], object]] = {"tokens": tokens_of, "keys": keys_of}


@contextmanager
def server(directory: Path, *flags: str) -> Iterator[str]:
    """The address of `plait serve` as a process."""
    command = [sys.executable, "-m", "plait", "serve", "--port", "0", *flags]
    with subprocess.Popen(command, cwd=directory, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process.stderr.readline().strip().removeprefix("plait: serving ")
        finally:
            process.terminate()
            process.stderr.read()


def test_every_response_has_the_headers(client: serving.Client) -> None:
    assert ALWAYS == {"x-content-type-options": "nosniff", "cache-control": "no-store"}
    for route in client.app.routes:
        assert isinstance(route, Route)
        path = "//" + re.sub(r"{[^}]*}", "1", route.path).lstrip("/")
        for method in ("GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS"):
            for body in ("", "- 1", "[" * 2000):
                reply = client.ask(method, path, body)
                assert ALWAYS.items() <= reply.headers.items(), (method, path, reply.status)
    assert ALWAYS.items() <= client.ask("GET", "//nothing/here").headers.items()


def test_bytes_that_are_not_http_are_answered_with_the_headers(tmp_path: Path) -> None:
    with server(tmp_path) as address:
        parts = urlsplit(address)
        assert parts.hostname is not None
        for sent in (
            b"nonsense\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"GET / HTTP/1.1\r\n: x\r\n\r\n",
            b"PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ):
            with socket.create_connection((parts.hostname, parts.port or 0), timeout=LONGEST) as connection:
                connection.sendall(sent)
                reply = connection.makefile("rb").read().decode().lower()
            assert reply.startswith(("http/1.1 400", "http/1.1 403"))
            for name, value in ALWAYS.items():
                assert f"\r\n{name}: {value}\r\n" in reply


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://example.com"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"host": "attacker.example:9000"},
        {"host": "127.0.0.1.attacker.example"},
        {"host": "127.0.0.1:9000@attacker.example"},
        {"host": ""},
        {"host": None},
    ],
)
def test_without_tokens_web_pages_get_nothing(client: serving.Client, headers: dict[str, str | None]) -> None:
    """Every endpoint but none: a page that a browser shows, or a name that an attacker points at this machine."""
    for route in client.app.routes:
        assert isinstance(route, Route)
        path = "//" + re.sub(r"{[^}]*}", "1", route.path).lstrip("/")
        for method in route.methods or ():
            assert client.ask(method, path, "", **headers).status == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9000", "[::1]:80"])
def test_names_of_this_machine(client: serving.Client, host: str) -> None:
    assert client.ask("GET", "/revisions", host=host, sec_fetch_site="none").status == 200


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "identity, gzip", "x" * 500])
def test_compressed_bodies_are_rejected(client: serving.Client, coding: str) -> None:
    reply = client.ask("PUT", "/buckets/a/documents", serving.body_of(["policy"]), content_encoding=coding)
    assert reply.status == 415
    assert client.ask("GET", "/revisions").document == {"count": 0, "results": []}


def test_a_token_needs_a_role(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roles.yml").write_text("deckhand:list_revisions: [admin, reader]\ndeckhand:show_tag: [tagger]\n", "utf-8")
    for flags, roles in (((), "admin"), (("--policy", "roles.yml"), "admin, reader, tagger")):
        assert main(["serve", "new-token", "deploy", *flags]) != 0
        printed, told = capsys.readouterr()
        assert printed == ""
        assert "a token needs a role" in told
        assert f"--role with one of {roles}\n" in told
    assert main(["serve", "new-token", "deploy", "--policy", "roles.yml", "--role", "raeder"]) != 0
    assert 'did you mean "reader"' in capsys.readouterr().err
    assert main(["serve", "new-token", "deploy", "--policy", "roles.yml", "--role", "reader"]) == 0


def test_digests_of_tokens_are_hexadecimal() -> None:
    with pytest.raises(UsageError, match="cannot be used"):
        tokens_of(f"- {{name: a, digest: {'ü' * 64}, roles: [admin]}}\n")


def test_nothing_in_the_docs_can_be_used_as_a_token_or_a_key() -> None:
    """A reader who copies an example gets an error, not a service with a known token or key."""
    for page in ROOT.glob("docs/**/*.md"):
        for kind, block in re.findall(
            r"^```yaml title=\"(tokens|keys)[^\"]*\"\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
        ):
            with pytest.raises(PlaitError):
                USED[kind](block)
        assert not re.search(r"\b[0-9a-f]{64}\b", page.read_text("utf-8")) or page.name != "serve.md"


@pytest.mark.parametrize("kind", ["link to a file", "link to a directory", "link out", "link to nothing", "fifo"])
def test_documents_of_a_directory_follow_no_links(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    top, other = tmp_path / "top", tmp_path / "other"
    (top / "in").mkdir(parents=True)
    other.mkdir()
    (other / "a.yml").write_text("canary-7f3a: 1\n", "utf-8")
    (top / "in" / "b.yml").write_text("b: 1\n", "utf-8")
    at = top / "in" / "x"
    if kind == "fifo":
        os.mkfifo(at)
    else:
        targets = {"link to a directory": top / "in", "link out": other, "link to nothing": other / "none"}
        at.symlink_to(targets.get(kind, other / "a.yml"))
    assert main(["serve", "documents", str(top)]) != 0
    printed, told = capsys.readouterr()
    assert printed == ""
    assert str(at) in told
    assert "canary" not in told
    at.unlink()
    # The directory itself is named by the user, and may be reached through a link.
    (tmp_path / "link").symlink_to(top)
    assert [one["data"] for one in documents_in(str(tmp_path / "link"))] == ["b: 1\n"]


def test_the_existence_of_files_of_the_machine_is_not_told(tmp_path: Path) -> None:
    """Whatever a project names outside of itself, a file that is there and one that is not have the same answer."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.yml").write_text("canary-7f3a: 1\n", "utf-8")
    (tmp_path / "there" / "link").symlink_to("a.yml")
    client = serving.Client(application(f"sqlite:///{tmp_path}/plait.db"))
    answers = []
    for name in ("there/a.yml", "never/a.yml", "there", "never", "there/link", "never/link"):
        path = str(tmp_path / name)
        up = "../" * 12 + path.lstrip("/")
        # A matrix that cannot be read fails its project: each is asked for alone, all others together.
        projects: list[dict[str, object]] = [{}]
        for number, one in enumerate((path, up, f"{path}/../a.yml", f"./{up}")):
            projects[0] |= {
                f"files{number}": {"render": {"files": [one]}},
                f"values{number}": {"render": {"files": ["a.yml"], "data-values-file": [one]}},
                f"base{number}": {"patch": {"base": one, "ops": "ops.yml"}},
                f"ops{number}": {"patch": {"base": "a.yml", "ops": one}},
                f"vars{number}": {"patch": {"base": "a.yml", "vars-files": one}},
                f"store{number}": {"patch": {"base": "a.yml", "vars-store": one}},
                f"layer{number}": {"layer": {"files": [one]}},
                f"secrets{number}": {"layer": {"files": ["a.yml"], "secrets-file": one}},
            }
            projects.append({"matrix": {"matrix": {"environments": one}, "render": {"files": ["a.yml"]}}})
        told = []
        for runs in projects:
            files = {"plait.yml": yaml.safe_dump({"runs": runs}), "a.yml": "a: 1\n", "ops.yml": "[]\n"}
            documents = [
                {"schema": "plait/File/v1", "metadata": {"schema": "metadata/Control/v1", "name": file}, "data": text}
                for file, text in files.items()
            ]
            put = client.ask("PUT", "/buckets/a/documents", yaml.safe_dump_all(documents))
            revision = put.text.rpartition("revision: ")[2].strip()
            reply = client.ask("GET", f"/revisions/{revision}/fleet")
            assert "canary" not in reply.text
            assert reply.text.count("has no permission") >= len(runs)
            assert "matrix" in runs or [one["name"] for one in yaml.safe_load(reply.text)] == sorted(runs)
            # The sandbox has a directory of its own for each request.
            text = re.sub(r"/\S*/plait-\w{8}\b", "SANDBOX", reply.text)
            told.append((reply.status, text.replace("never", "there")))
        answers.append(told)
    client.close()
    for there, gone in zip(answers[::2], answers[1::2], strict=True):
        for answer_there, answer_gone in zip(there, gone, strict=True):
            assert answer_there == answer_gone
