"""Words in the sources: openings of docstrings, citations, and words that the glossary replaces."""

from __future__ import annotations

import ast
import functools
import inspect
import io
import pathlib
import re
import tokenize
from collections.abc import Iterator

import plait

SOURCES = pathlib.Path(plait.__file__).parent
QUESTION = re.compile(r"(What|Whether|Where|Who|Which|How|When|Why)\b")
CITATION = re.compile(r"\bspec (ytt|ops|layering|review|fleet|authoring|wishes)\b", re.IGNORECASE)


@functools.cache
def texts() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Docstrings, with texts below a constant, and all other strings, such as messages."""
    docstrings: list[tuple[str, str]] = []
    strings: list[tuple[str, str]] = []
    for path in sorted(SOURCES.rglob("*.py")):
        described = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                described.add(node.value)
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found = docstrings if node in described else strings
                found.append((f"{path.relative_to(SOURCES)}:{node.lineno}", inspect.cleandoc(node.value)))
    return docstrings, strings


def docstrings() -> list[tuple[str, str]]:
    return texts()[0]


def test_docstrings_open_with_a_noun_phrase_or_a_verb() -> None:
    found = docstrings()
    assert len(found) > 5000
    assert [place for place, text in found if QUESTION.match(text)] == []


def test_parameters_are_described_by_a_noun() -> None:
    # "count: of texts" says less than "count: the number of texts".
    bare = re.compile(r"(?:^|[.;]\s)([a-z]\w*(?:, [a-z]\w*)*): of\s")
    assert [(place, found[0]) for place, text in docstrings() if (found := bare.search(text))] == []


def test_messages_have_no_words_that_the_glossary_replaces() -> None:
    strings = texts()[1]
    assert len(strings) > 20000
    odd = re.compile(
        r"\banother \w+ than\b|\bmakes? an? \w+ of\b|\b(?:is|are) (?:made of|put in|taken out)\b|\bin the place of\b"
        r"|(?<!there) (?:is|are) no (?!longer\b|more\b)\w+ |\bof a wrong\b|\bis given (?:with|by|without)\b|\bhas another\b"
    )
    assert [(place, found[0]) for place, text in strings if (found := odd.search(text))] == []


def test_sources_cite_only_documents_of_the_project() -> None:
    root = pathlib.Path(__file__).parents[1]
    missing = []
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text("utf-8")
        missing += [f"{path.relative_to(SOURCES)}: {found[0]}" for found in CITATION.finditer(text)]
        links = set(re.findall(r"\bdocs/[\w/-]+\.md\b", text))
        missing += [f"{path.relative_to(SOURCES)}: {link}" for link in sorted(links) if not (root / link).is_file()]
    assert missing == []


# Words that the glossary replaces, in docstrings and comments.
REPLACED = re.compile(
    r"\b(nobody|somebody|anybody|everybody|whoever|anew|so many|so much|in the place of|tak(?:e|es|en|ing) out"
    r"|tells(?! you where)|telling|trail|allowance|stands|stood|goes on|an addition to the dialect)\b",
    re.IGNORECASE,
)
# Names that the glossary replaces: of modules, classes, functions and parameters.
REPLACED_NAMES = frozenset(
    [
        "additions",
        "allowance",
        "book",
        "given_at",
        "laid_over",
        "lines_behind",
        "made_room",
        "name_culprit",
        "note_directory",
        "note_file",
        "said_anew",
        "spend",
        "tell_all",
        "tidier",
        "trail",
        "with_room",
        "workshop",
    ]
)


def comments() -> Iterator[tuple[str, str]]:
    """Of the modules that have such a word anywhere."""
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text("utf-8")
        for token in tokenize.generate_tokens(io.StringIO(text).readline) if REPLACED.search(text) else ():
            if token.type == tokenize.COMMENT:
                yield f"{path.relative_to(SOURCES)}:{token.start[0]}", token.string


def test_docstrings_and_comments_have_no_words_that_the_glossary_replaces() -> None:
    found = [(place, match[0]) for place, text in (*docstrings(), *comments()) if (match := REPLACED.search(text))]
    assert found == []


def test_names_are_none_that_the_glossary_replaces() -> None:
    found = []
    any_name = re.compile(rf"\b(?:{'|'.join(sorted(REPLACED_NAMES))})\b")
    for path in sorted(SOURCES.rglob("*.py")):
        names = {path.stem, path.parent.name}
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if any_name.search(text) else ():
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
        found += [f"{path.relative_to(SOURCES)}: {name}" for name in sorted(names & REPLACED_NAMES)]
    assert found == []


def test_the_glossary_is_reachable_and_sorted_into_one_meaning_each() -> None:
    docs = pathlib.Path(__file__).parents[1] / "docs"
    assert "(glossary.md)" in (docs / "index.md").read_text("utf-8")
    assert "glossary.md" in (docs.parent / "mkdocs.yml").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", (docs / "glossary.md").read_text("utf-8"), re.MULTILINE)
    terms = [row for row in rows if row not in ("term", "---")]
    assert len(terms) > 60
    assert len(terms) == len(set(terms))
