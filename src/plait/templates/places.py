"""Which collections are open where a template adds nodes, as far as the text tells.

A node goes to its own collection, if that is open; else to one around it (see construct.py). In most functions the text
alone decides: the statement that opens a collection stands before its items, in the same block or in one around. The
lists of such collections are local variables, `$i` and the number, and statements that run often add to them in place,
without a call. In any other function all goes by the builder.
"""

from __future__ import annotations

from plait.nodes import Map, key_id
from plait.starlark import Block
from plait.templates.yaml_template import NodeHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.starlark import Part


class Frame:
    """The places of one function, if the text decides them all.

    root: the collection that the function adds to and does not open, or -1. lists: collections with a variable.
    listed: collections that the builder must know. watched: maps in which a key may come again. parts: whether
    its statements add some by stencils.
    """

    __slots__ = ("closed", "hosts", "keys", "listed", "lists", "module", "open", "parts", "root", "watched")

    def __init__(self, *, module: bool) -> None:
        self.module = module
        self.root = -1
        self.lists: set[int] = set()
        self.listed: set[int] = set()
        self.watched: set[int] = set()
        self.hosts: list[NodeHost] = []
        self.open: dict[int, int] = {}  # collection -> how many loops there are around its opening
        self.closed: set[int] = set()
        self.parts = False
        self.keys: dict[int, set[object]] = {}  # collection -> what the text adds to it

    def visit(self, parts: Sequence[Part], depth: int) -> bool:
        """Follow a block within so many loops; whether the text decides."""
        opened: list[int] = []
        before: dict[int, set[object]] = {}
        for part in parts:
            if type(part) is Block:
                # Of branches only one is run.
                found = self.keys
                if not part.instead:
                    before = found
                self.keys = {site: set(keys) for site, keys in before.items()}
                if not self.visit(part.parts, depth + part.loop):
                    return False
                for site, keys in found.items():
                    self.keys.setdefault(site, set()).update(keys)
            elif isinstance(part, NodeHost):
                if not self.add(part, depth):
                    return False
                if part.opens >= 0:
                    self.open[part.opens] = depth
                    opened.append(part.opens)
        for site in opened:
            del self.open[site]
        self.closed.update(opened)
        return True

    def add(self, host: NodeHost, depth: int) -> bool:
        site = host.site
        if site not in self.open:
            if site in self.closed or self.root not in {-1, site} or (self.module and site):
                return False
            self.root = site
            self.open[site] = 0
        if host.collection.kind is Map:
            seen = self.keys.setdefault(site, set())
            keys = [key_id(key) for key in host.keys_added()]
            count = len(seen) + len(keys)
            seen.update(keys)
            if not keys or len(seen) < count or depth > self.open[site]:
                self.watched.add(site)
        self.hosts.append(host)
        # What runs once is better small.
        host.direct = (depth > 0 or not self.module) and host.ready()
        self.parts = self.parts or (host.direct and host.is_part())
        (self.lists if host.direct else self.listed).add(site)
        return True


def frame_of(parts: Sequence[Part], *, module: bool) -> Frame | None:
    """The places of a function, noted in its host statements; None if all goes by the builder."""
    frame = Frame(module=module)
    decided = frame.visit(parts, 0)
    if not decided or not frame.lists:
        for host in frame.hosts:
            host.direct = False
        return None
    for host in frame.hosts:
        site = host.opens
        if site in frame.lists or host.direct:
            host.inner = "listed" if site in frame.listed else "watched" if site in frame.watched else "known"
    return frame
