"""Overlay application with specialized code for the most common steps: items merged by key, or by the string under a
key.

An optional fast path: all other steps are done by `OverlayApplication.act`, with the same results.
"""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.tree.deferred_values import Deferred, is_deferred
from plait.tree.nodes import ArrayItem, Map, MapItem
from plait.ytt.overlay.actions import merged_later, wrong_kind
from plait.ytt.overlay.application import OverlayApplication, check_repeated, located
from plait.ytt.overlay.changed_collections import ArrayEdit, MapEdit
from plait.ytt.overlay.plan import NO_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from plait.tree.nodes import Array
    from plait.ytt.overlay.plan import OverlayStep


_NONE: frozenset[object] = frozenset()


class FastOverlayApplication(OverlayApplication):
    """An overlay application without a listener."""

    __slots__ = ()

    def merge(self, left: Map | Array, steps: list[OverlayStep]) -> Map | Array:
        return self._merge_map(left, steps) if type(left) is Map else self._merge_array(left, steps)  # type: ignore[arg-type]

    def _merge_map(self, left: Map, steps: list[OverlayStep]) -> Map:
        owned = self.owned
        edit: Any = owned.get(left)
        index = left.index()
        step: Any = None
        item: Any = None
        acted = False
        try:
            for step in steps:
                item = index.get(step.key)
                if item is None:
                    if edit is None:
                        edit = MapEdit(left)
                    if step.optional:
                        if self.warn is not None and not self.looked.get(step, _NONE).issuperset(index):
                            self.no_match(step, edit, adds=True)
                        edit.append(step.key, step.cleaned or step.clean(), owned)
                    else:
                        acted = True
                        self.act(edit, step)
                    index = edit.index
                    continue
                value: Any = item.value
                if step.leaf or value is None:
                    new = step.cleaned or step.clean()
                    if not step.whole and (item.annotations is not None or not step.bare):
                        new = MapItem(item.key, new.value, new.source, new.line, item.annotations)
                else:
                    kind = step.kind
                    if type(value) is kind and kind is not Deferred:
                        plan = step.planned or step.plan()
                        result: Any = self._merge_map(value, plan) if kind is Map else self._merge_array(value, plan)
                        if result is value:
                            continue
                        new = MapItem(item.key, result, item.source, item.line, item.annotations)
                    elif kind is Deferred or is_deferred(value):
                        new = merged_later(self, item, step)
                    else:
                        raise wrong_kind(item, value, step.item.value)
                if edit is None:
                    edit = MapEdit(left)
                edit.swap(step.key, item, new, owned)
                index = edit.index
            if acted:
                item = None
                edit.settle()
                check_repeated(edit)
        except PlaitError as error:
            if item is not None:
                self.failed_at(item)
            raise located(error, step) from None
        finally:
            if acted:
                edit.settle()
        return left if edit is None else edit.node

    def _merge_array(self, left: Array, steps: list[OverlayStep]) -> Array:
        owned = self.owned
        edit: Any = owned.get(left) or ArrayEdit(left)
        step: Any = None
        item: Any = None
        try:
            for step in steps:
                text = step.key
                if text is not NO_KEY:
                    index = edit.keyed(step.matcher.key)
                    places = index.places.get(text)
                    if places and len(places) == 1 and index.bad < 0:
                        place = places[0]
                        item = edit.items[place]
                        result = self._merge_map(item.value, step.planned or step.plan())
                        if result is item.value:
                            edit.check_key(place)
                        else:
                            edit.put(place, ArrayItem(result, item.source, item.line, item.annotations), owned)
                        continue
                    if not places and step.optional and index.bad < 0:
                        if self.warn is not None and not self.looked.get(step, _NONE).issuperset(index.places):
                            self.no_match(step, edit, adds=True)
                        edit.add_keyed(step.cleaned or step.clean(), text, owned)
                        continue
                item = None
                self.act(edit, step)
        except PlaitError as error:
            if item is not None:
                self.failed_at(item)
            raise located(error, step) from None
        finally:
            edit.settle()
        return edit.node  # type: ignore[no-any-return]
