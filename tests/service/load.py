"""Fifty clients against `plait serve` for ten minutes, with a fault every thirty seconds.

    python tests/service/load.py sqlite 10
    python tests/service/load.py postgresql 10

Each client owns a bucket, so that it knows what must be in it. A write answered 503 says in `details.kept` if it is stored all
the same; the client looks whether that is true, and repeats the request. Memory is that of the service and its workers. Beside
the health of the service, a server that does nothing is asked as often: its latencies are those of this machine at that time.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import postgresql
import yaml

CLIENTS = 50
EVERY = 30.0
ROOT = "/api/v1.0"
POLICY = "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: lp}\ndata: {layerOrder: [site]}\n"
DOCUMENT = (
    "---\nschema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: %s, storagePolicy: cleartext, "
    "layeringDefinition: {layer: site}}\ndata: %d\n"
)


class Figures:
    """What was seen. wrong: all that must not be."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.statuses: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.health: list[float] = []
        self.nothing: list[float] = []
        self.memory: dict[float, float] = {}
        self.wrong: list[str] = []

    def mistake(self, text: str) -> None:
        with self.lock:
            self.wrong.append(text)


class Client(threading.Thread):
    """A client with a bucket of its own."""

    def __init__(self, address: str, number: int, ended: threading.Event, figures: Figures) -> None:
        super().__init__()
        self._address, self._number, self._ended, self._figures = address, number, ended, figures
        self._chance = random.Random(number)
        self.acknowledged = 0
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: str = "") -> tuple[int, str]:
        """Status and text of a response; 0 if none came."""
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection(self._address, timeout=120)
            self._connection.request(method, path, body, {"Content-Type": "application/x-yaml"} if body else {})
            response = self._connection.getresponse()
            status, text = response.status, response.read().decode()
        except (OSError, http.client.HTTPException):
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            status, text = 0, ""
        with self._figures.lock:
            self._figures.statuses[f"{method} {status}"] += 1
        if status >= 500 and status != 503:
            self._figures.mistake(f"{method} {path}: {status} {text[:300]}")
        return status, text

    def stored(self) -> list[int]:
        """What the bucket has now."""
        while True:
            status, text = self.ask("GET", f"{ROOT}/revisions?sort=id&order=desc&limit=1&marker=0")
            if status == 200:
                found = yaml.load(text, yaml.CSafeLoader)["results"]
                if not found:
                    return []
                path = f"{ROOT}/revisions/{found[0]['id']}/documents?status.bucket=c{self._number}"
                status, text = self.ask("GET", path)
                if status == 200:
                    return [one["data"] for one in yaml.load_all(text, yaml.CSafeLoader) if one]
            time.sleep(0.5)

    def write(self, value: int) -> None:
        body = "".join(DOCUMENT % (f"c{self._number}-{part}", value) for part in range(3))
        while True:
            status, text = self.ask("PUT", f"{ROOT}/buckets/c{self._number}/documents", body)
            if status == 200:
                self.acknowledged = value
                return
            if status not in (0, 503):
                self._figures.mistake(f"PUT: {status} {text[:300]}")
                return
            kept = yaml.load(text, yaml.CSafeLoader)["details"].get("kept") if text else "no response"
            with self._figures.lock:
                self._figures.kept[str(kept)] += 1
            found = self.stored()
            before = [self.acknowledged] * 3 if self.acknowledged else []
            allowed = [before] if kept == "no" else [before, [value] * 3]
            if found not in allowed:
                self._figures.mistake(f"client {self._number}: {found} is stored after 503 with kept={kept}; {allowed}")
            time.sleep(self._chance.uniform(0.2, 1.0))

    def run(self) -> None:
        value = 0
        while not self._ended.is_set():
            value += 1
            self.write(value)
            kind = self._chance.random()
            if kind < 0.3:
                found = self.stored()
                if found != [value] * 3:
                    self._figures.mistake(f"client {self._number}: {found} instead of {value}")
            elif kind < 0.4:
                self.ask("GET", f"{ROOT}/revisions/1/rendered-documents?limit=3")
            elif kind < 0.5:
                self.ask("GET", f"{ROOT}/revisions?limit=5&marker=0")
            self._ended.wait(self._chance.uniform(0.2, 1.8))
        if self._connection is not None:
            self._connection.close()


def watch_health(address: str, ended: threading.Event, figures: Figures, latencies: list[float]) -> None:
    connection = http.client.HTTPConnection(address, timeout=60)
    while not ended.wait(0.2):
        begun = time.perf_counter()
        try:
            connection.request("GET", "/health")
            status = connection.getresponse()
            status.read()
        except (OSError, http.client.HTTPException) as error:
            figures.mistake(f"health: {error!r}")
            connection.close()
            continue
        latencies.append(time.perf_counter() - begun)
        if status.status != 204:
            figures.mistake(f"health: {status.status}")


# A server that does nothing.
NOTHING = """
import asyncio
async def answer(reader, writer):
    while await reader.readline():
        await reader.readuntil(b"\\r\\n\\r\\n")
        writer.write(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")
    writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def told(name: str, latencies: list[float]) -> str:
    found = sorted(latencies)
    at = {"p50": found[len(found) // 2], "p99": found[int(len(found) * 0.99)], "max": found[-1]}
    return f"{name}: {len(found)} requests, " + ", ".join(f"{key} {one * 1000:.1f} ms" for key, one in at.items())


def children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            found += map(int, (task / "children").read_text("ascii").split())
        except FileNotFoundError:
            continue  # the thread has ended
    return found


def memory(pid: int) -> float:
    """MiB of a process and its children."""
    total = 0
    for one in (pid, *children(pid)):
        try:
            lines = Path(f"/proc/{one}/status").read_text("ascii").splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return total / 1024


class Faults:
    """Does harm to a service. server: of PostgreSQL, or None. database: the file of SQLite."""

    def __init__(self, pid: int, address: str, server: postgresql.Server | None, database: Path) -> None:
        self._pid, self._address, self._server, self._database = pid, address, server, database

    def all_of(self) -> list[Any]:
        return (
            [self.restart, self.disk, self.slow, self.worker]
            if self._server
            else [self.lock, self.disk, self.slow, self.worker]
        )

    def restart(self) -> None:
        """The database ends at once, and comes back."""
        assert self._server is not None
        with self._server.stopped():
            time.sleep(5)

    def lock(self) -> None:
        """Another program has the database for itself."""
        with closing(sqlite3.connect(self._database, timeout=60, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            time.sleep(5)
            connection.execute("ROLLBACK")

    def disk(self) -> None:
        """No file of the service can grow."""
        before = resource.prlimit(self._pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self._pid, resource.RLIMIT_FSIZE, (512, before[1]))
        time.sleep(5)
        resource.prlimit(self._pid, resource.RLIMIT_FSIZE, before)

    def slow(self) -> None:
        """Bodies and heads that do not come to their end."""
        host, _, port = self._address.partition(":")
        head = f"PUT {ROOT}/buckets/slow/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-yaml\r\n"
        with ExitStack() as stack:
            for number in range(30):
                connection = stack.enter_context(socket.create_connection((host, int(port)), timeout=60))
                try:
                    connection.sendall(f"{head}Content-Length: 20000000\r\n\r\n".encode() if number % 2 else b"GET /he")
                    if number % 2:
                        connection.sendall(b"#" * 300_000)
                except OSError:
                    continue
            time.sleep(10)

    def worker(self) -> None:
        """The processes that render are killed."""
        for _ in range(10):
            for one in children(self._pid):
                try:
                    os.kill(one, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.5)


def run(kind: str, minutes: float) -> int:
    figures, ended = Figures(), threading.Event()
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(postgresql.started()) if kind == "postgresql" else None
        url = stack.enter_context(server.database()) if server is not None else f"sqlite:///{directory / 'plait.db'}"
        command = [sys.executable, "-m", "plait", "serve", "--port", "0", "--database", url]
        log = stack.enter_context((directory / "log").open("w"))
        reading, writing = os.pipe()
        process = subprocess.Popen(command, cwd=directory, stderr=writing)
        os.close(writing)
        lines = stack.enter_context(os.fdopen(reading, encoding="utf-8"))
        address = lines.readline().strip().rpartition("/")[2]
        drain = threading.Thread(target=lambda: log.writelines(lines))
        drain.start()
        first = Client(address, CLIENTS, ended, figures)
        first.ask("PUT", f"{ROOT}/buckets/policy/documents", POLICY)
        clients = [Client(address, number, ended, figures) for number in range(CLIENTS)]
        nothing = stack.enter_context(
            subprocess.Popen([sys.executable, "-c", NOTHING], stdout=subprocess.PIPE, text=True)
        )
        assert nothing.stdout is not None
        stack.callback(nothing.kill)
        asked = ((address, figures.health), (f"127.0.0.1:{nothing.stdout.readline().strip()}", figures.nothing))
        health = [threading.Thread(target=watch_health, args=(one[0], ended, figures, one[1])) for one in asked]
        for one in (*clients, *health):
            one.start()
        faults = Faults(process.pid, address, server, directory / "plait.db")
        begun, number = time.monotonic(), 0
        while time.monotonic() < begun + minutes * 60:
            time.sleep(max(begun + (number + 1) * EVERY - time.monotonic() - 2, 0))
            figures.memory[round((time.monotonic() - begun) / 60, 1)] = memory(process.pid)
            if time.monotonic() >= begun + minutes * 60 - EVERY / 2:
                break
            fault = faults.all_of()[number % 4]
            figures.faults[fault.__name__] += 1
            fault()
            number += 1
        ended.set()
        for one in (*clients, *health):
            one.join()
        acknowledged = sum(one.acknowledged for one in clients)
        for one in clients:
            if one.stored() != [one.acknowledged] * 3:
                figures.mistake(f"client {one._number}: {one.acknowledged} was acknowledged, {one.stored()} is stored")
        last = Client(address, CLIENTS, ended, figures)
        status, text = last.ask("GET", f"{ROOT}/revisions?sort=id&order=desc&limit=1&marker=0")
        revisions = yaml.load(text, yaml.CSafeLoader)["results"][0]["id"] if status == 200 else 0
        begun = time.monotonic()
        process.terminate()
        status = process.wait(120)
        took = time.monotonic() - begun
        drain.join()
        log.flush()
        tracebacks = (directory / "log").read_text("utf-8").count("Traceback")
    print(f"{kind}: {CLIENTS} clients, {minutes:g} min; faults: {dict(figures.faults)}")
    print(f"requests by status: {dict(sorted(figures.statuses.items()))}")
    print(
        f"writes acknowledged: {acknowledged}; newest revision: {revisions}; writes answered 503, by kept: {dict(figures.kept)}"
    )
    print(told("health", figures.health))
    print(told("a server that does nothing, asked at the same time", figures.nothing))
    print(f"memory in MiB by minute: {json.dumps({str(when): round(size) for when, size in figures.memory.items()})}")
    print(
        f"end: status {status} after {took:.1f} s; tracebacks in the log: {tracebacks}; load average {os.getloadavg()}"
    )
    print(f"wrong: {len(figures.wrong)}")
    for text in figures.wrong[:20]:
        print(f"  {text}")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], float(sys.argv[2])))
