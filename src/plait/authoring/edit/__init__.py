"""Values of an output, edited where they are written (docs/set.md).

`public_functions` has the public functions. `setting` edits one value: `origins` finds its position, `sites` edits the text,
`target` evaluates again and compares. `insertion` writes a value to a new place, `write_back` writes a whole edited output
back to its files.
"""
