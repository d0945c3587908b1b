"""Watches files, and repeats work when a file that it read changes (docs/watch.md)."""
