"""Operations files and variables, after BOSH and go-patch (docs/reference/operations.md).

>>> from plait.tree.nodes import from_plain, to_plain
>>> to_plain(patch(from_plain({"a": [1]}), [Replace(parse("/a/-"), 2)]))
{'a': [1, 2]}
"""
