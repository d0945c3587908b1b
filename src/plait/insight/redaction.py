"""Documents without their secrets, for whatever shows values to somebody: tests, snapshots, reports, differences.

Secrets are the values that `plait explain` conceals: given as secrets, made by variables stores, written in encrypted
documents, and whatever was made of them. What a run prints as it is, such as a password in a template, is no secret here.
"""

from __future__ import annotations

from plait.tree.nodes import Array, Document, Map
from plait.tree.secrets import HIDDEN, uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.base.input_view import InputView
    from plait.insight.diff import Difference
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Trace


class SecretLabels:
    """Names for secrets, so that equal ones can be seen to be equal: `(secret)`, `(secret 2)`."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __call__(self, value: Value) -> str:
        from plait.yaml.writer import write_value

        count = len(self._names) + 1
        return self._names.setdefault(write_value(value), HIDDEN if count == 1 else f"(secret {count})")


def masked(
    documents: Sequence[Document],
    trace: Trace | None,
    label: Callable[[Value], str] | None = None,
    *,
    view: InputView | None = None,
) -> Sequence[Document]:
    """The documents of a run without their secrets.

    trace: the record of the run. view: its view of the inputs. If the run uses secrets and has no marks, every scalar is
    withheld. label: returns the text in the place of a secret; without it that is the same for all.
    """
    if trace is None or trace.marks is None:
        return [one.with_value(_withheld(one.value)) for one in documents] if uses_secrets(view) else documents
    from plait.insight.explain import Explainer
    from plait.insight.node_paths import all_places

    marks = trace.marks
    explainer = Explainer(trace)
    documents = explainer.visible(documents)
    secret: set[Item] = {place.item for place in all_places(documents, {}) if explainer.history(place).secret}

    def without(item: Item) -> Value:
        if item in secret:
            return HIDDEN if label is None else label(item.value)
        value = item.value
        if type(value) is Array:
            return value.with_values(without(one) for one in value.items)
        if type(value) is not Map:
            return value
        return marks.rekeyed(value, (without(one) for one in value.items))

    return [document.with_value(without(document)) for document in documents]


def _withheld(value: Value) -> Value:
    """The value with HIDDEN in the place of every scalar."""
    if type(value) is Map or type(value) is Array:
        return value.with_values(_withheld(item.value) for item in value.items)
    return None if value is None else HIDDEN


def masked_lines(name: str, text: str, trace: Trace | None, *, view: InputView | None = None) -> str:
    """The text of an output file that is not YAML, with HIDDEN in the place of each line that depends on a secret.

    name: its path in the output. trace, view: as of `masked`; without marks, or without a record of the file, every line
    of a run that uses secrets is withheld.
    """
    marks = None if trace is None else trace.marks
    if marks is None and not uses_secrets(view):
        return text
    lines = text.splitlines(keepends=True)
    known = None if trace is None else trace.texts.get(name)
    items = () if known is None else known.items
    if marks is None or len(items) != len(lines):
        return "".join(HIDDEN + _ending(line) for line in lines)
    visible = {*marks.visible_texts({name: known}).get(name, known).items} if known is not None else set()
    shown = [(line, item) for line, item in zip(lines, items, strict=True) if item in visible]
    return "".join(HIDDEN + _ending(line) if marks.is_secret(item) else line for line, item in shown)


def _ending(line: str) -> str:
    return "\n" if line.endswith("\n") else ""


def hidden_differences(differences: Sequence[Difference], view: InputView) -> Sequence[Difference]:
    """Differences of a file from the documents of a run, without secrets that the file has in clear.

    What a run that uses secrets has in another form, or no more, may be a secret in the file. view: of the run.
    """
    if not uses_secrets(view):
        return differences
    for one in differences:
        if HIDDEN in (one.before, one.after):
            one.before, one.after = (None if value is None else HIDDEN for value in (one.before, one.after))
        elif one.after is None or type(one.before) is not type(one.after) or isinstance(one.before, Map | Array):
            one.before = _withheld(one.before)
    return differences
