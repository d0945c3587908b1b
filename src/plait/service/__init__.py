"""Documents in revisions, served over HTTP: what Deckhand's service does, on SQLite or PostgreSQL (docs/serve.md).

    application = plait.service.application("sqlite:///plait.db")

The API, in the order of its parts:

- `database`, `tables`, `migrations`: the store. A revision is one transaction; writers come one after another.
- `history`: revisions, and which documents they have.
- `parcels`: documents of requests, read in worker processes.
- `buckets`, `documents`, `revisions`, `tags`, `validations`, `differences`, `explaining`: what each path of the API does.
- `webhooks`: who is told of new revisions. `telemetry`: traces and metrics.
- `rendering`: rendered documents, made in worker processes and kept by their content.
- `encryption`: secrets at rest. `flows`: which documents hold data of encrypted ones, and who may write such.
- `identity`, `issuers`, `discovery`, `keystone`, `policy`: who asks, and what they may do.
- `app`: routes, and the form of answers and errors.
- `transfer`, `deckhand`, `barbican`: all revisions in and out.
- `client`: the same from the other side.
"""

from __future__ import annotations

from plait.lazy import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.service.app import application
    from plait.service.client import Client, ServiceError

__all__ = ["Client", "ServiceError", "application"]

_LATER = {"Client": "client", "ServiceError": "client", "application": "app"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _LATER.get(name), name)
