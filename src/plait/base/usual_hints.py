"""Default hints by code, for diagnostics without their own hint. Loaded only to print."""

from __future__ import annotations

from plait.base.source import Advice, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Diagnostic

_HINTS: dict[str, str] = {
    # Programs
    "undefined-name": "assign it before this line, load it from a file, or put a text in quotes",
    "key-not-found": '"in" tests for a key, and .get(key, default) of a dict returns a default',
    "invalid-conversion": "the text must contain a number and nothing else",
    "format-string": "each placeholder needs one argument, and each argument needs one placeholder",
    "division-by-zero": "test the divisor first: x / y if y else 0",
    "incomparable": "compare values of one type: str(...) and int(...) convert them",
    "unpacking": "write one name for each item",
    "unknown-attribute": "check the name; a data value must be declared before a template can use it",
    # Templates, schemas and overlays
    "text-directive": '"(@" opens code, and "@)" closes it',
    "wrong-value-type": "give a value of the declared type, or change the declaration",
    "several-actions": "keep one of them",
    "match-count": "expects= of @overlay/match sets the number of matches",
    # Operations and variables
    "path-through-scalar": "replace this value as a whole, or end the path before it",
    "end-of-array": "the last item has the index -1",
    "unresolved-variables": Advice(Flag("var", "NAME=VALUE"), " or ", Flag("vars-file", "FILE"), " gives a value"),
    "unused-variables": "remove them, or correct their names",
    # Layering
    "MissingDocumentKey": 'correct the path, or add the key to the data; the path "." means all data',
    "InvalidDocumentParent": "move one of the documents to another layer, or change the labels of the selector",
    "SubstitutionSourceNotFound": "add the document to the inputs, correct its schema and name, or remove abstract: true from it",
    # YAML
    "unknown-anchor": 'define the anchor before this line with "&"; a text that begins with "*" needs quotes',
}


def hint_of(diagnostic: Diagnostic, *, quote_values: bool = False) -> str | None:
    """The hint to show: that of the diagnostic, or the usual one of its code, or None."""
    found = diagnostic.text("hint", complete=quote_values)
    if found is not None or diagnostic.text("hint", complete=True) is not None:
        return found
    usual = _HINTS.get(diagnostic.code)
    return usual.told(diagnostic.keyword) if isinstance(usual, Advice) and diagnostic.keyword is not None else usual
