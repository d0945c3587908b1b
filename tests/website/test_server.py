"""`plait website`: what its server answers, what it refuses, and what a sealed evaluation cannot reach."""

from __future__ import annotations

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress

import pytest

from patience import LONGEST, wait_until_ended
from plait.base.children.forking import can_fork
from plait.base.errors import LimitError, UsageError
from plait.base.sandbox import Sandbox
from plait.base.sandbox import ask as sealed
from plait.cli import main
from plait.integrations.playground.evaluation import KINDS, QUESTIONS, evaluate
from plait.integrations.playground.examples import examples
from plait.integrations.playground.server import MOST, MOST_CONNECTIONS, Playground

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.integrations.playground.evaluation import File, Request
    from plait.integrations.playground.examples import Example

EXAMPLES = examples()
# Those that are about an error.
FAILING = {"A value the schema refuses", "An overlay that matches nothing"}
APP: Request = {"kind": "render", "files": [{"name": "app.yml", "text": "port: 80\n"}]}


needs_copies = pytest.mark.skipif(not can_fork(), reason="processes are not copied here")


def ask(request: bytes) -> bytes:
    return sealed("plait.integrations.playground.questions", request, seconds=20)


@pytest.fixture(scope="module")
def server() -> Iterator[Playground]:
    with Playground("localhost", 0) as playground:
        thread = threading.Thread(target=playground.serve_forever)
        thread.start()
        yield playground
        playground.shutdown()
        thread.join()


def send(server: Playground, method: str, path: str, body: str = "", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("localhost", server.server_address[1], timeout=LONGEST)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body or None, {"Content-Type": "application/json", **named})
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


def test_the_page_is_served_with_all_that_it_names(server: Playground) -> None:
    status, page = send(server, "GET", "/")
    assert status == 200
    for name in re.findall(r'(?:href|src)="([^"]+\.\w+)"', page.decode()):
        assert send(server, "GET", f"/{name}")[0] == 200
    assert send(server, "GET", "/examples.json")[0] == 200
    assert send(server, "GET", "/../server.py")[0] == 404


NO_REQUESTS = {
    "a method": b"<script>x</script> / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "HEAD": b"HEAD / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "a version": b"GET / HTTP/9.9\r\n\r\n",
    "headers": b"GET / HTTP/1.1\r\n" + b"".join(b"A%d: x\r\n" % number for number in range(200)) + b"\r\n",
    "an address": b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
    "a line": b"GET / HTTP/1.1\r\nA: " + b"a" * 70_000 + b"\r\n\r\n",
    "no words": b"evil\r\n\r\n",
}


@pytest.mark.parametrize("what", NO_REQUESTS)
def test_what_is_not_of_this_server_is_refused_in_its_own_form(what: str, server: Playground) -> None:
    with socket.create_connection(("localhost", server.server_address[1]), timeout=LONGEST) as connection:
        connection.sendall(NO_REQUESTS[what])
        answer = b""
        try:
            while part := connection.recv(1 << 16):
                answer += part
        except ConnectionResetError:  # the rest of what was sent is not read
            pass
    assert not any(word in answer for word in (b"script>", b"evil", b"<html", b"text/html"))
    head, _, body = answer.partition(b"\r\n\r\n")
    if head.startswith(b"HTTP/"):
        assert b"X-Content-Type-Options: nosniff" in head
        assert b"Content-Security-Policy: default-src 'none'" in head
    else:
        body = head
    assert what == "HEAD" or set(json.loads(body)) == {"refused"}


def test_a_request_is_evaluated(server: Playground) -> None:
    status, body = send(server, "POST", "/evaluate", json.dumps(APP), Origin=server.address)
    assert status == 200
    assert json.loads(body)["output"] == "port: 80\n"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "elsewhere.example"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Length": str(MOST + 1)}, 413),
        ({"Content_Length": "-1"}, 411),
        ({"Content_Length": "9" * 5000}, 413),
        ({"Content_Length": "\u00b2"}, 411),
    ],
)
def test_what_other_pages_can_send_is_refused(server: Playground, headers: dict[str, str], status: int) -> None:
    assert send(server, "POST", "/evaluate", json.dumps(APP), **headers)[0] == status


# Heads of requests whose body another program may see elsewhere; the body is a request. Only the first is answered.
BODIES = {
    "GET with a length": (b"GET / HTTP/1.1", b"Content-Length: %d", 200),
    "GET of an unknown page": (b"GET /none HTTP/1.1", b"Content-Length: %d", 404),
    "GET with an invalid length": (b"GET / HTTP/1.1", b"Content-Length: +%d", 200),
    "GET with a space before the colon": (b"GET / HTTP/1.1", b"Content-Length : %d", 400),
    "GET in chunks": (b"GET / HTTP/1.1", b"Transfer-Encoding: chunked", 400),
    "GET that stays open": (b"GET / HTTP/1.0", b"Connection: keep-alive\r\nContent-Length: %d", 200),
    "GET that expects to be asked": (b"GET / HTTP/1.1", b"Expect: 100-continue\r\nContent-Length: %d", 200),
    "GET with two lengths": (b"GET / HTTP/1.1", b"Content-Length: 0\r\nContent-Length: %d", 400),
    "GET with two hosts": (b"GET / HTTP/1.1", b"Host: localhost:80\r\nContent-Length: %d", 400),
    "POST in chunks": (b"POST /evaluate HTTP/1.1", b"Content-Length: 2\r\nTransfer-Encoding: chunked", 400),
    "POST with two lengths": (b"POST /evaluate HTTP/1.1", b"Content-Length: 2\r\nContent-Length: %d", 400),
    "POST with two origins": (b"POST /evaluate HTTP/1.1", b"Origin: null\r\nOrigin: null\r\nContent-Length: 2", 400),
    "POST to another page": (b"POST / HTTP/1.1", b"Content-Length: %d", 404),
    "POST without a length": (b"POST /evaluate HTTP/1.1", b"Content-Type: application/json", 411),
} | {
    method.decode(): (method + b" / HTTP/1.1", b"Content-Length: %d", 501)
    for method in (b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"PATCH", b"TRACE", b"CONNECT")
}  # fmt: skip


@pytest.mark.parametrize("what", BODIES)
def test_a_body_is_not_read_as_a_request(what: str, server: Playground) -> None:
    line, header, status = BODIES[what]
    port = server.server_address[1]
    inner = b"GET /examples.json HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % port
    if b"%d" in header:
        header %= len(inner)
    with socket.create_connection(("localhost", port), timeout=LONGEST) as connection:
        connection.sendall(b"%s\r\nHost: localhost:%d\r\n%s\r\n\r\n%s" % (line, port, header, inner))
        answer = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(1 << 16):
                answer += part
    statuses = [int(found) for found in re.findall(rb"HTTP/1\.1 (\d+) ", answer) if found != b"100"]
    assert statuses == [status]


def test_requests_follow_each_other_on_a_connection(server: Playground) -> None:
    with closing(http.client.HTTPConnection("localhost", server.server_address[1], timeout=LONGEST)) as connection:
        for _ in range(2):
            connection.request("GET", "/examples.json")
            assert connection.getresponse().read()
            connection.request("POST", "/evaluate", json.dumps(APP), {"Content-Type": "application/json"})
            response = connection.getresponse()
            assert (response.status, response.getheader("Connection")) == (200, None)
            response.read()


def test_a_name_that_was_made_to_lead_here_gets_no_page(server: Playground) -> None:
    assert send(server, "GET", "/", Host=f"elsewhere.example:{server.server_address[1]}")[0] == 403


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "{",
        "[" * 100_000,
        '{"files": ' + '{"a":' * 50_000,
        "9" * 5000,
        '{"kind": "render", "files": [{"name": "../a.yml", "text": ""}]}',
    ],
)
def test_what_is_no_request_is_told(server: Playground, body: str) -> None:
    status, answer = send(server, "POST", "/evaluate", body)
    assert status == 400
    assert json.loads(answer)["refused"]


# ---- clients that do not go on

# What a client sends and then waits.
STALLS = {
    "nothing": b"",
    "half a line": b"GET / HT",
    "half a head": b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    "half a body": b"POST /evaluate HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n\r\n{",
    "a request, and then nothing": b"GET /style.css HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n",
}


@pytest.mark.parametrize("stall", STALLS)
def test_connections_that_wait_lock_nobody_out(stall: str, server: Playground) -> None:
    port = server.server_address[1]
    with ExitStack() as held:
        for _ in range(3 * MOST_CONNECTIONS):
            one = held.enter_context(socket.create_connection(("localhost", port), timeout=LONGEST))
            one.sendall(STALLS[stall].replace(b"{port}", str(port).encode()))
        assert send(server, "GET", "/examples.json")[0] == 200
        assert send(server, "POST", "/evaluate", json.dumps(APP))[0] == 200
        assert threading.active_count() < 2 * MOST_CONNECTIONS


@pytest.mark.parametrize("stall", STALLS)
def test_a_connection_that_waits_is_ended(stall: str, server: Playground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.integrations.playground.server.SECONDS_TO_SEND", 0.1)
    port = server.server_address[1]
    with socket.create_connection(("localhost", port), timeout=LONGEST) as one:
        one.sendall(STALLS[stall].replace(b"{port}", str(port).encode()))
        while one.recv(65536):
            pass


def test_a_client_that_sends_byte_by_byte_is_ended(server: Playground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.integrations.playground.server.SECONDS_TO_SEND", 0.1)
    port = server.server_address[1]
    with socket.create_connection(("localhost", port), timeout=LONGEST) as one, pytest.raises(ConnectionError):
        _drip(one)


def _drip(connection: socket.socket) -> None:
    """Send a request that takes hours."""
    for byte in b"GET / HTTP/1.1\r\nX: " + b"1" * 60_000:
        connection.send(bytes([byte]))
        time.sleep(0.01)


def test_evaluations_that_wait_are_limited(server: Playground, monkeypatch: pytest.MonkeyPatch) -> None:
    let_go = threading.Event()
    monkeypatch.setattr(server, "evaluated", lambda _: b"{}" if let_go.wait(LONGEST) else b"")
    with ThreadPoolExecutor(MOST_CONNECTIONS) as threads:
        asked = [threads.submit(send, server, "POST", "/evaluate", json.dumps(APP)) for _ in range(40)]
        while sum(one.done() for one in asked) < 24:
            time.sleep(0.01)
        assert send(server, "GET", "/examples.json")[0] == 200
        let_go.set()
        assert sorted(one.result()[0] for one in asked) == [200] * 16 + [503] * 24


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_command_serves_on_with_many_connections() -> None:
    command = [sys.executable, "-P", "-m", "plait", "website", "--listen-addr", "localhost:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process, ExitStack() as held:
        assert process.stderr is not None
        port = int(process.stderr.readline().rpartition(":")[2])
        for _ in range(200):
            held.enter_context(socket.create_connection(("localhost", port), timeout=LONGEST))
        connection = held.enter_context(closing(http.client.HTTPConnection("localhost", port, timeout=LONGEST)))
        connection.request("POST", "/evaluate", json.dumps(APP), {"Content-Type": "application/json"})
        with connection.getresponse() as response:
            assert response.status == 200
            response.read()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""
        assert process.wait(LONGEST) == 0


@pytest.mark.parametrize("example", EXAMPLES, ids=[one["title"] for one in EXAMPLES])
def test_every_example_shows_what_it_is_about(example: Example) -> None:
    answer = json.loads(ask(json.dumps(example).encode()))
    if example["title"] in FAILING:
        assert example["shows"] in answer["report"]
        return
    assert answer["report"] == ""
    assert example["shows"] in answer["output"].split("\n")
    told = {one["line"]: one for one in answer["histories"]}
    assert told.keys() == {one["line"] for one in answer["lines"]}
    for one in told.values():
        assert one["entries"]
        assert {entry["file"] for entry in one["entries"]} <= set(answer["sources"])
    last = answer["lines"][-1]["line"]
    assert ask_one(example, last) == told[last]


def ask_one(example: Example, line: int) -> object:
    [why] = json.loads(ask(json.dumps({**example, "explain": line}).encode()))["histories"]
    return why


def test_a_line_that_an_overlay_wrote_says_so() -> None:
    [example] = [one for one in EXAMPLES if one["title"] == "Where a value comes from"]
    request: Request = {"kind": example["kind"], "files": example["files"]}
    [line] = [one for one in evaluate(request)["lines"] if one["path"] == "spec.replicas"]
    assert line["action"].startswith("overlay")
    assert line["source"] == {"file": "overlays/production.yml", "line": 7}


def test_a_history_is_data_in_the_order_in_which_its_sources_apply() -> None:
    [example] = [one for one in EXAMPLES if one["title"] == "Where a value comes from"]
    answer = evaluate({"kind": example["kind"], "files": example["files"]})
    assert answer["sources"] == ["config/schema.yml", "values.yml", "config/app.yml", "overlays/production.yml"]
    [why] = [one for one in answer["histories"] if one["name"].endswith("spec.replicas")]
    assert [(one["depth"], one["place"], one["value"], one["state"]) for one in why["entries"]] == [
        (0, "config/app.yml:7", "3", "input"),
        (1, "config/schema.yml:3", "1", "overridden"),
        (1, "values.yml:1", "3", "current"),
        (0, "overlays/production.yml:7", "6", "current"),
        (1, "overlays/production.yml:6", None, "current"),
    ]


def test_histories_of_a_long_output_are_asked_for_one_by_one() -> None:
    files: list[File] = [{"name": "a.yml", "text": "".join(f"k{number}: {number}\n" for number in range(501))}]
    assert evaluate({"kind": "render", "files": files})["histories"] == []
    [why] = evaluate({"kind": "render", "files": files, "explain": 501})["histories"]
    assert (why["line"], why["name"], why["value"]) == (501, "k500", "500")


def test_an_overlay_that_matches_nothing_names_the_nearest_document() -> None:
    overlay = (
        '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.subset({"kind": "Configmap"})\n---\na: 1\n'
    )
    files: list[File] = [{"name": "app.yml", "text": "kind: ConfigMap\n"}, {"name": "over.yml", "text": overlay}]
    [error] = evaluate({"kind": "render", "files": files})["errors"]
    assert (error["file"], error["line"]) == ("over.yml", 2)
    assert {"file": "app.yml", "line": 1} in error["also"]


def test_names_of_examples_are_different() -> None:
    names = {one["name"] for one in EXAMPLES}
    assert len(names) == len(EXAMPLES)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


def test_an_error_has_its_file_and_line() -> None:
    answer = evaluate({"kind": "render", "files": [{"name": "app.yml", "text": "a: 1\nb: #@ missing\n"}]})
    [error] = answer["errors"]
    assert (error["file"], error["line"]) == ("app.yml", 2)
    assert "app.yml:2" in answer["report"]


def test_a_warning_is_data_as_an_error_is() -> None:
    text = "a: 1\n#@overlay/matchh by=1\nb: 1\n"
    request: Request = {"kind": "render", "files": [{"name": "app.yml", "text": text}]}
    answers = [evaluate(request), json.loads(ask(json.dumps(request).encode()))]
    assert answers[0] == answers[1]
    [warning] = answers[0]["warnings"]
    [error] = evaluate({"kind": "render", "files": [{"name": "app.yml", "text": "x: #@ missing\n"}]})["errors"]
    assert warning.keys() == error.keys()
    assert (warning["severity"], error["severity"]) == ("warning", "error")
    assert (warning["code"], error["code"]) == ("S375", "E0101")
    assert [warning[name] for name in ("file", "line", "column", "end")] == ["app.yml", 2, 2, 17]
    assert warning["suggestions"] == [{"kind": "replace", "old": "@overlay/matchh", "new": "@overlay/match"}]
    assert answers[0]["output"] == "a: 1\nb: 1\n"


def test_nothing_renders_to_nothing() -> None:
    answer = evaluate({"kind": "render", "files": [{"name": "app.yml", "text": ""}], "explain": 1})
    assert (answer["report"], answer["histories"]) == ("", [])


def test_two_files_of_one_name_are_refused() -> None:
    file = {"name": "a.yml", "text": ""}
    with pytest.raises(UsageError, match="two files are called"):
        evaluate({"kind": "render", "files": [file, file]})  # type: ignore[list-item]


def test_a_pipeline_reaches_no_other_file(tmp_path: pathlib.Path) -> None:
    secret = tmp_path / "secret.yml"
    secret.write_text("password: hidden\n")
    reports = []
    for path in (secret, tmp_path, tmp_path / "none"):
        pipeline = f"steps: [{{render: {{files: ['{path}']}}}}]\n"
        answer = json.loads(
            ask(json.dumps({"kind": "compose", "files": [{"name": "plait.yml", "text": pipeline}]}).encode())
        )
        assert answer["report"]
        assert "hidden" not in json.dumps(answer)
        # The sandbox has a directory of its own for each request.
        reports.append(re.sub(r"/\S*/plait-\w{8}\b", "SANDBOX", answer["report"]).replace(str(path), "PATH"))
    # A file that is there has the same answer as one that is not.
    assert len(set(reports)) == 1


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("0.0.0.0:8080", "could run templates on this machine"),
        (":8080", "could run templates on this machine"),
        ("localhost", "is not a valid address to listen on"),
        ("localhost:99999", "is not a valid address to listen on"),
    ],
)
def test_it_listens_on_this_machine_alone(address: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["website", "--listen-addr", address]) != 0
    assert told in capsys.readouterr().err


def test_an_address_that_is_taken_is_told(server: Playground, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["website", "--redirect-to-https=false", "--listen-addr", f"127.0.0.1:{server.server_address[1]}"]) != 0
    assert "cannot listen on" in capsys.readouterr().err


@pytest.mark.parametrize(
    "code",
    [
        "open('made', 'w')",
        "open('/etc/passwd')",
        "import os; os.listdir('/')",
        "import os; os.mkdir('made')",
        "import os; os.system('true')",
        "import subprocess; subprocess.run(['true'])",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
    ],
)
def test_a_sealed_process_reaches_nothing(code: str, tmp_path: pathlib.Path) -> None:
    program = f"from plait.base.sandbox import seal; seal()\n{code}"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "PermissionError: [Errno 13] the sandbox " in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_answer_of_a_sealed_process_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    request = json.dumps(APP).encode()
    assert ask(request)
    monkeypatch.setattr("plait.base.sandbox._MOST_ANSWER", 3)
    with pytest.raises(LimitError, match="without an answer"):
        ask(request)


LONG = "#@ def f():\n#@   return [0 for _ in range(1000000000)]\n#@ end\na: #@ f()\n"


@needs_copies
def test_a_sandbox_answers_each_request_as_a_process_of_its_own() -> None:
    sandbox = Sandbox("plait.integrations.playground.sandboxed:serve")
    requests = [json.dumps({"kind": one["kind"], "files": one["files"]}).encode() for one in EXAMPLES]
    try:
        found = [sandbox.ask(request, seconds=LONGEST) for request in requests]
        assert [sandbox.ask(request, seconds=LONGEST) for request in requests] == found
    finally:
        sandbox.end()
    assert found[::4] == [ask(request) for request in requests[::4]]


@needs_copies
def test_a_sandbox_that_takes_too_long_ends_with_its_copy() -> None:
    sandbox = Sandbox("plait.integrations.playground.sandboxed:serve")
    assert sandbox.ask(json.dumps(APP).encode(), seconds=LONGEST)
    request = json.dumps({"kind": "render", "files": [{"name": "app.yml", "text": LONG}]}).encode()
    with pytest.raises(LimitError, match="took too long"):
        sandbox.ask(request, seconds=0.05)  # the limit of steps ends it, but not that soon
    assert not sandbox.is_alive()
    wait_until_ended(in_group(sandbox.process))


@needs_copies
def test_a_sandbox_that_answers_after_the_server_is_closed_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    playground = Playground("127.0.0.1", 0)
    asked: list[Sandbox] = []
    answered = Sandbox.ask

    def close_first(sandbox: Sandbox, request: bytes, *, seconds: float) -> bytes:
        asked.append(sandbox)
        playground.server_close()
        return answered(sandbox, request, seconds=seconds)

    monkeypatch.setattr(Sandbox, "ask", close_first)
    assert playground.evaluated(json.dumps(APP).encode())
    assert [sandbox.is_alive() for sandbox in asked] == [False]


@needs_copies
def test_a_sandbox_ends_with_the_process_that_asks() -> None:
    """And so does the copy that is at work."""
    program = f"""
from plait.base.sandbox import Sandbox
sandbox = Sandbox("plait.integrations.playground.sandboxed:serve")
sandbox.ask({json.dumps(APP).encode()!r}, seconds=600)
print(sandbox.process, flush=True)
while True:
    sandbox.ask({json.dumps({"kind": "render", "files": [{"name": "app.yml", "text": LONG}]}).encode()!r}, seconds=600)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        group = int(asking.stdout.readline())
        while len(processes := in_group(group)) < 2:
            time.sleep(0.01)
        asking.kill()
    wait_until_ended(processes)


def in_group(group: int) -> list[int]:
    """The processes of a group."""
    found = [int(path.name) for path in pathlib.Path("/proc").iterdir() if path.name.isdecimal()]
    return [one for one in found if _group_of(one) == group]


def _group_of(process: int) -> int:
    try:
        return os.getpgid(process)
    except ProcessLookupError:
        return 0


def test_a_directory_on_the_path_is_not_read(tmp_path: pathlib.Path) -> None:
    """`python -m plait` puts the working directory there, where the files of a service may be."""
    (tmp_path / "keys.yml").write_text("key: hidden\n")
    program = "from plait.base.sandbox import seal; import os; seal(); open(os.environ['WANTED'])"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "WANTED": str(tmp_path / "keys.yml")}
    (tmp_path / "here").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path / "here",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "the sandbox cannot read files of this machine" in done.stderr


def test_matches_of_overlays_are_told_with_their_lines() -> None:
    [example] = [one for one in EXAMPLES if one["title"].startswith("Keys that may be missing")]
    answer = evaluate({"kind": "render", "files": example["files"]})
    [match] = answer["matches"]
    assert (match["file"], match["line"], match["changed"]) == ("annotate.yml", 3, 2)
    output = answer["output"].splitlines()
    assert [output[first - 1] for first, _ in match["lines"]] == ["kind: Namespace", "kind: Namespace"]
    assert [output[last - 1].strip() for _, last in match["lines"]] == ['rate-limit: "2000"', 'rate-limit: "2000"']


# Names that mean something to a command line or to the system.
NAMES = {
    "standard input": "-",
    "a path from standard input": "a.yml=-",
    "an option": "--help",
    "a device": "dev/stdin",
    "a URL": "http:/localhost/a.yml",
    "a home directory": "~/a.yml",
    "a variable": "$HOME/a.yml",
    "a pattern": "[a-z]*.yml",
    "a terminal": "a\x1b[2J\n.yml",
    "no text": "\udc80.yml",
    "the longest": "a/" * 127 + "a",
}


@needs_copies
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_no_name_makes_an_evaluation_wait_or_fail(name: str) -> None:
    sandbox = Sandbox("plait.integrations.playground.sandboxed:serve")
    try:
        for kind in KINDS:
            for question in (None, *QUESTIONS):
                request: dict[str, object] = {"kind": kind, "files": [{"name": name, "text": "a: 1\n"}]}
                request |= {"ask": question} if question else {}
                request |= {"change": {"document": 0, "path": "a", "text": "2"}, "command": f"plait render -f {name}"}
                try:
                    answer = sandbox.ask(json.dumps(request).encode(), seconds=LONGEST)
                except UsageError as error:
                    answer = error.message.encode()
                assert b"internal error" not in answer
                assert sandbox.is_alive()
    finally:
        sandbox.end()


@pytest.mark.parametrize("name", ["a" * 256, "a/" * 200_000 + "a"], ids=["long", "deep"])
def test_a_name_cannot_make_directories_without_end(name: str) -> None:
    for kind in KINDS:
        with pytest.raises(UsageError, match="at most 255 characters"):
            ask(json.dumps({"kind": kind, "files": [{"name": name, "text": ""}]}).encode())


def test_standard_input_of_an_evaluation_is_empty(server: Playground) -> None:
    """Otherwise a file named "-" would be the next request, and the evaluation would wait for it."""
    change = {"document": 0, "path": "a", "text": "2"}
    request = {"kind": "render", "files": [{"name": "-", "text": "a: 1\n"}], "ask": "change", "change": change}
    text = json.dumps(request)
    begun = time.monotonic()
    assert send(server, "POST", "/evaluate", text)[0] == 200
    assert ask(text.encode())
    assert time.monotonic() - begun < LONGEST / 2
    assert json.loads(send(server, "POST", "/evaluate", json.dumps(APP))[1])["output"] == "port: 80\n"
