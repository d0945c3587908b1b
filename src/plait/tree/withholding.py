"""The outermost part of a run that uses secrets: what it says besides its result."""

from __future__ import annotations

from contextlib import contextmanager

from plait.base.errors import PlaitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.tree.context import Context


@contextmanager
def telling(context: Context, *, all_of_it: bool = False) -> Iterator[None]:
    """The outermost part of a run: an error that leaves it shows only what depends on no secret.

    all_of_it: the user asked for cleartext.
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
            # The same whether a line was withheld or not, since that depends on the secret.
            from plait.base.warnings import warning

            message = "lines of print are withheld where a secret decides whether they are printed"
            context.warn_openly(warning(message, code="withheld-lines"))
