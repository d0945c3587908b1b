from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        nargs="?",
        const="write",
        choices=("write", "diff"),
        help="rewrite the expectations of data-file cases, or (diff) only show what would change",
    )


@pytest.fixture
def update(request: pytest.FixtureRequest) -> str | None:
    """`write`, `diff` or None: what to do with expectations that do not hold."""
    found: str | None = request.config.getoption("--update")
    return found
