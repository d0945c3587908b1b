"""Overlays: changes written as YAML with annotations (docs/reference/overlays.md).

Annotations: `@overlay/...` never reaches a result from the right side. All others stay with their item: a merged item
has the annotations of the left item, a replaced or added one those of the right item.
"""
