"""The tree of nodes: documents, maps, arrays and their items, with annotations and provenance."""
