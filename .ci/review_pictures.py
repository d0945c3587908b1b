"""Takes the pictures of a review: the comment, and the page at three widths, light and dark. `nox -s screenshots` writes them.

The comment is recorded beside them, so that a test tells when the pictures show what a review no longer says. It needs chromium
and markdown.
"""

from __future__ import annotations

import pathlib
import subprocess
import tempfile

import screenshots

from plait.review import Review, review, to_html, to_markdown

RECORD = screenshots.PICTURES / "review-comment.txt"
WIDTHS = {1440: 1200, 768: 1200, 390: 1200}
_APPS = ("cart", "catalog", "checkout", "search")
_PROJECT = """\
runs:
  shop:
    matrix:
      axes:
        region: [eu, us]
        stage: [staging, production]
    render:
      files: [config]
      data-value: ["region={region}", "stage={stage}"]
"""
_VALUES = """\
#@data/values-schema
---
region: eu
stage: staging
version: %(version)s
mesh: %(mesh)s
"""
_LIB = """\
def host(values):
  stage = "" if values.stage == "production" else "." + values.stage
  return "shop" + %(stage)s + "." + values.region + ".example.com"
end
"""
_APP = """\
#@ load("@ytt:data", "data")
#@ load("lib.star", "host")
#@ for name in ["cart", "catalog", "checkout", "search"]:
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: #@ name
spec:
  replicas: 2
  selector: {matchLabels: {app: #@ name
  }}
  template:
    metadata:
      labels:
        app: #@ name
        mesh.example.com/version: #@ data.values.mesh
    spec:
      containers:
      - name: app
        image: #@ "registry.example.com/{}:{}".format(name, data.values.version)
        resources: {requests: {memory: %(memory)s}}
#@ end
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {page-size: "%(size)s"}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  rules:
  - host: #@ host(data.values)
%(claim)s"""
_CLAIM = """\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: search-index}
spec: {accessModes: [ReadWriteOnce]}
"""
_SIDES = (
    {
        "version": "4.1.0",
        "mesh": "1.14.2",
        "memory": "256Mi",
        "size": 50,
        "claim": _CLAIM,
        "stage": '"." + values.stage',
    },
    {"version": "4.2.0", "mesh": "1.14.3", "memory": "384Mi", "size": 100, "claim": "", "stage": "stage"},
)
_REVISIONS = ("v4.1", "v4.2")


def repository(place: pathlib.Path) -> None:
    """Creates the repository of a shop with two releases. place: its directory, which does not exist."""
    who = ("-c", "user.name=shop", "-c", "user.email=shop@example.com", "-c", "commit.gpgsign=false")
    (place / "config").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    (place / "plait.yml").write_text(_PROJECT, "utf-8")
    for revision, side in zip(_REVISIONS, _SIDES, strict=True):
        for name, text in (("values.yml", _VALUES), ("lib.star", _LIB), ("apps.yml", _APP)):
            (place / "config" / name).write_text(text % side, "utf-8")
        subprocess.run(["git", "add", "-A"], cwd=place, check=True)
        subprocess.run(["git", *who, "commit", "-q", "-m", revision], cwd=place, check=True)
        subprocess.run(["git", "tag", revision], cwd=place, check=True)


def compared(place: pathlib.Path, *, documents: bool = False) -> Review:
    """The review of the two releases."""
    return review(*_REVISIONS, project=place, budget=0, documents=documents)


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        place = pathlib.Path(made)
        repository(place / "shop")
        found = compared(place / "shop", documents=True)
        text = to_markdown(found)
        for theme, (colours, _) in screenshots.THEMES.items():
            _shoot_comment(text, theme, colours, place)
            page = place / f"{theme}.html"
            page.write_text(to_html(found), "utf-8")
            for width, height in WIDTHS.items():
                picture = screenshots.PICTURES / f"review-{width}-{theme}.png"
                screenshots.shoot(page, picture, width, height, is_dark=theme == "dark")
    RECORD.write_text(text, "utf-8")


def _shoot_comment(text: str, theme: str, colours: tuple[str, ...], place: pathlib.Path) -> None:
    from markdown import markdown

    body = markdown(text, extensions=["tables", "md_in_html"])
    html = place / f"comment-{theme}.html"
    html.write_text(f"<meta charset=utf-8><style>{screenshots.CSS.format(*colours)}</style>{body}", "utf-8")
    screenshots.shoot(html, screenshots.PICTURES / f"review-comment-{theme}.png", 960, 940)


if __name__ == "__main__":
    main()
