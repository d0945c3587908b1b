from __future__ import annotations

import gc
import os
import shutil
import signal
from contextlib import ExitStack
from typing import TYPE_CHECKING

import hypothesis
import pytest

import second_interpreter
from browsing import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from postgresql import Server
    from serving import Client


# How long one example takes says more of the machine than of the program. The suite tries the same examples each time, so that
# a change is judged by what it changes; `pytest tests/property --hypothesis-profile explore` looks for new ones.
hypothesis.settings.register_profile("plait", deadline=None, derandomize=True)
hypothesis.settings.register_profile("explore", deadline=None)
hypothesis.settings.load_profile("plait")
# Of the examples of a property, as of the cases of a test, a second interpreter tries a third.
EXAMPLES = hypothesis.settings().max_examples
hypothesis.settings.register_profile("again", max_examples=EXAMPLES // second_interpreter.TURNS)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        nargs="?",
        const="write",
        choices=("write", "diff"),
        help="rewrite the expectations of data-file cases, or (diff) only print the changes as a diff",
    )
    parser.addoption("--traced", action="store_true", help="record every run, as if each were to be explained")
    parser.addoption("--again", action="store_true", help="leave out what a second interpreter cannot change")
    parser.addoption("--sarif-schema", metavar="FILE", help="the JSON Schema of SARIF 2.1.0, to validate reports with")
    parser.addoption("--long", action="store_true", help="fuzz for minutes instead of seconds")


def pytest_configure(config: pytest.Config) -> None:
    # What a shell starts in the background ignores interrupts, and so would the processes that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "untraced: about runs that are not recorded; skipped with --traced")
    if config.getoption("--again"):
        hypothesis.settings.load_profile("again")
    if config.getoption("--traced"):
        from traced import record_every_run

        record_every_run()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than processors (`-n auto`): many tests wait for other processes."""
    return (os.cpu_count() or 1) + 1


def pytest_collection() -> None:
    # Half of the time of collecting would go to garbage collections that find nothing.
    gc.disable()


def pytest_collection_finish() -> None:
    # What is collected stays; without this, each collection of a test would look at all of it.
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--traced"):
        for item in items:
            if item.get_closest_marker("untraced"):
                item.add_marker(pytest.mark.skip(reason="with --traced every run is recorded"))
    if config.getoption("--again"):
        if missing := second_interpreter.missing():
            raise pytest.UsageError(f"second_interpreter.py names what is not there: {', '.join(missing)}")
        leave = set(second_interpreter.left_out(items, second_interpreter.commit_number()))
        config.hook.pytest_deselected(items=list(leave))
        items[:] = [item for item in items if item not in leave]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    is_above = item.path.relative_to(second_interpreter.TESTS).parts[0] in second_interpreter.ABOVE
    with ExitStack() as around:
        # A test with a browser ends, and so does what is set up for it and after it.
        if "browser" in getattr(item, "fixturenames", ()):
            around.enter_context(bounded())
        if item.config.getoption("--traced") and is_above:
            from traced import paused

            around.enter_context(paused())
        return (yield)


@pytest.fixture
def update(request: pytest.FixtureRequest) -> str | None:
    """`write`, `diff` or None: what to do with expectations that do not hold."""
    found: str | None = request.config.getoption("--update")
    return found


@pytest.fixture(scope="session", autouse=True)
def own_code_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Commands that tests run keep compiled code in a directory of the test run, not in the user's."""
    directory = tmp_path_factory.mktemp("code-cache")
    directory.chmod(0o700)
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["PLAIT_CACHE_DIR"] = str(directory)
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield directory
    del os.environ["PLAIT_CACHE_DIR"]
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture(scope="session", autouse=True)
def no_job() -> None:
    """Reviews that tests print have no links to the repository of a job that runs the tests."""
    for name in ("GITHUB_SERVER_URL", "CI_PROJECT_URL"):
        os.environ.pop(name, None)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server | None]:
    """PostgreSQL's server, started for this run of tests; None where it is not installed."""
    from postgresql import started

    with started() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database for the service, with nothing in it."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'plait.db'}"
        return
    server: Server | None = request.getfixturevalue("postgresql")
    if server is None:
        pytest.skip("there is no PostgreSQL")
    with server.database() as url:
        yield url


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a database that has all tables and nothing in them."""
    from plait.service.database import Database

    found = tmp_path_factory.mktemp("database") / "plait.db"
    Database(f"sqlite:///{found}").close()
    return found


@pytest.fixture
def client(database_url: str, empty_database: Path, tmp_path: Path) -> Iterator[Client]:
    """A client of a service that has a key for secrets, and takes everybody."""
    from serving import Client, keys

    from plait.service.app import application

    if database_url.startswith("sqlite"):
        # Making the tables takes more than most tests.
        shutil.copy(empty_database, tmp_path)
    made = Client(application(database_url, keys=keys("first")))
    yield made
    made.close()
