"""Prints errors in the layouts of the reference programs, for command lines under their names.

The `reference` fields of an error, its findings and stack frames contain the reference program's text (see
`plait.base.errors`). Modules of this package print them in that program's layout, without plait's own texts.
"""
