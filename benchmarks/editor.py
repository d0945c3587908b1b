"""How long an editor waits for `plait lsp`: `python benchmarks/editor.py FILE [--edits N] [--json OUT]`.

FILE is a template or a file of operations within a project. It is opened as a client of the protocol would open it, asked
at places all over it, and edited: an error that only a run can find is put in and taken out again. Printed are percentiles
in milliseconds, and the server's memory in MiB after all edits. The file on the disk stays as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import queue
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

# Found by a run only once all templates were evaluated.
TEMPLATE_FAULT = ("#@overlay/match by=lambda index, left, right: False\n---\nnot_there: 1\n", "to be 1, but was 0")
OPERATION_FAULT = ("- type: remove\n  path: /not-there\n", "not-there")
LONGEST = 60
PAUSE = 0.3  # in which a person looks at what came of it


class Client:
    """The server as a process, and what it has said. told: the newest diagnostics of each file."""

    def __init__(self, root: pathlib.Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "plait", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.answers: dict[int, dict[str, Any]] = {}
        self.told: dict[str, list[dict[str, Any]]] = {}
        self.news: queue.Queue[dict[str, Any]] = queue.Queue()
        self.last = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.ask("initialize", {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": {}})
        self.tell("initialized", {})

    def _read(self) -> None:
        assert self.process.stdout is not None
        while True:
            size = 0
            while line := self.process.stdout.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    size = int(line.partition(b":")[2])
            if not size:
                return
            self.news.put(json.loads(self.process.stdout.read(size)))

    def send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def tell(self, method: str, params: dict[str, Any]) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        self.last += 1
        number = self.last
        self.send({"id": number, "method": method, "params": params})
        self.until(lambda: number in self.answers)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise SystemExit(f"{method}: {answer['error']}")
        return answer["result"]

    def until(self, fits: Callable[[], bool]) -> None:
        end = time.monotonic() + LONGEST
        while not fits():
            message = self.news.get(timeout=max(0.01, end - time.monotonic()))
            if "method" not in message:
                self.answers[message["id"]] = message
            elif message["method"] == "textDocument/publishDiagnostics":
                self.told[message["params"]["uri"]] = message["params"]["diagnostics"]
            elif "id" in message:
                self.send({"id": message["id"], "result": None})

    def memory(self) -> float:
        """What the server's process takes, in MiB."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text("ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return float("nan")

    def end(self) -> None:
        self.ask("shutdown", {})
        self.tell("exit", {})
        self.process.wait(LONGEST)


class Editor:
    """A file that is open, with a fault put in or not."""

    def __init__(self, path: pathlib.Path) -> None:
        self.text = path.read_text("utf-8")
        if not self.text.endswith("\n"):
            self.text += "\n"
        self.lines = self.text.split("\n")
        self.fault, self.sign = OPERATION_FAULT if "\n  path: /" in self.text else TEMPLATE_FAULT
        self.uri = path.as_uri()
        self.version = 1
        self.start = time.perf_counter()
        self.client = Client(path.parent)

    def has_fault(self) -> bool:
        return any(self.sign in one["message"] for one in self.client.told.get(self.uri, []))

    def open(self) -> float:
        """Open it with the fault; how long it takes, from the start of the server, until that is told."""
        document = {"uri": self.uri, "languageId": "yaml", "version": 1, "text": self.text + self.fault}
        self.client.tell("textDocument/didOpen", {"textDocument": document})
        self.client.until(self.has_fault)
        return time.perf_counter() - self.start

    def change(self, first: int, last: int, text: str) -> None:
        """Put a text in the place of some lines, counted from 0."""
        self.version += 1
        area = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
        document = {"uri": self.uri, "version": self.version}
        change = {"textDocument": document, "contentChanges": [{"range": area, "text": text}]}
        self.client.tell("textDocument/didChange", change)

    def heard(self) -> float:
        """Take the fault out and put it in again; how long it takes from then until the editor hears of it."""
        end = len(self.lines) - 1
        self.change(end, end + self.fault.count("\n"), "")
        self.client.until(lambda: not self.has_fault())
        time.sleep(PAUSE)
        start = time.perf_counter()
        self.change(end, end, self.fault)
        self.client.until(self.has_fault)
        return time.perf_counter() - start

    def asked(self, method: str, line: int, column: int) -> float:
        params = {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": column}}
        start = time.perf_counter()
        self.client.ask(f"textDocument/{method}", params)
        return time.perf_counter() - start


def places(lines: list[str], count: int) -> list[tuple[int, int]]:
    """Places in words of a file, the same each time."""
    chance = random.Random(1)
    found = [
        (number, column)
        for number, line in enumerate(lines)
        for column in range(len(line))
        if line[column].isalnum() and not line.lstrip().startswith("#!")
    ]
    return chance.sample(found, min(count, len(found)))


def measured(path: pathlib.Path, edits: int) -> dict[str, dict[str, float]]:
    editor = Editor(path)
    out = {"start": {"once": editor.open() * 1000}}
    editor.heard()
    for method in ("completion", "hover", "definition"):
        out[method] = told([editor.asked(method, *place) for place in places(editor.lines, 200)])
    out["diagnostics"] = told([editor.heard() for _ in range(40)])
    before = editor.client.memory()
    for number in range(edits):
        # As fast as somebody types who does not wait.
        editor.change(0, 0, "\n") if number % 2 == 0 else editor.change(0, 1, "")
        time.sleep(0.02)
    editor.heard()
    out["memory"] = {"before": before, f"after {edits} edits": editor.client.memory()}
    editor.client.end()
    return out


def told(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(1000 * one for one in seconds)
    return {"p50": statistics.median(ordered), "p95": ordered[int(len(ordered) * 0.95)], "max": ordered[-1]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    found = measured(options.file.resolve(), options.edits)
    for name, values in found.items():
        print(f"{name:12}", "  ".join(f"{key} {value:8.1f}" for key, value in values.items()))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1), "utf-8")


if __name__ == "__main__":
    main()
