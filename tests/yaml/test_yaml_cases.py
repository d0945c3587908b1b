"""YAML in and out, as files a user could have written.

A file of `cases/yaml` holds cases: a line `== NAME (MODE)`, the text, a line `=>`, and what comes of it. Modes:

    yaml       read and printed as ytt prints it (the default; the mode may be left out)
    bosh       the first document, with sorted keys and folded, as BOSH prints it
    strict     read strictly
    explicit   keys beside a merge key win
    json, pos, fmt
    comments   each comment with its place and its owner
    spans      each item with its key and value as written
    escaped    as yaml; text and outcome are written with Python's escapes

`ERR:` stands before a message. Every text that can be read as a whole is also checked for what holds of all texts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from plait.base.errors import PlaitError, render
from plait.base.source import Source
from plait.tree.nodes import ArrayItem, Document, DocumentSet, MapItem, walk
from plait.yaml.comments import Comments
from plait.yaml.fmt import format_text
from plait.yaml.json import write_json
from plait.yaml.lossless.binding import Spans
from plait.yaml.position_listing import write_positions
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate
from plait.yaml.writer import write, write_value
from treecheck import check_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet

    from plait.tree.nodes import Item

FOLDER = Path(__file__).parents[1] / "cases" / "yaml"
FILES = sorted(FOLDER.glob("*.txt"))


def parts_of(file: Path) -> list[tuple[str, str, str]]:
    """Heading, text and outcome of each case."""
    parts = []
    for part in file.read_text("utf-8").split("\n== ")[1:]:
        heading, _, rest = part.partition("\n")
        text, mark, outcome = rest.partition("\n=>\n")
        assert mark, f"{file.name}: {heading} has no line '=>'"
        parts.append((heading, text + "\n", outcome.rstrip("\n") + "\n"))
    return parts


def outcome_of(heading: str, text: str) -> str:
    mode = heading.rpartition("(")[2].removesuffix(")") if heading.endswith(")") else "yaml"
    if mode == "escaped":
        text = text.rstrip("\n").encode("latin-1", "backslashreplace").decode("unicode_escape")
    source = Source("f.yml", text)
    try:
        out = MODES[mode](source)
    except PlaitError as error:
        out = "ERR: " + render(error)
    else:
        if mode != "bosh":
            check_text(text)
    if mode == "escaped":
        out = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in out[:-1])
    return out.rstrip("\n") + "\n"


def as_yaml(source: Source) -> str:
    return write(deduplicate(read(source)))


def as_bosh(source: Source) -> str:
    first = deduplicate(read(source, keep_mark=False, first=True, scalar_keys=True)).items[0]
    return write_value(first.value, sort=True, fold=80)


def as_comments(source: Source) -> str:
    comments = Comments()
    tree = read(source, comments=comments)
    owners = {id(comment): owner for owner, owned in comments.of.items() for comment in owned}
    return "".join(
        f"{comment.line}:{comment.column} {'above' if comment.own_line else 'beside'} "
        f"{named(owners[id(comment)], tree)} #{comment.text}\n"
        for comment in comments.all
    )


def named(node: Item | DocumentSet, tree: DocumentSet) -> str:
    """What a comment's owner is called in an outcome."""
    match node:
        case DocumentSet():
            return "the end"
        case Document():
            return f"document {tree.items.index(node)}"
        case MapItem():
            return f"{node.key}:"
        case ArrayItem():
            return f"the item of line {node.line}"


def as_spans(source: Source) -> str:
    tree = read(source)
    spans = Spans(tree)
    lines = []
    for item in walk(tree):
        span = spans.item(item)
        assert span is not None
        line, column = spans.place(span.start)
        assert line == item.line
        texts = [
            source.text[part.start : part.end] for part in (spans.key(item), spans.value(item)) if part is not None
        ]
        lines.append(f"{line}:{column} {' = '.join(map(repr, texts))}\n")
    return "".join(lines)


MODES = {
    "yaml": as_yaml,
    "escaped": as_yaml,
    "bosh": as_bosh,
    "strict": lambda source: write(read(source, strict=True)),
    "explicit": lambda source: write(read(source, explicit_keys_win=True)),
    "json": lambda source: "".join(write_json(one.value) for one in deduplicate(read(source)).items) + "\n",
    "pos": lambda source: write_positions(read(source)),
    "fmt": format_text,
    "comments": as_comments,
    "spans": as_spans,
}


def all_cases() -> Iterator[ParameterSet]:
    for file in FILES:
        for heading, text, expected in parts_of(file):
            yield pytest.param(heading, text, expected, id=f"{file.stem}: {heading}")


@pytest.mark.parametrize(("heading", "text", "expected"), list(all_cases()))
def test_case(heading: str, text: str, expected: str) -> None:
    assert outcome_of(heading, text) == expected


def test_update(update: str | None) -> None:
    """With --update the outcomes in the files are written anew."""
    assert FILES
    for file in FILES:
        head = file.read_text("utf-8").split("\n== ")[0]
        cases = [f"\n== {heading}\n{text}=>\n{outcome_of(heading, text)}" for heading, text, _ in parts_of(file)]
        new = head + "".join(cases)
        if update == "write":
            file.write_text(new, "utf-8")
        elif update == "diff" and new != file.read_text("utf-8"):
            pytest.fail(f"{file.name} would change", pytrace=False)
