"""The database: SQLite by default, PostgreSQL by a URL.

A writer has exclusive access from the start of its transaction, so that revisions are serialized and its reads stay
valid. A reader sees a snapshot.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, perf_counter

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import create_engine, event, text, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from plait.base.errors import PlaitError, UsageError
from plait.base.lines import lines_of
from plait.base.writing.real_paths import WriteRefused
from plait.base.writing.targets import create
from plait.service.api_errors import busy
from plait.service.tables import PROBE
from plait.service.telemetry import Telemetry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from sqlalchemy import URL, ColumnElement, Connection, Engine, Row, Select
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

    # Rows, columns and queries have types of their own in the library, by their columns.
    AnyRow: TypeAlias = Row[Any]
    Column: TypeAlias = ColumnElement[Any]
    Query: TypeAlias = Select[Any]

_LOG = logging.getLogger("plait.service")
# The key of plait's advisory lock in PostgreSQL.
_LOCK = 0x706C616974
_SECONDS_OF_WAITING = 30
_SECONDS_TO_CONNECT = 10
_CONNECTIONS = 20
_WRITES = "plait_writes"
_PLAIN = "plait_plain"
_SECONDS_TO_CLOSE = 5
# Number of pages in SQLite's cache: for each connection, and for the writing one, whose pages go to the log if there is
# no space.
_SMALL, _LARGE = "PRAGMA cache_size = -256", "PRAGMA cache_size = -32768"
NO, UNKNOWN, YES = "no", "unknown", "yes"
_NEWEST = "head"
# Seconds after a commit during which the database is assumed to accept writes.
_RECENT = 5.0


class Fate:
    """The outcome of a write transaction. kept: NO, YES once it is durable, UNKNOWN if the commit was not confirmed."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept = NO


class Database:
    """A database with the tables of this version. url: as in SQLAlchemy. telemetry: receives transactions.

    Raises UsageError for an unsupported URL, PlaitError if the database cannot be used.
    """

    def __init__(self, url: str, telemetry: Telemetry | None = None) -> None:
        self._telemetry = telemetry or Telemetry()
        parsed = _parsed(url)
        self.engine = _engine(parsed)
        self._is_closed = False
        event.listen(self.engine, "checkin", self._returned)
        self._writer = threading.Lock()
        self._written_at = float("-inf")
        try:
            self._migrate()
        except (SQLAlchemyError, CommandError) as error:
            self.close()
            raise PlaitError(f"cannot use {shown(parsed)}: {reason_of(error)}", code="database") from None
        except PlaitError as error:
            self.close()
            raise error.within(f"in {shown(parsed)}") from None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read transaction. All its queries see the same snapshot."""
        with self._telemetry.span("read"), self.engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self, fate: Fate | None = None) -> Iterator[Connection]:
        """An exclusive write transaction. It is durable when the block ends, and rolled back if it raises.

        fate: receives the outcome. Raises ApiError (503) if other writers take too long.
        """
        begun = perf_counter()
        fate = fate or Fate()
        with (
            self._telemetry.span("write") as note,
            # Writers of this process are serialized here; those of others wait in the database.
            self._turn(),
            self.engine.connect().execution_options(**{_WRITES: True}) as connection,
            _room_to_write(connection),
        ):
            transaction = connection.begin()
            try:
                if connection.dialect.name == "postgresql":
                    connection.execute(text(f"SET LOCAL lock_timeout = '{_SECONDS_OF_WAITING}s'"))
                    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
                note("plait.waited", perf_counter() - begun)
                yield connection
            except BaseException:
                transaction.rollback()
                raise
            fate.kept = UNKNOWN
            try:
                transaction.commit()
            except BaseException as error:
                # The connection may still be in the transaction, and block other writers.
                connection.invalidate()
                if isinstance(error, DBAPIError) and _is_undone(error):
                    fate.kept = NO
                raise
            fate.kept = YES
            self._written_at = monotonic()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """A context for one writer of this process at a time. Raises ApiError (503) if others take too long."""
        if not self._writer.acquire(timeout=_SECONDS_OF_WAITING):
            raise busy("other write requests take too long")
        try:
            yield
        finally:
            self._writer.release()

    def check(self) -> None:
        """Raises SQLAlchemy's error if the database does not answer or rejects writes."""
        with self.reading() as connection:
            connection.execute(text("SELECT 1"))
        # A current writer will detect the failure.
        if monotonic() < self._written_at + _RECENT or self._writer.locked():
            return
        with self.writing() as connection:
            connection.execute(update(PROBE).values(at=PROBE.c.at + 1))

    def close(self) -> None:
        """Closes all connections; one in use by an unfinished thread is closed when it is returned.

        SQLite's log is written to the file first.
        """
        if self.engine.dialect.name == "sqlite" and not self._is_closed:
            try:
                with self.engine.connect().execution_options(**{_PLAIN: True}) as connection:
                    connection.exec_driver_sql(f"PRAGMA busy_timeout = {_SECONDS_TO_CLOSE * 1000}")
                    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            except SQLAlchemyError as error:
                _LOG.warning("the log of the database stays next to it: %s", reason_of(error))
        self._is_closed = True
        self.engine.dispose()

    def _returned(self, _: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        # The connection's pool is gone, and would leave it open.
        if self._is_closed:
            record.invalidate()

    def _migrate(self) -> None:
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
        with self.writing() as connection:
            _check_version(connection, config)
            config.attributes["connection"] = connection
            command.upgrade(config, _NEWEST)
        # If there was nothing to migrate, nothing was written.
        self._written_at = float("-inf")


def _check_version(connection: Connection, config: Config) -> None:
    """Raises PlaitError if the tables belong to a newer plait."""
    found = MigrationContext.configure(connection).get_current_revision()
    known = [one.revision for one in ScriptDirectory.from_config(config).walk_revisions()]
    if found is not None and found not in known:
        raise PlaitError(
            "the database was written by a newer version of plait",
            found=f"tables of version {found}",
            expected=f"version {max(known)} or older",
            hint="use the newer version, or a backup from before the upgrade",
            code="database",
        )


def reason_of(error: Exception) -> str:
    """The first line of the database's message, without the statement. The engine hides parameters."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return next(iter(lines_of(str(cause).strip())), type(cause).__name__)


def _is_undone(error: DBAPIError) -> bool:
    """True if a failed commit certainly stored nothing."""
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        # PostgreSQL has answered the commit, unless it reports a shutdown (57) or a connection failure (08).
        return not state.startswith(("08", "57"))
    return getattr(error.orig, "sqlite_errorname", "") in ("SQLITE_BUSY", "SQLITE_FULL", "SQLITE_READONLY")


def opened(url: str) -> Engine:
    """The engine for another database, without migration. Raises UsageError for an unsupported URL."""
    return _engine(_parsed(url))


def shown(url: URL) -> str:
    """A URL for messages: without its password and its query, which may have another."""
    return url.set(query={}).render_as_string(hide_password=True)


def _parsed(url: str) -> URL:
    try:
        found = make_url(url)
    except ArgumentError:
        raise UsageError("not a URL of a database", expected=_EXPECTED, code="database") from None
    if found.get_backend_name() == "postgresql" and "+" not in found.drivername:
        found = found.set(drivername="postgresql+psycopg")
    if found.get_backend_name() not in ("sqlite", "postgresql") or (
        found.get_backend_name() == "sqlite" and found.database in (None, "", ":memory:")
    ):
        raise UsageError(
            "the service keeps its documents in SQLite or PostgreSQL",
            found=shown(found),
            expected=_EXPECTED,
            code="database",
        )
    return found


_EXPECTED = "sqlite:///FILE or postgresql://USER@HOST/DATABASE"


def _engine(url: URL) -> Engine:
    try:
        engine = create_engine(
            url,
            pool_size=_CONNECTIONS,
            max_overflow=_CONNECTIONS,
            pool_pre_ping=True,
            # Reuse the last connection first, so that only as many caches fill as are in use at a time.
            pool_use_lifo=True,
            pool_timeout=_SECONDS_TO_CONNECT,
            hide_parameters=True,
            connect_args={"connect_timeout": _SECONDS_TO_CONNECT} if url.get_backend_name() == "postgresql" else {},
        )
    except (ModuleNotFoundError, NoSuchModuleError):
        raise UsageError(
            f"there is no driver for {url.drivername}",
            hint="pip install 'plait[postgresql]'",
            code="extra-not-installed",
        ) from None
    if url.get_backend_name() == "sqlite":
        _make_private(url.database or "")
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def _room_to_write(connection: Connection) -> Iterator[None]:
    """A context in which SQLite has memory for many pages. Afterwards the connection has few."""
    try:
        yield
    finally:
        if connection.dialect.name == "sqlite" and not connection.invalidated:
            # On the driver's connection, because these statements start no transaction there.
            cursor = connection.connection.cursor()
            try:
                cursor.execute(_SMALL)
                cursor.execute("PRAGMA shrink_memory")
                cursor.close()
            except connection.dialect.loaded_dbapi.Error:
                connection.invalidate()


def _make_private(path: str) -> None:
    """Creates the file if it is missing, readable only by its owner. SQLite gives its other files the same mode."""
    try:
        create(path, 0o600)
    except OSError as error:
        hint = error.hint if isinstance(error, WriteRefused) else None
        raise PlaitError(f"cannot use {path}: {error.strerror}", hint=hint, code="database") from None


def _prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    """Configures a connection to SQLite: explicit transactions, durability, readers concurrent with a writer."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_SECONDS_OF_WAITING * 1000}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute(_SMALL)
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get(_WRITES, False):
        connection.exec_driver_sql(_LARGE)
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    elif not options.get(_PLAIN, False):
        connection.exec_driver_sql("BEGIN")
