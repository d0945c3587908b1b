"""Checks of the tools' claims on a real project: `nox -s truth -- DIRECTORY...`.

Each module with a function `check(project, seed, tries)` is one row of the table: it makes a tool answer, tries what the
answer claims, and counts. The same seed makes the same tries.
"""
