"""The workspace: from input files and flags, through the phases, to the output (docs/guide-render.md)."""
