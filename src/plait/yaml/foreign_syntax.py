"""Text of other languages in YAML: the templates of Helm and Jinja, text templates, and the conflicts of git. Loaded
for errors only.
"""

from __future__ import annotations

import re

from plait.base.source import Quoted, Wording
from plait.base.suggestions import QUOTE_VALUE, Hint, Suggestion
from plait.yaml.merge_conflicts import conflict_error

__all__ = ["BRACES", "conflict_error", "foreign_hint"]

BRACES = Hint(
    "{{ }} is a map within a map; {{ x }} of Jinja is #@ data.values.x in a template; quotes make it a string",
    Suggestion(QUOTE_VALUE),
)
_JINJA = "{% %} belongs to Jinja: a loop of a template is `#@ for x in data.values.xs:`, a condition `#@ if x:`; `#@ end` ends both"
_HELM = "this is a Helm template, not YAML: leave it out, or pass what Helm renders: helm template CHART | plait render -f -"
# What only templates of Go, as in Helm, have in double braces.
_OF_HELM = re.compile(r"\{\{-?\s*(-|/\*|(if|with|range|include|define|block|end|else|template|toYaml|tpl)\b|\.|\$)")
# The faults of a map that is only a placeholder.
_OF_BRACES = ("did not find expected", "mapping values", "found unexpected")


_TEXT = (
    "(@ @) is the code of a text template, and this file is read as YAML: --file-mark PATH:type=text-template, or a name "
    "that ends in .txt"
)
NO_BREAK_SPACE = "a no-break space (U+00A0) is not a space in YAML: write a plain space in its place"
_NO_BREAK = re.compile(r"(?:^|[:\s-])\u00a0")
# A statement of a text template, not an inserted expression.
_OF_TEXT = re.compile(r"\(@-?\s")


def foreign_hint(problem: str, line: str, before: str, text: str, index: int) -> str | None:
    """The hint for a line with a placeholder or a statement of another template language, or with a bracket within text
    without quotes; or None.

    problem: the phrase of the parser. before: the line above. text: the whole text. index: the place of the problem.
    """
    if _NO_BREAK.search(line) or _NO_BREAK.search(before):
        return NO_BREAK_SPACE
    if "#@" not in text and _OF_TEXT.search(text):
        return _TEXT
    if problem == "found character that cannot start any token":
        return _JINJA if "{%" in line else None
    if _OF_HELM.search(line) or _OF_HELM.search(before):
        return _HELM
    if "{{" in line and problem.startswith(_OF_BRACES):
        return BRACES
    return _bracket_within(text, index) if problem in _UNCLOSED else None


_UNCLOSED = ("did not find expected ',' or ']'", "did not find expected ',' or '}'")


def _bracket_within(text: str, index: int) -> Wording | None:
    """The hint for a bracket or brace that ends text without quotes, as in `{a[0].b: 1}`; None for other errors."""
    if text[index : index + 1] not in ("[", "{") or not text[index - 1 : index].strip(" \t\n,:[]{}\"'"):
        return None
    start = max(text.rfind(sign, 0, index) + len(sign) for sign in (",", "[", "{", "\n", ": "))
    begun = text[start : index + 1].strip()
    return Wording(
        "a bracket or brace ends text without quotes: put the text in quotes that begins with ", Quoted(begun)
    )
