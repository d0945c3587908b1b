"""`plait diff`: what differs between two YAML files, for people, as an operations file or as an overlay."""

from __future__ import annotations

from plait.cli.colour import COLOR, cleaning, in_colour
from plait.cli.streams import warn, watched, write_folded, write_out
from plait.context import Context
from plait.engine.common import LIMITS, LINKS, REPOSITORY, SAFETY, keep_limits, links_of, repositories_of
from plait.engine.flags import Command
from plait.engine.options import SWITCH, TEXT, Option
from plait.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.engine.options import Request
    from plait.nodes import Document

FORMS = ("text", "json")
KINDS = ("ops", "overlay")
_EXTENSIONS = (".yml", ".yaml", ".json")

DIFF = Command(
    "plait diff",
    "Show what differs between two files of YAML documents, or two Airship sites, by key.",
    (
        Option(
            "as",
            TEXT,
            "write the difference as an operations file (ops) or an overlay (overlay)",
            value="KIND",
            choices=KINDS,
        ),
        Option("no-tests", SWITCH, "with --as ops: leave out the tests of the old values"),
        Option(
            "output",
            TEXT,
            "form of the answer: text or json",
            short="o",
            value="FORM",
            default=("text",),
            choices=FORMS,
        ),
        Option("site", SWITCH, "A and B are Airship sites, site/NAME: compare what plait layer makes of them"),
        REPOSITORY,
        Option("lenient", SWITCH, "with --site: warn about missing substitution sources instead of failing"),
        Option("exit-code", SWITCH, "exit with status 1 if anything differs"),
        Option("cleartext-secrets", SWITCH, "show the data of encrypted documents; --as always writes them"),
        COLOR,
        SAFETY,
        *LINKS,
        *LIMITS,
    ),
    arguments="A B",
)


def main(argv: Sequence[str]) -> int:
    """Run `plait diff`; the exit status. Raises PlaitError."""
    flags = DIFF.parse(argv)
    if flags.on("help"):
        write_out(DIFF.help_text())
        return 0
    keep_limits(flags)
    if len(flags.arguments) != 2:
        raise UsageError(
            "plait diff compares two files", expected="plait diff A B", found=" ".join(flags.arguments) or None
        )
    kind, form, colour = flags.text("as"), flags.text("output"), in_colour(flags.text("color"))
    for name, word, known in (("--as", kind, ("", *KINDS)), ("-o", form, FORMS)):
        if word not in known:
            from plait.spell import did_you_mean

            wanted = [one for one in known if one]
            raise UsageError(
                f"unknown value for {name}: {word}", expected=", ".join(wanted), hint=did_you_mean(word, wanted)
            )
    from plait.tools import diff

    context = Context()
    try:
        with watched(context):
            left, right = (diff.printed(_documents(path, flags, context)) for path in flags.arguments)
            context.doing = "comparing"
            differences = diff.diff(left, right, cleartext_secrets=flags.on("cleartext-secrets"))
    finally:
        warn(context)
    if kind == "ops":
        write_out(diff.to_operations(left, right, tests=not flags.on("no-tests")))
    elif kind == "overlay":
        from plait.tools.overlays import to_overlay

        write_out(to_overlay(left, right))
    elif form == "json":
        from json import dumps

        write_out(dumps(diff.to_data(differences), ensure_ascii=False, indent=1) + "\n")
    else:
        write_folded(diff.to_text(differences, colour=colour, clean=cleaning()), is_harmless=True)
    return 1 if differences and flags.on("exit-code") else 0


def _documents(path: str, flags: Request, context: Context) -> Sequence[Document]:
    """The documents of a side: of a file or directory as they stand there, of a site rendered."""
    links = links_of(flags)
    if not flags.on("site"):
        from plait.content import sources
        from plait.tools.diff import read

        context.doing = f"reading {path}"
        return read(sources(path, _EXTENSIONS, links=links))
    from plait.layering import Job, Options
    from plait.layering.sites import find_site

    context.done = context.total = 0
    site = find_site(path, context.warn, repositories=repositories_of(flags.texts(REPOSITORY.name)), links=links)
    options = Options(lenient=flags.on("lenient"), cleartext_secrets=flags.on("cleartext-secrets"))
    return Job(site.sources(links), options, unwrap=True).run(context).items
