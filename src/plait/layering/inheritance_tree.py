"""Prints the inheritance tree of documents, as text or for Graphviz.

Documents without a parent are at the left, their children are indented. Replacing, abstract and substituting documents
are marked.
"""

from __future__ import annotations

from plait.tree.nodes import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.layering.document import LayeredDocument
    from plait.layering.rendering import LayerGraph


def tree(plan: LayerGraph, chosen: Sequence[LayeredDocument]) -> str:
    """The selected documents as an indented tree, with all their ancestors. Each has its layer and position."""
    children, roots = _family(plan, chosen)
    lines: list[str] = []
    stack: list[tuple[LayeredDocument, str, bool | None]] = [(root, "", None) for root in reversed(roots)]
    while stack:
        document, prefix, last = stack.pop()
        branch = "" if last is None else "└── " if last else "├── "
        lines.append(f"{prefix}{branch}{_label(document, plan)}")
        below = children.get(document, [])
        inner = prefix if last is None else prefix + ("    " if last else "│   ")
        stack.extend((child, inner, i == 0) for i, child in enumerate(reversed(below)))
    return "".join(line + "\n" for line in lines)


def dot(plan: LayerGraph, chosen: Sequence[LayeredDocument]) -> str:
    """The tree as a Graphviz digraph, with solid edges to parents and dashed ones to substitution sources."""
    shown = _with_ancestors(chosen)
    number = {document: i for i, document in enumerate(d for d in plan.documents if d in shown)}
    out = ["digraph layering {", "  rankdir=BT;", '  node [shape=box, fontname="sans-serif"];']
    for layer in plan.policy.order:
        members = [f"d{i}" for document, i in number.items() if document.layer == layer]
        if members:
            out.append(f"  {{ rank=same; {'; '.join(members)}; }}  // {layer}")
    for document, i in number.items():
        style = ', style="dashed"' if document.abstract else ', style="dotted"' if document.replaced_by else ""
        text = f"{document.name}\\n{document.schema}" + (f"\\n{document.layer}" if document.layer else "")
        out.append(f'  d{i} [label="{_escaped(text)}"{style}];')
    for document, i in number.items():
        if document.parent is not None:
            label = "replaces" if document.replacement else ", ".join(_methods(document))
            out.append(f'  d{i} -> d{number[document.parent]} [label="{_escaped(label)}"];')
        for source in _sources(document, plan):
            if source in number:
                out.append(f"  d{i} -> d{number[source]} [style=dashed, constraint=false];")
    out.append("}")
    return "\n".join(out) + "\n"


def _family(
    plan: LayerGraph, chosen: Sequence[LayeredDocument]
) -> tuple[dict[LayeredDocument, list[LayeredDocument]], list[LayeredDocument]]:
    shown = _with_ancestors(chosen)
    children: dict[LayeredDocument, list[LayeredDocument]] = {}
    roots: list[LayeredDocument] = []
    for document in sorted((d for d in plan.documents if d in shown), key=lambda d: (d.schema, d.name, d.layer or "")):
        if document.parent is None:
            roots.append(document)
        else:
            children.setdefault(document.parent, []).append(document)
    return children, roots


def _with_ancestors(chosen: Sequence[LayeredDocument]) -> set[LayeredDocument]:
    shown: set[LayeredDocument] = set()
    for start in chosen:
        document: LayeredDocument | None = start
        while document is not None and document not in shown:
            shown.add(document)
            document = document.parent
    return shown


def _label(document: LayeredDocument, plan: LayerGraph) -> str:
    notes = []
    if document.abstract:
        notes.append("abstract")
    if document.replacement:
        notes.append("replaces its parent")
    if document.replaced_by is not None:
        notes.append("replaced")
    if document.control:
        notes.append("control")
    sources = _sources(document, plan)
    if sources:
        notes.append("from " + ", ".join(dict.fromkeys(source.name for source in sources)))
    methods = _methods(document) if document.parent is not None else []
    did = f"  ({', '.join(methods)})" if methods else ""
    return f"{document}{did}{'  ' + '; '.join(notes) if notes else ''}  {document.position}"


def _methods(document: LayeredDocument) -> list[str]:
    out = []
    for action in document.actions:
        value = action.value
        if type(value) is Map:
            method, path = value.find("method"), value.find("path")
            out.append(f"{method.value if method else '?'} {path.value if path else '?'}")
    return out


def _sources(document: LayeredDocument, plan: LayerGraph) -> list[LayeredDocument]:
    found = [plan.sources.get(entry.key) for entry in plan.entries.get(document, ())]
    return list(dict.fromkeys(source for source in found if source is not None))


def _escaped(text: str) -> str:
    return text.replace('"', '\\"')
