"""Layering: documents that inherit from each other across layers, and substitute from each other
(docs/reference/layering.md).

    documents = read_documents([yaml.read(source, plain=plain_values)])
    shown = written(render(documents, Options(), context))

Modules that a plain render does not need are imported on demand.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use
from plait.layering.document import LayeredDocument, read_documents
from plait.layering.job import STRINGS, LayerJob
from plait.layering.plain_scalars import plain_values
from plait.layering.rendering import LayerGraph, LayeringOptions, plan, render, render_plan, written
from plait.layering.secrets import EnvironmentSecrets, FileSecrets, SecretSource
from plait.layering.select import ORDERS, Selection, in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.layering.dataschema import check_data
    from plait.layering.inheritance_tree import dot, tree
    from plait.layering.validation import check_documents

__all__ = [
    "ORDERS",
    "STRINGS",
    "EnvironmentSecrets",
    "FileSecrets",
    "LayerGraph",
    "LayerJob",
    "LayeredDocument",
    "LayeringOptions",
    "SecretSource",
    "Selection",
    "check_data",
    "check_documents",
    "dot",
    "in_order",
    "plain_values",
    "plan",
    "read_documents",
    "render",
    "render_plan",
    "tree",
    "written",
]

_LATER = {
    "check_data": "dataschema",
    "check_documents": "validation",
    "dot": "inheritance_tree",
    "tree": "inheritance_tree",
}


def __getattr__(name: str) -> object:
    return first_use(__name__, _LATER.get(name), name)
