"""Seeded typos: names in working inputs are misspelt, and nine of ten times the right one is among the first three suggested.

Each place is a command line with its files, where `<name>` marks the name to misspell. A typo is one slip of the fingers:
two letters swapped, one left out, doubled, or hit beside (never the first letter, which hardly anybody gets wrong).
"""

from __future__ import annotations

import io
import pathlib
import random
import re
import shlex
import sys

import pytest
from test_error_cases import suggestions

from plait.cli import main

POLICY = "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: order}\ndata: {layerOrder: [global, site]}\n---\n"
DOCUMENT = "schema: demo/%s/v1\nmetadata: {schema: metadata/Document/v1, name: %s, labels: {%s}, storagePolicy: cleartext, layeringDefinition: {%s}}\ndata: %s\n"
PARENT = (
    DOCUMENT % ("Server", "base", "component: frontend", "layer: global", "{ports: {internal: 80}, address: a}")
    + "---\n"
)
KEY = DOCUMENT % ("Passphrase", "database-password", "a: b", "layer: site", "{content: x}") + "---\n"
CHILD = "---\nschema: demo/Server/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: child\n  storagePolicy: cleartext\n  layeringDefinition:\n    layer: site\n    parentSelector: {component: frontend}\n    actions:\n    - {method: merge, path: .}\n"


def layered(child: str, *options: str) -> tuple[str, dict[str, str]]:
    return f"plait layer {' '.join(options)} site.yml", {
        "site.yml": POLICY + PARENT + KEY.removesuffix("---\n") + child
    }


def template(*lines: str, **files: str) -> tuple[str, dict[str, str]]:
    found = {"config.yml": "\n".join(lines) + "\n", **{name.replace("__", "."): text for name, text in files.items()}}
    return "plait render " + " ".join(f"-f {name}" for name in found), found


def module(name: str, rest: str) -> tuple[str, dict[str, str]]:
    return template(f'#@ load("@ytt:{name}", "{name}")', f"a: #@ {name}.{rest}")


def overlay(left: str, *lines: str) -> tuple[str, dict[str, str]]:
    head = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\n'
    return "plait render -f config.yml -f overlay.yml", {
        "config.yml": left,
        "overlay.yml": head + "\n".join(lines) + "\n",
    }


def patched(base: str, operation: str, *flags: str) -> tuple[str, dict[str, str]]:
    return f"plait patch base.yml -o ops.yml {' '.join(flags)}", {"base.yml": base, "ops.yml": operation}


SCHEMA = "#@data/values-schema\n---\nhostname: ''\nreplicas: 1\ndatabase:\n  username: ''\n  password: ''\n"
VALUES = "#@data/values\n---\n"
DEPLOYMENT = "metadata:\n  namespace: x\nspec:\n  replicas: 1\n  containers:\n  - name: frontend\n    image: a\n  - name: sidecar\n"
NAMED = "kind: Deployment\n" + DEPLOYMENT.replace("metadata:\n", "metadata:\n  name: web\n")
MANIFEST = "name: web\nproperties:\n  port: 80\n  hostname: a\ninstance_groups:\n- name: database\n  jobs: []\n- name: frontend\n"

PLACES: dict[str, list[tuple[str, dict[str, str]]]] = {
    "flags": [
        *((f"plait render -f config.yml --<{name}> x", {"config.yml": "a: 1\n"}) for name in (
            "data-value", "data-values-file", "data-values-env", "data-value-yaml", "file-mark", "output-files",
            "ignore-unknown-comments", "implicit-map-key-overrides", "data-values-inspect", "strict", "output")),
        *((f"plait patch base.yml --<{name}> x", {"base.yml": "a: 1\n"}) for name in (
            "ops-file", "var-file", "vars-file", "vars-env", "vars-store", "var-errs", "path", "keep-format", "in-place")),
        *((f"plait layer site.yml --<{name}>", {"site.yml": "a: 1\n"}) for name in (
            "validate", "validate-data", "lenient", "relaxed", "like-deckhand", "cleartext-secrets", "secrets-file", "order", "short")),
        *((f"plait <{name}> -f config.yml", {}) for name in ("render", "patch", "layer", "version", "completion")),
        ("plait render -f config.yml -o <json>", {"config.yml": "a: 1\n"}),
        ("plait render -f config.yml --file-mark config.yml:<exclude>=true", {"config.yml": "a: 1\n"}),
        ("plait render -f config.yml --file-mark config.yml:type=<yaml-plain>", {"config.yml": "a: 1\n"}),
        ("plait render -f <config.yml>", {"config.yml": "a: 1\n"}),
        ("plait patch <manifest.yml>", {"manifest.yml": "a: 1\n"}),
        ("plait layer <documents.yml>", {"documents.yml": "a: 1\n"}),
        ("plait layer site.yml --order <schema>", {"site.yml": POLICY}),
    ],
    "starlark": [
        template("#@ replicas = 3", "a: #@ <replicas>"),
        template("#@ hostname = 'x'", "#@ port = 80", "a: #@ <hostname>"),
        template("#@ def labels(): return 1", "a: #@ <labels>()"),
        template("#@ def url(host, port): return host", "a: #@ url(host='x', <port>=1)"),
        template("a: #@ <sorted>([2, 1])"),
        template("a: #@ <range>(3)"),
        template("a: #@ <enumerate>([1])"),
        template("a: #@ 'x'.<upper>()"),
        template("a: #@ 'x'.<startswith>('x')"),
        template("a: #@ 'x'.<replace>('x', 'y')"),
        template("a: #@ ' '.<join>(['x'])"),
        template("#@ l = [1]", "#@ l.<append>(2)"),
        template("a: #@ {'a': 1}.<items>()"),
        template("#@ d = {'username': 1, 'password': 2}", "a: #@ d['<username>']"),
        template("#@ load('helpers.star', '<labels>')", "a: 1", helpers__star="def labels(): return 1\ndef names(): return 1\n"),
        template("#@ load('<helpers.star>', 'labels')", "a: 1", helpers__star="def labels(): return 1\n"),
        template("#@ def part():", "username: x", "password: y", "#@ end", "#@ p = part()", "a: #@ p['<password>']"),
    ],
    "modules": [
        *(template(f"#@ load('@ytt:<{name}>', 'x')", "a: 1") for name in (
            "overlay", "template", "base64", "json", "yaml", "struct", "assert", "regexp", "library", "data", "version")),
        module("json", "<encode>({})"), module("yaml", "<decode>('a: 1')"), module("base64", "<encode>('x')"),
        module("regexp", "<match>('x', 'x')"), module("url", "<query_param_value_encode>('x')"), module("url", "<parse>('x')"),
        module("ip", "<parse_cidr>('1.1.1.1/8')"), module("struct", "<make>(a=1)"), module("math", "<floor>(1.5)"),
        module("assert", "<equals>(1, 1)"), module("sha256", "<sum>('x')"),
        template("#@ load('@ytt:struct', 'struct')", "#@ s = struct.make(username=1, password=2)", "a: #@ s.<username>"),
        template("#@ load('@ytt:json', 'json')", "a: #@ json.encode({}, <indent>=2)"),
        template("#@ load('@ytt:template', 'template')", "a:", "  _: #@ template.<replace>({})"),
        template("#@ load('@ytt:data', 'data')", "a: #@ data.<values>"),
        template("#@ load('@ytt:data', 'data')", "a: #@ data.read('<banner.txt>')", banner__txt="hello"),
    ],
    "overlays": [
        overlay(DEPLOYMENT, "spec:", "  <replicas>: 3"),
        overlay(DEPLOYMENT, "<metadata>:", "  namespace: y"),
        overlay(DEPLOYMENT, "metadata:", "  <namespace>: y"),
        overlay(DEPLOYMENT, "spec:", "  containers:", "  #@overlay/match by='name'", "  - name: <frontend>"),
        overlay(DEPLOYMENT, "spec:", "  containers:", "  #@overlay/match by='name'", "  - name: <sidecar>"),
        overlay(DEPLOYMENT, "spec:", "  <containers>: []"),
        overlay(DEPLOYMENT, "spec:", "  containers:", "  #@overlay/match by='<name>'", "  - name: frontend"),
        overlay(DEPLOYMENT, "spec:", "  #@overlay/match <missing_ok>=True", "  x: 1"),
        overlay(DEPLOYMENT, "spec:", "  #@overlay/match <expects>=1", "  replicas: 1"),
        overlay(DEPLOYMENT, "spec:", "  #@overlay/replace <or_add>=True", "  x: 1"),
        overlay(DEPLOYMENT, "spec:", "  #@overlay/match by=overlay.<subset>({})", "  x: 1"),
        overlay(DEPLOYMENT, "spec:", "  #@overlay/<match> missing_ok=True", "  replicas: 1"),
        overlay(DEPLOYMENT, "spec:", "  #@overlay/<replace>", "  replicas: 1"),
        overlay(DEPLOYMENT, "spec:", "  #@overlay/<remove>", "  replicas: 1"),
    ],
    "values": [
        ("plait render -f schema.yml -f values.yml", {"schema.yml": SCHEMA, "values.yml": VALUES + "<hostname>: x\n"}),
        ("plait render -f schema.yml -f values.yml", {"schema.yml": SCHEMA, "values.yml": VALUES + "<replicas>: 2\n"}),
        ("plait render -f schema.yml -f values.yml", {"schema.yml": SCHEMA, "values.yml": VALUES + "database:\n  <password>: x\n"}),
        ("plait render -f schema.yml --data-values-file v.yml", {"schema.yml": SCHEMA, "v.yml": "<database>: {}\n"}),
        ("plait render -f schema.yml --data-values-file v.yml", {"schema.yml": SCHEMA, "v.yml": "database: {<username>: x}\n"}),
        ("plait render -f schema.yml -v <hostname>=x", {"schema.yml": SCHEMA}),
        ("plait render -f schema.yml -v database.<username>=x", {"schema.yml": SCHEMA}),
        template('#@ load("@ytt:data", "data")', "a: #@ data.values.<replicas>", schema__yml=SCHEMA),
        template('#@ load("@ytt:data", "data")', "a: #@ data.values.database.<password>", schema__yml=SCHEMA),
        template('#@ load("@ytt:data", "data")', "a: #@ data.values['<hostname>']", schema__yml=SCHEMA),
        ("plait render -f schema.yml", {"schema.yml": "#@data/values-schema\n---\n#@schema/<nullable>\na: 1\n"}),
        ("plait render -f schema.yml", {"schema.yml": "#@data/values-schema\n---\n#@schema/<validation> min=1\na: 1\n"}),
        ("plait render -f schema.yml", {"schema.yml": "#@data/values-schema\n---\n#@schema/validation <min_len>=1\na: x\n"}),
        ("plait render -f schema.yml", {"schema.yml": "#@data/values-schema\n---\n#@schema/validation <one_of>=['x']\na: x\n"}),
        ("plait render -f values.yml", {"values.yml": "#@data/<values>\n---\na: 1\n"}),
    ],
    "libraries": [
        ("plait render -f .", {"config.yml": "#@ load('@ytt:library', 'library')\n#@ library.get('<frontend>')\n", "_ytt_lib/frontend/a.yml": "a: 1\n"}),
        ("plait render -f .", {"config.yml": "#@ load('@ytt:library', 'library')\n#@ library.get('app').<with_data_values>({})\n", "_ytt_lib/app/a.yml": "a: 1\n"}),
        ("plait render -f .", {"config.yml": "#@ load('@ytt:library', 'library')\n#@ library.get('app').export('<labels>')\n", "_ytt_lib/app/a.star": "def labels(): return 1\n"}),
        ("plait render -f .", {"config.yml": "#@ load('@ytt:library', 'library')\n#@ library.get('app', <alias>='x')\n", "_ytt_lib/app/a.yml": "a: 1\n"}),
        ("plait render -f .", {"config.yml": "#@ load('@<frontend>:a.star', 'x')\n", "_ytt_lib/frontend/a.star": "x = 1\n"}),
    ],
    "patch": [
        patched(MANIFEST, "- {type: remove, path: /<properties>}"),
        patched(MANIFEST, "- {type: remove, path: /properties/<hostname>}"),
        patched(MANIFEST, "- {type: replace, path: /<instance_groups>/0, value: 1}"),
        patched(MANIFEST, "- {type: remove, path: /instance_groups/name=<database>}"),
        patched(MANIFEST, "- {type: remove, path: /instance_groups/name=<frontend>}"),
        patched(MANIFEST, "- {type: remove, path: /instance_groups/<name>=frontend}"),
        patched(MANIFEST, "- {type: remove, path: /instance_groups/name=database/<jobs>}"),
        patched(MANIFEST, "- {type: <replace>, path: /name, value: x}"),
        patched(MANIFEST, "- {type: <remove>, path: /name}"),
        patched(MANIFEST, "- {type: remove, <path>: /name}"),
        patched(MANIFEST, "- {type: replace, path: /name, <value>: x}"),
        patched(MANIFEST, "- {type: replace, path: '/instance_groups/0:<before>', value: x}"),
        patched("a: ((<password>))", "[]", "--var-errs", "-v", "password=x"),
        patched("a: ((<database>.port))", "[]", "--var-errs", "-v", "database.port=x"),
        patched("a: ((database.<port>))", "[]", "--var-errs", "-v", "database.port=x"),
        patched("variables: [{name: a, type: <certificate>}]", "[]", "--vars-store", "store.yml"),
        patched("variables: [{name: a, type: <password>}]", "[]", "--vars-store", "store.yml"),
        patched("variables: [{name: a, type: password, options: {<length>: 9}}]", "[]", "--vars-store", "store.yml"),
        patched(MANIFEST, "[]", "--path", "/<properties>"),
        ("plait patch base.yml -o <production.yml>", {"base.yml": MANIFEST, "production.yml": "[]\n"}),
    ],
    "tools": [
        *((f"plait explain render -f app.yml Deployment/web:{path}", {"app.yml": NAMED}) for path in (
            "<metadata>.name", "spec.<replicas>", "spec.<containers>[0].image", "spec.containers[name=<frontend>].image")),
        ("plait explain render -f app.yml <Deployment/web>:spec.replicas", {"app.yml": NAMED}),
        *((f"plait <{name}> a.yml", {"a.yml": "a: 1\n"}) for name in ("explain", "impact", "compose", "fmt", "diff")),
        *((f"plait compose w.yml --<{name}> x", {"w.yml": "steps: []\n"}) for name in ("step", "data-value", "diff", "output")),
        ("plait compose w.yml --step <production>", {"w.yml": "steps:\n- name: production\n  values: {set: {a: 1}}\n"}),
        *(("plait compose w.yml", {"w.yml": f"steps:\n- <{name}>: {{}}\n"}) for name in ("render", "overlay", "values", "compose")),
        *(("plait compose w.yml", {"w.yml": f"steps:\n- render: {{<{name}>: [a.yml]}}\n"}) for name in ("files", "strict")),
        ("plait compose w.yml", {"w.yml": "<steps>: []\n"}),
        ("plait compose w.yml", {"w.yml": "steps:\n- render: {files: [<config.yml>]}\n", "config.yml": "a: 1\n"}),
        *((f"plait diff a.yml b.yml --<{name}> x", {"a.yml": "a: 1\n", "b.yml": "a: 1\n"}) for name in ("color", "no-tests", "exit-code")),
        ("plait diff a.yml b.yml --as <overlay>", {"a.yml": "a: 1\n", "b.yml": "a: 1\n"}),
        ("plait diff a.yml <production.yml>", {"a.yml": "a: 1\n", "production.yml": "a: 1\n"}),
    ],
    "layer": [
        layered(CHILD.replace("component: frontend", "component: <frontend>"), "--strict"),
        layered(CHILD.replace("component: frontend", "<component>: frontend"), "--strict"),
        layered(CHILD.replace("method: merge", "method: <merge>")),
        layered(CHILD.replace("method: merge, path: .", "method: delete, path: .<address>")),
        layered(CHILD.replace("method: merge, path: .", "method: delete, path: .ports.<internal>")),
        layered(CHILD.replace("layer: site", "layer: <site>")),
        layered(CHILD.replace("layer: site", "layer: <global>")),
        layered(CHILD + "  substitutions:\n  - src: {schema: demo/Passphrase/v1, name: <database-password>, path: .content}\n    dest: {path: .x}\ndata: {}\n"),
        layered(CHILD + "  substitutions:\n  - src: {schema: <demo/Passphrase/v1>, name: database-password, path: .content}\n    dest: {path: .x}\ndata: {}\n"),
        layered(CHILD + "  substitutions:\n  - src: {schema: demo/Passphrase/v1, name: database-password, path: .<content>}\n    dest: {path: .x}\ndata: {}\n"),
        layered(CHILD.replace("storagePolicy", "<storagePolicy>") + "data: {}\n", "--validate"),
        layered(CHILD.replace("parentSelector", "<parentSelector>") + "data: {}\n", "--validate"),
        layered(CHILD.replace("cleartext", "<cleartext>") + "data: {}\n", "--validate"),
    ],
}  # fmt: skip
SEEDS = range(4)
BESIDE = dict(zip("abcdefghijklmnopqrstuvwxyz", "svxwrdfyuihjbmkpaetrqicxtz", strict=True))


def misspelt(name: str, seed: int) -> str:
    """The name with one slip in it."""
    chance = random.Random(f"{name} {seed}")
    while True:
        place = chance.randrange(1, len(name))
        kind = ("swapped", "left out", "doubled", "beside")[seed % 4]
        if kind == "swapped" and place + 1 < len(name):
            slip = name[:place] + name[place + 1] + name[place] + name[place + 2 :]
        elif kind in {"left out", "swapped"}:
            slip = name[:place] + name[place + 1 :]
        elif kind == "doubled":
            slip = name[:place] + name[place] + name[place:]
        else:
            slip = name[:place] + BESIDE.get(name[place], "x") + name[place + 1 :]
        if slip != name and re.sub("[-_]", "", slip) != re.sub("[-_]", "", name) and not re.search(r"[./:]$", slip):
            return slip


def answer(command: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    for name, text in files.items():
        path = pathlib.Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    with monkeypatch.context() as patch:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        main(shlex.split(command)[1:])
    return err.getvalue()


@pytest.mark.parametrize("dialect", PLACES)
def test_typos_are_answered(dialect: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    missed = []
    for place, (command, files) in enumerate(PLACES[dialect]):
        texts = [command, *files.values()]
        [name] = [found for text in texts for found in re.findall(r"<([^<>\n]+)>", text)]
        for seed in SEEDS:
            slip = misspelt(name, seed)
            here = tmp_path / f"{place}-{seed}"
            here.mkdir()
            monkeypatch.chdir(here)
            message = answer(
                command.replace(f"<{name}>", slip),
                {path: text.replace(f"<{name}>", slip) for path, text in files.items()},
                monkeypatch,
            )
            asked += 1
            if not any(found.rpartition("/")[2] == name.rpartition("/")[2] for found in suggestions(message)[:3]):
                missed.append(f"{name} as {slip}: {message}")
    share = 1 - len(missed) / asked
    assert share >= 0.9, f"{share:.0%} of {asked}\n" + "\n".join(missed)
