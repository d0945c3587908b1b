"""Inputs that are broken, or not files: a result or a named error from every command, and HTTP within bounds."""

from __future__ import annotations

import gc
import http.server
import os
import pathlib
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from plait.base.content import content, file_content
from plait.base.errors import LimitError, PlaitError, ReadError
from plait.base.limits import Limits, budget_scope
from plait.base.styles import harmless
from plait.cli import main
from plait.ytt.workspace.inputs import Inputs, fetch_url

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMANDS = [
    "render -f IN",
    "render -f ok.yml --data-values-file IN",
    "render -f ok.yml --data-value-file a=IN",
    "render -f IN -o json",
    "patch IN",
    "patch ok.yml -o IN",
    "patch ok.yml -l IN",
    "patch ok.yml --var-file a=IN",
    "patch ok.yml --vars-store IN",
    "layer IN",
    "layer --validate IN",
    "layer ok.yml --secrets-file IN",
    "fmt -f IN",
]

BROKEN: dict[str, bytes] = {
    "empty": b"",
    "white": b" \n\t\n",
    "invalid UTF-8": b"a: \xff\n",
    "half a character": b"a: \xe2\x82",
    "an overlong character": b"a: \xc0\xaf\n",
    "a surrogate": b"a: \xed\xa0\x80\n",
    "a mark": b"\xef\xbb\xbfa: 1\n",
    "marks within": b"a: 1\n\xef\xbb\xbfb: 2\n\xef\xbb\xbf",
    "UTF-16": "a: 1\n".encode("utf-16"),
    "UTF-32": "a: 1\n".encode("utf-32"),
    "a null byte": b"a: b\0c\n",
    "null bytes only": b"\0" * 100,
    "CRLF": b"a: 1\r\nb: |\r\n  x\r\n",
    "CR": b"a: 1\rb: 2\r",
    "separators": "a: x\u2028y\nb\u2029: \x85\n".encode(),
    "controls": bytes(range(1, 32)),
    "repeated keys": b"a: 1\na: 2\n? [x]\n: 1\n? [x]\n: 2\n",
    "repeated merges": b"a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n  x: 2\n",
    "a cyclic anchor": b"&a [*a]\n",
    "a cyclic key": b"&a {*a : 1}\n",
    "an unknown anchor": b"a: *b\n",
    "cut short": b"a: {b: [1, 'x",
    "cut in an escape": b'a: "\\u12',
    "cut in a block": b"a: |\n  x\n b",
    "tabs": b"a:\n\t- b\n",
    "an unknown tag": b"a: !!python/object/apply:os.system [ls]\n",
    "a wrong directive": b"%YAML 9.9\n---\na: 1\n",
    "bad base64": b"a: !!binary '&&&'\n",
    "a large int": b"a: 99999999999999999999999999999999999999\n",
    "a large exponent": b"a: 1e999999999\n",
    "a sexagesimal": b"a: 190:20:30\n",
    "a date that is none": b"a: 2001-99-99\n",
    "JSON": b'{"a": [1, {"b": null}]}',
    "documents only": b"---\n---\n...\n---\n",
    "an object": b"a: &x !!map {}\nb: *x\n",
}


@pytest.fixture(autouse=True)
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ok.yml").write_text("a: ((a))\n", "utf-8")
    return tmp_path


def run(command: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main([word.replace("IN", "in.yml") for word in command.split()])
    said = capfd.readouterr().err
    assert status in (0, 1, 2, 3), said
    assert "internal error" not in said
    assert "Traceback" not in said
    if status:
        assert said.startswith("plait: ")
    return status, said


@pytest.mark.parametrize("command", COMMANDS)
def test_broken_texts(command: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name, data in BROKEN.items():
        (here / "in.yml").write_bytes(data)
        try:
            run(command, capfd)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_file(command: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = here / "in.yml"
    status, said = run(command, capfd)
    if "--vars-store" not in command:
        assert status == 1
        assert "in.yml" in said
    place.mkdir()
    status, said = run(command, capfd)
    assert "in.yml" in said or status == 0, "a directory may be an input"
    place.rmdir()
    os.symlink("nowhere", place)
    run(command, capfd)
    place.unlink()
    os.symlink("in.yml", place)
    run(command, capfd)
    place.unlink()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("in.yml")
        status, said = run(command, capfd)
        assert status == 1
        assert "in.yml" in said
    place.unlink()
    status, said = run(command.replace("IN", "a\0b"), capfd)
    assert status == 1 or "--vars-store" in command, "a store that is not there is empty"


def test_a_file_that_may_not_be_read(
    here: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "in.yml").write_text("a: 1\n", "utf-8")

    def refuse(_path: str, _described: str) -> bytes:
        raise PermissionError(13, "Permission denied", "in.yml")

    for home in ("plait.ytt.workspace.inputs", "plait.ops.reader", "plait.base.content"):
        monkeypatch.setattr(f"{home}.file_content", refuse)
    for command in ("render -f IN", "patch IN", "layer IN"):
        status, said = run(command, capfd)
        assert status == 1
        assert "ermission denied" in said


def test_content_is_bounded(here: pathlib.Path) -> None:
    (here / "a").write_bytes(b"12345")
    with budget_scope(Limits(input=5)):
        assert file_content("a", "file 'a'") == b"12345"
    with budget_scope(Limits(input=4)), pytest.raises(LimitError, match="file 'a' exceeds the limit input=4"):
        file_content("a", "file 'a'")
    with open("/dev/zero", "rb") as zeros, budget_scope(Limits(input=1000)), pytest.raises(LimitError):
        content(zeros, "zeros")
    assert Limits().input >= 1 << 26


# ---- HTTP


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
        elif self.path == "/around":
            self.send_response(302)
            self.send_header("Location", "/around")
            self.end_headers()
        elif self.path == "/flood":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"a" * 65536)
            except OSError:
                return
        elif self.path == "/rude":
            self.send_response_only(500, "no\x1b[2J\x07")
            self.end_headers()
        elif self.path.startswith("/drip"):
            self.send_response(200)
            self.end_headers()
            try:
                for _ in range(16):
                    self.wfile.write(b"a")
                    time.sleep(0.05)
            except OSError:
                return
        elif self.path == "/short":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"a: 1\n")
        else:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"a: 1\n")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    made.daemon_threads = True
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher://x", "//[", "javascript:1", "/around"]
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # urllib's, of a broken redirect
def test_redirects_lead_to_http_only_and_end(server: str, target: str) -> None:
    with pytest.raises(ReadError):
        fetch_url(f"{server}/around" if target == "/around" else f"{server}/to/{target}")
    gc.collect()


def test_a_redirect_is_followed(server: str) -> None:
    assert fetch_url(f"{server}/to//a.yml") == b"a: 1\n"


def test_a_server_that_drips_meets_the_timeout(server: str) -> None:
    with pytest.raises(ReadError, match=r"no complete answer within 0\.3 seconds"), budget_scope(Limits(url=0.3)):
        fetch_url(f"{server}/drip")
    time.sleep(1)  # until the server is done


def test_an_answer_cut_short_is_no_answer(server: str) -> None:
    with pytest.raises(ReadError):
        fetch_url(f"{server}/short")


def test_offline_asks_nobody(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a socket")

    monkeypatch.setattr(socket, "create_connection", refuse)
    assert main(["render", "--offline", "-f", "http://127.0.0.1:1/a.yml"]) == 1
    assert "this run is offline" in capfd.readouterr().err
    with pytest.raises(PlaitError, match="offline"):
        Inputs(offline=True).files(["https://127.0.0.1:1/a.yml"])


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/a.yml", "gopher://127.0.0.1/"])
def test_other_schemes_are_paths(url: str) -> None:
    with pytest.raises(ReadError, match="No such file"):
        Inputs().files([url])


def test_an_answer_without_end_meets_the_limit(server: str) -> None:
    with pytest.raises(LimitError, match="exceeds the limit input=1M"), budget_scope(Limits(input=1 << 20)):
        fetch_url(f"{server}/flood")


def test_a_url_counts_as_an_input(server: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "-f", f"{server}/a.yml"]) == 0
    assert capfd.readouterr().out == "a: 1\n"
    assert main(["render", "--limit", "input=4", "-f", f"{server}/a.yml"]) == 3
    assert "exceeds the limit input=4" in capfd.readouterr().err
    assert main(["render", "--limit", "url=0.3", "-f", f"{server}/drip.yml"]) == 1
    said = capfd.readouterr().err
    assert "no complete answer within 0.3 seconds" in said
    assert "--limit url=N" in said
    assert main(["render", "-f", f"{server}/a.yml", "--data-values-file", f"{server}/to/file:///etc/passwd"]) == 1
    assert "root:" not in capfd.readouterr().err


def test_what_a_server_says_is_harmless_on_a_terminal(server: str) -> None:
    with pytest.raises(ReadError) as caught:
        fetch_url(f"{server}/rude")
    assert "\x1b" not in harmless(caught.value.report())
    assert "500" in caught.value.message


@pytest.mark.parametrize("command", ["render"])
def test_offline_refuses_each_url(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--offline", "-f", "http://127.0.0.1:1/a.yml"]) == 1
    assert "this run is offline" in capfd.readouterr().err


def test_offline_refuses_values(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "a.yml").write_text("a: 1\n", "utf-8")
    for flag in ("--data-values-file=", "--data-value-file=a="):
        assert main(["render", "--offline", "-f", "a.yml", f"{flag}http://127.0.0.1:1/a.yml"]) == 1
        assert "this run is offline" in capfd.readouterr().err


@pytest.mark.parametrize(
    "step",
    [
        "render: {files: [URL]}",
        "values: {files: [URL]}",
        "layer: {files: [URL]}",
        "patch: {ops: [URL]}",
        "patch: {vars-files: [URL]}",
        "compose: {file: URL}",
    ],
)
def test_a_pipeline_asks_no_server(
    step: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a socket")

    monkeypatch.setattr(socket, "create_connection", refuse)
    (here / "b.yml").write_text("b: 1\n", "utf-8")
    for url in ("http://127.0.0.1:1/a.yml", "https://127.0.0.1:1/a.yml"):
        (here / "w.yml").write_text(
            f"steps: [{{render: {{files: [b.yml]}}}}, {{{step.replace('URL', url)}}}]\n", "utf-8"
        )
        assert main(["compose", "w.yml"]) in (1, 2)
        assert "is a URL" in capfd.readouterr().err
    # Nor is a directory of that name taken for one.
    place = here / "http:" / "127.0.0.1:1"
    place.mkdir(parents=True)
    (place / "a.yml").write_text("a: 1\n", "utf-8")
    assert main(["compose", "w.yml"]) in (1, 2)
