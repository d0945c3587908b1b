"""What each function of the API is given, and what it gives."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from plait.service.failures import bad_parameter, check_name
from plait.service.texts import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.service.database import Database
    from plait.service.encryption import Keys
    from plait.service.fleets import Projects
    from plait.service.flows import Flows
    from plait.service.identity import Identity
    from plait.service.parcels import Reader
    from plait.service.rendering import Renderer
    from plait.service.telemetry import Telemetry

T = TypeVar("T")


class Service(NamedTuple):
    """What all requests share. address: where clients find it."""

    database: Database
    renderer: Renderer
    keys: Keys
    address: str
    telemetry: Telemetry
    projects: Projects
    flows: Flows
    reader: Reader


class Call(NamedTuple):
    """One request. path: the parts of its path that have names. query: its parameters."""

    service: Service
    identity: Identity
    path: Mapping[str, str]
    query: Mapping[str, Sequence[str]]
    body: bytes

    def name(self, part: str) -> str:
        """A part of the path that is the name of something. Raises Refusal for one that nothing can have."""
        check_name(self.path[part], f"the name of a {part}")
        return self.path[part]

    def parameters(self, name: str) -> Sequence[str]:
        """All that a parameter was given, without empty ones."""
        return [text for text in self.query.get(name, ()) if text]

    def parameter(self, name: str) -> str | None:
        """What a parameter was given last."""
        given = self.parameters(name)
        return given[-1] if given else None

    def switch(self, name: str, *, default: bool) -> bool:
        """A parameter that is true or false. Raises Refusal."""
        text = self.parameter(name)
        if text is None:
            return default
        if text.lower() not in ("true", "false"):
            raise bad_parameter(name, "true or false")
        return text.lower() == "true"

    def number(self, name: str) -> int | None:
        """A parameter that is an integer. Raises Refusal."""
        text = self.parameter(name)
        if text is None:
            return None
        digits = text.removeprefix("-").removeprefix("+")
        if not (digits.isascii() and digits.isdigit() and len(digits) < _DIGITS):
            raise bad_parameter(name, "an integer")
        return int(text)

    def page(self, items: Sequence[T], most: int, *, limits: bool = True) -> tuple[Sequence[T], int | None]:
        """The part of a list that the parameters `marker` (items to skip) and `limit` ask for, and the marker of the next
        part, if there is one. most: items of a response without `limit`. limits: `limit` counts without `marker` too, which
        Deckhand ignores for lists of other things than documents. Raises Refusal.
        """
        limit, given = self.number("limit") if limits or self.parameter("marker") else None, self.number("marker")
        marker = given or 0
        if marker < 0:
            raise bad_parameter("marker", "the marker of a header Link")
        end = marker + (most if limit is None else abs(limit))
        return items[marker:end], end if end < len(items) and end > marker else None


_DIGITS = 10
PAGE = 1_000
"""Items of a list that Deckhand does not have, in a response to a request without `limit`."""
LARGEST_PAGE = 250_000
"""The same of a list that Deckhand has, whose clients expect all of it."""


class Answer(NamedTuple):
    """An answer that is no error. marker: of the next part of a list."""

    text: str
    status: int = 200
    marker: int | None = None


def answer(value: object, status: int = 200, marker: int | None = None) -> Answer:
    """An answer of one document."""
    return Answer(text_of([value]), status, marker)


NOTHING = Answer("", 204)
