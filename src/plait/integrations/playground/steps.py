"""Computes the steps that led to an output, each with its changed lines."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import groupby

from plait.authoring.edit.target import same
from plait.base.errors import LimitError, PlaitError, UsageError
from plait.base.lines import lines_of
from plait.engine.results import text_like
from plait.integrations.playground import evaluation
from plait.integrations.playground.evaluation import short_name, span_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypedDict

    from plait.engine.results import Documents
    from plait.integrations.playground.evaluation import Request, Span
    from plait.tree.nodes import Document

    class Row(TypedDict):
        """A line of a step. sign: " ", "+" or "-". line: its number; None for a removed line. source: the source of an
        added line.
        """

        sign: str
        text: str
        line: int | None
        source: Span | None

    class Step(TypedDict):
        """A step. name, kind: its name and type. source: its position. changed: number of changed lines."""

        name: str
        kind: str
        source: Span | None
        rows: list[Row]
        changed: int

    class Gone(TypedDict):
        """Lines removed by a step. before: the output line that followed them. by: the step."""

        before: int
        texts: list[str]
        by: str
        source: Span | None

    class Steps(TypedDict):
        steps: list[Step]
        gone: list[Gone]


_VALUES = "merged"
_MOST_STEPS = 12


class _Stage:
    """Documents at one stage. made: the run that created them. by: the position of the step that created them."""

    __slots__ = ("by", "documents", "kind", "made", "name")

    def __init__(
        self, name: str, kind: str, output: Documents, documents: Sequence[Document], by: Span | None = None
    ) -> None:
        self.name = name
        self.kind = kind
        self.made = output
        self.documents = documents
        self.by = by


def steps(request: Request) -> Steps:
    """The steps that led to the output, each with its changes. Raises PlaitError."""
    documents = evaluation.documents_of(request)
    if documents.trace is not None and documents.trace.secrets:
        raise UsageError("a run with secrets does not show its steps", code="website-request")
    stages = _merged([*_stages(request, documents)])
    output = lines_of(documents.to_yaml())
    texts = [_text_of(stage) for stage in stages]
    found: list[Step] = []
    gone: list[Gone] = []
    before: list[str] = []
    for number, (stage, after) in enumerate(zip(stages, texts, strict=True)):
        # A template is not another version of data values.
        is_first = not number or stages[number - 1].kind == _VALUES
        rows, taken = _compared(before, after, _sources_of(stage), is_first=is_first)
        changed = sum(row["sign"] == "+" for row in rows) + sum(map(len, (lines for _, lines in taken)))
        found.append({"name": stage.name, "kind": stage.kind, "source": stage.by, "rows": rows, "changed": changed})
        if taken:
            gone += _gone(stage, stages[number - 1], taken, output)
        before = after
    return {"steps": found, "gone": gone}


def _stages(request: Request, documents: Documents) -> Iterator[_Stage]:
    trace = documents.trace
    assert trace is not None
    if request["kind"] == "patch":
        yield from _of_operations(documents)
    elif request["kind"] == "layer":
        yield from _of_layers(documents)
    else:
        for stage in trace.stages:
            kind = {"data values": _VALUES, "templates": "render"}.get(stage.name, "step")
            yield _Stage(stage.name, kind, documents, stage.documents)
        if request["kind"] == "render":
            yield from _of_overlays(request, documents)
    yield _Stage("output", "result", documents, documents.nodes.items)


def _of_overlays(request: Request, documents: Documents) -> Iterator[_Stage]:
    """The output with the overlays of the first file, then with those of one more file each time."""
    assert documents.trace is not None
    names = [*dict.fromkeys(one.source.shown for one in documents.trace.matches if one.source is not None)]
    for number, name in enumerate(names, 1):
        left = set(names[number:])
        some: Request = {**request, "files": [file for file in request["files"] if file["name"] not in left]}
        try:
            made = evaluation.documents_of(some) if left else documents
        except LimitError:
            raise
        except PlaitError:
            continue  # another file needs this file, or its overlays need a later file
        yield _Stage(short_name(name), "overlay", made, made.nodes.items, {"file": name, "line": 1})


def _of_operations(documents: Documents) -> Iterator[_Stage]:
    trace = documents.trace
    assert trace is not None
    for number, effect in enumerate(trace.effects):
        if not number:
            yield _Stage("base", "given", documents, [effect.before])
        if effect.after is not None:
            at = span_of(effect.by.source, effect.by.line)
            name, _, path = effect.by.action.partition(" ")
            yield _Stage(
                short_name(at["file"]) if at else name,
                effect.by.action if path else name,
                documents,
                [effect.after],
                at,
            )


def _of_layers(documents: Documents) -> Iterator[_Stage]:
    """Each document as written, then with one more action or substitution each time."""
    trace = documents.trace
    assert trace is not None
    now = {(one.source, one.line): one for one in documents.nodes.items}
    effects = [one for one in trace.effects if one.after is not None and (one.before.source, one.before.line) in now]
    for effect in reversed(effects):
        now[effect.before.source, effect.before.line] = effect.before
    yield _Stage("documents", "given", documents, [*now.values()])
    for effect in effects:
        assert effect.after is not None
        now[effect.before.source, effect.before.line] = effect.after
        at = span_of(effect.by.source, effect.by.line)
        yield _Stage(short_name(at["file"]) if at else "layering", effect.by.action, documents, [*now.values()], at)


def _merged(stages: Sequence[_Stage]) -> list[_Stage]:
    """Stages without those that change nothing. If there are many, stages of the same file are merged."""
    found: list[_Stage] = []
    for stage in stages:
        if not found or found[-1].kind == _VALUES or not same(found[-1].documents, stage.documents):
            found.append(stage)
    if len(found) > _MOST_STEPS:
        files = [None if one.by is None else one.by["file"] for one in found]
        found = [
            one
            for number, one in enumerate(found)
            if files[number] is None or files[number] not in files[number + 1 : number + 2]
        ]
    return [*found[: _MOST_STEPS - 1], found[-1]] if len(found) > _MOST_STEPS else found


def _text_of(stage: _Stage) -> list[str]:
    return lines_of(text_like(stage.made, stage.made.nodes.with_items([*stage.documents])))


def _sources_of(stage: _Stage) -> dict[int, Span]:
    """The lines that decided the values of a stage, by line, as the output names them."""
    found: dict[int, Span] = {}
    nodes = stage.made.nodes.with_items([*stage.documents])
    for one in evaluation.lines_of(stage.made, nodes, text_like(stage.made, nodes)):
        if one["source"] is not None:
            found.setdefault(one["line"], one["source"])
    return found


def _compared(
    before: Sequence[str], after: Sequence[str], sources: Mapping[int, Span], *, is_first: bool
) -> tuple[list[Row], list[tuple[int, Sequence[str]]]]:
    """The lines of a step, and the removed lines without replacement, with their positions."""
    rows: list[Row] = []
    taken: list[tuple[int, Sequence[str]]] = []
    if is_first:
        return [{"sign": " ", "text": text, "line": number, "source": None} for number, text in enumerate(after, 1)], []
    for tag, first, last, begin, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag in ("delete", "replace"):
            keys = {_key(text) for text in after[begin:end]}
            runs = groupby(range(first, last), lambda number, keys=keys: _key(before[number]) in keys)  # type: ignore[misc]
            taken += [
                (one[0], [before[number] for number in one]) for found, run in runs if not found and (one := [*run])
            ]
        if tag in ("delete", "replace"):
            rows += [{"sign": "-", "text": text, "line": None, "source": None} for text in before[first:last]]
        sign = " " if tag == "equal" else "+"
        for number in range(begin, end):
            source = None if sign == " " else sources.get(number + 1)
            rows.append({"sign": sign, "text": after[number], "line": number + 1, "source": source})
    return rows, taken


def _key(text: str) -> str:
    """The key and the indentation of a line of YAML, which its replacement shares."""
    return text.partition(":")[0]


def _gone(
    stage: _Stage, before: _Stage, taken: Iterable[tuple[int, Sequence[str]]], output: Sequence[str]
) -> Iterator[Gone]:
    """The positions in the output of lines that a step removed, and the line that removed them, if it is recorded."""
    old = _text_of(before)
    blocks = SequenceMatcher(None, old, output, autojunk=False).get_matching_blocks()
    trace = stage.made.trace
    removals = (
        {}
        if trace is None
        else {
            (item.source.shown, item.line): change for item, change in trace.removals.items() if item.source is not None
        }
    )
    sources = _sources_of(before)
    for first, texts in taken:
        behind = first + len(texts)
        place = next((b + max(0, behind - a) for a, b, size in blocks if a + size > behind or not size), len(output))
        if all(text in output[place - 1 : place + len(texts)] for text in texts):
            continue  # a later step has added them again
        start = max((b + size for a, b, size in blocks if a + size <= first), default=0)
        # The position is after the preceding line, which may have changed.
        key = _key(old[first - 1]) if first else None
        place = next((number + 1 for number in range(start, place) if _key(output[number]) == key), place)
        sourced = (sources[line] for line in range(first + 1, behind + 1) if line in sources)
        changes = (removals.get((one["file"], one["line"])) for one in sourced)
        change = next((one for one in changes if one is not None), None)
        by = stage.by if change is None else span_of(change.source, change.line) or stage.by
        yield {"before": place + 1, "texts": [*texts], "by": stage.name, "source": by}
