"""Processor time of requests to `plait serve`, with few and with many documents: `python benchmarks/service.py [PYTHON]`.

PYTHON: of another installation of plait, to compare; the time is that of the service and of its workers, in seconds.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = "/api/v1.0"
POLICY = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: lp}
data: {layerOrder: [global, site]}
"""
DOCUMENT = """\
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: n%d
  storagePolicy: cleartext
  labels: {group: g%d}
  layeringDefinition: {layer: site, abstract: false}
data: {a: [1, 2], host: h%d.example.com, port: %d}
"""


def seconds_of(pid: int) -> float:
    """Processor time of a process and its children, also of those that have ended."""
    total = 0.0
    tick = os.sysconf("SC_CLK_TCK")
    for one in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            with open(f"/proc/{one}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if one == pid or int(fields[1]) == pid:
            total += sum(map(int, fields[11:15])) / tick
    return total


class Service:
    """A service with an empty database."""

    def __init__(self, python: str, directory: str) -> None:
        command = [python, "-m", "plait", "serve", "--port", "0", "--max-body", "256M", "--limit", "seconds=900"]
        command += ["--limit", "memory=8G", "--limit", "input=1G", "--limit", "output=1G"]
        self._process = subprocess.Popen(command, cwd=directory, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        line = self._process.stderr.readline()
        if "serving" not in line:
            raise SystemExit(line + self._process.stderr.read())
        self._address = line.strip().removeprefix("plait: serving http://")
        self._drain = subprocess.Popen(["cat"], stdin=self._process.stderr, stdout=subprocess.DEVNULL)

    def ask(self, method: str, path: str, body: str = "") -> tuple[float, float, bytes]:
        """Processor time and wall-clock time of a request, and its response."""
        connection = http.client.HTTPConnection(self._address, timeout=1800)
        before, begun = seconds_of(self._process.pid), time.perf_counter()
        connection.request(method, ROOT + path, body, {"Content-Type": "application/x-yaml"})
        response = connection.getresponse()
        text = response.read()
        took = time.perf_counter() - begun
        connection.close()
        if response.status >= 400:
            raise SystemExit(f"{method} {path}: {response.status} {text[:500]!r}")
        return seconds_of(self._process.pid) - before, took, text

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


def many(service: Service, method: str, path: str, times: int, body: str = "") -> float:
    """The processor time of one of several requests, in milliseconds; {n} in the body is its number."""
    service.ask(method, path, body.replace("{n}", "-1"))
    total = sum(service.ask(method, path, body.replace("{n}", str(number)))[0] for number in range(times))
    return total / times * 1000


def figures(python: str, count: int) -> dict[str, float]:
    """The figures for a number of documents."""
    with tempfile.TemporaryDirectory() as directory:
        service = Service(python, directory)
        try:
            body = POLICY + "".join(DOCUMENT % (n, n % 50, n, n % 1000) for n in range(count))
            found = {"documents": float(count), "megabytes": len(body) / 1e6}
            found["upload, s"], found["upload, wall s"], _ = service.ask("PUT", "/buckets/all/documents", body)
            found["render cold, s"], found["render cold, wall s"], _ = service.ask(
                "GET", "/revisions/1/rendered-documents?limit=1"
            )
            one = "/revisions/1/documents"
            found["limit=1, ms"] = many(service, "GET", f"{one}?limit=1", 20)
            found["name, ms"] = many(service, "GET", f"{one}?metadata.name=n{count // 2}", 20)
            found["marker, ms"] = many(service, "GET", f"{one}?limit=1&marker={count // 2}", 20)
            found["rendered limit=1, ms"] = many(service, "GET", "/revisions/1/rendered-documents?limit=1", 20)
            found["rendered name, ms"] = many(
                service, "GET", f"/revisions/1/rendered-documents?metadata.name=n{count // 2}", 20
            )
            found["revision, ms"] = many(service, "GET", "/revisions/1", 20)
            small = "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: one, storagePolicy: cleartext, layeringDefinition: {layer: site}}\ndata: {n}\n"
            found["put of one, ms"] = many(service, "PUT", "/buckets/one/documents", 10, small)
            newest = service.ask("GET", "/revisions?order=desc&sort=id&limit=1&marker=0")[2].decode()
            revision = newest.partition("\n  id: ")[2].split()[0]
            after = service.ask("GET", f"/revisions/{revision}/rendered-documents?limit=1")
            found["render after a change, s"] = after[0]
            return found
        finally:
            service.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", nargs="?", default=sys.executable)
    parser.add_argument("--counts", default="100,100000")
    options = parser.parse_args()
    rows = [figures(options.python, int(text)) for text in options.counts.split(",")]
    for name in rows[0]:
        values = [row[name] for row in rows]
        ratio = f"{values[-1] / values[0]:8.2f}x" if values[0] and name.endswith("ms") else ""
        print(f"{name:28}" + "".join(f"{value:14.3f}" for value in values) + ratio)
    print(json.dumps(rows))
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
