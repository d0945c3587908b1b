"""Successful answers of the API."""

from __future__ import annotations

from typing import NamedTuple

from plait.service.yaml_bodies import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.service.spool import Body


class Answer(NamedTuple):
    """A successful answer. marker: the marker of the next part of a list, or None."""

    text: str | Body
    status: int = 200
    marker: int | None = None


def answer(value: object, status: int = 200, marker: int | None = None) -> Answer:
    """An answer with one document."""
    return Answer(text_of([value]), status, marker)


NOTHING = Answer("", 204)
