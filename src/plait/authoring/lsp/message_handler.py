"""The language server without streams and threads, as in a browser: messages in, messages out.

A run is evaluated on the event loop, shortly after a change, so that pending requests are answered first.
"""

from __future__ import annotations

import asyncio
import json
import logging

from plait.authoring.lsp.server import server
from plait.base.process import goes_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Seconds between a change and the evaluation.
_LATER = 0.05


class _Writer:
    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send

    def write(self, data: bytes) -> None:
        self._send(data.decode("utf-8"))

    def close(self) -> None:
        pass


def connect(send: Callable[[str], None]) -> Callable[[str], None]:
    """Serves one client for the life of the process. Returns the function that receives its messages, as JSON without
    headers.

    Both functions must be called on the thread of a running asyncio loop. send: called with each message to the client.
    """
    goes_on()
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # the server reports errors itself
    server.state.begin = _begin_later
    server.state.pause = None
    server.has_disk = False
    server.has_threads = False
    protocol = server.protocol
    protocol.set_writer(_Writer(send), include_headers=False)

    def receive(message: str) -> None:
        protocol.handle_message(json.loads(message, object_hook=protocol.structure_message))

    return receive


def _begin_later(work: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(_LATER, work)
