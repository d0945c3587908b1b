"""What the server says of annotations and functions is what the reference pages say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from plait.authoring.lsp import reference
from plait.ytt.starlark.table.universal import UNIVERSAL
from plait.ytt.templates.directives import KNOWN_BY_NAME

ROOT = Path(__file__).parents[2]
FILE = ROOT / "src" / "plait" / "authoring" / "lsp" / "reference.json"
# The pages that have an entry for each annotation or function.
PAGES = ("annotations", "language", "modules", "overlays", "schemas")
ENTRY = re.compile(r"^### (\S+)\n\n((?:(?!```|#).+\n)+)", re.MULTILINE)
ROW = re.compile(r"^\| (`\w\.\w+\(.*|`math\.\w+.*) \| (.+) \|$", re.MULTILINE)
SIGNATURE = re.compile(r"`(\w+\.\w+)[^`]*`")
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def texts() -> dict[str, str]:
    """The first paragraph of each entry, without links; of functions in a table the row."""
    found = {}
    for page in PAGES:
        text = (ROOT / "docs" / "reference" / f"{page}.md").read_text("utf-8")
        for name, said in ENTRY.findall(text):
            found[name] = LINK.sub(r"\1", said).strip()
        for signatures, said in ROW.findall(text):
            for one in SIGNATURE.finditer(signatures):
                found[one[1]] = f"{one[0]}: {LINK.sub(chr(92) + '1', said)}"
    return dict(sorted(found.items()))


def test_the_texts_are_those_of_the_pages(update: str | None) -> None:
    if update == "write":
        FILE.write_text(json.dumps(texts(), indent=1, ensure_ascii=False) + "\n", "utf-8")
        reference.texts.cache_clear()
    assert reference.texts() == texts()


@pytest.mark.parametrize("name", [f"#{name}" for name in KNOWN_BY_NAME])
def test_every_annotation_has_one(name: str) -> None:
    assert reference.texts().get(name)


@pytest.mark.parametrize("name", sorted(UNIVERSAL))
def test_every_function_has_one(name: str) -> None:
    assert reference.universal(name)


@pytest.mark.parametrize(
    "name", [f"{module}.{member}" for module in reference.module_names() for member in reference.members(module)]
)
def test_every_member_of_a_module_has_one(name: str) -> None:
    assert reference.texts().get(name)
