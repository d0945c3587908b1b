"""The OpenAPI document says what the service does."""

from __future__ import annotations

import serving
from starlette.routing import Route


def test_every_route_is_described(client: serving.Client) -> None:
    found = client.ask("GET", "//openapi.yaml").document
    assert isinstance(found, dict)
    routes = {
        (route.path.replace(":path}", "}"), method.lower())
        for route in client.app.routes
        if isinstance(route, Route)
        and route.path.startswith("/api/v1.0/")
        and not route.path.endswith(("health", "ready"))
        for method in (route.methods or set()) - {"HEAD"}
    }
    described = {(path, method): said for path, methods in found["paths"].items() for method, said in methods.items()}
    assert described.keys() == routes
    for said in described.values():
        assert said["summary"]
        assert not said["summary"].endswith(".")
    names = [one["operationId"] for one in described.values()]
    assert len(set(names)) == len(names)
    raw = described["/api/v1.0/revisions/{revision}/documents", "get"]["parameters"]
    assert {"revision", "schema", "metadata.name", "metadata.layeringDefinition.abstract"} <= {
        one["name"] for one in raw
    }
    rendered = described["/api/v1.0/revisions/{revision}/rendered-documents", "get"]["parameters"]
    assert "metadata.layeringDefinition.abstract" not in {one["name"] for one in rendered}
