"""`GET /openapi.yaml`: the API as an OpenAPI document, derived from the routes and the declarations of their functions."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plait.service.answers import Answer
    from plait.service.route_arguments import Call

    Methods = Mapping[str, Callable[[Call], Answer]]

_YAML = "application/x-yaml"
_PART = re.compile(r"\{(\w+)(?::path)?\}")
_TEXTS = {"type": "array", "items": {"type": "string"}}
_SWITCH = {"type": "boolean"}
_ORDER = {"type": "string", "enum": ["asc", "desc"]}
_PAGE: dict[str, object] = {"limit": {"type": "integer"}, "marker": {"type": "integer", "minimum": 0}}
_FILTERS: dict[str, object] = {
    "schema": _TEXTS,
    "metadata.name": _TEXTS,
    "metadata.layeringDefinition.layer": _TEXTS,
    "metadata.label": _TEXTS,
    "status.bucket": _TEXTS,
    "sort": _TEXTS,
    "order": _ORDER,
    **_PAGE,
    "cleartext-secrets": _SWITCH,
}
# The parameters of paths, by suffix of the path.
_QUERY: dict[str, dict[str, object]] = {
    "/revisions": {"tag": _TEXTS, "sort": _TEXTS, "order": _ORDER, **_PAGE},
    "/documents": _FILTERS | {"metadata.layeringDefinition.abstract": _SWITCH},
    "/rendered-documents": _FILTERS,
    "/fleet": _PAGE,
    "/fleet/{other}": {"diff": _SWITCH, **_PAGE},
    "/explain": {"path": {"type": "string"}, "cleartext-secrets": _SWITCH, **_PAGE},
    "/validations": _PAGE,
    "/validations/detail": _PAGE,
    "/validations/{validation}": _PAGE,
}
_STATUSES = {"GET": "200", "PUT": "200", "POST": "201", "DELETE": "204"}
_ERROR: dict[str, object] = {
    "type": "object",
    "required": ["apiVersion", "code", "details", "kind", "message", "metadata", "reason", "retry", "status"],
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "retry": _SWITCH,
        "details": {
            "type": "object",
            "properties": {
                "errorCount": {"type": "integer"},
                "errorType": {"type": "string"},
                "messageList": {"type": "array", "items": {"type": "object"}},
            },
        },
    },
}


def described(routes: Iterable[tuple[str, Methods]], address: str, version: str) -> dict[str, object]:
    """The OpenAPI document. routes: each path, with the function of each method. address: the address of the service."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Layered documents in revisions", "version": version},
        "servers": [{"url": address}],
        "paths": {
            path.replace(":path}", "}"): {
                method.lower(): _operation(path, method, function) for method, function in methods.items()
            }
            for path, methods in routes
        },
        "components": {
            "schemas": {"Status": _ERROR},
            "responses": {"Error": {"description": "what is wrong", "content": _content({"$ref": _STATUS})}},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


_STATUS = "#/components/schemas/Status"


def _content(schema: dict[str, object]) -> dict[str, object]:
    return {_YAML: {"schema": schema}}


def _operation(path: str, method: str, function: Callable[[Call], Answer]) -> dict[str, object]:
    summary = (function.__doc__ or "").partition("\n")[0].removesuffix(" Raises ApiError.").removesuffix(".")
    parameters: list[dict[str, object]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in _PART.findall(path)
    ]
    if method == "GET":
        query = next((found for end, found in _QUERY.items() if path.endswith(end)), {})
        parameters += [{"name": name, "in": "query", "schema": schema} for name, schema in query.items()]
    else:
        parameters.append({"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 255}})
    done: dict[str, object] = {"description": "done"}
    if method != "DELETE":
        done["content"] = _content({})
    operation: dict[str, object] = {
        "operationId": f"{function.__module__.rpartition('.')[2]}.{function.__name__}",
        "summary": summary,
        "parameters": parameters,
        "responses": {_STATUSES[method]: done, "default": {"$ref": "#/components/responses/Error"}},
    }
    if method in ("PUT", "POST"):
        operation["requestBody"] = {"content": _content({})}
    return operation
