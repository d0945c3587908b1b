"""`--site DIR` and `--repository NAME=DIR`: the documents of an Airship site."""

from __future__ import annotations

from plait.cli.shared import links_of
from plait.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.context import Context
    from plait.engine.options import Request
    from plait.layering.sites import Site


def site_of(flags: Request, context: Context) -> Site | None:
    """The site that flags name. Raises UsageError, ReadError."""
    if not flags.given("site"):
        if flags.given("repository"):
            raise UsageError(
                "--repository belongs to a site", hint="plait layer --site site/NAME --repository NAME=DIR"
            )
        return None
    from plait.layering.sites import find_site

    repositories = repositories_of(flags)
    return find_site(flags.text("site"), context.warn, repositories=repositories, links=links_of(flags))


def repositories_of(flags: Request) -> dict[str, str]:
    """The checkouts that are given, by name. Raises UsageError."""
    found: dict[str, str] = {}
    for text in flags.texts("repository"):
        name, equals, directory = text.partition("=")
        if not equals or not name or not directory:
            raise UsageError(
                f'"{text}" does not name a checkout', expected="NAME=DIR, such as global=../global-manifests"
            )
        found[name] = directory
    return found
