"""The layering policy: the layers, and their order from general to specific (docs/reference/layering.md).

The first policy in the inputs is used. Layers without documents are ignored when parents are chosen; messages about an
unknown layer show the whole order.
"""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.similar_names import did_you_mean, nearest
from plait.base.suggestions import replacing
from plait.layering.document import POLICY
from plait.layering.failures import failure, raise_all
from plait.tree.nodes import Array, Map, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.errors import LayeringError
    from plait.base.source import Position
    from plait.layering.document import LayeredDocument
    from plait.tree.context import Context


class LayeringPolicy:
    """The order of layers, the most general first.

    document: the document of the policy. order: all layers. rank: the index of each layer that has documents.
    """

    __slots__ = ("document", "order", "rank")

    def __init__(self, document: LayeredDocument, order: list[str]) -> None:
        self.document = document
        self.order = order
        self.rank: dict[str, int] = {layer: i for i, layer in enumerate(order)}

    @property
    def order_position(self) -> Position:
        """The position of the order; of the data if it has none, or is secret."""
        data, at = self.document.data, self.document.data_position
        item = data.find("layerOrder") if type(data) is Map and not self.document.secret else None
        return at if item is None else item.position


def find_policy(documents: Sequence[LayeredDocument], context: Context) -> LayeringPolicy:
    """Finds the layering policy.

    Raises LayeringError: LayeringPolicyNotFound if there is none, InvalidDocumentFormat if its order is not a list of
    distinct names. A missing order is empty.
    """
    policies = [document for document in documents if document.schema.startswith(POLICY)]
    if not policies:
        wanted = f"{POLICY}/v1"
        alike = nearest(wanted, dict.fromkeys(one.schema for one in documents))
        misspelt = next((one for one in documents if one.schema == alike), None)
        near = _site(documents)
        if near is None and misspelt is not None:
            near = replacing(misspelt.schema, [wanted], f'"{misspelt.schema}": did you mean "{wanted}"?')
        raise failure(
            "LayeringPolicyNotFound",
            "no document is a layering policy",
            at=None if misspelt is None else schema_position(misspelt),
            expected=f"a document with schema {wanted} whose data.layerOrder lists the layers",
            found=_few_files(documents),
            hint=near or "add the file or directory of the policy",
        )
    policy = policies[0]
    if len(policies) > 1:
        others = ", ".join(f"{other.name} ({other.position})" for other in policies[1:])
        context.warn(
            warning(
                f"more than one layering policy: {policy.name} ({policy.position}) is used, not {others}; keep one of them",
                code="several-policies",
            )
        )
    return LayeringPolicy(policy, _order_of(policy))


def schema_position(document: LayeredDocument) -> Position:
    """The position of the schema of a document, or of the document."""
    top = document.node.value
    item = top.find("schema") if type(top) is Map else None
    return document.position if item is None else item.position


# Maximum number of files in a message.
_MOST_FILES = 5


def _few_files(documents: Iterable[LayeredDocument]) -> str:
    sources = (document.position.source for document in documents)
    files = list(dict.fromkeys(source.shown for source in sources if source is not None))
    more = f", and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else ""
    return f"documents of {', '.join(files[:_MOST_FILES])}{more}" if files else "no document"


def _site(documents: Iterable[LayeredDocument]) -> str | None:
    """A hint for documents of an Airship site without the documents shared with other sites, or None."""
    shown = [(one.schema, one.position.source.shown) for one in documents if one.position.source is not None]
    for schema, path in shown:
        directory, slash, file = path.rpartition("/")
        if schema.startswith("pegleg/SiteDefinition/") and slash and file.startswith("site-definition."):
            if all(one.startswith(f"{directory}/") for _, one in shown):
                return f"to render the site with all its documents: plait layer --site {directory}"
            return None  # `--site` was given, or other directories
    return None


def check_layers(documents: Iterable[LayeredDocument], policy: LayeringPolicy) -> None:
    """Raises LayeringError (InvalidDocumentLayer) for documents whose layer is not in the order."""
    failures: list[LayeringError] = []
    known = policy.rank
    if not known:
        _check_order(documents, policy)
    for document in documents:
        if document.layer is not None and document.layer not in known:
            failures.append(
                failure(
                    "InvalidDocumentLayer",
                    f"layer {document.layer} of document {document} is not in the layerOrder of {policy.document.name}",
                    at=document.place("layeringDefinition", "layer"),
                    also=[policy.order_position.labelled("the layering policy")],
                    expected=f"one of: {', '.join(policy.order)}",
                    hint=did_you_mean(document.layer, policy.order)
                    or "use one of these layers, or add it to the layerOrder of the policy",
                )
            )
    raise_all(failures)


def _check_order(documents: Iterable[LayeredDocument], policy: LayeringPolicy) -> None:
    """Raises LayeringError (InvalidDocumentLayer) for an empty order: one error about the policy, however many
    documents have a layer.
    """
    first = next((document for document in documents if document.layer is not None), None)
    if first is None:
        return
    data = policy.document.data
    item = data.find("layerOrder") if type(data) is Map else None
    keys = [entry.key for entry in data.items if type(entry.key) is str] if type(data) is Map else []
    lists = [entry.key for entry in data.items if type(entry.value) is Array] if type(data) is Map else []
    alike = nearest("layerOrder", keys) if item is None else None
    if item is None and alike is None and len(lists) == 1 and type(lists[0]) is str:
        alike = lists[0]
    written = item or (data.find(alike) if type(data) is Map and alike is not None else None)
    raise failure(
        "InvalidDocumentLayer",
        f"the layerOrder of {policy.document.name} is {'empty' if item is not None else 'missing'}, but documents have "
        "layers",
        at=written.position if written is not None else policy.document.data_position,
        also=[first.place("layeringDefinition", "layer").labelled("the first layer of a document")],
        expected="the layers, the most general first: layerOrder: [global, site]",
        found="an empty list or null" if item is not None else f"keys {', '.join(keys[:5])}" if keys else "no data",
        hint=replacing(alike, ["layerOrder"], f'"{alike}": did you mean "layerOrder"?')
        if alike is not None
        else f"list the layers of the documents, such as {first.layer}, the most general first",
    )


def _order_of(policy: LayeredDocument) -> list[str]:
    data = policy.data
    item = data.find("layerOrder") if type(data) is Map else None
    if item is None or item.value is None:
        if data is not None and type(data) is not Map:
            raise failure(
                "InvalidDocumentFormat",
                f"the data of {policy} must be a map, not {kind_name(data)}",
                at=policy.data_position,
            )
        return []
    if type(item.value) is not Array:
        raise failure(
            "InvalidDocumentFormat",
            f"layerOrder of {policy} must be a list, not {kind_name(item.value)}",
            at=item.position,
            hint="list the layers, the most general first: layerOrder: [global, site]",
        )
    order: dict[str, int] = {}
    for entry in item.value.items:
        name = entry.value
        if type(name) is not str:
            raise failure(
                "InvalidDocumentFormat",
                f"layerOrder of {policy}: a layer must be a string, not {kind_name(name)}",
                at=entry.position,
                hint="names alone, the most general first: layerOrder: [global, site]",
            )
        if name in order:
            raise failure(
                "InvalidDocumentFormat",
                f'layerOrder of {policy} names the layer "{name}" twice',
                at=entry.position,
                hint="keep one of the two: the first layer is the most general",
            )
        order[name] = len(order)
    return list(order)
