"""The files of `examples/serve`: checked by systemd, by plait's own lint and schemas, and by the entry point as they start it."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import serving
import yaml
from places import place_for_everybody
from test_operation import LONG, ask, put

import plait
from plait.cli import main
from plait.cli.serve import SERVE

EXAMPLES = Path(__file__).parents[2] / "examples" / "serve"
BASE = EXAMPLES / "kustomize"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_the_unit_is_one_of_systemd() -> None:
    unit = str(EXAMPLES / "plait-serve.service")
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_lint_finds_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(EXAMPLES)
    assert main(["lint"]) == 0, capsys.readouterr().out


def strict(**properties: object) -> dict[str, object]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


TEXT, NUMBER, BOOLEAN = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
MAP = {"type": "object", "additionalProperties": TEXT}
METADATA = strict(name=TEXT, labels=MAP)
PROBE = strict(httpGet=strict(path=TEXT, port=TEXT), periodSeconds=NUMBER, timeoutSeconds=NUMBER)
CONTAINER = strict(
    name=TEXT,
    image={"type": "string", "pattern": ".:[^:]+$"},
    args={"type": "array", "items": TEXT},
    ports={"type": "array", "items": strict(name=TEXT, containerPort=NUMBER)},
    livenessProbe=PROBE,
    readinessProbe=PROBE,
    resources=strict(requests=MAP, limits=MAP),
    securityContext=strict(
        allowPrivilegeEscalation={"const": False},
        readOnlyRootFilesystem={"const": True},
        capabilities=strict(drop={"const": ["ALL"]}),
    ),
    volumeMounts={"type": "array", "items": strict(name=TEXT, mountPath=TEXT, readOnly=BOOLEAN)},
)
POD = strict(
    automountServiceAccountToken={"const": False},
    terminationGracePeriodSeconds={"type": "integer", "minimum": 21},
    securityContext=strict(
        runAsNonRoot={"const": True}, runAsUser=NUMBER, fsGroup=NUMBER, seccompProfile=strict(type=TEXT)
    ),
    containers={"type": "array", "items": CONTAINER},
    volumes={"type": "array", "items": strict(name=TEXT, emptyDir=strict(), secret=strict(secretName=TEXT))},
)
CLAIM = strict(
    metadata=METADATA, spec=strict(accessModes={"type": "array", "items": TEXT}, resources=strict(requests=MAP))
)
SCHEMAS: dict[str, dict[str, object]] = {
    "statefulset-apps-v1.json": strict(
        apiVersion=TEXT,
        kind=TEXT,
        metadata=METADATA,
        spec=strict(
            serviceName=TEXT,
            replicas={"const": 1},
            selector=strict(matchLabels=MAP),
            template=strict(metadata=strict(labels=MAP), spec=POD),
            volumeClaimTemplates={"type": "array", "items": CLAIM},
        ),
    ),
    "service-v1.json": strict(
        apiVersion=TEXT,
        kind=TEXT,
        metadata=METADATA,
        spec=strict(selector=MAP, ports={"type": "array", "items": strict(name=TEXT, port=NUMBER, targetPort=TEXT)}),
    ),
}

TEXTS = {"type": "array", "items": TEXT}
COMPOSE = strict(
    services=strict(
        plait=strict(
            build=strict(context=TEXT, dockerfile={"const": "examples/serve/Containerfile"}),
            command=TEXTS,
            environment=MAP,
            user={"const": "10001:0"},
            read_only={"const": True},
            tmpfs=TEXTS,
            cap_drop={"const": ["ALL"]},
            security_opt={"const": ["no-new-privileges:true"]},
            secrets=TEXTS,
            ports={"type": "array", "items": {"type": "string", "pattern": "^127[.]0[.]0[.]1:"}},
            stop_grace_period={"type": "string", "pattern": "^2[1-9]s$"},
            healthcheck=strict(test=TEXTS, interval=TEXT, timeout=TEXT, retries=NUMBER),
            depends_on=TEXTS,
            restart=TEXT,
        ),
        database=strict(
            image={"type": "string", "pattern": ".:[^:]+$"}, environment=MAP, secrets=TEXTS, volumes=TEXTS, restart=TEXT
        ),
    ),
    secrets={"type": "object", "additionalProperties": strict(file=TEXT)},
    volumes={"type": "object", "additionalProperties": strict()},
)


def test_compose_is_as_its_schema_says() -> None:
    jsonschema.validate(yaml.safe_load((EXAMPLES / "compose.yml").read_text("utf-8")), COMPOSE)


def test_the_base_is_as_the_schemas_of_its_kinds_say(tmp_path: Path) -> None:
    for name, schema in SCHEMAS.items():
        (tmp_path / name).write_text(json.dumps(schema), "utf-8")
    paths = yaml.safe_load((BASE / "kustomization.yaml").read_text("utf-8"))["resources"]
    plait.render([str(BASE / path) for path in paths], check_output=[str(tmp_path)])


def documents() -> dict[str, Any]:
    texts = (BASE / "statefulset.yaml").read_text("utf-8"), (BASE / "service.yaml").read_text("utf-8")
    return {one["kind"]: one for one in map(yaml.safe_load, texts)}


def test_names_lead_somewhere() -> None:
    """Selectors, ports, volumes and probes of the base; the files of Compose."""
    found = documents()
    stateful, service = found["StatefulSet"]["spec"], found["Service"]["spec"]
    labels = stateful["template"]["metadata"]["labels"]
    assert stateful["selector"]["matchLabels"] == service["selector"] == labels
    pod = stateful["template"]["spec"]
    (container,) = pod["containers"]
    ports = {one["name"] for one in container["ports"]}
    assert {one["targetPort"] for one in service["ports"]} <= ports
    volumes = {one["name"] for one in pod["volumes"]} | {
        one["metadata"]["name"] for one in stateful["volumeClaimTemplates"]
    }
    assert {one["name"] for one in container["volumeMounts"]} == volumes
    compose = yaml.safe_load((EXAMPLES / "compose.yml").read_text("utf-8"))
    plain = compose["services"]["plait"]
    assert set(plain["secrets"]) <= set(compose["secrets"])


def test_every_command_line_is_one_of_plait_serve() -> None:
    container = (EXAMPLES / "Containerfile").read_text("utf-8")
    command = re.search(r"^CMD (\[.*\])$", container, re.MULTILINE)
    assert command is not None
    unit = re.search(
        r"^ExecStart=/usr/bin/env plait serve (.*)$", (EXAMPLES / "plait-serve.service").read_text(), re.MULTILINE
    )
    assert unit is not None
    lines = [
        json.loads(command[1]),
        unit[1].split(),
        yaml.safe_load((EXAMPLES / "compose.yml").read_text("utf-8"))["services"]["plait"]["command"],
        documents()["StatefulSet"]["spec"]["template"]["spec"]["containers"][0]["args"],
    ]
    for line in lines:
        assert SERVE.parse(line).log_format == "json"
    assert "USER 10001" in container


# Arguments: the place that can be written, a directory that is not for everybody or nothing, the interpreter's directory in it,
# and the command. Status 77: not possible here.
READ_ONLY = """\
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all"
mount --make-rprivate / || exit 77
if [ -n "$2" ]; then
  mount --bind "$3" "$1" && mount -t tmpfs -o mode=0755 tmpfs "$2" && mkdir -p "$3" && mount --bind "$1" "$3" || exit 77
fi
mount -t tmpfs -o mode=0700,uid=65534 tmpfs "$1" && mount -o bind,remount,ro / || exit 77
cd "$1" && shift 3
$nobody "$1" -c 'import subprocess, sys; sys.exit(subprocess.call([sys.executable, "-c", "import plait"]))' 2> /dev/null || exit 77
exec $nobody "$@"
"""


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="namespaces of Linux, made by root")
def test_the_entry_point_as_an_unprivileged_user_on_a_read_only_root() -> None:
    """The service starts, writes, reads a body from a file, renders in a worker, and ends."""
    parents = reversed(Path(sys.base_prefix).parents)
    closed = next((str(path) for path in parents if not path.stat().st_mode & stat.S_IXOTH), "")
    place = str(place_for_everybody("plait-place-"))
    environment = {"TMPDIR": place, "HOME": place, "XDG_CACHE_HOME": place, "PATH": os.environ["PATH"]}
    environment |= {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "PYTHONPATH") if name in os.environ}
    serve = [sys.executable, "-m", "plait", "serve", "--port", "0", "--database", f"sqlite:///{place}/plait.db"]
    command = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", place, closed, sys.base_prefix, *serve]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stderr=pipe, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            if not line and process.wait(LONG) == 77:
                pytest.skip("no namespaces, or an interpreter that is not for everybody")
            address = line.strip().removeprefix("plait: serving http://")
            status = Path(f"/proc/{process.pid}/status").read_text("ascii")
            assert "Uid:\t65534\t65534" in status
            assert re.search(r"CapEff:\t0+$", status, re.MULTILINE)
            body = serving.body_of(["policy", {"name": "x", "data": "TEXT"}]).replace("TEXT", "x" * 200_000)
            assert put(address, body).status == 200
            assert ask(address, "GET", "/api/v1.0/revisions/1/rendered-documents").status == 200
            assert ask(address, "GET", "/api/v1.0/ready").status == 204
            process.terminate()
            _, errors = process.communicate(timeout=LONG)
            assert (process.returncode, "Traceback" in errors) == (0, False), errors
        finally:
            process.kill()
            time.sleep(0.1)
            shutil.rmtree(place, ignore_errors=True)
