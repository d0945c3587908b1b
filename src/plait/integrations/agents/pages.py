"""The pages of the documentation, by topic: the path of a page without `.md`, such as `explain` or `reference/limits`."""

from __future__ import annotations

import os

import plait
from plait.base.errors import UsageError
from plait.base.lines import lines_of
from plait.base.similar_names import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PACKAGE = os.path.dirname(plait.__file__)
# The directory in an installation, and in a checkout.
_PLACES = (os.path.join(_PACKAGE, "pages"), os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), "docs"))
# The list of pages for agents.
INDEX = "llms.txt"
# A folder of pages that `plait help CODE` prints.
_CODES = "codes"


def topics() -> dict[str, str]:
    """The path of each page by its topic; empty if the pages are not installed."""
    found: dict[str, str] = {}
    for top in _PLACES:
        for here, folders, names in os.walk(top):
            folders[:] = sorted(one for one in folders if one != _CODES)
            for name in sorted(names):
                if name.endswith(".md"):
                    path = os.path.join(here, name)
                    found[os.path.relpath(path, top).removesuffix(".md").replace(os.sep, "/")] = path
        if found:
            break
    return found


def page_of(topic: str) -> str:
    """The text of a page, or the list of all pages for "". Raises UsageError for an unknown topic."""
    known = topics()
    if not topic:
        return index(known)
    if topic not in known:
        raise UsageError(
            f'no page has the topic "{topic}"',
            hint=did_you_mean(topic, known) or "plait://docs lists them",
            code="unknown-choice",
        )
    with open(known[topic], encoding="utf-8") as file:
        return file.read()


def index(known: Mapping[str, str]) -> str:
    """The text of llms.txt: a title, and each page with its first sentence."""
    out = [
        "# plait",
        "",
        "> plait patches, templates and layers YAML, and tells you where every value came from.",
        "",
        "## Pages",
        "",
    ]
    for topic, path in known.items():
        with open(path, encoding="utf-8") as file:
            title, about = _heading(file.read())
        out.append(f"- [{title}]({topic}.md)" + (f": {about}" if about else ""))
    return "\n".join(out) + "\n"


def _heading(text: str) -> tuple[str, str]:
    """The title of a page, and its first line of prose."""
    title = about = ""
    for line in lines_of(text):
        if line.startswith("# "):
            title = line[2:].strip()
        elif title and (line[:1].isalpha() or line[:1] == "`" != line[1:2]):
            about = line.strip()
            break
        elif title and line.startswith(("#", "```")):
            break
    return title, about
