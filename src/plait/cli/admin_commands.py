"""Subcommands of `plait serve`: tokens, keys, import and export of revisions."""

from __future__ import annotations

from sqlalchemy.exc import SQLAlchemyError

from plait.base.content import source
from plait.base.errors import PlaitError, UsageError
from plait.base.path_errors import read_failure
from plait.base.process import serve_on
from plait.base.similar_names import counted, did_you_mean
from plait.cli.serve_options import Serve
from plait.cli.streams import complain, write_out
from plait.engine.secret_sources import read_secrets
from plait.service.api_errors import ApiError
from plait.service.barbican import barbican_at, with_secrets
from plait.service.database import Database, reason_of
from plait.service.deckhand_database import steps_of
from plait.service.encryption import KeyRing, new_key, rotate
from plait.service.identity import digest_of, new_token
from plait.service.policy import AccessPolicy
from plait.service.project_files import documents_in
from plait.service.retention import keep_of, prune
from plait.service.status import status_of
from plait.service.transfer import add_all, lines, load
from plait.service.yaml_bodies import text_of
from plait.tree.nodes import to_plain
from plait.yaml.reader import read_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection


# Memory limit of the process. Large databases take long, and are not a single evaluation.
MEMORY = 4 << 30


def do(flags: Serve) -> int:
    """Executes the subcommand in the arguments. Returns the exit status. Raises PlaitError."""
    name, *rest = flags.arguments
    plain: dict[str, Callable[[Serve], int]] = {"new-key": _new_key, "rotate": _rotate, "export": _export,
                                                "prune": _prune, "status": _status}  # fmt: skip
    about: dict[str, Callable[[str, Serve], int]] = {
        "new-token": _new_token,
        "documents": _documents,
        "import": _import,
        "import-deckhand": _import_deckhand,
    }
    with serve_on(MEMORY):
        if name in plain and not rest:
            return plain[name](flags)
        if name in about and len(rest) == 1:
            return about[name](rest[0], flags)
    raise UsageError(
        f"plait serve does not accept {' '.join(flags.arguments)}",
        expected="nothing, new-token NAME, new-key, rotate, prune, status, documents DIRECTORY, export, import FILE "
        "or import-deckhand URL",
        code="unexpected-argument",
    )


def _new_token(name: str, flags: Serve) -> int:
    known = AccessPolicy(policy_of(flags)).roles
    roles = list(flags.role)
    unknown = [role for role in roles if flags.has(Serve.policy) and role not in known]
    if not roles or unknown:
        raise UsageError(
            f'unknown role "{unknown[0]}"' if unknown else "a token needs a role",
            expected=f"--role with one of {', '.join(known)}",
            hint=did_you_mean(unknown[0], known)
            if unknown
            else "roles are the names in the file of --policy, and admin",
            code="unknown-choice",
        )
    token = new_token()
    # The output can be appended to the token file, because it does not contain the token itself.
    complain(f"token (shown only once): {token}\n")
    write_out(text_of([[{"name": name, "digest": digest_of(token), "roles": roles}]]))
    return 0


def _new_key(_: Serve) -> int:
    write_out(f"{new_key()}\n")
    return 0


def _rotate(flags: Serve) -> int:
    keys = keys_of(flags)
    if keys is None:
        raise UsageError("rotate needs the keys, with the new one first", expected="--keys SOURCE", code="service-keys")
    database = Database(flags.database)
    done = 0
    try:
        # In batches, so that the service continues meanwhile.
        while part := _rotated(database, keys):
            done += part
    except ApiError as refusal:
        raise PlaitError(refusal.message, code="service-keys") from None
    finally:
        database.close()
    write_out(f"{counted(done, 'secret')} wrapped by the key {keys.first}\n")
    return 0


def _rotated(database: Database, keys: KeyRing) -> int:
    with database.writing() as connection:
        return rotate(connection, keys)


def _prune(flags: Serve) -> int:
    keep = keep_of(flags.keep)
    if keep is None:
        raise UsageError(
            "prune needs a rule", expected="--keep last=COUNT, days=DAYS, tag=NAME or tag=*", code="missing-argument"
        )
    database = Database(flags.database)
    try:
        with database.writing() as connection:
            count = prune(connection, keep)
    except (SQLAlchemyError, ApiError) as error:
        raise PlaitError(f"nothing is removed: {_reason(error)}", code="database") from None
    finally:
        database.close()
    write_out(f"{counted(count, 'revision')} removed\n")
    return 0


def _reason(error: SQLAlchemyError | ApiError) -> str:
    return error.message if isinstance(error, ApiError) else reason_of(error)


def _status(flags: Serve) -> int:
    database = Database(flags.database)
    try:
        found = status_of(database)
    finally:
        database.close()
    write_out(text_of([found]))
    return 0 if found["writes"] is True else 1


def _documents(directory: str, _: Serve) -> int:
    write_out(text_of(list(documents_in(directory))))
    return 0


def _export(flags: Serve) -> int:
    database = Database(flags.database)
    try:
        with database.reading() as connection:
            for line in lines(connection):
                write_out(line)
    finally:
        database.close()
    return 0


def _import(path: str, flags: Serve) -> int:
    try:
        with open(path, encoding="utf-8") as file:
            return _import_revisions(flags, lambda connection: load(connection, file))
    except OSError as error:
        raise read_failure(path, error) from None
    except UnicodeDecodeError as error:
        raise PlaitError(f"{path} is not UTF-8 text: byte {error.start}", code="not-utf8") from None


def _import_deckhand(url: str, flags: Serve) -> int:
    if not flags.has(Serve.barbican):
        with steps_of(url) as steps:
            return _import_revisions(flags, lambda connection: add_all(connection, steps))

    barbican = barbican_at(flags.barbican, flags.barbican_token)
    keys = keys_of(flags)
    if keys is None:
        raise UsageError(
            "secrets from Barbican are encrypted with your own keys", expected="--keys SOURCE", code="service-keys"
        )
    address = flags.address or "http://127.0.0.1:9000"
    with steps_of(url) as steps:
        return _import_revisions(
            flags, lambda connection: add_all(connection, with_secrets(connection, steps, barbican, keys, address))
        )


def _import_revisions(flags: Serve, work: Callable[[Connection], int]) -> int:
    """Imports revisions, all of them or none."""
    database = Database(flags.database)
    try:
        with database.writing() as connection:
            count = work(connection)
    except SQLAlchemyError as error:
        raise PlaitError(f"cannot import the revisions: {type(error).__name__}", code="database") from None
    finally:
        database.close()
    write_out(f"{counted(count, 'revision')} imported\n")
    return 0


def policy_of(flags: Serve) -> dict[object, object] | None:
    """The roles for each action in the file of `--policy`; None if it is not given. Raises PlaitError."""
    path = flags.policy
    if not path:
        return None

    found = to_plain(read_value(source(path)))
    if not isinstance(found, dict):
        raise UsageError(f"{path} must be a map from actions to lists of roles", code="service-settings")
    return found


def keys_of(flags: Serve) -> KeyRing | None:
    """The keys in the file of `--keys`; None if it is not given. Raises PlaitError."""
    given = flags.keys
    if not given:
        return None

    return KeyRing(lambda: read_secrets([given], allow_exec=flags.allow_exec)[0])
