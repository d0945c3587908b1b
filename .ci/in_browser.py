"""What stands in the place of a program: `python .ci/in_browser.py PORT WORD...` sends a command line to the page of browser.py.

With it go the files of this directory; what the page writes is written here. It is started for each case, and imports little.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from binascii import a2b_base64, b2a_base64


def main() -> int:
    files, links = {}, {}
    for directory, below, names in os.walk("."):
        for name in [*names, *below]:
            path = os.path.relpath(os.path.join(directory, name))
            if os.path.islink(path):
                links[path] = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    files[path] = text_of(file.read())
    asked = {
        "argv": sys.argv[2:],
        "files": files,
        "links": links,
        "stdin": text_of(sys.stdin.buffer.read()),
        "environment": dict(os.environ),
    }
    answer = json.loads(sent(json.dumps(asked).encode()))
    for path, content in answer["files"].items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(a2b_base64(content))
    sys.stdout.buffer.write(a2b_base64(answer["out"]))
    sys.stderr.buffer.write(a2b_base64(answer["err"]))
    return int(answer["status"])


def text_of(content: bytes) -> str:
    return b2a_base64(content, newline=False).decode()


def sent(body: bytes) -> bytes:
    """The body of the answer. http.client would take longer to import than the rest."""
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
        connection.sendall(b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        parts = []
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts).partition(b"\r\n\r\n")[2]


if __name__ == "__main__":
    sys.exit(main())
