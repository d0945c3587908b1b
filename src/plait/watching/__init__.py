"""Watching files: what reads one that has changed is done again (docs/watch.md)."""
