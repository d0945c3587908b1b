"""Table of builtins: a row for each method (`methods`) and each universal function (`universal`).

The row has all facts about a builtin, for compiled code, `x.name`, messages about wrong calls, metering and the
optimizer.
"""
