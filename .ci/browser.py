"""Run the conformance cases in a browser, by the plait that playground/build.py has built.

    python .ci/browser.py .nox/playground ../shared/conformance [--update]

Each command line of a case goes to one of the pages in Chromium, where Python runs it in a directory of its own. Exit status 1 when a
group falls below the figure it has reached in .ci/browser.json. `--update` writes figures that rose.
"""

from __future__ import annotations

import json
import pathlib
import queue
import shlex
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from conformance import compared

FIGURES = pathlib.Path(__file__).with_name("browser.json")
PAGES = 2  # each is a process
SECONDS = 2400
CLIENT = pathlib.Path(__file__).with_name("in_browser.py").resolve()
LOAD = """async () => {
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  const python = await loadPyodide({ indexURL: new URL("pyodide/", location.href).href });
  const archive = await (await fetch("plait.zip")).arrayBuffer();
  python.unpackArchive(archive, "zip", { extractDir: "/plait" });
  python.runPython(%s);
  window.run = python.globals.get("run");
}"""
# What runs a command line there: JSON in, JSON out.
GLUE = """
import io, json, os, sys, tempfile
from base64 import b64decode, b64encode
sys.path.insert(0, "/plait")
from plait.cli import main

def run(text):
    asked = json.loads(text)
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        for name, target in asked["links"].items():
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            os.symlink(target, name)
        for name, content in asked["files"].items():
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            with open(name, "wb") as file:
                file.write(b64decode(content))
        before = dict(os.environ)
        os.environ.update(asked["environment"])
        kept = sys.stdin, sys.stdout, sys.stderr
        streams = [io.BytesIO(b64decode(asked["stdin"])), io.BytesIO(), io.BytesIO()]
        texts = [io.TextIOWrapper(one, "utf-8", "surrogateescape", write_through=True) for one in streams]
        sys.stdin, sys.stdout, sys.stderr = texts
        try:
            status = main(asked["argv"])
        except SystemExit as ended:
            status = ended.code
        finally:
            sys.stdin, sys.stdout, sys.stderr = kept
            os.environ.clear()
            os.environ.update(before)
        files = {}
        for directory, _, names in os.walk("."):
            for name in names:
                path = os.path.relpath(os.path.join(directory, name))
                if not os.path.islink(path):
                    with open(path, "rb") as file:
                        content = b64encode(file.read()).decode()
                    if asked["files"].get(path) != content:
                        files[path] = content
        os.chdir("/")
    out, err = [b64encode(one.getvalue()).decode() for one in streams[1:]]
    return json.dumps({"status": status, "out": out, "err": err, "files": files})
"""


def main() -> int:
    built, cases = map(pathlib.Path, sys.argv[1:3])
    if not (cases / "run").is_file():
        print(f"no conformance cases in {cases}: nothing compared")
        return 0
    with Bridge(built) as bridge:
        client = shlex.join([sys.executable, "-IS", str(CLIENT), str(bridge.server_port)])
        arguments = [
            word
            for flag, command in {"--ytt": "render", "--int": "patch", "--layer": "layer"}.items()
            for word in (flag, f"{client} {command}")
        ]
        run = subprocess.Popen(
            [sys.executable, str(cases / "run"), "-j", str(2 * PAGES), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        for _ in range(PAGES):
            threading.Thread(target=bridge.answer_while, args=(run,), daemon=True).start()
        try:
            output, errors = run.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            run.kill()
            print(f"the pages did not answer all command lines within {SECONDS} seconds")
            return 1
    print(output)
    sys.stderr.write(errors)
    return 1 if run.returncode < 0 else compared(output, FIGURES, update="--update" in sys.argv)


class Bridge(ThreadingHTTPServer):
    """Serves the files of the build, and takes command lines, which the pages answer, each one after the other."""

    daemon_threads = True

    def __init__(self, built: pathlib.Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=str(built)))
        self.asked: queue.Queue[tuple[str, queue.Queue[str]]] = queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer_while(self, run: subprocess.Popen[str]) -> None:
        """Lets a page of its own answer as long as a process runs. Ends the process if the page fails."""
        from playwright.sync_api import sync_playwright

        try:
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                page = browser.new_page()
                page.goto(f"http://127.0.0.1:{self.server_port}/")
                page.evaluate(LOAD % json.dumps(GLUE))
                while run.poll() is None:
                    try:
                        text, given = self.asked.get(timeout=0.2)
                    except queue.Empty:
                        continue
                    given.put(page.evaluate("(text) => run(text)", text))
        finally:
            run.kill()


class Handler(SimpleHTTPRequestHandler):
    server: Bridge

    def do_POST(self) -> None:
        given: queue.Queue[str] = queue.Queue()
        self.server.asked.put((self.rfile.read(int(self.headers["Content-Length"])).decode(), given))
        body = given.get().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    sys.exit(main())
