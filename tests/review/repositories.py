"""Repositories for tests of reviews."""

from __future__ import annotations

import subprocess
from pathlib import Path

WHO = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")


def git(place: Path, *words: str) -> str:
    done = subprocess.run(["git", *WHO, *words], cwd=place, check=True, capture_output=True)
    return done.stdout.decode().strip()


def write(place: Path, files: dict[str, str | None]) -> None:
    """Writes files; None removes one."""
    for name, text in files.items():
        path = place / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def commit(place: Path, files: dict[str, str | None], message: str = "change") -> str:
    """Commits files, in a new repository if there is none. Returns the commit."""
    if not (place / ".git").exists():
        place.mkdir(parents=True, exist_ok=True)
        git(place, "init", "-q", "-b", "main")
    write(place, files)
    git(place, "add", "-A")
    git(place, "commit", "-q", "--allow-empty", "-m", message)
    return git(place, "rev-parse", "HEAD")
