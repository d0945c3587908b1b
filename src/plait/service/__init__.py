"""Documents in revisions, served over HTTP: Deckhand's service, on SQLite or PostgreSQL (docs/serve.md).

    import plait.service

    application = plait.service.application("sqlite:///plait.db")

The modules:

- `database`, `tables`, `migrations`: the store. A revision is one transaction; writers are serialized.
- `revision_store`: revisions and their documents.
- `parcels`: documents of requests, read in worker processes.
- `buckets`, `documents`, `revisions`, `tags`, `validations`, `differences`, `explaining`: the paths of the API.
- `webhooks`: notifications about revisions. `telemetry`: traces and metrics.
- `rendering`: rendered documents, computed in worker processes and cached by content.
- `encryption`: secrets at rest. `flows`: documents that contain data of encrypted ones, and who may write them.
- `identity`, `issuers`, `discovery`, `keystone`, `policy`: authentication and authorization.
- `app`: routes, and the format of responses and errors.
- `transfer`, `deckhand`, `barbican`: export and import of all revisions.
- `client`: a client.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.service.app import application
    from plait.service.client import Client, ServiceError

__all__ = ["Client", "ServiceError", "application"]

_LATER = {"Client": "client", "ServiceError": "client", "application": "app"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _LATER.get(name), name)
