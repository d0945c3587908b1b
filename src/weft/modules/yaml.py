"""`@ytt:yaml`: values to YAML text and back (spec ytt 6 yaml)."""

from __future__ import annotations

from weft.errors import WeftError
from weft.fragments import to_data, to_nodes
from weft.modules.members import exactly, module_of, only_text
from weft.nodes import Document, DocumentSet
from weft.source import Source
from weft.starlark import StarlarkError
from weft.yaml import read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weft.context import Context
    from weft.modules.members import Args, Kwargs
    from weft.nodes import Value
    from weft.starlark import Module


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("yaml", {"decode": _decode, "encode": _encode})


def encode(value: Value) -> str:
    """Nodes as text: a document set as its documents, anything else as one document; nothing for null."""
    if type(value) is DocumentSet:
        return write(value)
    return write(DocumentSet([Document(value)]))


def _encode(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
    return encode(to_nodes(exactly(1, args)[0]))


def _decode(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    text = only_text(args)
    try:
        documents = read(Source("", text)).items
    except WeftError as error:
        at = error.at
        place = "" if at is None else f" (line {at.line} of the text)"
        raise StarlarkError(f"{error.message}{place}", hint=error.hint) from None
    if len(documents) != 1:
        raise StarlarkError("Expected to find exactly one YAML document", found=f"{len(documents)} documents")
    return to_data(documents[0].value)
