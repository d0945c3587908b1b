"""Messages that no editor should send: each request has an answer, and the server's log has no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from patience import LONGEST

if TYPE_CHECKING:
    from pathlib import Path

INVALID = -32602  # parameters
HOVER = "textDocument/hover"
AT = {"line": 0, "character": 0}
UNREADABLE = [b"{", b'{"jsonrpc": "2.0", "method": "\xff"}', b"[]", b'"x"', b"[" * 100_000, b"9" * 5000]
INVALID_PARAMETERS: list[object] = [
    None,
    [],
    {"textDocument": 1},
    {"textDocument": {"uri": "file:///a.yml"}, "position": {"line": -1, "character": 0}},
    {"textDocument": {"uri": "http://["}, "position": AT},
    {"textDocument": {"uri": "file:///a%00.yml"}, "position": AT},
]


def conversation(directory: Path, *bodies: bytes, until: int) -> tuple[dict[int, dict[str, object]], str]:
    """The answers of a new server by the number of their request, until that of one request; and its log."""
    command = [sys.executable, "-m", "plait", "lsp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=directory, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        for body in bodies:
            server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        server.stdin.flush()
        found: dict[int, dict[str, object]] = {}
        while until not in found:
            size = int(server.stdout.readline().partition(b":")[2])
            while server.stdout.readline() != b"\r\n":
                pass
            answer = json.loads(server.stdout.read(size))
            if "id" in answer and "method" not in answer:
                found[answer["id"]] = answer
        server.stdin.close()
        assert server.wait(LONGEST) == 0
        return found, server.stderr.read().decode()


def request(number: int, method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


BEGIN = request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})


def test_unreadable_messages_are_skipped(tmp_path: Path) -> None:
    known = request(2, HOVER, {"textDocument": {"uri": "file:///a.yml"}, "position": AT})
    found, log = conversation(tmp_path, BEGIN, *UNREADABLE, known, until=2)
    assert found[2].get("result", 1) is None
    assert log.count("JsonRpcException") == len(UNREADABLE)
    assert "Traceback" not in log


def test_requests_with_invalid_parameters_are_answered(tmp_path: Path) -> None:
    requests = [request(number, HOVER, one) for number, one in enumerate(INVALID_PARAMETERS, 2)]
    last = len(requests) + 2
    found, log = conversation(tmp_path, BEGIN, *requests, request(last, "shutdown", None), until=last)
    for number in range(2, last):
        error = found[number]["error"]
        assert isinstance(error, dict)
        assert error["code"] == INVALID
    assert "Traceback" not in log + json.dumps(found)


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    """An editor that counts in UTF-16 may send one of the two parts of a character."""
    (tmp_path / "plait.yml").write_text("runs:\n  a:\n    render: {files: [a.yml]}\n", "utf-8")
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    document = {"uri": (tmp_path / "a.yml").as_uri()}
    item = document | {"languageId": "yaml", "version": 1, "text": "a: \ud83d\nb: 2\n"}
    opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    hover = request(2, HOVER, {"textDocument": document, "position": {"line": 1, "character": 0}})
    found, log = conversation(tmp_path, BEGIN, json.dumps(opened).encode(), hover, until=2)
    assert "error" not in found[2]
    assert "Traceback" not in log
