"""`plait serve`: the service, and what it is given: tokens and keys."""

from __future__ import annotations

from plait.cli.streams import complain
from plait.cli.tools import size_of
from plait.engine.common import ALLOW_OUTPUT, GENERAL, LIMIT, SAFETY
from plait.engine.flags import Command
from plait.engine.options import Heading, Request, switch, text, texts
from plait.errors import PlaitError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

    from starlette.applications import Starlette

    from plait.service.issuers import Issuer
    from plait.service.telemetry import Telemetry


class Serve(Request):
    """The command line of `plait serve`."""

    __slots__ = ()
    command = "serve"
    summary = "Keep layered documents in revisions, and serve them over HTTP as Deckhand does."
    usage = "[COMMAND]"
    commands = (
        ("new-token", "create a token for NAME with the roles of --role"),
        ("new-key", "print a key for the file of keys"),
        ("rotate", "wrap all secrets by the first key"),
        ("documents", "print the files of DIRECTORY as documents"),
        ("export", "print all revisions"),
        ("import", "take up the revisions of FILE, which export printed"),
        ("import-deckhand", "take up the revisions of a database of Deckhand, by its URL"),
        ("prune", "remove all revisions that no rule of --keep keeps"),
        ("status", "print what the database has, and if it accepts writes"),
    )
    is_long_running = True
    _1 = Heading("Where")
    database = text(
        "database",
        "where documents are kept: sqlite:///FILE, or postgresql://USER@HOST/NAME",
        value="URL",
        default=("sqlite:///plait.db",),
    )
    host = text("host", "the address to listen on", value="ADDRESS", default=("127.0.0.1",))
    port = text("port", "the port to listen on; 0 takes one that is free", value="N", default=("9000",))
    address = text("address", "where clients find the service, if that is not where it listens", value="URL")
    _2 = Heading("Who may do what")
    tokens = text("tokens", "a file with the tokens that are taken", value="FILE")
    issuer = text(
        "issuer", "who else issues tokens, an OpenID provider: what signed ones must name as iss", value="URL"
    )
    issuer_keys = text(
        "issuer-keys",
        "a file with the issuer's public keys, a JSON Web Key Set, instead of fetching them",
        value="FILE",
    )
    audience = text("audience", "what signed tokens must name as aud", value="NAME", default=("plait",))
    roles_claim = text("roles-claim", "where signed tokens list roles", value="CLAIM", default=("roles",))
    keystone = text(
        "keystone", "a file with [keystone_authtoken], such as deckhand.conf: Keystone issues tokens", value="FILE"
    )
    policy = text("policy", "a file with the roles of each action", value="FILE")
    role = texts("role", "a role of the token that new-token creates", value="NAME")
    _3 = Heading("Secrets")
    keys = text(
        "keys",
        "keys for the data of encrypted documents: file:FILE, sops:FILE, dir:DIRECTORY or exec:COMMAND",
        value="SOURCE",
    )
    allow_exec = switch("allow-exec", "let --keys run a command")
    barbican = text("barbican", "of import-deckhand: where the data of encrypted documents are", value="URL")
    barbican_token = text("barbican-token", "a file with a token of Keystone for Barbican", value="FILE")
    _4 = Heading("Who is told")
    webhook = texts("webhook", "a URL that is told of each new revision", value="URL")
    webhook_key = text("webhook-key", "a file with the key that signs what webhooks are told", value="FILE")
    telemetry = switch("telemetry", "send traces and metrics to where the variables OTEL_... say")
    log_format = text(
        "log-format",
        "the form of log lines on standard error",
        value="FORM",
        default=("text",),
        choices=("text", "json"),
    )
    _5 = Heading("Retention")
    keep = texts(
        "keep",
        "keep these revisions and remove all others once an hour: last=COUNT, days=DAYS, tag=NAME or tag=*",
        value="RULE",
    )
    _6 = Heading("Rendering")
    like_deckhand = switch("like-deckhand", "render every value, and the order of documents, as Deckhand does")
    _7 = Heading(SAFETY)
    max_body = text("max-body", "bytes that a request may have", value="BYTES", default=("32M",))
    limit = LIMIT
    output_links = ALLOW_OUTPUT
    _8 = Heading(GENERAL)
    check = switch("check", "read all files, bring the database up to date, and serve nothing")


SERVE = Command(Serve)


def main(flags: Serve) -> int:
    """Run `plait serve`; the exit status. Raises PlaitError."""
    if not flags.arguments:
        return _serve(flags)
    from plait.cli.serve_chores import do

    return do(flags)


def _serve(flags: Serve) -> int:
    from plait.service.discovery import LOOPBACK
    from plait.service.records import FORMS, set_up

    if flags.log_format not in FORMS:
        raise UsageError(f'unknown --log-format "{flags.log_format}"', expected=" or ".join(FORMS))
    host = flags.host
    tokens = flags.tokens or None
    if flags.has(Serve.issuer_keys) and not flags.has(Serve.issuer):
        raise UsageError("--issuer-keys needs --issuer")
    asked = tokens is not None or flags.has(Serve.issuer) or flags.has(Serve.keystone)
    if not asked and host not in LOOPBACK:
        raise UsageError(
            f"without tokens everybody who reaches {host} may do everything",
            expected=f"--tokens FILE, or --host {LOOPBACK[0]}",
            hint="plait serve new-token prints a token",
        )
    with _listening(host, _port(flags.port)) as listener:
        port = listener.getsockname()[1]
        address = flags.address or f"http://{f'[{host}]' if ':' in host else host}:{port}"
        set_up(flags.log_format)
        app = _application(flags, address, tokens)
        if flags.check:
            app.state.service.database.close()
            return 0
        complain(f"plait: serving {address}\n")
        return _run(app, listener)


def _application(flags: Serve, address: str, tokens: str | None) -> Starlette:
    from plait.cli.serve_chores import keys_of, policy_of
    from plait.limits import parse
    from plait.service.app import application
    from plait.service.retention import keep_of

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
        most=size_of(flags, Serve.max_body),
        limits=parse(flags.limit).given,
        webhooks=flags.webhook,
        webhook_key=flags.webhook_key or None,
        keep=keep_of(flags.keep),
        telemetry=_telemetry() if flags.telemetry and not flags.check else None,
    )


def _telemetry() -> Telemetry:
    from plait.service.telemetry import Exported
    from plait.version import __version__

    return Exported(__version__)


def _issuer(flags: Serve) -> Issuer | None:
    if not flags.has(Serve.issuer):
        return None
    from plait.service.issuers import Issuer

    return Issuer(flags.issuer, flags.audience, flags.roles_claim)


def _run(app: Starlette, listener: socket.socket) -> int:
    from plait.cli.serve_chores import MEMORY
    from plait.process import goes_on, serve_on
    from plait.service.protocol import Server

    goes_on()
    try:
        with serve_on(MEMORY):
            Server(app).run(sockets=[listener])
    finally:
        app.state.service.database.close()
    return 0


def _listening(host: str, port: int) -> socket.socket:
    import socket

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        # The head and the body of an answer are sent one after the other; the second is not to wait for word of the first.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise PlaitError(
            f"cannot listen on {host}:{port}: {error.strerror or error}", hint="--port takes another one"
        ) from None


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:9]) > 65535 or len(text) > 5:
        raise UsageError(f'invalid --port "{text}"', expected="a number from 0 to 65535")
    return int(text)
