"""Services side by side: python benchmarks/service.py http://127.0.0.1:9000 http://127.0.0.1:9001 [--clients 4] [--seconds 10].

Each has the same requests, by several clients for the same time, the services in turn: documents put (400, one of which is
changed each time), rendered documents of one revision, and the difference of two. What they have is deleted first.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import threading
import time
from collections.abc import Callable
from urllib.parse import urlsplit

HEADERS = {"content-type": "application/x-yaml"}
ROOT = "/api/v1.0"
DOCUMENTS = 400


def documents(bucket: int, changed: int) -> str:
    """The documents of a bucket: half are in the general layer, and each has one below it that it is merged into."""
    found = []
    for number in range(DOCUMENTS // 2):
        name, label = f"b{bucket}-{number}", f"b{bucket}-v{number}"
        salt = changed if number == 0 else 0
        found.append(
            f"schema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}-g\n  storagePolicy: cleartext\n"
            f"  labels: {{k: {label}}}\n  layeringDefinition: {{layer: global, abstract: true}}\n"
            f"data: {{a: {{x: 1, y: 2, l: [1, 2, 3]}}, text: some text, salt: {salt}}}\n"
        )
        found.append(
            f"schema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}-s\n  storagePolicy: cleartext\n"
            f"  layeringDefinition: {{layer: site, parentSelector: {{k: {label}}}, actions: [{{method: merge, path: .}}]}}\n"
            f"data: {{a: {{z: {number}}}}}\n"
        )
    return "---\n".join(found)


POLICY = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [global, site]}
"""


class Client:
    """A connection that is kept."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=300)

    def ask(self, method: str, path: str, body: str = "") -> str:
        self._connection.request(method, ROOT + path, body, HEADERS)
        response = self._connection.getresponse()
        text = response.read().decode()
        if response.status >= 400:
            raise SystemExit(f"{method} {path}: {response.status}\n{text[:500]}")
        return text


def prepared(url: str) -> None:
    """A policy and two revisions of a bucket."""
    client = Client(url)
    client.ask("DELETE", "/revisions")
    client.ask("PUT", "/buckets/policy/documents", POLICY)
    for changed in (0, 1):
        client.ask("PUT", "/buckets/first/documents", documents(1000, changed))


def loaded(url: str, clients: int, seconds: float, work: Callable[[Client, int, int], object]) -> tuple[float, float]:
    """Requests a second, and the 95th percentile in milliseconds. work: one request of a client, by both numbers."""
    times: list[float] = []
    end = time.perf_counter() + seconds

    def run(number: int) -> None:
        client = Client(url)
        count = 0
        while time.perf_counter() < end:
            start = time.perf_counter()
            work(client, number, count)
            times.append(time.perf_counter() - start)
            count += 1

    started = time.perf_counter()
    threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent = time.perf_counter() - started
    p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return len(times) / spent, p95 * 1000


WORK: dict[str, Callable[[Client, int, int], object]] = {
    "rendered documents": lambda client, _, __: client.ask("GET", "/revisions/3/rendered-documents"),
    "diff": lambda client, _, __: client.ask("GET", "/revisions/2/diff/3"),
    "put 400 documents": lambda client, number, count: client.ask(
        "PUT", f"/buckets/b{number}/documents", documents(number, count)
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("services", nargs="+", metavar="URL")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    print(f"{given.clients} clients, {given.seconds:g} s each{'requests/s':>24}{'p95 ms':>12}")
    for url in given.services:
        prepared(url)
    for name, work in WORK.items():
        for url in given.services:
            rate, p95 = loaded(url, given.clients, given.seconds, work)
            print(f"{name:<20}{url:<28}{rate:>8.1f}{p95:>12.1f}", flush=True)


if __name__ == "__main__":
    main()
