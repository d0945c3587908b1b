"""The database: SQLite by default, PostgreSQL by a URL.

Whoever writes has the database for themselves from the beginning of the transaction, so that revisions come one after
another and what a writer has read holds until it is done. Whoever reads sees the state of one moment.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from alembic.util import CommandError
from sqlalchemy import create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from plait.errors import PlaitError, UsageError
from plait.service.telemetry import Telemetry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

# Of PostgreSQL's advisory locks: ours.
_LOCK = 0x706C616974
_SECONDS_OF_WAITING = 30
_CONNECTIONS = 20
_WRITES = "plait_writes"


class Database:
    """A database with the tables of this version. url: as SQLAlchemy takes them. telemetry: hears of transactions.

    Raises UsageError for a URL that is none of ours, PlaitError where the database cannot be used.
    """

    def __init__(self, url: str, telemetry: Telemetry | None = None) -> None:
        self._telemetry = telemetry or Telemetry()
        parsed = _parsed(url)
        self.engine = _engine(parsed)
        self._is_closed = False
        event.listen(self.engine, "checkin", self._returned)
        self._writer = threading.Lock()
        try:
            self._migrate()
        except (SQLAlchemyError, CommandError) as error:
            self.close()
            cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
            told = next(iter(str(cause).strip().splitlines()), type(cause).__name__)
            raise PlaitError(f"cannot use {parsed.render_as_string(hide_password=True)}: {told}") from None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads: all its queries see one moment."""
        with self._telemetry.span("read"), self.engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that nobody else writes beside; it is durable when the block ends, and undone if it raises."""
        begun = perf_counter()
        with (
            self._telemetry.span("write") as note,
            # The writers of this process come in order; those of others wait in the database.
            self._writer,
            self.engine.connect().execution_options(**{_WRITES: True}) as connection,
            connection.begin(),
        ):
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            note("plait.waited", perf_counter() - begun)
            yield connection

    def check(self) -> None:
        """Raise what SQLAlchemy raises where the database does not answer."""
        with self.reading() as connection:
            connection.execute(text("SELECT 1"))

    def close(self) -> None:
        """End all connections; those that are in use, by a thread that has not ended yet, when it returns them."""
        self._is_closed = True
        self.engine.dispose()

    def _returned(self, _: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        # The pool that it came from is gone, and would leave it open.
        if self._is_closed:
            record.invalidate()

    def _migrate(self) -> None:
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
        with self.writing() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def opened(url: str) -> Engine:
    """A database of somebody else, as it is. Raises UsageError for a URL that is none of ours."""
    return _engine(_parsed(url))


def _parsed(url: str) -> URL:
    try:
        found = make_url(url)
    except ArgumentError:
        raise UsageError("this is no URL of a database", expected=_EXPECTED) from None
    if found.get_backend_name() == "postgresql" and "+" not in found.drivername:
        found = found.set(drivername="postgresql+psycopg")
    if found.get_backend_name() not in ("sqlite", "postgresql") or (
        found.get_backend_name() == "sqlite" and found.database in (None, "", ":memory:")
    ):
        raise UsageError(
            "the service keeps its documents in SQLite or PostgreSQL",
            found=found.render_as_string(hide_password=True),
            expected=_EXPECTED,
        )
    return found


_EXPECTED = "sqlite:///FILE or postgresql://USER@HOST/DATABASE"


def _engine(url: URL) -> Engine:
    try:
        engine = create_engine(
            url, pool_size=_CONNECTIONS, max_overflow=_CONNECTIONS, pool_pre_ping=True, hide_parameters=True
        )
    except (ModuleNotFoundError, NoSuchModuleError):
        raise UsageError(f"there is no driver for {url.drivername}", hint="pip install 'plait[postgresql]'") from None
    if url.get_backend_name() == "sqlite":
        _make_private(url.database or "")
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
    return engine


def _make_private(path: str) -> None:
    """Make the file, if there is none, so that its owner alone can read it; SQLite gives its other files the same mode."""
    from plait.writing import Refused, create

    try:
        create(path, 0o600)
    except OSError as error:
        hint = error.hint if isinstance(error, Refused) else None
        raise PlaitError(f"cannot use {path}: {error.strerror}", hint=hint) from None


def _prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    """Of a connection to SQLite: transactions as we say, durable, readers beside a writer."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_SECONDS_OF_WAITING * 1000}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
