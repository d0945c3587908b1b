"""A test that waits for a browser in vain fails, and does not wait for ever."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from browsing import CHROMIUM
from patience import LONGEST

HERE = Path(__file__).parent
# A promise that is never kept: Playwright limits no script.
ENDLESS = """
from browsing import bounded, chromium
with chromium() as browser:
    page = browser.new_page()
    page.goto("about:blank")
    with bounded(2):
        page.evaluate("new Promise(() => {})")
"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_a_script_of_a_page_that_never_ends_fails_its_test() -> None:
    pytest.importorskip("playwright.sync_api")
    done = subprocess.run(
        [sys.executable, "-c", ENDLESS], cwd=HERE, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert done.returncode == 1
    assert "Traceback" in done.stderr
