"""The questions of the playground's page: each answer is compared with what plait makes of the same files."""

from __future__ import annotations

import json

import pytest

from plait.base.sandbox import ask as sealed
from plait.integrations.playground.evaluation import QUESTIONS
from plait.integrations.playground.examples import examples
from plait.integrations.playground.questions import respond

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from plait.integrations.playground.examples import Example

EXAMPLES = {one["title"]: one for one in examples()}
FAILING = {"A value the schema refuses", "An overlay that matches nothing"}
GOOD = [one for title, one in EXAMPLES.items() if title not in FAILING]


def answer(example: Example, **more: object) -> Any:
    """The answer for an example as a browser gets it."""
    return json.loads(respond(json.dumps({"kind": example["kind"], "files": example["files"], **more})))


def with_files(example: Example, files: Sequence[Mapping[str, str]]) -> Example:
    """An example with other texts, and with more files."""
    texts = {one["name"]: one["text"] for one in files}
    new = example.copy()
    new["files"] = [*example["files"]]
    for number, one in enumerate(new["files"]):
        changed = one.copy()
        changed["text"] = texts.pop(one["name"], one["text"])
        new["files"][number] = changed
    new["files"] += [{"name": name, "text": text} for name, text in texts.items()]
    return new


@pytest.mark.parametrize("example", GOOD, ids=[one["title"] for one in GOOD])
def test_steps_lead_to_the_output_one_from_the_other(example: Example) -> None:
    steps = answer(example, ask="steps")["steps"]
    before = None
    for step in steps:
        after = [row["text"] for row in step["rows"] if row["sign"] != "-"]
        assert [row["line"] for row in step["rows"] if row["sign"] != "-"] == [*range(1, len(after) + 1)]
        if any(row["sign"] != " " for row in step["rows"]):
            assert [row["text"] for row in step["rows"] if row["sign"] != "+"] == before
        before = after
    assert before == answer(example)["output"].splitlines()


# An overlay that takes a data value: its line is not the one that decides.
COMPUTED: Example = {
    **EXAMPLES["Where a value comes from"],
    "files": [
        {"name": "schema.yml", "text": "#@data/values-schema\n---\ncount: 1\n"},
        {"name": "app.yml", "text": "a: 0\nb: 2\n"},
        {
            "name": "overlay.yml",
            "text": '#@ load("@ytt:overlay", "overlay")\n#@ load("@ytt:data", "data")\n#@overlay/match by=overlay.all\n---\n'
            "a: #@ data.values.count\n",
        },
        {"name": "values.yml", "text": "count: 3\n", "role": "values"},
    ],
}


@pytest.mark.parametrize("example", [*GOOD, COMPUTED], ids=[*[one["title"] for one in GOOD], "computed"])
def test_output_why_and_steps_name_the_same_line(example: Example) -> None:
    found = answer(example)
    assert found["report"] == ""
    texts = found["output"].splitlines()
    output: dict[int, object] = {}
    for one in found["lines"]:
        output.setdefault(one["line"], one["source"])
    for why in found["histories"]:
        decides = [{"file": one["file"], "line": one["line"]} for one in why["entries"] if one["decides"]]
        assert decides == ([output[why["line"]]] if output[why["line"]] else [])
    rows = [row for step in answer(example, ask="steps")["steps"] for row in step["rows"] if row["sign"] == "+"]
    for line, source in output.items():
        last = [row["source"] for row in rows if row["text"] == texts[line - 1] and texts.count(row["text"]) == 1][-1:]
        assert last in ([], [source])


def test_lines_that_a_step_removed_stand_where_they_stood() -> None:
    found = answer(EXAMPLES["Match, insert, append, remove"], ask="steps")["gone"]
    assert found == [
        {"before": 4, "texts": ["  debug: true"], "by": "change", "source": {"file": "change.yml", "line": 9}}
    ]
    found = answer(EXAMPLES["Paths of lists"], ask="steps")["gone"]
    assert [(one["texts"], one["source"]["file"]) for one in found] == [(["- a"], "operations.yml")]


def test_several_overlay_files_are_several_steps() -> None:
    example = EXAMPLES["Where a value comes from"]
    overlay = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\nspec:\n  paused: true\n'
    more = with_files(example, [{"name": "overlays/staging.yml", "text": overlay}])
    steps = answer(more, ask="steps")["steps"]
    assert [one["name"] for one in steps] == ["data values", "templates", "production", "staging"]
    assert [row["text"] for row in steps[2]["rows"] if row["sign"] == "+"] == ["  replicas: 6"]
    assert [row["text"] for row in steps[3]["rows"] if row["sign"] == "+"] == ["  paused: true"]


NAMES = {
    "Where a value comes from": [("data values", "merged"), ("templates", "render"), ("production", "overlay")],
    "Operations and variables": [
        ("base", "given"),
        ("scale", "replace [0] /instance_groups/name=web/instances"),
        ("output", "result"),
    ],
    "Layers and a substitution": [
        ("documents", "given"),
        ("documents", "actions, none of which uses it"),
        ("documents", "merge ."),
        ("documents", "delete .ntp"),
        ("documents", "substitution from [example/Network/v1, site] network"),
    ],
    "Two steps, in two dialects": [("data values", "merged"), ("templates", "render"), ("patch 2", "step")],
}


@pytest.mark.parametrize("title", NAMES)
def test_steps_have_names(title: str) -> None:
    """Those of operations, of layers and of a pipeline, too."""
    steps = answer(EXAMPLES[title], ask="steps")["steps"]
    assert [(one["name"], one["kind"]) for one in steps] == NAMES[title]


def test_a_run_with_secrets_does_not_show_its_steps() -> None:
    example = EXAMPLES["Two steps, in two dialects"]
    files = {
        "plait.yml": 'steps:\n- values: {secrets: "file:secret.yml"}\n- render: {files: [config]}\n',
        "secret.yml": "password: sesame\n",
        "config/schema.yml": "#@data/values-schema\n---\npassword: ''\n",
        "config/app.yml": '#@ load("@ytt:data", "data")\npassword: #@ data.values.password\n',
    }
    found = answer(with_files(example, [{"name": name, "text": text} for name, text in files.items()]), ask="steps")
    assert "sesame" not in json.dumps(found)
    assert found["errors"][0]["message"] == "a run with secrets does not show its steps"


@pytest.mark.parametrize("typed", ["changed", "60"])
@pytest.mark.parametrize("example", GOOD, ids=[one["title"] for one in GOOD])
def test_each_way_to_change_a_value_changes_it(example: Example, typed: str) -> None:
    lines = answer(example)["lines"]
    for line in lines[:: max(1, len(lines) // 3)]:
        change = {"document": line["document"], "path": line["path"], "text": typed}
        found = answer(example, ask="change", change=change)
        for way in found.get("ways", ()):
            assert way["works"] == bool(way["files"])
            if way["works"]:
                made = answer(with_files(example, way["files"]))
                [text] = [
                    made["output"].splitlines()[one["line"] - 1]
                    for one in made["lines"]
                    if (one["document"], one["path"]) == (line["document"], line["path"])
                ]
                assert text.endswith(typed)


def test_places_without_effect_say_so() -> None:
    example = EXAMPLES["A template and its values"]
    [line] = [one for one in answer(example)["lines"] if one["path"] == "spec.replicas"]
    found = answer(example, ask="change", change={"document": line["document"], "path": line["path"], "text": "5"})
    told = {one["place"]: (one["works"], one["told"]) for one in found["ways"]}
    assert told["values.yml:1"] == (True, "only this value")
    assert told["schema.yml:4"] == (False, "values.yml:1 decides")


# What is typed over `replicas: 6`, twice the 3 of values.yml: the places that can give it, with the reason why others cannot.
OF_PRODUCT = {
    "12": {
        "values.yml:1": (True, "becomes 6; only this value"),
        "config/schema.yml:3": (False, "production.yml:7 decides"),
        "config/app.yml:7": (True, "becomes 6; only this value"),
        "overlays/production.yml:7": (True, "becomes 4; only this value"),
        "overlay.yml": (True, "a new file; only this value"),
    },
    "5": {
        "values.yml:1": (False, "gives 10"),
        "config/schema.yml:3": (False, "production.yml:7 decides"),
        "config/app.yml:7": (False, "gives 10"),
        "overlays/production.yml:7": (False, "gives 15"),
        "overlay.yml": (True, "a new file; only this value"),
    },
}


@pytest.mark.parametrize("typed", OF_PRODUCT)
def test_a_computed_number_is_changed_through_the_numbers_that_it_is_computed_from(typed: str) -> None:
    example = EXAMPLES["Where a value comes from"]
    [line] = [one for one in answer(example)["lines"] if one["path"] == "spec.replicas"]
    change = {"document": line["document"], "path": line["path"], "text": typed}
    ways = answer(example, ask="change", change=change)["ways"]
    assert {one["place"]: (one["works"], one["told"]) for one in ways} == OF_PRODUCT[typed]
    for way in ways:
        if way["works"]:
            assert f"  replicas: {typed}\n" in answer(with_files(example, way["files"]))["output"]


# Mistakes: the title of the example, what is written wrongly, and the title of the fix that undoes it.
MISTAKES = [
    ("Where a value comes from", '"Deployment"', '"Deploymnt"', "Change to Deployment"),
    ("Where a value comes from", "data.values.replicas", "data.values.replcas", "Change to replicas"),
]


@pytest.mark.parametrize(("title", "right", "wrong", "fix"), MISTAKES, ids=[one[2] for one in MISTAKES])
def test_a_fix_mends_the_error(title: str, right: str, wrong: str, fix: str) -> None:
    example = EXAMPLES[title]
    broken = with_files(
        example, [{"name": one["name"], "text": one["text"].replace(right, wrong)} for one in example["files"]]
    )
    assert answer(broken)["report"]
    found = answer(broken, ask="fixes")["fixes"]
    assert found[0]["title"] == fix
    for one in found:
        assert answer(with_files(broken, one["files"]))["report"] == ""
    assert answer(with_files(broken, found[0]["files"])) == answer(example)
    assert answer(example, ask="fixes") == {"fixes": []}


def test_environments_have_what_is_the_same_if_that_is_wanted() -> None:
    example = EXAMPLES["Three environments"]
    found, everything = answer(example, ask="environments"), answer(example, ask="environments", all=True)
    assert found["equal"] == everything["equal"] > 0
    assert len(found["rows"]) == found["differing"] == everything["differing"]
    assert len(everything["rows"]) == found["differing"] + found["equal"]
    assert [one for one in everything["rows"] if one in found["rows"]] == found["rows"]


def test_environments_differ_as_their_outputs_do() -> None:
    example = EXAMPLES["Three environments"]
    found = answer(example, ask="environments")
    values = [one["name"] for one in example["files"] if one.get("role") == "values"]
    assert [one["file"] for one in found["environments"]] == values
    rows = {(one["document"], one["path"]): one["cells"] for one in found["rows"]}
    assert [one["value"] for one in rows["Deployment/web", "spec.replicas"]] == ["5", "9", "2"]
    assert [one["own"] for one in rows["Deployment/web", "spec.replicas"]] == [True, True, False]
    assert rows["Deployment/web", "spec.replicas"][2]["source"] == {"file": "config/schema.yml", "line": 4}
    for number, name in enumerate(values):
        others = {*values} - {name}
        alone: Any = {**example, "files": [one for one in example["files"] if one["name"] not in others]}
        output = answer(alone)["output"]
        for _, path in rows:
            cell = rows[next(key for key in rows if key[1] == path)][number]
            assert f"{path.rpartition('.')[2]}: {cell['value']}" in output


def test_an_environment_that_fails_says_why() -> None:
    example = with_files(EXAMPLES["Three environments"], [{"name": "values/us.yml", "text": "no-such-key: 1\n"}])
    found = answer(example, ask="environments")
    assert [bool(one["errors"]) for one in found["environments"]] == [False, True, False]
    assert all(one["cells"][1] is None for one in found["rows"])


COMMANDS = {
    "ytt -f config -f overlays/x.yml --data-values-file values.yml": (
        "render",
        [["config", "input"], ["overlays/x.yml", "input"], ["values.yml", "values"]],
        [],
    ),
    "$ ytt template -f 'a b.yml' -v a=1": ("render", [["a b.yml", "input"]], ["--data-value a=1"]),
    "bosh int -o a.yml base.yml -l vars.yml --path /a": (
        "patch",
        [["base.yml", "input"], ["a.yml", "input"], ["vars.yml", "values"]],
        ["--path /a"],
    ),
    "bosh interpolate base.yml": ("patch", [["base.yml", "input"]], []),
    "plait layer global site": ("layer", [["global", "input"], ["site", "input"]], []),
    "plait compose plait.yml": ("compose", [["plait.yml", "input"]], []),
}


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_line_names_its_files(line: str) -> None:
    found = answer(GOOD[0], ask="command", command=line)
    assert (found["kind"], found["paths"], found["left"]) == COMMANDS[line]


@pytest.mark.parametrize(
    "line", ["", "rm -rf /", "ytt -f 'x", "ytt --no-such-flag", "bosh deploy", "plait lint", "ytt"]
)
def test_another_command_line_is_an_error(line: str) -> None:
    assert answer(GOOD[0], ask="command", command=line)["errors"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered_where_nothing_is_written(question: str) -> None:
    """The server answers in a process that may not."""
    example = EXAMPLES["Three environments"]
    change = {"document": 0, "path": "spec.replicas", "text": "7"}
    given = {"ask": question, "change": change, "command": "ytt -f config"}
    request = {"kind": example["kind"], "files": example["files"], **given}
    assert json.loads(
        sealed("plait.integrations.playground.questions", json.dumps(request).encode(), seconds=600)
    ) == answer(example, **given)


@pytest.mark.parametrize(
    "more",
    [{"ask": "nothing"}, {"ask": "change"}, {"ask": "change", "change": {"document": "0"}}, {"ask": "command"}],
)
def test_what_is_no_question_is_refused(more: dict[str, object]) -> None:
    assert answer(GOOD[0], **more)["refused"]
