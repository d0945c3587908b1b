"""PostgreSQL's server, as Debian installs it, started for a run of tests and stopped behind it."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy


class Server:
    """A server that listens on a socket in a directory."""

    def __init__(self, directory: Path) -> None:
        self._url = f"postgresql+psycopg://plait@/postgres?host={directory}"
        self._numbers = itertools.count(1)

    @contextmanager
    def database(self) -> Iterator[str]:
        """A place of its own for tables."""
        name = f"test{next(self._numbers)}"
        self._do(f"CREATE SCHEMA {name}")
        yield f"{self._url}&options=-csearch_path%3D{name}"
        self._do(f"DROP SCHEMA {name} CASCADE")

    def _do(self, statement: str) -> None:
        engine = sqlalchemy.create_engine(self._url, poolclass=sqlalchemy.NullPool)
        with engine.begin() as connection:
            connection.exec_driver_sql(statement)


def programs() -> Path | None:
    """Where the newest server is installed."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    on_path = shutil.which("initdb")
    return max(found, key=lambda path: float(path.parent.name)) if found else Path(on_path).parent if on_path else None


def owner() -> str | None:
    """Whom the server runs as: this user, or for root, as whom it does not run, its own; None where there is none."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    return "postgres" if any(user.pw_name == "postgres" for user in pwd.getpwall()) else None


@contextmanager
def started() -> Iterator[Server | None]:
    """The server, or None where it cannot be had."""
    where, user = programs(), owner()
    if where is None or user is None:
        yield None
        return
    directory = Path(tempfile.mkdtemp(prefix="plait-pg-"))
    try:
        shutil.chown(directory, user)

        def run(program: str, *arguments: str) -> None:
            as_user = {"user": user} if os.geteuid() == 0 else {}
            done = subprocess.run(  # type: ignore[call-overload]
                [where / program, *arguments], capture_output=True, text=True, check=False, cwd=directory, **as_user
            )
            assert done.returncode == 0, done.stderr

        data = str(directory / "data")
        run("initdb", "-D", data, "-U", "plait", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        options = f"-k {directory} -c listen_addresses='' -c fsync=off -c max_connections=300"
        run("pg_ctl", "-D", data, "-w", "-l", str(directory / "log"), "-o", options, "start")
        try:
            yield Server(directory)
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(directory)
