"""`plait serve`: the service, with its tokens and keys."""

from __future__ import annotations

from plait.base.errors import PlaitError, UsageError
from plait.base.limits import parse
from plait.base.process import goes_on, serve_on
from plait.base.version import __version__
from plait.cli.admin_commands import MEMORY, do, keys_of, policy_of
from plait.cli.serve_options import Serve
from plait.cli.streams import note
from plait.cli.tools import size_of
from plait.engine.flags import Command
from plait.service.discovery import LOOPBACK
from plait.service.records import FORMS, set_up
from plait.service.retention import keep_of
from plait.service.telemetry import ExportingTelemetry

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

    from starlette.applications import Starlette

    from plait.service.issuers import Issuer
    from plait.service.telemetry import Telemetry


SERVE = Command(Serve)


def main(flags: Serve) -> int:
    """Runs `plait serve`. Returns the exit status. Raises PlaitError."""
    if not flags.arguments:
        return _serve(flags)
    return do(flags)


def _serve(flags: Serve) -> int:
    if flags.log_format not in FORMS:
        raise UsageError(
            f'unknown --log-format "{flags.log_format}"', expected=" or ".join(FORMS), code="unknown-choice"
        )
    host = flags.host
    tokens = flags.tokens or None
    asked = tokens is not None or flags.has(Serve.issuer) or flags.has(Serve.keystone)
    if not asked and host not in LOOPBACK:
        raise UsageError(
            f"without tokens, every client that can connect to {host} has all permissions",
            expected=f"--tokens FILE, or --host {LOOPBACK[0]}",
            hint="create one with plait serve new-token",
            code="unsafe-address",
        )
    with _listening(host, _port(flags.port)) as listener:
        port = listener.getsockname()[1]
        address = flags.address or f"http://{f'[{host}]' if ':' in host else host}:{port}"
        set_up(flags.log_format)
        app = _application(flags, address, tokens)
        if flags.check:
            app.state.service.database.close()
            return 0
        note(f"plait: serving {address}\n")
        return _run(app, listener)


def _application(flags: Serve, address: str, tokens: str | None) -> Starlette:
    from plait.service.app import application

    return application(
        flags.database,
        address=address,
        tokens=tokens,
        issuer=_issuer(flags),
        issuer_keys=flags.issuer_keys or None,
        keystone=flags.keystone or None,
        policy=policy_of(flags),
        keys=keys_of(flags),
        like_deckhand=flags.like_deckhand,
        maximum=size_of(flags, Serve.max_body),
        limits=parse(flags.limit).given,
        webhooks=flags.webhook,
        webhook_key=flags.webhook_key or None,
        keep=keep_of(flags.keep),
        telemetry=_telemetry() if flags.telemetry and not flags.check else None,
    )


def _telemetry() -> Telemetry:
    return ExportingTelemetry(__version__)


def _issuer(flags: Serve) -> Issuer | None:
    if not flags.has(Serve.issuer):
        return None
    from plait.service.issuers import Issuer

    return Issuer(flags.issuer, flags.audience, flags.roles_claim)


def _run(app: Starlette, listener: socket.socket) -> int:
    from plait.service.protocol import GracefulServer

    goes_on()
    try:
        with serve_on(MEMORY):
            GracefulServer(app).run(sockets=[listener])
    finally:
        app.state.service.database.close()
    return 0


def _listening(host: str, port: int) -> socket.socket:
    import socket

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        # Head and body of a response are sent separately; the body must not wait for an acknowledgement of the head.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise PlaitError(
            f"cannot listen on {host}:{port}: {error.strerror or error}",
            hint="choose another one with --port",
            code="cannot-listen",
        ) from None


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:9]) > 65535 or len(text) > 5:
        raise UsageError(f'invalid --port "{text}"', expected="a number from 0 to 65535", code="invalid-value")
    return int(text)
