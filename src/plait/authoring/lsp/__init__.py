"""The language server, `plait lsp`, for templates, values, operations and layered documents.

    registry, state       the runs of all projects; what is open, and the newest evaluation of each run
    evaluation, behind    a run evaluated; the lines behind an item of its result
    cursor, left, schemas where in YAML the cursor stands; what an overlay lies over; what a schema says of a value
    diagnostics, unused, actions            what is wrong or not needed, and the edits that mend it
    completion, offers, matchers, operations, layers, projectfile   what can stand at a place
    hover, navigation, families, variables, renaming, lenses, symbols, tokens   what else is answered
    connection, server    positions in the editor's units and what it is told; the requests of the protocol
    messages              the same where there are neither streams nor threads, in a browser

Everything is read by the engine's own readers and evaluated by runs of the project file (`plait.authoring.project`).
"""
