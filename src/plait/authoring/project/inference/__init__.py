"""Infers runs of a repository without a project file from its build files, and verifies each by evaluating it.

`build_files` finds shell text in scripts, Makefiles and CI files, `shell` its commands, `programs` converts those of
ytt, bosh and plait to runs, and `runs` evaluates each in memory before it is offered. Nothing of the repository is
executed.
"""
