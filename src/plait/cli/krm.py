"""`plait krm`: a KRM function for Kustomize and kpt, which reads and prints a ResourceList.

The function's configuration (`functionConfig`) has the settings in `spec`:

    values:     data values, as a map
    templates:  texts by name, rendered together with the items: overlays, libraries, further resources
    operations: a list of operations, applied to every item that `match` selects
    match:      a map that an item must contain (operations only); absent: every item
    variables:  values for the operations' placeholders

Each item keeps its origin annotations, which the caller needs. Items added by templates have none. Comments and
unchanged lines of the list are kept. Errors are reported in `results`, with status 1, and on standard error; a result
names the item that an operation failed on, or the function's configuration.
"""

from __future__ import annotations

import plait
from plait.base.content import standard_input
from plait.base.errors import PlaitError, ReadError, UsageError, heading, text_of, warning
from plait.base.numbers import number_of
from plait.base.similar_names import did_you_mean
from plait.base.source import Source
from plait.cli.messages import complain_of, complain_of_warning
from plait.cli.streams import write_out
from plait.engine.common import ISOLATE, LIMIT, keep_limits
from plait.engine.flags import Command
from plait.engine.options import Request
from plait.insight.diagnostic_formats import message_of, parts_of
from plait.tree.nodes import from_plain
from plait.yaml.embedded import yaml_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait import Plain
    from plait.base.errors import Diagnostic, Warn, Warning


class Krm(Request):
    """The command line of `plait krm`."""

    __slots__ = ()
    command = "krm"
    summary = "A KRM function: read a ResourceList from standard input, write the changed one."
    limit = LIMIT
    isolate = ISOLATE


KRM = Command(Krm)


# The file with the items, next to the templates.
_ITEMS = "items.yml"
_KEYS = ("values", "templates", "operations", "match", "variables")


def main(flags: Krm) -> int:
    """Runs `plait krm`. Returns the exit status. Raises PlaitError for an input that is not a ResourceList."""
    keep_limits(flags)
    data = standard_input()
    documents = plait.read({"ResourceList": data})
    given = documents[0] if len(documents) == 1 else None
    if not isinstance(given, dict) or given.get("kind") != "ResourceList":
        raise ReadError(
            "standard input is not a ResourceList",
            expected="kind: ResourceList",
            found=f"kind: {given['kind']}" if isinstance(given, dict) and "kind" in given else "no kind",
            hint="Kustomize and kpt write it; see the page on integrations",
            code="resource-list",
        )
    result: dict[object, Plain] = dict(given)
    warnings: list[Warning] = []
    config = given.get("functionConfig")
    # The object that a failure is about: the configuration, except while an item is changed.
    about: list[Plain] = [config]
    try:
        result["items"] = changed_items(
            _list(given.get("items"), "items"), _spec(config), warnings.append, about.append
        )
    except PlaitError as error:
        error.keyword = None
        parts = parts_of(error)
        texts = [text_of(error)] if len(parts) == 1 else [one.report().rstrip("\n") for one in error.findings]
        texts = texts if len(texts) == len(parts) else [heading(error), *texts]
        result["results"] = [_result(part, text, about[-1] or config) for part, text in zip(parts, texts, strict=True)]
        write_out(_written(data, result))
        complain_of(error)
        return 1
    if warnings:
        result["results"] = [_result(one.diagnostic, one, config) for one in warnings]
        for one in warnings:
            complain_of_warning(one)
    write_out(_written(data, result))
    return 0


def _written(data: bytes, result: Mapping[object, Plain]) -> str:
    """The changed list in the format of the given one."""
    try:
        text = data.decode("utf-8")
        return yaml_documents.write(text, yaml_documents.read(Source("", text)), from_plain(dict(result)))
    except (UnicodeDecodeError, PlaitError):
        return plait.documents(dict(result)).to_yaml()


def _result(found: Diagnostic, text: str, about: Plain) -> Plain:
    """A diagnostic as an entry of `results`, whose tags are strings. about: the object that it is about, or None."""
    message = message_of(found)
    tags = {
        "code": message.code.code,
        "name": message.code.name,
        "hint": message.hint or "",
        "file": message.file or "",
    }
    place = {"line": message.line, "column": message.column, "end": message.end} if message.file else {}
    told: dict[object, Plain] = {"message": str(text), "severity": message.level, **_reference(about)}
    told["tags"] = {
        **{name: one for name, one in tags.items() if one},
        **{name: str(one) for name, one in place.items() if one},
    }
    return told


_ANNOTATIONS = "internal.config.kubernetes.io/"


def _reference(about: Plain) -> dict[object, Plain]:
    """The fields `resourceRef` and `file` of a result about an object; empty for one without a name or a file."""
    if not isinstance(about, dict) or not isinstance(metadata := about.get("metadata"), dict):
        return {}
    found: dict[object, Plain] = {}
    reference: dict[object, Plain] = {"apiVersion": about.get("apiVersion"), "kind": about.get("kind")}
    reference |= {key: metadata[key] for key in ("namespace", "name") if key in metadata}
    if "name" in reference and all(isinstance(one, str) for one in reference.values()):
        found["resourceRef"] = reference
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict) and isinstance(path := annotations.get(f"{_ANNOTATIONS}path"), str):
        index = number_of(str(annotations.get(f"{_ANNOTATIONS}index", "")))
        found["file"] = {"path": path, "index": index or 0}
    return found


def changed_items(
    items: list[Plain], spec: Mapping[object, Plain], warn: Warn, begin: Callable[[Plain], None]
) -> list[Plain]:
    """The items after operations and templates.

    warn: receives warnings. begin: receives each item before it is changed, and None after all operations. Raises
    PlaitError.
    """
    operations = spec.get("operations")
    if operations:
        changes = plait.documents(operations)
        variables = {str(name): value for name, value in _map(spec.get("variables"), "variables").items()}
        match = spec.get("match")
        matched = [match is None or _contains(item, match) for item in items]
        if items and not any(matched):
            message = "functionConfig.spec.match matches no item, so the operations change nothing"
            warn(warning(message, code="no-matching-item"))
        changed = []
        for item, chosen in zip(items, matched, strict=True):
            begin(item)
            changed.append(
                plait.patch(plait.documents(item), changes, variables=variables, sort=False)[0] if chosen else item
            )
        items = changed
        begin(None)
    templates = _map(spec.get("templates"), "templates")
    if templates:
        files = {_ITEMS: plait.documents(*items).to_yaml()} if items else {}
        for name, text in templates.items():
            if name == _ITEMS:
                raise UsageError(
                    f'the name "{_ITEMS}" is reserved for the items',
                    hint="rename it",
                    code="resource-list",
                )
            files[str(name)] = str(text)
        values = {str(name): value for name, value in _map(spec.get("values"), "values").items()}
        items = [*plait.render(files, values=values)]
    return items


def _contains(item: object, part: object) -> bool:
    if isinstance(part, dict):
        return isinstance(item, dict) and all(
            key in item and _contains(item[key], value) for key, value in part.items()
        )
    return item == part


def _spec(config: Plain) -> Mapping[object, Plain]:
    if config is None:
        return {}
    spec = _map(_map(config, "functionConfig").get("spec"), "functionConfig.spec")
    for name in spec:
        if name not in _KEYS:
            raise UsageError(
                f'unknown key "{name}" in functionConfig.spec',
                expected=", ".join(_KEYS),
                hint=did_you_mean(str(name), _KEYS),
                code="resource-list",
            )
    return spec


def _map(value: Plain, what: str) -> Mapping[object, Plain]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UsageError(f"{what} is not a map", code="resource-list")
    return value


def _list(value: Plain, what: str) -> list[Plain]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise UsageError(f"{what} is not a list", code="resource-list")
    return value
