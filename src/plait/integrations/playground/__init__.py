"""The playground: evaluates files and returns documents, errors and histories. Nothing is stored.

`plait.integrations.playground.questions` answers requests of the page; `plait website` serves the page and evaluates in
a sandboxed process.
"""
