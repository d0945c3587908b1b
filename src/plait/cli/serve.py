"""`plait serve`: the service, and what it is given: tokens and keys."""

from __future__ import annotations

from plait.cli.shared import size_of
from plait.cli.streams import complain, write_out
from plait.engine.common import ALLOW_OUTPUT, GENERAL, LIMIT, SAFETY
from plait.engine.flags import Command
from plait.engine.options import SWITCH, TEXT, TEXTS, Option
from plait.errors import PlaitError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from starlette.applications import Starlette

    from plait.engine.options import Request
    from plait.service.issuers import Issuer
    from plait.service.telemetry import Telemetry


SERVE = Command(
    "plait serve",
    "Keep layered documents in revisions, and serve them over HTTP as Deckhand does.",
    (
        "Where",
        Option(
            "database",
            TEXT,
            "where documents are kept: sqlite:///FILE, or postgresql://USER@HOST/NAME",
            value="URL",
            default=("sqlite:///plait.db",),
        ),
        Option("host", TEXT, "the address to listen on", value="ADDRESS", default=("127.0.0.1",)),
        Option("port", TEXT, "the port to listen on; 0 takes one that is free", value="N", default=("9000",)),
        Option("address", TEXT, "where clients find the service, if that is not where it listens", value="URL"),
        "Who may do what",
        Option("tokens", TEXT, "a file with the tokens that are taken", value="FILE"),
        Option(
            "issuer", TEXT, "who else issues tokens, an OpenID provider: what signed ones must name as iss", value="URL"
        ),
        Option(
            "issuer-keys",
            TEXT,
            "a file with the issuer's public keys, a JSON Web Key Set, instead of fetching them",
            value="FILE",
        ),
        Option("audience", TEXT, "what signed tokens must name as aud", value="NAME", default=("plait",)),
        Option("roles-claim", TEXT, "where signed tokens list roles", value="CLAIM", default=("roles",)),
        Option(
            "keystone",
            TEXT,
            "a file with [keystone_authtoken], such as deckhand.conf: Keystone issues tokens",
            value="FILE",
        ),
        Option("policy", TEXT, "a file with the roles of each action", value="FILE"),
        Option("role", TEXTS, "a role of the token that new-token creates", value="NAME"),
        "Secrets",
        Option(
            "keys",
            TEXT,
            "keys for the data of encrypted documents: file:FILE, sops:FILE, dir:DIRECTORY or exec:COMMAND",
            value="SOURCE",
        ),
        Option("allow-exec", SWITCH, "let --keys run a command"),
        Option("barbican", TEXT, "of import-deckhand: where the data of encrypted documents are", value="URL"),
        Option("barbican-token", TEXT, "a file with a token of Keystone for Barbican", value="FILE"),
        "Who is told",
        Option("webhook", TEXTS, "a URL that is told of each new revision", value="URL"),
        Option("webhook-key", TEXT, "a file with the key that signs what webhooks are told", value="FILE"),
        Option("telemetry", SWITCH, "send traces and metrics to where the variables OTEL_... say"),
        Option(
            "log-format",
            TEXT,
            "the form of log lines on standard error",
            value="FORM",
            default=("text",),
            choices=("text", "json"),
        ),
        "Retention",
        Option(
            "keep",
            TEXTS,
            "keep these revisions and remove all others once an hour: last=COUNT, days=DAYS, tag=NAME or tag=*",
            value="RULE",
        ),
        "Rendering",
        Option("like-deckhand", SWITCH, "render every value, and the order of documents, as Deckhand does"),
        SAFETY,
        Option("max-body", TEXT, "bytes that a request may have", value="BYTES", default=("32M",)),
        LIMIT,
        ALLOW_OUTPUT,
        GENERAL,
        Option("check", SWITCH, "read all files, bring the database up to date, and serve nothing"),
    ),
    arguments="[COMMAND]",
    commands=(
        ("new-token", "create a token for NAME with the roles of --role"),
        ("new-key", "print a key for the file of keys"),
        ("rotate", "wrap all secrets by the first key"),
        ("documents", "print the files of DIRECTORY as documents"),
        ("export", "print all revisions"),
        ("import", "take up the revisions of FILE, which export printed"),
        ("import-deckhand", "take up the revisions of a database of Deckhand, by its URL"),
        ("prune", "remove all revisions that no rule of --keep keeps"),
        ("status", "print what the database has, and if it accepts writes"),
    ),
    is_long_running=True,
)


def main(argv: Sequence[str]) -> int:
    """Run `plait serve`; the exit status. Raises PlaitError."""
    flags = SERVE.parse(argv)
    if flags.on("help"):
        write_out(SERVE.help_text())
        return 0
    if not flags.arguments:
        return _serve(flags)
    from plait.cli.serve_chores import do

    return do(flags)


def _serve(flags: Request) -> int:
    from plait.service.discovery import LOOPBACK
    from plait.service.records import FORMS, set_up

    if flags.text("log-format") not in FORMS:
        raise UsageError(f'unknown --log-format "{flags.text("log-format")}"', expected=" or ".join(FORMS))
    host = flags.text("host")
    tokens = flags.text("tokens") or None
    if flags.given("issuer-keys") and not flags.given("issuer"):
        raise UsageError("--issuer-keys needs --issuer")
    asked = tokens is not None or flags.given("issuer") or flags.given("keystone")
    if not asked and host not in LOOPBACK:
        raise UsageError(
            f"without tokens everybody who reaches {host} may do everything",
            expected=f"--tokens FILE, or --host {LOOPBACK[0]}",
            hint="plait serve new-token prints a token",
        )
    with _listening(host, _port(flags.text("port"))) as listener:
        port = listener.getsockname()[1]
        address = flags.text("address") or f"http://{f'[{host}]' if ':' in host else host}:{port}"
        set_up(flags.text("log-format"))
        app = _application(flags, address, tokens)
        if flags.on("check"):
            app.state.service.database.close()
            return 0
        complain(f"plait: serving {address}\n")
        return _run(app, listener)


def _application(flags: Request, address: str, tokens: str | None) -> Starlette:
    from plait.cli.serve_chores import keys_of, policy_of
    from plait.limits import parse
    from plait.service.app import application
    from plait.service.retention import keep_of

    return application(
        flags.text("database"),
        address=address,
        tokens=tokens,
        issuer=_issuer(flags),
        issuer_keys=flags.text("issuer-keys") or None,
        keystone=flags.text("keystone") or None,
        policy=policy_of(flags),
        keys=keys_of(flags),
        like_deckhand=flags.on("like-deckhand"),
        most=size_of(flags, "max-body"),
        limits=parse(flags.texts(LIMIT.name)).given,
        webhooks=flags.texts("webhook"),
        webhook_key=flags.text("webhook-key") or None,
        keep=keep_of(flags.texts("keep")),
        telemetry=_telemetry() if flags.on("telemetry") and not flags.on("check") else None,
    )


def _telemetry() -> Telemetry:
    from plait.service.telemetry import Exported
    from plait.version import __version__

    return Exported(__version__)


def _issuer(flags: Request) -> Issuer | None:
    if not flags.given("issuer"):
        return None
    from plait.service.issuers import Issuer

    return Issuer(flags.text("issuer"), flags.text("audience"), flags.text("roles-claim"))


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
