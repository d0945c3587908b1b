"""The language server, `plait lsp`: what an editor asks about templates, values, operations and layered documents.

    state       the projects, what is open, and the newest evaluation of each run
    evaluation  a run evaluated, and what stands where in its inputs and its output
    files, code what one file says by itself, whole or broken
    diagnostics, completion, hover, navigation, lenses, symbols   what is answered, each a function of these
    server      the requests of the protocol

Everything is read by the engine's own readers and evaluated by runs of the project file (`plait.project`).
"""
