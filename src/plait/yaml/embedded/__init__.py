"""Documents within texts, such as a configuration file in a ConfigMap: read, changed, and written back (the extension embedded).

    data:
      app.yml: |
        server:
          port: 80   # http

What a change does not touch keeps its bytes. FORMS has the forms of texts; another one is a module with `read` and
`write` and a row there.
"""

from __future__ import annotations

from plait.base.errors import LimitError, PlaitError, ReadError
from plait.base.source import Position, Source
from plait.tree.equality import alike
from plait.tree.nodes import DocumentSet, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from plait.tree.nodes import Value

    class Form(Protocol):
        """A module that reads and writes texts of one form."""

        def read(self, source: Source) -> Value:
            """The value of a text. Raises ReadError."""

        def write(self, text: str, old: Value, new: Value) -> str:
            """The text, which says `old`, changed so that it says `new`. Raises ReadError for what it cannot say."""


# A form, and the module that knows it.
FORMS = {"yaml": "yaml_documents", "json": "json_text", "toml": "toml", "ini": "ini", "properties": "properties"}
# Those that know no other scalars.
_OF_TEXTS = ("ini", "properties")


def format_named(name: str) -> Form:
    """The form of this name. Raises KeyError."""
    module: Form = __import__(f"{__name__}.{FORMS[name]}", fromlist=["read"])
    return module


def parsed(name: str, text: str, at: Position) -> Value:
    """The value of a text. name: of the format. at: position of the text. Raises ReadError, LimitError."""
    where = "" if at.source is None else f"{at.source.shown}:{at.line} "
    source = Source(f"{where}({name})", text)
    try:
        return format_named(name).read(source)
    except (LimitError, RecursionError):
        raise LimitError(f"the {name} text is nested too deeply, or too large", at=at) from None
    except ReadError as error:
        error.also = [*error.also, at]
        error.message = f"the text is no {name}: {error.message}"
        raise


def rewritten(name: str, text: str, old: Value, new: Value, at: Position) -> str:
    """The text, which says `old`, changed so that it says `new`. Raises ReadError for what the form cannot say."""
    form = format_named(name)
    if name in _OF_TEXTS:
        from plait.yaml.embedded.key_value_lines import as_texts

        new = as_texts(new)
    try:
        result = form.write(text, old, new)
        if alike(form.read(Source("", result)), new):
            return result
    except PlaitError as error:
        error.at = error.at or at
        raise
    raise ReadError(
        f"what comes of the change cannot be said in {name}",
        at=at,
        hint="give the whole text: #@overlay/replace",
        code="text-not-writable",
    )


def serialize_new(name: str, value: Value, at: Position) -> str:
    """A text that says a value, where there was none."""
    empty: Value = Map([])
    return rewritten(name, "{}" if name == "json" else "", empty, value, at)


def only_document(documents: DocumentSet, source: Source) -> Value:
    """The value of the one document of a text. Raises ReadError for several."""
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
