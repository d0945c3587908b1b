"""`plait.read` and `plait.documents`: documents from texts, and from plain data."""

from __future__ import annotations

from collections.abc import Mapping

from plait.api.argument_errors import strange_value
from plait.api.arguments import checked
from plait.api.inputs import check_text, each, sources
from plait.api.isolation import can_be_isolated
from plait.base.content import LinkPolicy
from plait.base.errors import LimitError
from plait.base.limits import budget_scope_from, current_budget, limit_error
from plait.engine.results import Documents
from plait.tree.nodes import Array, Document, DocumentSet, Map, from_plain
from plait.yaml.reader import read as read_yaml
from plait.yaml.repeats import deduplicate
from plait.yaml.template_code import warn_of_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warning
    from plait.base.source import Source
    from plait.engine.types import Inputs, Limits, Texts
    from plait.tree.nodes import Value
    from plait.tree.plain_data import Plain


@can_be_isolated(Documents)
def read(
    inputs: Inputs,
    *,
    strict: bool = False,
    allow_links: Texts = (),
    limits: Limits | None = None,
    isolated: bool = False,  # noqa: ARG001 - can_be_isolated has seen to it
) -> Documents:
    r"""Reads plain YAML (in a directory, the files that end in .yml or .yaml). Raises PlaitError.

    strict: reject plain scalars that could be misread, such as `yes`. allow_links, limits, isolated: as in `render`.
    Code of templates is treated as comments, with a warning in the result.

    >>> plait.read({"a.yml": "a: 1\n---\nb: [true]"}).to_list()
    [{'a': 1}, {'b': [True]}]
    """
    with budget_scope_from(limits):
        found: list[Document] = []
        warnings: list[Warning] = []
        for source in sources(each(inputs), LinkPolicy(allow_links)):
            found += deduplicate(read_yaml(source, strict=strict)).items
            warn_of_code(source, warnings.append, "plait.render")
        return Documents(DocumentSet(found), warnings=warnings)


@checked
def documents(*values: Plain) -> Documents:
    """Converts plain data to documents: mappings, sequences, str, int, float, bool, None.

    Raises TypeError for anything else, LimitError for data that is nested too deeply, or contains itself.

    >>> print(plait.documents({"a": [1, "two"]}), end="")
    a:
    - 1
    - two
    """
    return Documents(DocumentSet([Document(_nodes(value)) for value in values]))


def nodes_of_map(values: Mapping[str, Plain], source: Source | None = None) -> Map:
    """Converts plain data to a map. source: named after the data. Raises TypeError, LimitError."""
    found = _nodes(dict(values), source)
    assert isinstance(found, Map)
    return found


def _nodes(value: object, source: Source | None = None) -> Value:
    try:
        nodes = from_plain(value, source)
    except RecursionError:
        raise LimitError("the data are nested too deeply") from None
    except TypeError as error:
        raise TypeError(strange_value(value, "data" if source is None else source.name) or str(error)) from None
    _check_scalars(nodes)
    return nodes


def _check_scalars(nodes: Value) -> None:
    """Rejects unprintable values: integers beyond the limit `bits`, strings with unpaired surrogates."""
    most = current_budget().limits.bits
    pending: list[object] = [nodes]
    while pending:
        one = pending.pop()
        if type(one) is Map:
            pending += [item.key for item in one.items]
            pending += [item.value for item in one.items]
        elif type(one) is Array:
            pending += [item.value for item in one.items]
        elif type(one) is int and one.bit_length() > most:
            raise limit_error(f"an int of {one.bit_length()} bits", "bits", most)
        elif type(one) is str:
            check_text(one, "the data")
