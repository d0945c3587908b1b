"""Templates: annotated YAML, text with `(@ @)`, and Starlark files, compiled once and run as often as wanted.

What compiles is imported when the first template is: plain YAML does without.
"""
