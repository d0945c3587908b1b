"""HTTP as `plait serve` speaks it: uvicorn's protocol, and this service's headers where uvicorn answers by itself."""

from __future__ import annotations

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from plait.service.app import EVERY_RESPONSE


class Protocol(H11Protocol):
    """A connection. Bytes that are not HTTP never reach the application, so that their response is made here."""

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are not HTTP, and close the connection."""
        body = msg.encode("ascii", "replace")
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *EVERY_RESPONSE,
        ]
        events = (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(body),
            h11.EndOfMessage(),
        )
        for event in events:
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
