"""Evaluations of `plait layer` by one engine give what each gives by itself."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from incremental import evaluated
from layersets import layer_set
from plait.base.fast_paths import FAST
from plait.base.limits import RunBudget
from plait.cli.tools import table
from plait.engine.incremental import Engine
from plait.layering import rendering
from plait.layering.document import LayeredDocument
from plait.tree.nodes import from_plain
from plait.yaml.writer import write_value

FLAGS = [
    ["--lenient"],
    ["--cleartext-secrets"],
    ["--short"],
    ["--strict"],
    ["--relaxed"],
    ["--like-deckhand"],
    ["--order", "name"],
    ["--limit", "nodes=40"],
    ["--validate"],
    ["--schema", "none/Such"],
    ["--output-files", "out", "--output-by", "{name}.yml"],
    ["--keep-format"],
]


def _changed(random: Random, document: dict[str, object]) -> dict[str, object]:
    """A document with another value, or with other metadata."""
    metadata = document["metadata"]
    assert isinstance(metadata, dict)
    choice = random.random()
    if choice < 0.4:
        return {**document, "data": {"a": random.randrange(3), "b": {"c": random.choice("xyz")}, "d": "PUT_X"}}
    if choice < 0.6:
        return {
            **document,
            "metadata": {**metadata, "storagePolicy": random.choice(["encrypted", "cleartext", "other"])},
        }
    if choice < 0.7:
        return {**document, "metadata": {**metadata, "labls": {}}}
    if choice < 0.8:
        return {key: value for key, value in document.items() if key != "data"}
    return {**document, "metadata": {**metadata, "substitutions": []}}


@pytest.mark.parametrize("reads_once", [False, True], ids=["each time", "once"])
@pytest.mark.parametrize("seed", range(16))
def test_an_engine_gives_what_an_evaluation_by_itself_gives(
    seed: int, reads_once: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents, their order, and flags change from one evaluation to the next."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    random, engine = Random(seed), Engine(reads_once=reads_once)
    documents = layer_set(random)
    written: dict[str, dict[str, object]] = {f"{number}.yaml": one for number, one in enumerate(documents)}
    for _ in range(30):
        for name in random.sample(sorted(written), random.randrange(2)):
            original = documents[int(name.partition(".")[0])]
            written[name] = _changed(random, original) if random.random() < 0.6 else original
        for path in Path("in").iterdir():
            path.unlink()
        for name, document in written.items():
            if random.random() < 0.97:
                Path("in", name).write_text(write_value(from_plain(document)), "utf-8")
        words = ["in"] if random.random() < 0.8 else sorted(map(str, Path("in").iterdir()))
        for flags in random.sample(FLAGS, random.choice([0, 0, 1, 2])):
            words += flags
        request = table("layer").parse(words)
        engine.refresh()
        for _ in range(2):
            assert evaluated(request, engine) == evaluated(request, None)


POLICY = (
    "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: order}\n"
    "data: {layerOrder: [fleet, zone, host]}\n"
)


def _document(name: str, layer: str, data: str, more: str = "", inherits: str = "") -> str:
    return (
        f"schema: a/B/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}\n  labels: {{is: {name}}}\n{more}"
        f"  layeringDefinition:\n    layer: {layer}\n{inherits}data: {data}\n"
    )


def _below(parent: str) -> str:
    return f"    parentSelector: {{is: {parent}}}\n    actions: [{{method: merge, path: .}}]\n"


def _from(source: str) -> str:
    return f"  substitutions:\n  - src: {{schema: a/B/v1, name: {source}, path: .}}\n    dest: {{path: .got}}\n"


# `zone` inherits from `fleet`, `host` from `zone`, `user` substitutes from `zone`, `other` does neither.
SITE = {
    "policy": POLICY,
    "fleet": _document("fleet", "fleet", "{a: 1}"),
    "host": _document("host", "host", "{h: 1}", "", _below("zone")),
    "other": _document("other", "fleet", "{o: 1}"),
    "user": _document("user", "zone", "{u: 1}", _from("zone")),
    "zone": _document("zone", "zone", "{z: 1}", "", _below("fleet")),
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in SITE.items():
        _write(name, text)
    return Path("in")


def _write(name: str, text: str) -> None:
    Path("in").mkdir(exist_ok=True)
    Path("in", f"{name}.yaml").write_text(text, "utf-8")


@pytest.mark.skipif(not FAST, reason="nothing is reused")
@pytest.mark.untraced
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("changed", "rendered"),
    [
        ("fleet", {"fleet", "zone", "host", "user"}),
        ("zone", {"zone", "host", "user"}),
        ("user", {"user"}),
        ("other", {"other"}),
    ],
)
def test_what_depends_on_a_change_is_rendered(
    changed: str, rendered: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, request = Engine(), table("layer").parse(["in"])
    evaluated(request, engine)
    seen: set[str] = set()

    def noted(document: LayeredDocument, *arguments: object, **options: object) -> None:
        seen.add(document.name)
        render(document, *arguments, **options)  # type: ignore[arg-type]

    render = rendering._merge_and_substitute
    monkeypatch.setattr(rendering, "_merge_and_substitute", noted)
    evaluated(request, engine)
    assert seen == set()
    _write(changed, SITE[changed].replace(": 1}", ": 2}"))
    evaluated(request, engine)
    assert seen == rendered


SECRET = "  storagePolicy: encrypted\n"
# A number is the same object in two readings: what else differs must not be lost.
CHANGES: dict[str, tuple[dict[str, str], dict[str, str], list[str]]] = {
    "a source that becomes secret": (
        {"fleet": _document("fleet", "fleet", "5")},
        {"fleet": _document("fleet", "fleet", "5", SECRET)},
        [],
    ),
    "a parent that becomes secret": (
        {"zone": _document("zone", "zone", "5"), "host": _document("host", "host", "{}", "", _below("zone"))},
        {"zone": _document("zone", "zone", "5", SECRET)},
        [],
    ),
    "a parent that vanishes": ({}, {"zone": _document("zone", "zone", "{z: 1}").replace("is: zone", "is: gone")}, []),
    "a source that vanishes": ({}, {"zone": _document("else", "zone", "{z: 1}")}, ["--lenient"]),
    "data that is shown": ({"zone": _document("zone", "zone", "{z: 1}", SECRET)}, {}, ["--cleartext-secrets"]),
    "the short form": ({}, {}, ["--short"]),
    "a smaller limit on nodes": ({}, {}, ["--limit", "nodes=1"]),
    "the rules of Deckhand": (
        {
            "other": _document("other", "fleet", "{o: 7}"),
            "zone": _document("zone", "zone", "{m: {n: {k: 1}}}"),
            "user": _document(
                "user",
                "zone",
                "{u: 1}",
                _from("zone").replace("path: .}", "path: .m}")
                + "  - src: {schema: a/B/v1, name: other, path: .o}\n    dest: {path: .got.n.k}\n",
            ),
        },
        {},
        ["--like-deckhand"],
    ),
}


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_leaves_the_data_has_its_effect(change: str) -> None:
    before, after, flags = CHANGES[change]
    engine, request = Engine(), table("layer").parse(["in"])
    for name, text in before.items():
        _write(name, text)
    first = evaluated(request, engine)
    assert first == evaluated(request, None)
    for name, text in after.items():
        _write(name, text)
    changed = table("layer").parse(["in", *flags])
    assert evaluated(changed, engine) == evaluated(changed, None)
    assert evaluated(changed, engine) != first
    for name, text in {**SITE, **before}.items():
        _write(name, text)
    assert evaluated(request, engine) == first


@pytest.mark.usefixtures("site")
def test_less_input_has_a_smaller_limit_on_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, request = Engine(), table("layer").parse(["in"])
    evaluated(request, engine)
    monkeypatch.setattr(RunBudget, "node_limit", lambda _: 1)
    found = evaluated(request, engine)
    assert found["error"]
    assert found == evaluated(request, None)


@pytest.mark.skipif(not FAST, reason="nothing is reused")
@pytest.mark.untraced
def test_texts_are_read_once_and_are_recorded_each_time(site: Path) -> None:
    engine, request = Engine(reads_once=True), table("layer").parse(["in"])
    first = evaluated(request, engine)
    _write("other", SITE["other"].replace("1}", "2}"))
    assert evaluated(request, engine) == first
    replaced = {str((site / "other.yaml").absolute()): SITE["other"].replace("1}", "3}").encode()}
    assert evaluated(request, engine, replaced) == evaluated(request, None, replaced)
    assert evaluated(request, engine) == first
    engine.refresh()
    assert "o: 2" in str(evaluated(request, engine)["text"])


@pytest.mark.usefixtures("site")
def test_texts_that_are_taken_count_for_the_limits() -> None:
    engine = Engine(reads_once=True)
    limit = ["--limit", f"entries={len(SITE)}"]
    once, twice = (table("layer").parse([*words, *limit]) for words in (["in"], ["in", "in"]))
    for request in (once, once, twice):
        assert evaluated(request, engine) == evaluated(request, None)
    assert evaluated(once, engine)["error"] is None
    assert "entries" in str(evaluated(twice, engine)["error"])
