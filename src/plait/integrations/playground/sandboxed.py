"""The process in which the server evaluates: everything is loaded before the first request, and each has a copy of it."""

from __future__ import annotations

from plait.base.sandbox import serve_copies
from plait.integrations.playground import questions


def serve() -> None:
    """Answers the requests of the page."""
    questions.load()
    serve_copies(questions.__name__)
