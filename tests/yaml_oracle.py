"""libyaml as the oracle of the lossless tree: the events of a text, and those that its tree stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plait.yaml import libyaml
from plait.yaml.libyaml import parser
from plait.yaml.libyaml_quirks import PatchedText
from plait.yaml.lossless.nodes import ALIAS, EMPTY, PLAIN, Collection
from plait.yaml.lossless.scalar_values import scalar_text

if TYPE_CHECKING:
    from plait.yaml.lossless.nodes import Node, Tree

    Events = list[tuple[object, ...]]

_SPACE = re.compile(r"(?:[\s,\[\]{}\ufeff]|#[^\n\r\x85\u2028\u2029]*|%[^\n]*|---|\.\.\.)*")


def events(text: str) -> Events | None:
    """The events of a text without its byte order mark; None if libyaml rejects it."""
    adapted = PatchedText(text.removeprefix("\ufeff"))
    while True:
        found: Events = []
        next_event = adapted.events(parser())
        try:
            while True:
                event = next_event()
                kind = event[0]
                if kind == libyaml.SCALAR:
                    style = event[7] if event[7] in ("'", '"', "|", ">") else ""
                    found.append(("scalar", event[1], event[6] is not None, event[4], style))
                elif kind == libyaml.ALIAS:
                    found.append(("alias", event[1]))
                elif kind in (libyaml.MAP_START, libyaml.ARRAY_START):
                    name = "map" if kind == libyaml.MAP_START else "sequence"
                    found.append((name, event[1], event[5] is not None, bool(event[4])))
                elif kind == libyaml.COLLECTION_END:
                    found.append(("end",))
                elif kind == libyaml.DOCUMENT_START:
                    found.append(("document",))
                elif kind == libyaml.STREAM_END:
                    return found
        except Exception as error:  # noqa: BLE001 - of whatever class the parser has
            if not adapted.cover(error):
                return None


def tree_events(tree: Tree) -> Events:
    """The events that a tree stands for."""
    found: Events = []
    for document in tree.documents:
        found.append(("document",))
        pending: list[tuple[Node | None, int]] = [(document.root, -1)]
        while pending:
            node, indent = pending.pop()
            if node is None:
                found.append(("end",))
            elif isinstance(node, Collection):
                name = "map" if node.is_map else "sequence"
                found.append((name, node.anchor, node.tag is not None, node.in_brackets))
                inner = indent if node.in_brackets else node.column
                pending.append((None, 0))
                for item in reversed(node.items):
                    pending.append((item.value, inner))
                    if item.key is not None:
                        pending.append((item.key, inner))
            elif node.style is ALIAS:
                found.append(("alias", tree.text[tree.text.rindex("*", 0, node.end) + 1 : node.end]))
            else:
                style = "" if node.style in (PLAIN, EMPTY) else node.style
                found.append(("scalar", node.anchor, node.tag is not None, scalar_text(tree.text, node, indent), style))
    return found


def lost(tree: Tree) -> str:
    """What is in the text, but neither in a node, a sign or a question mark, nor white space, comment or punctuation."""
    spans: list[tuple[int, int]] = []
    nodes: list[Node] = [document.root for document in tree.documents]
    for _, item in tree.walk():
        nodes += [item.value] if item.key is None else [item.key, item.value]
        if item.sign >= 0:
            spans.append((item.sign, item.sign + 1))
        if item.is_explicit:
            spans.append((item.start, item.start + 1))
    for node in nodes:
        if not isinstance(node, Collection):
            spans.append((node.start, node.end))
        elif node.properties is not None:
            spans.append((node.properties.start, node.properties.end))
    found, at = "", 0
    for start, end in [*sorted(spans), (len(tree.text), len(tree.text))]:
        assert start >= at or start == end, "two nodes have a character"
        if start >= at:
            gap = _SPACE.match(tree.text, at, start)
            found += tree.text[at if gap is None else gap.end() : start]
        at = max(at, end)
    return found
