"""Kill the service while clients write, start it again, and look for what it had said it had: python tests/service/kills.py 200 [URL].

Each client puts documents with its own number and the number of the request. What was acknowledged must be there, whole; what
was not may be there, but then whole as well.
"""

from __future__ import annotations

import http.client
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import serving
import yaml

from patience import LONGEST

CLIENTS, DOCUMENTS = 3, 20


class Client(threading.Thread):
    """Puts into a bucket of its own until the service is gone. acknowledged: revision and request number of each answer."""

    def __init__(self, address: str, number: int, start: int) -> None:
        super().__init__()
        self.address, self.number, self.next = address, number, start
        self.acknowledged: list[tuple[int, int]] = []

    def run(self) -> None:
        connection = http.client.HTTPConnection(self.address, timeout=LONGEST)
        try:
            while True:
                body = serving.body_of([{"name": f"c{self.number}-{k}", "data": self.next} for k in range(DOCUMENTS)])
                self.next += 1
                path = f"{serving.ROOT}/buckets/b{self.number}/documents"
                connection.request("PUT", path, body, {"content-type": serving.YAML})
                response = connection.getresponse()
                text = response.read().decode()
                assert response.status == 200, text
                self.acknowledged.append((int(text.rpartition("revision: ")[2]), self.next - 1))
        except (OSError, http.client.HTTPException):
            return  # it was killed
        finally:
            connection.close()


def started(directory: Path, url: str) -> tuple[subprocess.Popen[str], str]:
    """The service, and its address."""
    command = [sys.executable, "-m", "plait", "serve", "--port", "0", "--database", url]
    server = subprocess.Popen(command, cwd=directory, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    while not (line := server.stderr.readline()).startswith("plait: serving"):
        assert line, "the service did not start"
    return server, line.strip().removeprefix("plait: serving http://")


def ask(address: str, path: str) -> str:
    connection = http.client.HTTPConnection(address, timeout=LONGEST)
    connection.request("GET", serving.ROOT + path)
    text = connection.getresponse().read().decode()
    connection.close()
    return text


def check(address: str, seen: int, acknowledged: list[tuple[int, int, int]]) -> int:
    """Look at all revisions beyond those that were seen; the newest. acknowledged: revision, client, request."""
    revisions = yaml.load(ask(address, "/revisions"), yaml.CSafeLoader)["results"]
    assert [one["id"] for one in revisions] == list(range(1, len(revisions) + 1)), "a revision is missing"
    newest = len(revisions)
    wanted = {revision: (client, request) for revision, client, request in acknowledged}
    assert len(wanted) == len(acknowledged), "two requests were given one revision"
    assert not wanted or max(wanted) <= newest, "what was acknowledged is lost"
    for revision in sorted({*wanted, *range(max(seen, newest - CLIENTS) + 1, newest + 1)}):
        (bucket,) = revisions[revision - 1]["buckets"]
        text = ask(address, f"/revisions/{revision}/documents?status.bucket={bucket}")
        found = [(one["metadata"]["name"], one["data"]) for one in yaml.load_all(text, yaml.CSafeLoader)]
        client, request = wanted.get(revision, (int(bucket[1:]), found[0][1]))
        assert found == [(f"c{client}-{k}", request) for k in range(DOCUMENTS)], f"revision {revision} is not whole"
    return newest


def kills(times: int, directory: Path, url: str) -> int:
    """Kill the service so many times; how many requests were acknowledged. Raises AssertionError."""
    chance = random.Random(1)
    starts = [0] * CLIENTS
    seen = total = 0
    server, address = started(directory, url)
    for _ in range(times):
        clients = [Client(address, number, starts[number]) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        time.sleep(chance.uniform(0.02, 0.6))
        server.kill()
        for client in clients:
            client.join()
        server.communicate()
        starts = [client.next for client in clients]
        server, address = started(directory, url)
        acknowledged = [(*one, client.number) for client in clients for one in client.acknowledged]
        seen = check(address, seen, [(revision, number, request) for revision, request, number in acknowledged])
        total += len(acknowledged)
    server.kill()
    server.communicate()
    return total


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        where = sys.argv[2] if len(sys.argv) > 2 else "sqlite:///plait.db"
        print(
            f"{sys.argv[1]} kills, {kills(int(sys.argv[1]), Path(temporary), where)} requests acknowledged, none lost"
        )
