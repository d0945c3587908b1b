"""Tools for people who write configuration: projects, lint, tests, coverage, edits and the editor."""
