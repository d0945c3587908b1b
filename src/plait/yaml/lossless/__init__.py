"""The lossless tree of a YAML text: the position of every node, for tools that display or edit the text."""
