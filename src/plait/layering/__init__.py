"""Layering: documents that inherit from each other across layers, and substitute values of each other
(docs/reference/layering.md).

    documents = read_documents([yaml.read(source, plain=plain_values)])
    shown = written(render(documents, Options(), context))

Modules that a plain render does not need are imported on demand.
"""
