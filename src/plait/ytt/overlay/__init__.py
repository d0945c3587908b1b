"""Overlays: changes written as YAML with annotations (docs/reference/overlays.md).

Annotations: `@overlay/...` never reaches a result from the right side. All others stay with their item: a merged left
item keeps its own and drops the right item's; a replaced or added item has the right one's.
"""
