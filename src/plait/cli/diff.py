"""`plait diff`: the differences between two YAML files, as text, or as changes that can be applied."""

from __future__ import annotations

import os

from plait.base.content import sources
from plait.base.errors import UsageError, did_you_mean
from plait.cli.colour import cleaning, in_colour
from plait.cli.messages import warn
from plait.cli.streams import watched, write_folded, write_out
from plait.engine.common import (
    ALLOW_ALL_LINKS,
    ALLOW_LINKS,
    ANSWER_JSON,
    ISOLATE,
    LIMIT,
    OUTPUT,
    REPOSITORY,
    SAFETY,
    keep_limits,
    links_of,
    repositories_of,
)
from plait.engine.flags import Command
from plait.engine.options import Heading, Request, switch, text
from plait.insight import diff
from plait.insight.diff import read
from plait.layering.job import LayerJob
from plait.layering.rendering import LayeringOptions
from plait.layering.sites import find_site
from plait.tree.context import Context
from plait.yaml.template_code import warn_of_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.tree.nodes import Document

KINDS = ("merge", "ops", "overlay")
_EXTENSIONS = (".yml", ".yaml", ".json")


class Diff(Request):
    """The command line of `plait diff`."""

    __slots__ = ()
    command = "diff"
    summary = "Compare two files of YAML documents, or two Airship sites, key by key."
    usage = "A B"
    as_ = text(
        "as",
        "write the difference as an operations file (ops), an overlay (overlay) or documents for --merge (merge)",
        value="KIND",
        choices=KINDS,
    )
    no_tests = switch("no-tests", "with --as ops, omit the operations that test the old values", requires=("as_",))
    output = OUTPUT
    site = switch("site", "treat A and B as Airship sites, site/NAME, and compare their rendered documents")
    repository = REPOSITORY
    lenient = switch(
        "lenient", "with --site, warn about missing substitution sources instead of failing", requires=("site",)
    )
    exit_code = switch("exit-code", "exit with status 1 if anything differs")
    cleartext_secrets = switch("cleartext-secrets", "show the data of encrypted documents; --as always writes them")
    _1 = Heading(SAFETY)
    allow_links = ALLOW_LINKS
    allow_all_links = ALLOW_ALL_LINKS
    limit = LIMIT
    isolate = ISOLATE


DIFF = Command(Diff)
# Values of --as by other names.
_FORMS = {
    **dict.fromkeys(("bosh", "json-patch", "jsonpatch", "patch"), "ops: operations, which plait patch applies"),
    **dict.fromkeys(("render", "ytt"), "overlay: overlays, which plait render applies"),
    **dict.fromkeys(("kustomize", "strategic"), "merge: plain documents, which plait render --merge applies"),
}
_OF_RUNS = "plait fleet diff A B compares two runs of the project, and plait review BASE two revisions"


def _form_hint(flag: str, word: str) -> str | None:
    """A hint for a value of --as with another name, or of the other flag; or None."""
    if flag == "--as":
        return f"-o {word} is the form of the answer without --as" if word in OUTPUT.choices else _FORMS.get(word)
    if os.path.splitext(word)[1] or os.sep in word:
        return f"-o is the form of the answer: without it, > {word} writes the answer to a file"
    known = word if word in KINDS else _FORMS.get(word)
    return None if known is None else f"--as {known}"


def main(flags: Diff) -> int:
    """Runs `plait diff`. Returns the exit status. Raises PlaitError."""
    keep_limits(flags)
    names_run = "run" in flags.arguments and not os.path.lexists("run")
    if names_run or len(flags.arguments) != 2:
        raise UsageError(
            "plait diff compares two files",
            expected="plait diff A B",
            found=" ".join(flags.arguments) or None,
            hint=_OF_RUNS if names_run else None,
            code="missing-argument",
        )
    kind = flags.as_
    for name, word, known in (("--as", kind, ("", *KINDS)), ("-o", flags.output, OUTPUT.choices)):
        if word not in known:
            wanted = [one for one in known if one]
            raise UsageError(
                f"unknown value for {name}: {word}",
                hint=did_you_mean(word, wanted) or _form_hint(name, word),
                expected=", ".join(wanted),
                code="unknown-choice",
            )

    context = Context()
    try:
        with watched(context):
            left, right = (diff.printed(_documents(path, flags, context)) for path in flags.arguments)
            context.begin("comparing")
            differences = diff.diff(left, right, cleartext_secrets=flags.cleartext_secrets)
    finally:
        warn(context)
    if kind == "ops":
        write_out(diff.to_operations(left, right, tests=not flags.no_tests))
    elif kind:
        from plait.insight import merge_patches, overlays

        write_out((merge_patches.to_merge if kind == "merge" else overlays.to_overlay)(left, right))
    elif flags.output == ANSWER_JSON:
        from json import dumps

        write_out(dumps(diff.to_data(differences), ensure_ascii=False, indent=1) + "\n")
    else:
        write_folded(diff.to_text(differences, colour=in_colour(), clean=cleaning()), is_harmless=True)
    return 1 if differences and flags.exit_code else 0


def _documents(path: str, flags: Diff, context: Context) -> Sequence[Document]:
    """The documents of one side: those of a file or directory as they are, or those of a rendered site."""
    links = links_of(flags)
    if not flags.site:
        context.begin(f"reading {path}")
        found = [*sources(path, _EXTENSIONS, links=links)]
        for source in found:
            warn_of_code(source, context.warn, f"the output of plait render -f {path}")
        return read(found)
    context.done = context.total = 0
    site = find_site(path, context.warn, repositories=repositories_of(flags.value(REPOSITORY)), links=links)
    options = LayeringOptions(lenient=flags.lenient, cleartext_secrets=flags.cleartext_secrets)
    return LayerJob(site.sources(links), options, unwrap=True).run(context).items
