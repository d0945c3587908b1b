"""Watches files: work is repeated when a file that it read changes (docs/watch.md)."""
