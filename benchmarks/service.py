"""Processor time of requests to `plait serve`, with few and with many documents: `python benchmarks/service.py [PYTHON...]`.

PYTHON: of installations of plait, to compare. The time is that of the service and of its workers, and with `--postgresql`
that of the database's server, which is started for it. Small requests go to all services in turns, so that whatever else the
machine does meets all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "service"))
import postgresql
from postgresql import Server

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
    """Processor time of a process and its children, also of those that have ended.

    The kernel's clock of a process counts nanoseconds; of a child that has ended there are ticks of 10 ms.
    """
    total = ended = 0.0
    for one in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            with open(f"/proc/{one}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            if one == pid or int(fields[1]) == pid:
                total += time.clock_gettime((~one << 3) | _PROCESS_CLOCK)
                ended += sum(map(int, fields[13:15]))
        except OSError:
            continue
    return total + ended / os.sysconf("SC_CLK_TCK")


# The kernel's number for the processor time of all threads.
_PROCESS_CLOCK = 2


class Service:
    """A service with an empty database."""

    def __init__(self, python: str, directory: str, server: Server | None, database: str) -> None:
        self._server = server
        command = [python, "-m", "plait", "serve", "--port", "0", "--max-body", "256M", "--limit", "seconds=900"]
        command += ["--limit", "memory=8G", "--limit", "input=1G", "--limit", "output=1G"]
        command += ["--database", database] if database else []
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
        before, begun = self._seconds(), time.perf_counter()
        connection.request(method, ROOT + path, body, {"Content-Type": "application/x-yaml"})
        response = connection.getresponse()
        text = response.read()
        took = time.perf_counter() - begun
        connection.close()
        if response.status >= 400:
            raise SystemExit(f"{method} {path}: {response.status} {text[:500]!r}")
        return self._seconds() - before, took, text

    def _seconds(self) -> float:
        return seconds_of(self._process.pid) + (seconds_of(self._server.pid()) if self._server is not None else 0)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


class Subject:
    """An installation of plait with a number of documents. name: of both."""

    def __init__(self, stack: contextlib.ExitStack, python: str, count: int, server: Server | None) -> None:
        self.name, self.count = f"{python} {count}", count
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        database = "" if server is None else stack.enter_context(server.database())
        self._service = Service(python, directory, server, database)
        stack.callback(self._service.close)
        self.figures: dict[str, float] = {}

    def fill(self) -> None:
        """Put the documents, and render them."""
        body = POLICY + "".join(DOCUMENT % (n, n % 50, n, n % 1000) for n in range(self.count))
        found = self.figures
        found["megabytes"] = len(body) / 1e6
        found["upload, s"], found["upload, wall s"], _ = self._service.ask("PUT", "/buckets/all/documents", body)
        path = "/revisions/1/rendered-documents?limit=1"
        found["render cold, s"], found["render cold, wall s"], _ = self._service.ask("GET", path)

    def ask(self, method: str, path: str, body: str, number: int) -> float:
        """The processor time of a request in milliseconds."""
        path = path.replace("{half}", str(self.count // 2)).replace("{revision}", str(self._newest))
        return self._service.ask(method, path, body.replace("{n}", str(number)))[0] * 1000

    def look(self) -> None:
        """Find the newest revision."""
        text = self._service.ask("GET", "/revisions?order=desc&sort=id&limit=1&marker=0")[2].decode()
        self._newest = int(text.partition("\n  id: ")[2].split()[0])

    _newest = 1


ONE = (
    "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: one, storagePolicy: cleartext, "
    "layeringDefinition: {layer: site}}\ndata: {n}\n"
)
SORTED = ("schema", "metadata.layeringDefinition.layer", "status.bucket", "status.revision", "id")
OLD, NEW = "/revisions/1", "/revisions/{revision}"
# What is asked for; the time of a request is in milliseconds.
SMALL: dict[str, tuple[str, str, str]] = {
    "limit=1": ("GET", f"{OLD}/documents?limit=1", ""),
    "name": ("GET", f"{OLD}/documents?metadata.name=n{{half}}", ""),
    "marker": ("GET", f"{OLD}/documents?limit=1&marker={{half}}", ""),
    "sorted": ("GET", f"{OLD}/documents?sort=metadata.name&limit=1", ""),
    "sorted, marker": ("GET", f"{OLD}/documents?sort=metadata.name&order=desc&limit=1&marker={{half}}", ""),
    **{f"sorted by {key}": ("GET", f"{OLD}/documents?sort={key}&order=desc&limit=1", "") for key in SORTED},
    "schema": ("GET", f"{OLD}/documents?schema=example/Kind/v1&limit=1", ""),
    "label": ("GET", f"{OLD}/documents?metadata.label=group=g7&limit=1", ""),
    "bucket": ("GET", f"{OLD}/documents?status.bucket=all&limit=1", ""),
    "rendered limit=1": ("GET", f"{OLD}/rendered-documents?limit=1", ""),
    "rendered marker": ("GET", f"{OLD}/rendered-documents?limit=1&marker={{half}}", ""),
    "rendered name": ("GET", f"{OLD}/rendered-documents?metadata.name=n{{half}}", ""),
    "revision": ("GET", OLD, ""),
    "tag": ("POST", f"{OLD}/tags/t", ""),
    "put of one": ("PUT", "/buckets/one/documents", ONE),
    "diff after it": ("GET", f"{OLD}/diff/{{revision}}", ""),
    "render after it, once": ("GET", f"{NEW}/rendered-documents?limit=1", ""),
    "deepdiff after it": ("GET", f"{OLD}/deepdiff/{{revision}}", ""),
    "rollback": ("POST", "/rollback/1", ""),
}
TIMES, SECONDS = 60, 20.0


def measure(subjects: Sequence[Subject], name: str) -> None:
    """The mean processor time of a request to each subject, which are asked in turns."""
    times: dict[str, list[float]] = {subject.name: [] for subject in subjects}
    for subject in subjects:
        subject.look()
    for number in range(-1, 1 if name.endswith("once") else TIMES):
        for subject in subjects:
            found = times[subject.name]
            if sum(found) < SECONDS * 1000:
                took = subject.ask(*SMALL[name], number)
                if number >= 0 or name.endswith("once"):
                    found.append(took)
    for subject in subjects:
        found = times[subject.name]
        subject.figures[f"{name}, ms"] = found[0] if name.endswith("once") else sum(found) / len(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--counts", default="100,100000")
    parser.add_argument("--only", help="names of requests, with semicolons")
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(postgresql.started()) if options.postgresql else None
        counts = [int(text) for text in options.counts.split(",")]
        subjects = [Subject(stack, python, count, server) for python in options.pythons for count in counts]
        for subject in subjects:
            subject.fill()
        for name in options.only.split(";") if options.only else SMALL:
            measure(subjects, name)
    for subject in subjects:
        print(subject.name)
    for name in subjects[0].figures:
        values = [subject.figures[name] for subject in subjects]
        ratios = ""
        if name.endswith("ms"):
            pairs = zip(values[:: len(counts)], values[len(counts) - 1 :: len(counts)], strict=True)
            ratios = "".join(f"{large / small:8.2f}x" for small, large in pairs)
        print(f"{name:26}" + "".join(f"{value:13.3f}" for value in values) + ratios)
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
