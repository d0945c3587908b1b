"""PostgreSQL's server, as Debian installs it, started for a run of tests and stopped behind it."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy
from places import place_for_everybody


class Server:
    """A server that listens on a socket in a directory. programs: where they are. user: as whom it runs."""

    def __init__(self, directory: Path, programs: Path, user: str) -> None:
        self._directory, self._programs, self._user = directory, programs, user
        self._url = f"postgresql+psycopg://plait@/postgres?host={directory}"
        self._numbers = itertools.count(1)

    @contextmanager
    def database(self) -> Iterator[str]:
        """A place of its own for tables."""
        name = f"test{next(self._numbers)}"
        self._do(f"CREATE SCHEMA {name}")
        yield f"{self._url}&options=-csearch_path%3D{name}"
        self._do(f"DROP SCHEMA {name} CASCADE")

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """While the body runs there is no server."""
        self.stop()
        yield
        self.start()

    def start(self) -> None:
        options = f"-k {self._directory} -c listen_addresses='' -c fsync=off -c max_connections=300"
        self.run("pg_ctl", "-w", "-l", str(self._directory / "log"), "-o", options, "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-m", "immediate", "stop")

    def pid(self) -> int:
        """The process that has started all others."""
        return int((self._directory / "data" / "postmaster.pid").read_text("utf-8").split()[0])

    def run(self, program: str, *arguments: str) -> None:
        """Run one of its programs on its data."""
        command = [str(self._programs / program), "-D", str(self._directory / "data"), *arguments]
        user = self._user if os.geteuid() == 0 else None
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self._directory, user=user)
        assert done.returncode == 0, done.stderr

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
    directory = place_for_everybody("plait-pg-")
    try:
        shutil.chown(directory, user)
        server = Server(directory, where, user)
        server.run("initdb", "-U", "plait", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(directory)
