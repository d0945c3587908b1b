"""Table of builtins: a row for each method (`methods`) and each universal function (`universal`).

Compiled code, `x.name`, messages about wrong calls, the count of steps and the optimizer read all that they know of a
builtin from its row.
"""
