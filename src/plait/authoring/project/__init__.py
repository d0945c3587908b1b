"""Projects: named runs with inputs and settings, for all tools (docs/project.md).

`file` reads a project file, `run_inference` infers runs without one, `run` evaluates a run.
"""
