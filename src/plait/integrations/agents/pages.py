"""The pages of the documentation, by topic: the path of a page without `.md`, such as `explain` or `reference/limits`."""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.base.lines import lines_of
from plait.base.packaged_pages import pages
from plait.base.similar_names import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

# The list of pages for agents.
INDEX = "llms.txt"
# A folder of pages that `plait help CODE` prints.
_CODES = "codes"


def topics() -> dict[str, Traversable]:
    """Each page by its topic; empty if the pages are not installed."""
    found: dict[str, Traversable] = {}
    pending = [("", pages())]
    while pending:
        prefix, here = pending.pop()
        entries = sorted(here.iterdir(), key=lambda one: one.name) if here.is_dir() else []
        for one in entries:
            if one.name.endswith(".md"):
                found[prefix + one.name.removesuffix(".md")] = one
        pending += [(f"{prefix}{one.name}/", one) for one in reversed(entries) if one.name != _CODES and one.is_dir()]
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
    return known[topic].read_text("utf-8")


def index(known: Mapping[str, Traversable]) -> str:
    """The text of llms.txt: a title, and each page with its first sentence."""
    out = [
        "# plait",
        "",
        "> plait patches, templates and layers YAML, and tells you where every value came from.",
        "",
        "## Pages",
        "",
    ]
    for topic, page in known.items():
        title, about = _heading(page.read_text("utf-8"))
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
