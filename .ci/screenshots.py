"""Takes the screenshots of the README, and of the first page of the site, light and dark. `nox -s screenshots` writes them.

The text of each page is recorded beside them, so that a test tells when a picture shows what a page no longer says. It needs
chromium, mkdocs-material and markdown.
"""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
RECORD = PICTURES / "screenshots.json"
# name: (page, number of its lines with text that the picture shows, width, height)
SHOTS = {
    "readme": ("README.md", 60, 960, 2600),
    "start-1440": ("docs/index.md", 30, 1440, 1100),
    "start-390": ("docs/index.md", 15, 390, 1400),
}
# theme: (colours of the README, and the scheme and the primary colour of the site)
THEMES = {
    "light": (("#1f2328", "#ffffff", "#d1d9e0", "#f6f8fa", "#eff1f3", "#0969da"), ("default", "white")),
    "dark": (("#f0f6fc", "#0d1117", "#3d444d", "#151b23", "#262c36", "#4493f8"), ("slate", "black")),
}
CSS = """\
body {{ font: 16px/1.5 -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 880px; margin: 0 auto; padding: 32px;
  color: {0}; background: {1} }}
h1, h2 {{ border-bottom: 1px solid {2}; padding-bottom: .3em }}
pre {{ background: {3}; padding: 16px; border-radius: 6px; overflow: auto; font: 13px/1.45 ui-monospace, monospace }}
code {{ font: 13px ui-monospace, monospace; background: {4}; padding: .2em .4em; border-radius: 6px }}
pre code {{ padding: 0; background: none }}
table {{ border-collapse: collapse; display: block; overflow: auto }}
td, th {{ border: 1px solid {2}; padding: 6px 13px }}
img {{ max-width: 100% }}
a {{ color: {5} }}
"""


def shown_text(page: str, count: int | None = None) -> list[str]:
    """The first lines with text of a page, without those of pictures; by default all."""
    lines = (line.strip() for line in (ROOT / page).read_text("utf-8").splitlines())
    return [line for line in lines if line and not re.match(r"!\[|<(/?picture|source|img)", line)][:count]


def recorded() -> dict[str, list[str]]:
    """The text of each page when its pictures were taken."""
    found: dict[str, list[str]] = json.loads(RECORD.read_text("utf-8"))
    return found


def size(picture: pathlib.Path) -> tuple[int, int]:
    """Width and height of a PNG picture in pixels."""
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n", picture
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        site = pathlib.Path(place) / "site"
        subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(site)], cwd=ROOT, check=True)
        for name, (page, _, width, height) in SHOTS.items():
            for theme in THEMES:
                html = _readme(pathlib.Path(place), theme) if page == "README.md" else _start(site, theme)
                shoot(html, PICTURES / f"{name}-{theme}.png", width, height)
    record = {name: shown_text(page, count) for name, (page, count, _, _) in SHOTS.items()}
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _readme(place: pathlib.Path, theme: str) -> pathlib.Path:
    from markdown import markdown

    image = f'<img src="{(PICTURES / f"explain-{theme}.svg").as_uri()}">'
    text = re.sub(r"<picture>.*?</picture>", image, (ROOT / "README.md").read_text("utf-8"), flags=re.DOTALL)
    body = markdown(text, extensions=["tables", "fenced_code"])
    html = place / f"readme-{theme}.html"
    html.write_text(f"<meta charset=utf-8><style>{CSS.format(*THEMES[theme][0])}</style>{body}", "utf-8")
    return html


def _start(site: pathlib.Path, theme: str) -> pathlib.Path:
    scheme, primary = THEMES[theme][1]
    choose = (
        f'localStorage.clear(); document.body.setAttribute("data-md-color-scheme", "{scheme}");'
        f'document.body.setAttribute("data-md-color-primary", "{primary}")'
    )
    html = site / f"{theme}.html"
    text = (site / "index.html").read_text("utf-8")
    html.write_text(text.replace("</body>", f"<script>{choose}</script></body>"), "utf-8")
    return html


def shoot(html: pathlib.Path, picture: pathlib.Path, width: int, height: int, *, is_dark: bool = False) -> None:
    """Takes a picture of a page. is_dark: the page sees a system with dark colours."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "chromium is not installed"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=3000"]
    flags += [f"--window-size={width},{height}", f"--screenshot={picture}"]
    if is_dark:
        flags.append("--blink-settings=preferredColorScheme=0")
    subprocess.run([browser, *flags, html.as_uri()], check=True, capture_output=True, timeout=300)


if __name__ == "__main__":
    main()
