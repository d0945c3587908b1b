"""YAML: text to nodes, nodes to text (docs/reference/templates.md, docs/reference/operations.md).

The package imports the writer. The reader, JSON, listings and formatting are imported on demand.
"""
