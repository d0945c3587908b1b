"""The boundary of an evaluation with secrets: redacts errors and warnings that leave it."""

from __future__ import annotations

from contextlib import contextmanager

from plait.base.errors import PlaitError, warning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.tree.context import Context


@contextmanager
def telling(context: Context, *, all_of_it: bool = False) -> Iterator[None]:
    """Redacts an error that leaves the block: it shows nothing that depends on a secret.

    all_of_it: the user requested cleartext.
    """
    marks = context.secrets
    if marks is not None and all_of_it:
        marks.shows_all = True
    try:
        yield
    except PlaitError as error:
        marks = context.secrets
        if marks is None:
            raise
        raise marks.told(error) from None
    finally:
        if marks is not None and marks.withholds and not marks.shows_all:
            # Always emitted, because the fact that a line was withheld depends on the secret.

            message = "lines of print are withheld where a secret decides whether they are printed"
            context.warn_openly(warning(message, code="withheld-lines"))
