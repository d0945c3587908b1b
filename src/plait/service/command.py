"""`plait serve`: the service, and what it is given: tokens and keys."""

from __future__ import annotations

from plait.cli.options import GENERAL, SAFETY, SWITCH, TEXT, TEXTS, Command, Flag
from plait.cli.shared import LIMIT
from plait.cli.streams import complain, write_out
from plait.errors import PlaitError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from starlette.applications import Starlette

    from plait.cli.options import Parsed
    from plait.service.database import Database
    from plait.service.encryption import Keys

_NEW_TOKEN, _NEW_KEY, _ROTATE = "new-token", "new-key", "rotate"

SERVE = Command(
    "plait serve",
    "Keep layered documents in revisions, and serve them over HTTP as Deckhand does.",
    (
        "Where",
        Flag(
            "database",
            TEXT,
            "where documents are kept: sqlite:///FILE, or postgresql://USER@HOST/NAME",
            value="URL",
            default=("sqlite:///plait.db",),
        ),
        Flag("host", TEXT, "the address to listen on", value="ADDRESS", default=("127.0.0.1",)),
        Flag("port", TEXT, "the port to listen on; 0 takes one that is free", value="N", default=("9000",)),
        Flag("address", TEXT, "where clients find the service, if that is not where it listens", value="URL"),
        "Who may do what",
        Flag("tokens", TEXT, "a file with the tokens that are taken", value="FILE"),
        Flag("policy", TEXT, "a file with the roles of each action", value="FILE"),
        Flag("role", TEXTS, "of new-token: a role that it has", value="NAME"),
        "Secrets",
        Flag(
            "keys",
            TEXT,
            "keys for the data of encrypted documents: file:FILE, sops:FILE, dir:DIRECTORY or exec:COMMAND",
            value="SOURCE",
        ),
        Flag("allow-exec", SWITCH, "let --keys run a command"),
        SAFETY,
        Flag("max-body", TEXT, "bytes that a request may have", value="BYTES", default=("32M",)),
        LIMIT,
        GENERAL,
        Flag("check", SWITCH, "read all files, bring the database up to date, and serve nothing"),
    ),
    arguments="[COMMAND]",
    commands=(
        (_NEW_TOKEN, "print a token for NAME, and what the file of tokens is to have"),
        (_NEW_KEY, "print a key for the file of keys"),
        (_ROTATE, "wrap all secrets by the first key"),
    ),
)
_LIBRARIES = frozenset({"alembic", "sqlalchemy", "starlette", "uvicorn"})


def main(argv: Sequence[str]) -> int:
    """Run `plait serve`; the exit status. Raises PlaitError."""
    flags = SERVE.parse(argv)
    if flags.on("help"):
        write_out(SERVE.help_text())
        return 0
    command, *rest = [*flags.arguments, ""][: max(len(flags.arguments), 1)]
    try:
        if command == _NEW_TOKEN and len(rest) == 1:
            return _new_token(rest[0], flags)
        if rest or command not in ("", _NEW_KEY, _ROTATE):
            raise UsageError(
                f"plait serve does not take {' '.join(flags.arguments)}",
                expected="nothing, new-token NAME, new-key or rotate",
            )
        if command == _NEW_KEY:
            return _new_key()
        return _rotate(flags) if command == _ROTATE else _serve(flags)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _LIBRARIES:
            raise
        raise UsageError(
            "the service is an extra that is not installed",
            found=f"no module {error.name}",
            hint="pip install 'plait[service]'",
        ) from None


def _new_token(name: str, flags: Parsed) -> int:
    from plait.service.identity import digest_of, new_token
    from plait.service.texts import text_of

    token = new_token()
    roles = list(flags.texts("role")) or ["admin"]
    write_out(f"# {token}\n" + text_of([[{"name": name, "digest": digest_of(token), "roles": roles}]]))
    complain("the first line is the token, for whoever it is for; the rest belongs into the file of tokens\n")
    return 0


def _new_key() -> int:
    from plait.service.encryption import new_key

    write_out(f"{new_key()}\n")
    return 0


def _rotate(flags: Parsed) -> int:
    from plait.service.database import Database
    from plait.service.failures import Refusal
    from plait.spell import counted

    keys = _keys(flags)
    if keys is None:
        raise UsageError("rotate needs the keys, the new one first", expected="--keys SOURCE")
    database = Database(flags.text("database"))
    done = 0
    try:
        # Some at a time, so that the service goes on meanwhile.
        while part := _rotated(database, keys):
            done += part
    except Refusal as refusal:
        raise PlaitError(refusal.message) from None
    finally:
        database.close()
    write_out(f"{counted(done, 'secret')} wrapped by the key {keys.first}\n")
    return 0


def _rotated(database: Database, keys: Keys) -> int:
    from plait.service.encryption import rotate

    with database.writing() as connection:
        return rotate(connection, keys)


def _serve(flags: Parsed) -> int:
    host = flags.text("host")
    tokens = flags.text("tokens") or None
    if tokens is None and host not in _LOOPBACK:
        raise UsageError(
            f"without tokens everybody who reaches {host} may do everything",
            expected=f"--tokens FILE, or --host {_LOOPBACK[0]}",
            hint="plait serve new-token prints a token",
        )
    with _listening(host, _port(flags.text("port"))) as listener:
        port = listener.getsockname()[1]
        address = flags.text("address") or f"http://{f'[{host}]' if ':' in host else host}:{port}"
        app = _application(flags, address, tokens)
        if flags.on("check"):
            app.state.service.database.close()
            return 0
        complain(f"plait: serving {address}\n")
        return _run(app, listener)


_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _application(flags: Parsed, address: str, tokens: str | None) -> Starlette:
    from plait.limits import parse
    from plait.service.app import application

    return application(
        flags.text("database"),
        address=address,
        tokens=tokens,
        policy=_policy(flags.text("policy")),
        keys=_keys(flags),
        most=_size(flags.text("max-body")),
        limits=parse(flags.texts(LIMIT.name)).given,
    )


def _run(app: Starlette, listener: socket.socket) -> int:
    import logging

    import uvicorn

    from plait.process import goes_on, serve_on

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    goes_on()
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, server_header=False))
    with serve_on(_MEMORY):
        server.run(sockets=[listener])
    app.state.service.database.close()
    return 0


# What this process may have; what is rendered is rendered in others.
_MEMORY = 4 << 30


def _listening(host: str, port: int) -> socket.socket:
    import socket

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise PlaitError(
            f"cannot listen on {host}:{port}: {error.strerror or error}", hint="--port takes another one"
        ) from None


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:9]) > 65535 or len(text) > 5:
        raise UsageError(f'invalid --port "{text}"', expected="a number from 0 to 65535")
    return int(text)


_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def _size(text: str) -> int:
    digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1)
    if not digits.isascii() or not digits.isdigit() or len(digits) > 12:
        raise UsageError(f'invalid --max-body "{text}"', expected="a number of bytes, such as 64M")
    return int(digits) * unit


def _policy(path: str) -> dict[object, object] | None:
    if not path:
        return None
    from plait.content import source
    from plait.nodes import to_plain
    from plait.yaml import read_value

    found = to_plain(read_value(source(path)))
    if not isinstance(found, dict):
        raise UsageError(f"{path} must be a map from actions to lists of roles")
    return found


def _keys(flags: Parsed) -> Keys | None:
    given = flags.text("keys")
    if not given:
        return None
    from plait.secrets.sources import read_secrets
    from plait.service.encryption import Keys

    return Keys(lambda: read_secrets([given], allow_exec=flags.on("allow-exec"))[0])
