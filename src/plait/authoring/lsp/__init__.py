"""The language server, `plait lsp`, for templates, values, operations and layered documents.

    registry, state       the runs of all projects; the open files, and the newest evaluation of each run
    evaluation, value_origins   an evaluated run; the origins of an item of its result
    cursor, overlay_targets, schemas   the YAML context of the cursor; the targets of an overlay; schemas of values
    diagnostics, unused_diagnostics, code_actions   errors and unused code, and their fixes
    completion, yaml_completion, matchers, operation_completion, layers, projectfile   completion
    hover, commits, navigation, layering_navigation, variables, renaming, inlay_hints, symbols, tokens   other features
    connection, server    positions in the editor's units, and notifications; the requests of the protocol
    messages              the server without streams and threads, in a browser

Everything is read by the engine's own readers and evaluated by runs of the project file (`plait.authoring.project`).
"""
