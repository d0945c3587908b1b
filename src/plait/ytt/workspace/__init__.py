"""Runs a workspace: reads the input files and flags, executes the phases, and produces the output."""
