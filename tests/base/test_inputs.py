from __future__ import annotations

import http.server
import os
import pathlib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from plait.base.content import LinkPolicy
from plait.base.errors import LimitError, PlaitError, ReadError, UsageError
from plait.base.limits import Limits, budget_scope
from plait.ytt.workspace.input_files import InputFile, in_memory
from plait.ytt.workspace.inputs import Inputs, bulk_files, fetch_url


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(place: pathlib.Path, *paths: str) -> None:
    for path in paths:
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path, "utf-8")


def paths(files: list[InputFile]) -> list[str]:
    return [file.path for file in files]


def failure(*arguments: str, inputs: Inputs | None = None) -> PlaitError:
    with pytest.raises(PlaitError) as caught:
        (inputs or Inputs()).files(arguments)
    return caught.value


def test_a_file_has_its_base_name(here: pathlib.Path) -> None:
    put(here, "a/b/c.yml")
    [file] = Inputs().files(["a/b/c.yml"])
    assert (file.path, file.original_path, file.text(), file.order) == ("c.yml", "c.yml", "a/b/c.yml", 1)
    assert file.described == "file 'a/b/c.yml'"
    assert not file.in_directory


def test_a_directory_is_walked_in_byte_order_hidden_files_included(here: pathlib.Path) -> None:
    put(here, "in/x/c.yml", "in/d.yml", "in/B.yml", "in/.h.yml", "in/aaa/z.yml", "in/.d/e.txt", "in/é.yml", "in/x.yml")
    files = Inputs().files(["in/"])
    assert paths(files) == [".d/e.txt", ".h.yml", "B.yml", "aaa/z.yml", "d.yml", "x.yml", "x/c.yml", "é.yml"]
    assert [file.order for file in files] == list(range(1, 9))
    assert all(file.in_directory for file in files)


def test_arguments_keep_their_order_and_may_repeat(here: pathlib.Path) -> None:
    put(here, "z.yml", "d/a.yml", "d/b.yml")
    files = Inputs().files(["z.yml", "d", "z.yml"])
    assert [(file.path, file.order) for file in files] == [("z.yml", 1), ("a.yml", 2), ("b.yml", 3), ("z.yml", 4)]


def test_files_are_read_when_asked_and_once(here: pathlib.Path) -> None:
    put(here, "a.yml")
    [file] = Inputs().files(["a.yml"])
    (here / "a.yml").write_text("later", "utf-8")
    assert file.text() == "later"
    (here / "a.yml").unlink()
    assert file.bytes() == b"later"
    assert file.source is file.source


def test_bytes_that_are_no_utf8_survive() -> None:
    file = in_memory("a.bin", b"\xff\xfe ok")
    assert file.text() == "\udcff\udcfe ok"
    assert file.bytes() == b"\xff\xfe ok"


def test_a_new_path(here: pathlib.Path) -> None:
    put(here, "a.yml", "d/b.yml")
    inputs = Inputs(stdin=lambda: b"from stdin")
    files = inputs.files(["lib/new.yml=a.yml", "ignored=d", "=a.yml", "in.txt=-"])
    assert paths(files) == ["lib/new.yml", "b.yml", "a.yml", "in.txt"]
    assert files[0].original_path == "a.yml"
    assert files[3].text() == "from stdin"


def test_more_than_one_equals_sign_is_refused(here: pathlib.Path) -> None:
    error = failure("x=y=z")
    assert isinstance(error, UsageError)
    assert "'x=y=z' to only have single '=' sign" in error.message


def test_standard_input_is_there_once() -> None:
    inputs = Inputs(stdin=lambda: b"a: 1\n")
    [file] = inputs.files(["-"])
    assert (file.path, file.text()) == ("stdin.yml", "a: 1\n")
    [again] = inputs.files(["-"])
    with pytest.raises(UsageError, match="Standard input has already been read"):
        again.text()


def test_a_missing_file(here: pathlib.Path) -> None:
    put(here, "values.yml")
    error = failure("value.yml")
    assert error.message == "cannot read value.yml: No such file or directory"
    assert error.hint == 'did you mean "values.yml"?'
    assert failure("").message == 'cannot read "": No such file or directory'
    assert "library" in str(failure("@lib:values.yml").hint)
    assert isinstance(failure("a\0b"), ReadError)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
class TestSpecialFiles:
    def test_links_are_refused(self, here: pathlib.Path) -> None:
        put(here, "a.yml", "d/b.yml")
        os.symlink("a.yml", "s.yml")
        os.symlink("../a.yml", "d/s.yml")
        for argument in ("s.yml", "d"):
            error = failure(argument)
            assert "-> 'a.yml' to be allowed, but was not" in error.message
            assert "--allow-symlink-destination" in str(error.hint)

    @pytest.mark.parametrize(
        ("allowed", "well"),
        [("a.yml", True), (".", True), ("/", True), ("a.ym", False), ("d", False), ("a.yml/x", False)],
    )
    def test_links_are_allowed_by_path_piece(self, here: pathlib.Path, allowed: str, well: bool) -> None:
        put(here, "a.yml", "d/b.yml")
        os.symlink("a.yml", "s.yml")
        inputs = Inputs(links=LinkPolicy(["elsewhere", allowed]))
        if well:
            assert inputs.files(["s.yml"])[0].text() == "a.yml"
        else:
            assert "to be allowed" in failure("s.yml", inputs=inputs).message

    def test_all_links_can_be_allowed(self, here: pathlib.Path) -> None:
        put(here, "d/b.yml")
        os.symlink("d/b.yml", "s.yml")
        os.symlink("d", "sd")
        files = Inputs(links=LinkPolicy(every=True)).files(["s.yml", "sd"])
        # A link to a directory is a file like any other, and never walked.
        assert paths(files) == ["s.yml", "sd"]
        with pytest.raises(ReadError, match="Is a directory"):
            files[1].bytes()

    def test_a_broken_link(self, here: pathlib.Path) -> None:
        os.symlink("nothere", "n.yml")
        error = failure("n.yml")
        assert error.message == "cannot read the target of the link n.yml: No such file or directory"
        assert "nothere: no such file or directory" in str(error.reference)

    def test_a_named_pipe(self, here: pathlib.Path) -> None:
        os.mkfifo("p.yml")
        [file] = Inputs().files(["p.yml"])
        writer = threading.Thread(target=lambda: pathlib.Path("p.yml").write_bytes(b"a: 1\n"))
        writer.start()
        assert file.bytes() == b"a: 1\n"
        writer.join()

    @pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
    def test_a_process_substitution(self) -> None:
        read, write = os.pipe()
        os.write(write, b"a: 1\n")
        os.close(write)
        [file] = Inputs().files([f"x.yml=/dev/fd/{read}"])
        assert (file.path, file.bytes()) == ("x.yml", b"a: 1\n")
        os.close(read)

    def test_devices_and_sockets_are_refused(self, here: pathlib.Path) -> None:
        assert "'/dev/null' to be a regular file" in failure("/dev/null").message
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("s")
            assert failure("s").found == "a socket"

    def test_an_unreadable_file_says_so(self, here: pathlib.Path) -> None:
        put(here, "a.yml")
        [file] = Inputs().files(["a.yml"])
        (here / "a.yml").unlink()
        with pytest.raises(ReadError, match=r"cannot read a\.yml: No such file"):
            file.bytes()


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/found"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"a: 1\n")
        elif self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/found.yml")
            self.end_headers()
        elif self.path in ("/file", "/ftp"):
            self.send_response(302)
            self.send_header("Location", {"/file": "file:///etc/hosts", "/ftp": "ftp://127.0.0.1/x"}[self.path])
            self.end_headers()
        elif self.path.startswith("/login"):
            self.send_response(302)
            self.send_header("Location", f"/told?{self.headers['Authorization']}".replace(" ", "+"))
            self.end_headers()
        elif self.path.startswith("/told"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"{self.path.partition('?')[2]} {self.headers['Authorization']}".encode())
        elif self.path == "/round":
            self.send_response(302)
            self.send_header("Location", "/round")
            self.end_headers()
        else:
            self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


def test_urls(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    inputs = Inputs()
    files = inputs.files([f"{server}/d/found.yml", f"n.yml={server}/moved", f"{server}/found.yml?v=1"])
    assert paths(files) == ["found.yml", "n.yml", "found.yml?v=1"]
    assert fetch_url(f"{server}/found.yml") == b"a: 1\n"
    assert files[1].bytes() == b"a: 1\n"
    assert files[2].bytes() == b"a: 1\n"
    for path, words in (
        ("/absent", "': 404 Not Found"),
        ("/file", "Requesting URL"),
        ("/ftp", "Requesting URL"),
        ("/round", "Requesting URL"),
    ):
        with pytest.raises(ReadError) as caught:
            fetch_url(server + path)
        assert words in caught.value.message
        assert server + path in caught.value.message


def test_a_url_with_a_password(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server that the URL names gets it, as from ytt. Others, and messages, do not."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    url = server.replace("http://", "http://user:p%40w@")
    assert fetch_url(f"{url}/login") == b"Basic+dXNlcjpwQHc= None"
    with pytest.raises(ReadError) as caught:
        fetch_url(f"{url}/absent")
    assert caught.value.message == f"Requesting URL '{server}/absent': 404 Not Found"


def test_a_url_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/a.yml"
    with pytest.raises(ReadError, match=f"Requesting URL '{url}': connection refused"):
        fetch_url(url)


def test_a_url_is_limited_in_size(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(LimitError, match=r"found\.yml' exceeds the limit input=4$"), budget_scope(Limits(input=4)):
        fetch_url(f"{server}/found.yml")


def test_bulk_input() -> None:
    files = bulk_files('{"files":[{"name":"b/x.yml","data":"é"},{"name":"a.yml"}],"other":1}')
    assert [(file.path, file.text(), file.order) for file in files] == [("b/x.yml", "é", 1), ("a.yml", "", 2)]
    assert bulk_files("{}") == []
    assert bulk_files('{"files":null}') == []


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"files":1}', '{"files":[1]}', '{"files":[{"name":1}]}', "[" * 100_000, "nul"]
)
def test_bulk_input_that_is_none(text: str) -> None:
    with pytest.raises(ReadError):
        bulk_files(text)


@pytest.mark.parametrize(
    ("path", "kind", "library", "output"),
    [
        ("a.yml", "yaml-template", False, True),
        ("a.yaml", "yaml-template", False, True),
        (".yml", "yaml-template", False, True),
        ("a.YML", "data", False, False),
        ("a.txt", "text-template", False, True),
        ("a.star", "starlark", True, False),
        ("a.json", "data", False, False),
        ("README", "data", False, False),
        ("l.lib.yml", "yaml-template", True, False),
        ("x/.lib.yml", "yaml-template", True, False),
        ("l.lib.txt", "text-template", True, False),
        ("lib.yml", "yaml-template", False, True),
        ("a.lib.b.yml", "yaml-template", False, True),
        ("a.lib/b.yml", "yaml-template", False, True),
        ("a.lib.md", "data", True, False),
    ],
)
def test_what_a_file_is(path: str, kind: str, library: bool, output: bool) -> None:
    file = in_memory(path, "")
    assert (file.kind, file.is_library, file.for_output) == (kind, library, output)


def test_reading_standard_input_of_a_process() -> None:
    program = "from plait.ytt.workspace.inputs import Inputs; print(Inputs().files(['-'])[0].text())"
    done = subprocess.run([sys.executable, "-c", program], input="a: é", capture_output=True, text=True, check=True)
    assert done.stdout == "a: é\n"
