"""Words in the sources that a machine can check: openings of docstrings, and citations of documents that readers lack."""

from __future__ import annotations

import ast
import pathlib
import re
from collections.abc import Iterator

import plait

SOURCES = pathlib.Path(plait.__file__).parent
QUESTION = re.compile(r"(What|Whether|Where|Who|Which|How|When|Why)\b")
CITATION = re.compile(r"\bspec (ytt|ops|layering|review|fleet|authoring|wishes)\b", re.IGNORECASE)


def docstrings() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text:
                    yield f"{path.relative_to(SOURCES)}:{node.body[0].lineno}", text


def test_docstrings_open_with_a_noun_phrase_or_a_verb() -> None:
    found = [*docstrings()]
    assert len(found) > 5000
    assert [place for place, text in found if QUESTION.match(text)] == []


def test_sources_cite_only_documents_of_the_project() -> None:
    root = pathlib.Path(__file__).parents[1]
    missing = []
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text("utf-8")
        missing += [f"{path.relative_to(SOURCES)}: {found[0]}" for found in CITATION.finditer(text)]
        links = set(re.findall(r"\bdocs/[\w/-]+\.md\b", text))
        missing += [f"{path.relative_to(SOURCES)}: {link}" for link in sorted(links) if not (root / link).is_file()]
    assert missing == []
