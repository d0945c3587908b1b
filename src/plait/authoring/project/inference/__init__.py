"""Runs of a repository without a project file, inferred from its build files and verified by evaluating each.

`build_files` finds shell text in scripts, Makefiles and CI files, `shell` its commands, `programs` turns those of ytt,
bosh and plait into runs, and `runs` evaluates each in memory before it is offered. Nothing of the repository is
executed.
"""
