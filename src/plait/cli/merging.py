"""`--merge` and what goes with it: plain documents that are laid over the output."""

from __future__ import annotations

from plait.engine.options import READ_PATH, TEXTS, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.context import Context
    from plait.engine.options import Request
    from plait.workspace import Inputs
    from plait.workspace.merges import Merges

_MERGE = Option("merge", TEXTS, "merge plain documents into the output, by kind and name", value="PATH", path=READ_PATH)
_KEY = Option(
    "merge-key",
    TEXTS,
    "what tells items of an array apart in merges, [KIND:]PATH=KEY,KEY=DEFAULT; PATH=. for a set, PATH= for neither",
    value="PATH=KEY",
)
_SCHEMAS = Option(
    "merge-schemas",
    TEXTS,
    "CRDs, OpenAPI documents and JSON Schemas that declare such keys: a file or a directory",
    value="PATH",
    path=READ_PATH,
)
MERGING = (_MERGE, _KEY, _SCHEMAS)


def merges_of(flags: Request, inputs: Inputs, context: Context) -> Merges | None:
    """What a command line has merged into the output; None for nothing. Raises ReadError, UsageError."""
    if not any(flags.given(flag.name) for flag in MERGING):
        return None
    from plait.workspace.merges import Merges, documents_of

    files = inputs.files(flags.texts(_MERGE.name))
    documents = documents_of(files, strict=flags.on("strict"), warn=context.warn)
    return Merges(documents, flags.texts(_KEY.name), flags.texts(_SCHEMAS.name))
