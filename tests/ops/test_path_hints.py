"""Hints for paths in the syntax of other programs: a suggested path is one that works."""

from __future__ import annotations

import json

import pytest

import plait

BASE = """\
groups:
- name: api
  jobs: [{name: web, port: 1}]
- name: db
zones: [z1, z2]
users: [{id: bob, age: 3}]
labels: {app.io/name: web, "a:b/c": 1, "x~y": 2}
"""
MISREAD = [
    ("/groups.api.jobs", "/groups/name=api/jobs"),
    ("/groups[0].jobs", "/groups/0/jobs"),
    ("/groups.0.jobs", "/groups/0/jobs"),
    ("/groups[0]/jobs", "/groups/0/jobs"),
    ("/groups/api/jobs", "/groups/name=api/jobs"),
    ("/users/bob/age", "/users/id=bob/age"),
    ("/users.bob.age", "/users/id=bob/age"),
    ('/groups/name="api"/jobs', "/groups/name=api/jobs"),
    ("/groups/name='api'/jobs", "/groups/name=api/jobs"),
    ("/groups/name==api/jobs", "/groups/name=api/jobs"),
    ("/groups/name= api/jobs", "/groups/name=api/jobs"),
    ("/labels/app.io/name", "/labels/app.io~1name"),
    ("/zones/+", "/zones/-"),
    ("/groups.api.jobs.web.port", "/groups/name=api/jobs/name=web/port"),
]


def refusal(path: str) -> plait.PlaitError:
    with pytest.raises(plait.PlaitError) as caught:
        plait.patch({"base.yml": BASE}, {"ops.yml": json.dumps([{"type": "replace", "path": path, "value": "new"}])})
    return caught.value


@pytest.mark.parametrize(("path", "meant"), MISREAD)
def test_the_suggested_path_works(path: str, meant: str) -> None:
    hint = refusal(path).hint
    assert hint is not None
    assert hint.endswith(f'"{meant}"')
    assert plait.patch(
        {"base.yml": BASE}, {"ops.yml": json.dumps([{"type": "replace", "path": meant, "value": "new"}])}
    )


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/zones/3?", 'an index selects an existing item, and cannot be optional; "/zones/-" adds an item'),
        ("/zones/z2", 'an item is selected by its index: "/zones/1"'),
        ("/zones/z3", 'an item is selected by its index: "/zones/0"'),
        ("/groups/cell", 'an item is selected by index or by match: "/0", "/name=cell"'),
        ("/labels/app.io~1nam", 'did you mean "app.io~1name"?'),
        ("/labels/x~0z", 'did you mean "x~0y"?'),
    ],
)
def test_no_hint_replaces_a_collection_or_adds_another_kind_of_item(path: str, hint: str) -> None:
    assert refusal(path).hint == hint
