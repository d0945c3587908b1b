"""Dependency scopes: they collect the reads of traced programs, which become the shadows of values.

A *shadow* contains the origins of a value. A variable has its shadow in another variable. Changed containers, lists
built from data, and the items of list and dict literals have their shadows here, by identity.

Long loops over numbers stay bounded: a variable computed only from itself keeps its shadow.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count

from plait.base.errors import PlaitError
from plait.base.source import Position
from plait.tree.nodes import Array, Map
from plait.tree.provenance import Contributor, Control
from plait.ytt.starlark.containers import Dict, List, key_of
from plait.ytt.starlark.instrument.dataflow.shadows import (
    CHANGEABLE,
    PLAIN,
    DependencyScope,
    caller,
    joined_shadows,
    of_item,
    of_part,
    opened,
    without,
)
from plait.ytt.starlark.structs import reachable
from plait.ytt.starlark.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from plait.base.source import Source
    from plait.tree.nodes import DocumentSet, Item
    from plait.tree.nodes import Value as NodeValue
    from plait.tree.provenance import Origin
    from plait.tree.provenance.marks import Marks
    from plait.ytt.starlark.instrument.dataflow.shadows import Argument, Shadow

    Nodes: TypeAlias = Map | Array | DocumentSet

# Changes a fragment in place.
_APPLY = "overlay.apply"
# Maximum number of origins that are compared for a variable computed from itself.
_FEW = 12


def _no_parts(*_given: object) -> AbstractSet[Origin]:
    return frozenset()


class DependencyTracker:
    """The open dependency scopes of a run, and shadows outside variables. `names` returns the functions for programs."""

    __slots__ = (
        "aside",
        "changed_by",
        "closed",
        "decided",
        "decisions",
        "exported",
        "fields",
        "follows_all",
        "fresh",
        "leading",
        "lists",
        "made",
        "marks",
        "missed",
        "mutated",
        "nested",
        "nodes_of",
        "note_parts_of",
        "places",
        "programs",
        "quick",
        "silent",
        "stack",
        "steps",
        "tested",
        "untraced",
    )

    def __init__(
        self,
        nodes_of: Callable[[object], Nodes | None] = lambda _value: None,
        note_parts_of: Callable[[DependencyTracker, NodeValue, object, str], AbstractSet[Origin]] = _no_parts,
    ) -> None:
        # Functions of the template layer: one returns the nodes of a fragment, one records nodes built from a value.
        self.nodes_of = nodes_of
        self.note_parts_of = note_parts_of
        self.silent: set[object] = {*PLAIN}  # types of values whose fields need not be looked up
        self.stack: list[DependencyScope] = [DependencyScope()]
        self.leading: Shadow = ()  # the secret decisions of the host that lead to its calls
        self.marks: Marks | None = None  # in a run that uses secrets
        self.nested = False  # a secret was put into a container, which may be inside others
        self.changed_by: Shadow = ()  # the secret decisions that may have changed any list, dict or set
        self.programs: dict[Source, Mapping[str, object]] = {}  # for each program, the calls in its code
        self.fresh = False  # a secret is about to become a node
        self.quick: object = None  # the type of data values that are not secret (`plain`)
        self.aside: list[bool] = []  # not empty once shadows besides those of variables exist
        self.steps = 0  # number of traced loop iterations and calls
        self.closed: set[object] = set()  # pure functions, which can run untraced (see `quiet`)
        self.missed: Origin | None = None  # an item beside an attribute that was not there
        self.follows_all = False  # pure functions run traced, too, until the number of steps is too large
        self.untraced: set[tuple[Source, int]] = set()  # the first lines of pure functions that ran untraced
        self.tested: Shadow = ()
        self.decisions = 0  # secrets about items that overlays match
        self.fields: dict[int, tuple[object, dict[str, Shadow], AbstractSet[Origin]]] = {}
        # By identity. The values are stored so that their identity stays unique.
        self.mutated: dict[int, tuple[object, Shadow]] = {}
        self.lists: dict[int, tuple[object, Array]] = {}
        self.made: dict[int, tuple[object, Sequence[Shadow], dict[Origin, None]]] = {}
        self.places: dict[int, tuple[Dict, dict[object, int]]] = {}  # of keys
        self.exported: dict[tuple[str, int], tuple[object, Shadow]] = {}
        self.decided: dict[tuple[int, int], Shadow] = {}  # the left values that matchers compared, both by identity

    def end(self) -> None:
        """Drops values and their receivers, which refer back to this object."""
        self.note_parts_of = _no_parts
        self.closed.clear()
        self.programs.clear()
        for known in (self.fields, self.mutated, self.lists, self.made, self.places, self.exported, self.decided):
            known.clear()

    def read(self, origin: Origin) -> None:
        """Records a read."""
        self.stack[-1][origin] = None

    def read_list(self, made: object, array: Array) -> None:
        """Records that an array was read, and the list built from it."""
        self.note_list(made, array)
        self.read(array)

    def note_list(self, made: object, array: Array) -> None:
        """Records the array that a list was built from."""
        self.lists[id(made)] = (made, array)

    def array_of(self, made: object) -> Array | None:
        """The array that a list was built from, or None."""
        found = self.lists.get(id(made))
        return None if found is None else found[1]

    def note_parts(self, made: object, parts: Sequence[Shadow], also: Iterable[Origin] = ()) -> dict[Origin, None]:
        """Records the shadows of the items of a list or dict, and returns their union.

        also: other origins of the items, such as the array that they come from.
        """
        parts = [of_part(shadow) for shadow in parts]
        covered = dict.fromkeys([origin for shadow in parts for origin in shadow])
        covered.update(dict.fromkeys(also))
        self.made[id(made)] = (made, parts, covered)
        if covered:
            self.aside[:] = [True]
        return covered

    def note_nested(self) -> None:
        """Records that a secret was put into a container, which may be inside others."""
        self.nested = True
        self.aside[:] = [True]

    def note_any_change(self, control: Control) -> None:
        """Records that a secret decided about changes of an unknown list, dict or set: from here on, each counts."""
        if control not in self.changed_by:
            self.changed_by = (*self.changed_by, control)
        self.note_nested()

    def parts_of(self, made: object) -> Sequence[Shadow] | None:
        """The shadows of the items of a list or dict literal, in order, or None."""
        found = self.made.get(id(made))
        if found is None or not isinstance(made, (list, dict, tuple)) or len(found[1]) != len(made):
            return None
        return found[1]

    def place_of(self, x: Dict, key: object) -> int:
        """The index of a key in a dict, or its length if the key is missing."""
        _, places = self.places.setdefault(id(x), (x, {}))
        if len(places) == len(x) - 1:
            # Most dicts grow key by key.
            places[next(dict.__reversed__(x))] = len(places)
        known_as = key if type(key) is str else key_of(key)
        if len(places) != len(x) or known_as not in places:
            places.clear()
            places.update(zip(dict.__iter__(x), count()))
        return places.get(known_as, len(x))

    def shadows_in(self, x: object) -> Sequence[Shadow] | None:
        """The shadows of the items of a list, dict or tuple; None if unknown."""
        if type(x) is List:
            array = self.array_of(x)
            if array is not None and len(array.items) == len(x):
                return [(of_item(item),) for item in array.items]
        if type(x) is List or type(x) is Dict or type(x) is tuple:
            return self.parts_of(x)
        nodes = self.nodes_of(x)
        if nodes is None or (type(nodes) is Map and self.marks is not None and self.marks.has_secret_keys(nodes)):
            return None
        # The keys of a map do not depend on their values.
        return [() for _ in nodes.items] if type(nodes) is Map else [(of_item(item),) for item in nodes.items]

    def covered(self, x: object) -> AbstractSet[Origin]:
        """The origins that `shadows_in` returns, plus the origin of the whole."""
        if type(x) is List:
            array = self.array_of(x)
            if array is not None and len(array.items) == len(x):
                return {array}
        nodes = self.nodes_of(x)
        if nodes is not None:
            return {nodes}
        # A decision about an item may be one about the whole as well.
        # So may the changes of a container, which are joined without an action.
        return {one for one in self.made[id(x)][2] if type(one) is not Control and getattr(one, "action", None) != ""}

    def shape_of(self, x: object, shadow: Shadow) -> Shadow:
        """The shadow of a collection without those of its parts: the origins of its size, keys and order."""
        return shadow if self.shadows_in(x) is None else without(shadow, self.covered(x))

    def is_shaped_by_secret(self, x: object, shadow: Shadow) -> bool:
        """True if a secret decides which parts a collection with this shadow has, or has decided that for any part."""
        marks = self.marks
        if marks is None or not shadow or not marks.is_secret(*shadow):
            return False
        return marks.has_control(*shadow) or marks.is_secret(*self.shape_of(x, shadow))

    def changes_of(self, x: object) -> Shadow:
        """The secrets that decided changes of unknown parts of a container."""
        known = self.mutated.get(id(x))
        marks = self.marks
        return () if known is None or marks is None or not marks.is_secret(*known[1]) else known[1]

    def rearranged(self, name: str, args: Sequence[object], value: Sequence[object], all_of: Shadow) -> None:
        """Records the shadows of a new list's items that were taken from other lists."""
        known = [self.shadows_in(arg) for arg in args]
        first = known[0]
        parts: Sequence[Shadow]
        if name == "zip":
            parts = []
            for place, item in enumerate(value):
                each = [all_of if shadows is None else shadows[place] for shadows in known]
                self.note_parts(item, each)
                parts.append(tuple(dict.fromkeys([origin for shadow in each for origin in shadow])))
        elif first is None:
            return
        elif name == "reversed":
            parts = first[::-1]
        else:
            parts = first
            if name in {"enumerate", "items"}:
                for item, shadow in zip(value, first, strict=False):
                    self.note_parts(item, ((), shadow))
        also = [
            origin
            for arg, shadows in zip(args, known, strict=True)
            if shadows is not None
            for origin in self.covered(arg)
        ]
        if len(parts) == len(value):
            self.note_parts(value, parts, also)

    def element(self, x: object, key: object, shadow: Shadow) -> Shadow:
        """The shadow of `x[key]`, from the shadow of x and key together. Excludes the shadows of other items."""
        if (type(x) is List or type(x) is tuple) and type(key) is int:
            place = key
        elif type(x) is Dict:
            if self.parts_of(x) is None:
                return shadow
            place = self.place_of(x, key)
        else:
            return self.node_element(self.nodes_of(x), key, shadow)
        array, parts = self.array_of(x), self.parts_of(x)
        if array is None and parts is None:
            return shadow
        if array is not None and len(array.items) == len(x):
            item = array.items[place]
            return (*without(shadow, {array}), of_item(item))
        if parts is not None and place < len(parts):
            return (*without(shadow, self.made[id(x)][2].keys()), *opened(parts[place]))
        return shadow

    def node_element(self, nodes: Nodes | None, key: object, shadow: Shadow) -> Shadow:
        """The shadow of a part of a fragment."""
        item: Item | None = None
        if type(nodes) is Map:
            item = nodes.find(key) if key is None or isinstance(key, (str, int, float)) else None
        elif nodes is not None and type(key) is int:
            item = nodes.items[key]
        return shadow if item is None or nodes is None else (*without(shadow, {nodes}), of_item(item))

    def field_element(self, x: object, name: str, shadow: Shadow) -> Shadow:
        """The shadow of a field of a fragment, or of a struct built in the program."""
        made = self.fields.get(id(x))
        if made is not None and name in made[1]:
            return (*without(shadow, made[2]), *opened(made[1][name]))
        return self.node_element(self.nodes_of(x), name, shadow)

    def fields_of(self, x: object) -> Mapping[str, Shadow]:
        """The shadows of the fields of a struct built in the program, by name."""
        made = self.fields.get(id(x))
        return {} if made is None else made[1]

    def note_fields(self, made: object, arguments: Sequence[Argument]) -> Iterable[Origin]:
        """Records the shadows of a struct's fields, and returns their union."""
        if any(name is None or name[0] == "*" for _, _, name in arguments):
            return [origin for _, shadow, _ in arguments for origin in shadow]
        fields = {str(name): of_part(shadow) for _, shadow, name in arguments}
        covered = dict.fromkeys([origin for shadow in fields.values() for origin in shadow])
        self.fields[id(made)] = (made, fields, covered.keys())
        return covered

    def call(self, function: Callable[..., object], *arguments: tuple[object, Shadow]) -> tuple[object, Shadow]:
        """Calls a function from outside all programs. Returns its result, and the shadow of the result."""
        window = DependencyScope()
        window.called = True
        window.reached_by = (*self.stack[-1].reached_by, *self.leading)
        window.arguments = [(value, shadow, None) for value, shadow in arguments]
        depth = len(self.stack)
        self.stack.append(window)
        try:
            value = function(*(value for value, _ in arguments))
        except PlaitError as error:
            self.blame(error, depth)
            raise
        finally:
            del self.stack[depth:]
        found = dict(window)
        if not window.direct:
            found.update(dict.fromkeys(window.given()))
        for control in self.leading:
            # The condition of the call is not an origin of its result.
            found.pop(control, None)
        return value, tuple(found)

    def blame(self, error: PlaitError, depth: int) -> None:
        """Attaches the origins of an error to it. depth: the depth of the program's scopes."""
        if self.marks is None and not self.follows_all:
            return
        found = self.read_now(depth)
        if self.stack[-1].host:
            # Adding nodes without expressions can fail too, depending on earlier nodes.
            found.update(dict.fromkeys(self.stack[-1].shape))
        if self.missed is not None:
            found[self.missed] = None
        error.origins = (*(error.origins or ()), *found)
        if error.decided_at is None:
            controls = (one for window in self.stack[depth:] for one in opened((*window.reached_by, *window)))
            control = next((one for one in controls if type(one) is Control), None)
            if control is not None:
                error.decided_at = Position(control.source, control.line)

    def argument(self, value: object) -> Shadow:
        """The shadow of an argument of the current function."""
        for window in reversed(self.stack):
            for given, shadow, _ in window.arguments:
                if given is value:
                    return shadow
        return ()

    def is_argument(self, value: object) -> bool:
        """True if the value is an argument of a current function."""
        return any(given is value for window in reversed(self.stack) for given, _, _ in window.arguments)

    def take(self) -> Shadow:
        """Removes and returns the contents of the innermost scope, including the condition of the statement."""
        window = self.stack[-1]
        if not window and not window.arguments:
            return window.control
        origins = dict.fromkeys(window.control)
        origins.update(window)
        for _, shadow, _ in window.arguments:
            origins.update(dict.fromkeys(shadow))
        window.clear()
        window.arguments = ()
        return tuple(origins)

    def mark(self, value: object, shadow: Shadow) -> None:
        """Records a change of a container."""
        known = self.mutated.get(id(value))
        if known is not None:
            if len(shadow) <= _FEW and all(origin in known[1] for origin in shadow):
                return
            shadow = (Contributor("", None, 0, (*known[1], *shadow)),)
        self.mutated[id(value)] = (value, shadow)
        self.aside[:] = [True]

    def mark_all(self, shadow: Shadow, *values: object) -> None:
        """Marks every container reachable from values, because the changed one is unknown.

        A fragment counts if the function that changes it in place is reachable.
        """
        found = [*reachable(values)]
        applies = any(type(value) is Builtin and value.name == _APPLY for value in found)
        for value in found:
            if type(value) in CHANGEABLE or (applies and self.nodes_of(value) is not None):
                self.mark(value, shadow)
                self.note_nested()

    @contextmanager
    def led_by(self, action: str, origins: Iterable[Origin]) -> Iterator[Control | None]:
        """A context for actions of the host that a program requested. origins: decide the extent of the actions.

        Yields the control if it depends on a secret; then everything evaluated in the block depends on it. Else yields
        None.
        """
        made_of = tuple(origins)
        if self.marks is None or not self.marks.is_secret(*made_of):
            yield None
            return

        window = self.stack[-1]
        control = self.marks.control(action, *caller(), made_of)
        window[control] = None
        window.reached_by = (*window.reached_by, control)
        yield control

    def read_now(self, depth: int) -> dict[Origin, None]:
        """The contents of all scopes from a depth on: everything the current statements depend on."""
        found: dict[Origin, None] = {}
        for window in self.stack[depth:]:
            found.update(window)
            for shadow in (
                window.reached_by, window.control, window.key, *(given for _, given, _ in window.arguments),
                *window.elements.values(),
            ):  # fmt: skip
                found.update(dict.fromkeys(shadow))
        return found

    def is_decided(self) -> bool:
        """True if a secret condition led to the current code."""
        return bool(self.stack[-1].reached_by)

    @contextmanager
    def attempted(self, function: object) -> Iterator[None]:
        """A context for a call that returns errors as values. Its progress depends on everything it reads, so the result
        counts as secret.
        """
        window = self.stack[-1]
        source, line = caller()
        assert self.marks is not None
        control = self.marks.control("assert.try_to", source, line)
        window[control] = None
        window.reached_by = joined_shadows(window.reached_by, (control,))
        try:
            yield
        finally:
            self.mark_all((control,), function)

    def shape(self, reached_by: Shadow) -> None:
        """Records that a secret decides which nodes the current function builds."""
        for window in reversed(self.stack):
            if window.host:
                window.shape = (*window.shape, *reached_by)
                break

    def shape_here(self, control: Control) -> None:
        """Records that a secret decides which nodes exist, when a function that builds them ends or is still
        building.
        """
        window = self.stack[-1]
        if window.host:
            window.shape = (*window.shape, control)
        else:
            window[control] = None


class Loop:
    """The shadows of a loop: of its elements in order, and of its execution."""

    __slots__ = ("_inner", "_place", "_shadow", "_shadows", "_windows", "control", "iterated")

    def __init__(
        self,
        windows: DependencyTracker,
        iterated: object,
        shadow: Shadow,
        shadows: Sequence[Shadow] | None,
        covered: AbstractSet[Origin],
    ) -> None:
        self.iterated = iterated
        self._windows = windows
        self._place = -1
        self._shadow = shadow
        self._shadows = shadows
        self._inner: Sequence[Shadow] | None = None
        # The number of iterations over data depends on the size of the data, not on its content.
        self.control = shadow if shadows is None else without(shadow, covered)

    def step(self) -> Shadow:
        """The shadow of the next element."""
        self._place += 1
        self._windows.steps += 1
        if self._shadows is not None and self._place < len(self._shadows):
            return (*self.control, *opened(self._shadows[self._place]))
        return self._shadow

    def part(self, number: int, shadow: Shadow) -> Shadow:
        """The shadow of a part of the current element. shadow: the shadow of the whole element."""
        iterated = self.iterated
        if type(iterated) is not List or self._place >= len(iterated):
            return shadow
        parts = self._windows.parts_of(iterated[self._place]) if type(iterated[self._place]) is tuple else None
        return shadow if parts is None or number >= len(parts) else (*self.control, *opened(parts[number]))
