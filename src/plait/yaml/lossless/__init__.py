"""The lossless tree of a YAML text: the position of every node, for tools that display or edit the text.

`scanner.scan` returns the tree of a text (`nodes.Tree`), which consists of offsets into it: nothing is lost because
nothing is copied. `binding` finds the spans of nodes that the reader of `plait.yaml` has made, and `edits` changes the
text at these spans. `recovery` repairs a text that is not valid, and `opened` describes the end of one that is not
finished.
"""
