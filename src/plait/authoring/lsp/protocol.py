"""The protocol of the language server: a request that cannot be read gets an error as its answer."""

from __future__ import annotations

from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Protocol(LanguageServerProtocol):
    """As the library's, but it answers requests whose parameters it cannot read; otherwise their client would wait."""

    def structure_message(self, data: Mapping[str, object]) -> object:
        """Reads a message. Raises JsonRpcException."""
        try:
            return super().structure_message({**data})
        except JsonRpcException as error:
            number = data.get("id")
            if "method" in data and isinstance(number, int | str):
                self._send_response(number, error=error.to_response_error())
            raise
