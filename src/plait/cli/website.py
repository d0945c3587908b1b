"""`plait website`: serves the playground to browsers on this machine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from plait.base.errors import UsageError
from plait.base.process import goes_on, serve_on
from plait.base.version import __version__
from plait.cli.streams import complain, note
from plait.engine.flags import Command
from plait.engine.options import Request, switch, text
from plait.integrations.playground.server import Playground

TYPE_CHECKING = False


class Website(Request):
    """The command line of `plait website`."""

    __slots__ = ()
    command = "website"
    summary = "Serve the playground to browsers on this machine: edit files, see output, errors and histories."
    is_long_running = True
    listen_addr = text(
        "listen-addr",
        "loopback address to listen on; port 0 picks a free port",
        value="HOST:PORT",
        default=("localhost:8080",),
    )
    redirect_to_https = switch(
        "redirect-to-https", "accepted for compatibility; has no effect, because the server is local"
    )


WEBSITE = Command(Website)

# The memory limit of the server itself, mostly for two responses. Evaluations run in their own processes.
_MEMORY = 4 << 30
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def main(flags: Website) -> int:
    """Serves until the user interrupts. Returns the exit status. Raises UsageError if it cannot listen on the address."""
    if flags.arguments:
        raise UsageError(
            f'unexpected argument "{flags.arguments[0]}"',
            hint="plait website --listen-addr HOST:PORT",
            code="unexpected-argument",
        )
    address = flags.listen_addr
    host, port = _address(address)
    try:
        server = Playground(host, port, _page())
    except OSError as error:
        raise UsageError(
            f"cannot listen on {address}: {error.strerror}", hint="--listen-addr localhost:0", code="cannot-listen"
        ) from None
    goes_on()
    with server, serve_on(_MEMORY):
        note(f"plait: serving {server.address}\n")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


def _page() -> Path | None:
    """The page of the package plait-playground, which has an editor; None if it is not installed."""
    found = find_spec("plait_playground")
    if found is None or found.origin is None:
        return None
    page = Path(found.origin).parent
    if (page / "version.txt").read_text("utf-8") != __version__:
        complain("plait: plait-playground and plait have different versions: its page is not used\n")
        return None
    return page


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdecimal() or len(port) > 9 or int(port) > 0xFFFF:
        raise UsageError(
            f'"{text}" is not a valid address to listen on',
            expected="HOST:PORT, such as localhost:8080",
            code="invalid-value",
        )
    if host not in LOOPBACK:
        raise UsageError(
            f'every client that can connect to "{host}" could run templates on this machine',
            expected=", ".join(LOOPBACK),
            code="unsafe-address",
        )
    return host.strip("[]"), int(port)
