"""Edits output values at their origin (docs/set.md).

`public_functions` has the public functions. `setting` edits one value: `origins` finds its position, `sites` edits the
text, `target` evaluates again and compares. `insertion` writes a value to a new position, `write_back` writes a whole
edited output back to its files.
"""
