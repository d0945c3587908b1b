"""Layering: documents that inherit from each other across layers, and substitute from each other (spec layering).

documents = read_documents([yaml.read(source)])
shown = written(render(documents, Options(), context))
"""

from __future__ import annotations

from weft.layering.document import Document, read_documents
from weft.layering.render import Options, Plan, plan, render, render_plan, written
from weft.layering.secrets import EnvironmentSecrets, FileSecrets
from weft.layering.select import ORDERS, Selection, in_order
from weft.layering.tree import dot, tree

__all__ = [
    "ORDERS",
    "Document",
    "EnvironmentSecrets",
    "FileSecrets",
    "Options",
    "Plan",
    "Selection",
    "dot",
    "in_order",
    "plan",
    "read_documents",
    "render",
    "render_plan",
    "tree",
    "written",
]
