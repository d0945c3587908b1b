"""`@ytt:yaml`: encodes and decodes YAML (docs/reference/modules.md)."""

from __future__ import annotations

from plait.base.errors import LimitError, PlaitError, StarlarkError
from plait.base.extensions import TAGS
from plait.base.source import Source
from plait.tree.nodes import Document, DocumentSet, is_empty
from plait.yaml.document_start import is_second
from plait.yaml.reader import read
from plait.yaml.tags import is_tag, write_tagged
from plait.yaml.writer import write
from plait.ytt.modules.members import exactly, module_of, only_text
from plait.ytt.starlark.containers import Dict, insert
from plait.ytt.starlark.step_budget import charge
from plait.ytt.yaml_fragments import YamlFragment, to_data, to_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module


def module(context: Context) -> Module:
    if TAGS not in context.extensions:
        return module_of("yaml", {"decode": _decode, "encode": _encode})

    def tagged(args: Args, kwargs: Kwargs) -> object:
        return _encode(args, kwargs, write_tagged)

    def read_tagged(args: Args, kwargs: Kwargs) -> object:
        return _decode(args, kwargs, context.extensions)

    return module_of("yaml", {"decode": read_tagged, "encode": tagged, "tag": _tag})


def _tag(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
    """`yaml.tag(value, "!Ref")`: a dict with one key, which is written as the tag."""
    value, name = exactly(2, args)
    if not is_tag(name):
        raise StarlarkError(
            "this is not a tag", expected='a tag such as "!Ref"', found=repr(name), code="wrong-argument-type"
        )
    made = Dict()
    insert(made, name, value)
    return made


def encode(value: object, write: Callable[[DocumentSet], str] = write) -> str:
    """A value as YAML text: a document set as its documents, anything else as one document.

    The text is empty for null, empty documents and empty fragments, but not for an empty list or dict.
    """
    nodes = to_nodes(value)
    if type(nodes) is DocumentSet:
        return write(nodes.with_items([document for document in nodes.items if not is_empty(document.value)]))
    if nodes is None or (type(value) is YamlFragment and is_empty(nodes)):
        return ""
    return write(DocumentSet([Document(nodes)]))


def _encode(args: Args, kwargs: Kwargs, write: Callable[[DocumentSet], str] = write) -> object:  # noqa: ARG001 - keywords are ignored
    (value,) = exactly(1, args)
    if type(value) is str:
        charge(len(value) * 4)
    text = encode(value, write)
    charge(len(text) * 2)
    return text


def _decode(args: Args, kwargs: Kwargs, extensions: frozenset[str] = frozenset()) -> object:  # noqa: ARG001
    text = only_text(args)
    charge(len(text) * 16)
    source = Source("", text)
    source.extensions = extensions
    try:
        documents = read(source, merge_lists=False)
    except PlaitError as error:
        at = error.at
        place = "" if at is None else f"line {at.line}: "
        kind = LimitError if isinstance(error, LimitError) else StarlarkError
        found = kind(f"yaml: {place}{error.message}", hint=error.hint)
        raise (found.about("string", ")") if isinstance(found, StarlarkError) else found) from None
    count = len(documents.items) + is_second(source, documents)
    if count != 1:
        raise StarlarkError(
            "Expected to find exactly one YAML document", found=f"{count} documents", code="one-document"
        )
    return to_data(documents.items[0].value)
