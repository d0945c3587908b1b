"""Random edits and random questions: an answer each time, whatever the text looks like."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from workshop import LAYERS, OPERATIONS, TEMPLATES, workshop

from plait.lsp import completion, diagnostics, hover, lenses, navigation, renaming, symbols
from plait.lsp.state import State

PIECES = [
    "#@ ", "#@", "#@overlay/match by=", "#@overlay/remove", "#@ if x:", "#@ end", "#@ def f(", "data.values.", "load(",
    "(@= ", "@)", "---\n", "- ", "\n", "  ", ": ", '"', "'", "[", "]", "{", "}", "((", "))", "|\n", "&a", "*a", "!!int ",
    "\t", "é", "\U0001f600", "\x00", "\r", "path: /", "type: ", "value:", "?", "name=", "schema: ", "layer: ", "lambda x: ", "\\",
]  # fmt: skip
QUESTIONS: list[Callable[[State, str, int, int], object]] = [
    completion.complete,
    hover.hover,
    navigation.definition,
    navigation.references,
    renaming.renamed_at,
    lambda state, path, line, column: renaming.rename(state, path, line, column, "new"),
    lambda state, path, line, _: lenses.hints(state, path, 1, line),
    lambda state, path, _line, _column: lenses.lenses(state, path),
    lambda state, path, _line, _column: symbols.symbols(state, path),
    lambda state, path, _line, _column: diagnostics.problems(state, path),
]


def edited(text: str, chance: random.Random) -> str:
    """A text with something put in, taken out or moved."""
    at = chance.randrange(len(text) + 1)
    kind = chance.random()
    if kind < 0.6:
        return text[:at] + chance.choice(PIECES) + text[at:]
    if kind < 0.8:
        return text[:at] + text[at + chance.randrange(12) :]
    lines = text.split("\n")
    line = lines.pop(chance.randrange(len(lines)))
    lines.insert(chance.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def session(top: Path, files: Mapping[str, str], seed: int, edits: int) -> int:
    """Edit and ask; how many questions were answered."""
    chance = random.Random(seed)
    asked = 0
    with workshop(top, files) as made:
        texts = dict(files)
        for _ in range(edits):
            name = chance.choice(sorted(texts))
            texts[name] = files[name] if chance.random() < 0.1 else edited(texts[name], chance)
            made.state.open(made.path(name), texts[name])
            if chance.random() < 0.5:
                made.wait()
            for _ in range(5):
                lines = texts[name].split("\n")
                line = chance.randrange(len(lines) + 2)
                column = chance.randrange(1, 40)
                chance.choice(QUESTIONS)(made.state, made.path(name), line, column)
                asked += 1
        made.wait()
    return asked


@pytest.mark.parametrize("files", [TEMPLATES, OPERATIONS, LAYERS], ids=["templates", "operations", "layers"])
@pytest.mark.parametrize("seed", range(2))
def test_every_question_is_answered(tmp_path: Path, files: Mapping[str, str], seed: int) -> None:
    assert session(tmp_path, files, seed, 40) == 200
