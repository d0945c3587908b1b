"""`--allow-symlink-destination` and its dangerous sister, which every command has that reads directories."""

from __future__ import annotations

from plait.cli.options import CSV, SWITCH, Flag
from plait.content import Links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.cli.options import Parsed

LINKS = (
    Flag("allow-symlink-destination", CSV, "allow symbolic links to this path or below it", value="PATH"),
    Flag("dangerous-allow-all-symlink-destinations", SWITCH, "allow all symbolic links"),
)


def links_of(flags: Parsed) -> Links:
    """Which symbolic links the flags allow."""
    allowed, every = (flag.name for flag in LINKS)
    return Links(flags.texts(allowed), every=flags.on(every))
