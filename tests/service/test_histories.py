"""Random histories of several clients at once, checked against a model. `pytest tests/service --long` tries 10,000.

The model knows what each revision has. What clients do at the same time must have happened in some order: each request that
was answered names its revision, and done in the order of revisions, one after the other, they give what the service has.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

import hypothesis
import pytest
import serving
import yaml
from hypothesis import stateful
from hypothesis import strategies as st

from plait.service.app import application

BUCKETS, NAMES, TAGS = "pqr", "abcd", "xy"
CLIENTS = 3
# name: bucket, data, revision of the last change
State = dict[str, tuple[str, int, int]]
Contents = dict[str, int]


class Request(NamedTuple):
    """What a client asks for. contents: of the bucket; None for a rollback, and revision: to where."""

    bucket: str
    contents: Contents | None
    revision: int = 0

    @property
    def line(self) -> tuple[str, str, str]:
        if self.contents is None:
            return "POST", f"/rollback/{self.revision}", ""
        documents: list[object] = [{"name": name, "data": data} for name, data in self.contents.items()]
        return "PUT", f"/buckets/{self.bucket}/documents", serving.body_of(documents)


contents = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 2), max_size=3)
puts = st.builds(Request, st.sampled_from(BUCKETS), contents)
rollbacks = st.builds(Request, st.just(""), st.none(), st.integers(0, 8))


class Histories(stateful.RuleBasedStateMachine):
    """The service beside the model."""

    def __init__(self, clients: list[serving.Client]) -> None:
        super().__init__()
        self.clients = clients
        assert clients[0].ask("DELETE", "/revisions").status == 204
        self.revisions: list[State] = [{}]
        self.tags: dict[int, dict[str, int]] = {}

    @stateful.rule(requests=st.lists(st.one_of(puts, puts, rollbacks), min_size=1, max_size=CLIENTS))
    def write(self, requests: list[Request]) -> None:
        """Requests at the same time, each by a client of its own."""
        replies: dict[int, serving.Reply] = {}
        before = len(self.revisions) - 1

        def ask(number: int) -> None:
            replies[number] = self.clients[number].ask(*requests[number].line)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, len(requests))]
        for thread in threads:
            thread.start()
        ask(0)
        for thread in threads:
            thread.join()
        done = sorted((revision_of(replies[number]), number) for number in replies if is_done(replies[number]))
        buckets = self.listed()
        for revision, number in done:
            # a request that changed nothing names the revision that another one made
            made_it = requests[number].contents is None or buckets[revision - 1 :][:1] == [[requests[number].bucket]]
            if revision > before and made_it:
                self.apply(requests[number], revision)
        for revision, number in done:
            request = requests[number]
            if request.contents is not None:  # also those that changed nothing
                had = {
                    name: data
                    for name, (bucket, data, _) in self.revisions[revision].items()
                    if bucket == request.bucket
                }
                assert had == request.contents
        for number, reply in replies.items():
            if not is_done(reply):
                self.check_refusal(requests[number], reply, before)
        assert len(buckets) == len(self.revisions) - 1

    def apply(self, request: Request, revision: int) -> None:
        """What a request that made a revision does to the model."""
        state = self.revisions[-1]
        if revision < len(self.revisions):  # two clients asked for the same, and one of them made it
            return
        assert revision == len(self.revisions), "a revision is missing"
        if request.contents is None:
            target = self.revisions[request.revision]
            wanted = {name: (bucket, data) for name, (bucket, data, _) in target.items()}
        else:
            wanted = {name: (bucket, data) for name, (bucket, data, _) in state.items() if bucket != request.bucket}
            assert not wanted.keys() & request.contents.keys(), "a document was in another bucket"
            wanted |= {name: (request.bucket, data) for name, data in request.contents.items()}
        after: State = {}
        for name, (bucket, data) in wanted.items():
            same = name in state and state[name][:2] == (bucket, data)
            after[name] = state[name] if same else (bucket, data, revision)
        self.revisions.append(after)

    def check_refusal(self, request: Request, reply: serving.Reply, before: int) -> None:
        """A request may be refused if it had to be at some moment."""
        if request.contents is None:
            assert (reply.status, request.revision > before) == (404, True), reply.text
        else:
            names = request.contents
            owners = [
                bucket for state in self.revisions[before:] for name, (bucket, _, _) in state.items() if name in names
            ]
            assert reply.status == 409, reply.text
            assert any(bucket != request.bucket for bucket in owners)

    @stateful.rule(revision=st.integers(0, 9))
    def read(self, revision: int) -> None:
        """A revision, old or new."""
        reply = self.clients[0].ask("GET", f"/revisions/{revision}/documents")
        if not 0 < revision < len(self.revisions):
            assert reply.status == 404
            return
        found = {
            one["metadata"]["name"]: (one["status"]["bucket"], one["data"], one["status"]["revision"])
            for one in yaml.safe_load_all(reply.text)
        }
        assert found == self.revisions[revision]

    @stateful.rule(left=st.integers(0, 9), right=st.integers(0, 9))
    def compare(self, left: int, right: int) -> None:
        """Two revisions."""
        reply = self.clients[1].ask("GET", f"/revisions/{left}/diff/{right}")
        if max(left, right) >= len(self.revisions):
            assert reply.status == 404
            return
        older, newer = (by_bucket(self.revisions[one]) for one in sorted((left, right)))
        assert reply.document == {
            bucket: "created"
            if bucket not in older
            else "deleted"
            if bucket not in newer
            else "unmodified"
            if older[bucket] == newer[bucket]
            else "modified"
            for bucket in {*older, *newer}
        }

    @stateful.rule(revision=st.integers(1, 9), tag=st.sampled_from(TAGS), data=st.one_of(st.none(), st.integers(0, 2)))
    def tag(self, revision: int, tag: str, data: int | None) -> None:
        """Tag a revision, or take the tag away."""
        there = self.tags.get(revision, {})
        if data is None:
            reply = self.clients[0].ask("DELETE", f"/revisions/{revision}/tags/{tag}")
            assert (reply.status == 204) is (there.pop(tag, None) is not None)
        else:
            reply = self.clients[0].ask("POST", f"/revisions/{revision}/tags/{tag}", f"data: {data}\n")
            assert (reply.status == 201) is (revision < len(self.revisions))
            if reply.status == 201:
                self.tags.setdefault(revision, {})[tag] = data

    @stateful.rule(revision=st.integers(1, 9))
    def read_tags(self, revision: int) -> None:
        """The tags of a revision."""
        reply = self.clients[2].ask("GET", f"/revisions/{revision}/tags")
        if revision < len(self.revisions):
            assert reply.document == {tag: {"data": data} for tag, data in self.tags.get(revision, {}).items()}
        else:
            assert reply.status == 404

    def listed(self) -> list[list[str]]:
        """The buckets of each revision that there is; their numbers have no gaps."""
        found = self.clients[0].ask("GET", "/revisions").document
        assert isinstance(found, dict)
        assert [one["id"] for one in found["results"]] == list(range(1, found["count"] + 1))
        return [one["buckets"] for one in found["results"]]


def is_done(reply: serving.Reply) -> bool:
    return reply.status in (200, 201)


def revision_of(reply: serving.Reply) -> int:
    """The revision that an answer names; 0 for the answer to what never was."""
    if not reply.text:
        return 0
    found = reply.documents[0]
    assert isinstance(found, dict)
    number: int = found["id"] if reply.status == 201 else found["status"]["revision"]
    return number


def by_bucket(state: State) -> dict[str, set[tuple[str, int]]]:
    found: dict[str, set[tuple[str, int]]] = {}
    for name, (bucket, data, _) in state.items():
        found.setdefault(bucket, set()).add((name, data))
    return found


@pytest.fixture
def clients(database_url: str) -> Iterator[list[serving.Client]]:
    """Clients of two services beside each other, on one database."""
    apps = [application(database_url) for _ in range(2)]
    made = [serving.Client(apps[number % 2]) for number in range(CLIENTS)]
    yield made
    for client in made:
        client.close()


def test_histories(clients: list[serving.Client], request: pytest.FixtureRequest) -> None:
    is_long = request.config.getoption("--long")
    settings = hypothesis.settings(
        max_examples=10_000 if is_long else 12,
        stateful_step_count=15 if is_long else 12,
        deadline=None,
        derandomize=not is_long,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    stateful.run_state_machine_as_test(lambda: Histories(clients), settings=settings)  # type: ignore[arg-type]
