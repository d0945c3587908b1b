"""Templates: annotated YAML, text with `(@ @)`, and Starlark files, compiled once and executed any number of times.

The compiler is imported with the first template; plain YAML does not need it.
"""
