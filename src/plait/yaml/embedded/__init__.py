"""Documents embedded in strings, such as a configuration file in a ConfigMap: read, changed, and written back.

    data:
      app.yml: |
        server:
          port: 80   # http

Part of the extension `embedded`. Unchanged parts keep their bytes. FORMS lists the formats; to add one, write a module
with `read` and `write`, and add a row.
"""

from __future__ import annotations

from plait.base.errors import LimitError, PlaitError, ReadError
from plait.base.source import Position, Source
from plait.tree.equality import alike
from plait.tree.nodes import DocumentSet, Map
from plait.yaml.embedded.key_value_lines import as_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from plait.tree.nodes import Value

    class Form(Protocol):
        """A module that reads and writes one format."""

        def read(self, source: Source) -> Value:
            """Parses a text. Raises ReadError."""

        def write(self, text: str, old: Value, new: Value) -> str:
            """The text with value `old`, edited so that its value is `new`. Raises ReadError if the format cannot
            represent it.
            """


# The name of each format, and its module.
FORMS = {"yaml": "yaml_documents", "json": "json_text", "toml": "toml", "ini": "ini", "properties": "properties"}
# Formats whose scalars are all strings.
_OF_TEXTS = ("ini", "properties")


def format_named(name: str) -> Form:
    """The format with this name. Raises KeyError."""
    module: Form = __import__(f"{__name__}.{FORMS[name]}", fromlist=["read"])
    return module


def parsed(name: str, text: str, at: Position) -> Value:
    """Parses embedded text. name: the name of its format. at: position of the text. Raises ReadError, LimitError."""
    where = "" if at.source is None else f"{at.source.shown}:{at.line} "
    source = Source(f"{where}({name})", text)
    try:
        return format_named(name).read(source)
    except (LimitError, RecursionError):
        raise LimitError(f"the {name} text is nested too deeply, or too large", at=at) from None
    except ReadError as error:
        error.also = [*error.also, at]
        error.message = f"the text is not valid {name}: {error.message}"
        raise


def rewritten(name: str, text: str, old: Value, new: Value, at: Position) -> str:
    """The text with value `old`, edited so that its value is `new`. Raises ReadError if the format cannot represent it."""
    form = format_named(name)
    if name in _OF_TEXTS:
        new = as_texts(new)
    try:
        result = form.write(text, old, new)
        if alike(form.read(Source("", result)), new):
            return result
    except PlaitError as error:
        error.at = error.at or at
        raise
    raise ReadError(
        f"the changed value cannot be written in {name}",
        at=at,
        hint="write the whole string: #@overlay/replace",
        code="text-not-writable",
    )


def serialize_new(name: str, value: Value, at: Position) -> str:
    """Serializes a value in this format, without an existing text to preserve."""
    empty: Value = Map([])
    return rewritten(name, "{}" if name == "json" else "", empty, value, at)


def only_document(documents: DocumentSet, source: Source) -> Value:
    """The value of the only document in the text. Raises ReadError if there are several documents."""
    if len(documents.items) > 1:
        raise ReadError(
            "it has several documents",
            at=Position(source, documents.items[1].line),
            expected="one document",
            found=f"{len(documents.items)} documents",
            code="one-document",
        )
    return documents.items[0].value


__all__ = ["FORMS", "format_named", "only_document", "parsed", "rewritten", "serialize_new"]
