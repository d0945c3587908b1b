"""Programs in which a secret decides something; none may tell of it. By what decides, or what is decided."""

from __future__ import annotations

HEAD = "".join(
    f'#@ load("@ytt:{name}", "{name}")\n'
    for name in (
        "assert", "base64", "data", "json", "library", "md5", "overlay", "regexp", "sha256", "struct", "template", "toml",
        "url", "yaml", "math", "module",
    )
) + "#@ pw, user = data.values.pw, data.values.user\n"  # fmt: skip
LIBRARIES = {
    "_ytt_lib/p/l.yml": '#@ load("@ytt:data","data")\n#@ print("in p")\nx: p\n',
    "_ytt_lib/q/l.yml": "x: q\n",
    "_ytt_lib/w/l.yml": "a: {{ b }}\n#@overlay/match missing_ok=True\nc: 1\n",
    "_ytt_lib/e/v.yml": "#@data/values-schema\n---\npw: ''\nu: 0\n",
    "_ytt_lib/e/e.lib.yml": '#@ load("@ytt:data","data")\n#@ def f():\n#@ return data.values.pw\n#@ end\n#@ g = data.values.pw\n#@ h = [1] if data.values.pw == "qqq" else [2]\n#@ k = len(data.values.pw)\n',
    "_ytt_lib/given/v.yml": "#@data/values-schema\n---\npw: ''\nu: 0\n",
    "_ytt_lib/given/a.yml": '#@ load("@ytt:data", "data")\n#@ print("in given")\nu: #@ data.values.u\npw: #@ data.values.pw\n',
}

PROGRAMS: dict[str, dict[str, str]] = {
    "via": {
        "a.yml": HEAD
        + '#@ log = []\n#@ def left():\nitems:\n- name: #@ pw\n  v: 1\n- name: b\n  v: 2\n#@ end\n#@ def f(l, r):\n#@   log.append(1)\n#@   print("via")\n#@   return "z"\n#@ end\n#@ def right():\nitems:\n#@overlay/match by="name", missing_ok=True\n- name: qqq\n  #@overlay/replace via=f\n  v: 3\n#@ end\na: #@ overlay.apply(left(), right())\n#@ print(len(log))\n'
    },
    "matcher closure": {
        "a.yml": HEAD
        + '#@ log = []\n#@ def left():\nitems:\n- name: #@ pw\n  v: 1\n- name: b\n  v: 2\n#@ end\n#@ def right():\nitems:\n#@overlay/match by=lambda i,l,r: pw == "qqq" and l["name"] == "b", missing_ok=True\n- name: b\n  #@overlay/replace via=lambda l,r: log.append(1) or 5\n  v: 3\n#@ end\na: #@ overlay.apply(left(), right())\n#@ print(len(log))\n'
    },
    "expects list": {
        "a.yml": HEAD
        + '#@ log = []\n#@ def left():\nitems:\n- name: #@ pw\n  v: 1\n- name: b\n  v: 2\n#@ end\n#@ def g(n):\n#@   log.append(1)\n#@   return True\n#@ end\n#@ def right():\nitems:\n#@overlay/match by="name", expects=[lambda n: pw == "qqq", g]\n- name: b\n  v: 3\n#@ end\na: #@ overlay.apply(left(), right())\n#@ print(len(log))\n'
    },
    "when": {
        "a.yml": HEAD
        + '#@ log=[]\n#@ def left():\nitems:\n- name: #@ pw\n  v: 1\n- name: b\n  v: 2\n#@ end\n#@ def right():\n#@overlay/match-child-defaults missing_ok=True\nitems:\n#@overlay/match by=overlay.subset({"name": "qqq"}), when=1\n- v: 3\n  #@overlay/match missing_ok=True\n  #@overlay/replace via=lambda l,r: log.append(1) or 5, or_add=True\n  w: 1\n#@ end\na: #@ overlay.apply(left(), right())\n#@ print(len(log))\n'
    },
    "and": {
        "a.yml": HEAD
        + '#@ log = []\n#@ def left():\nitems:\n- name: #@ pw\n  v: 1\n- name: b\n  v: 2\n#@ end\n#@ def right():\nitems:\n#@overlay/match by=overlay.and_op(overlay.subset({"name":"qqq"}), lambda i,l,r: log.append(1) or True), missing_ok=True\n- v: 3\n#@ end\na: #@ overlay.apply(left(), right())\n#@ print(len(log))\n'
    },
    "apply in place": {
        "a.yml": HEAD
        + '#@ def left():\nitems:\n- name: #@ pw\n  v: 1\n- name: b\n  v: 2\n#@ end\n#@ def right():\n#@overlay/match missing_ok=True\nnew: 1\n#@ end\n#@ x = left()\n#@ if pw == "qqq":\n#@   x = x\n#@   y = overlay.apply(x, right())\n#@ end\n#@ print("new" in x)\n#@ print(len(x))\na: #@ x\n'
    },
    "regexp": {
        "a.yml": HEAD
        + '#@ log = []\n#@ regexp.replace("u", pw, lambda m: log.append(1) or "x")\n#@ print(len(log))\na: #@ user\n'
    },
    "sorted pos": {
        "a.yml": HEAD
        + "#@ log=[]\n#@ sorted(pw.elems(), lambda x: log.append(1))\n#@ print(len(log))\n#@ max([1 for c in pw.elems()], key=lambda x: log.append(1) or 1)\na: #@ user\n"
    },
    "sorted kw": {
        "a.yml": HEAD
        + '#@ log=[]\n#@ sorted(*[[c for c in pw.elems() if c == "q"]], **{"key": lambda x: log.append(1)})\n#@ print(len(log))\na: #@ user\n'
    },
    "bind": {
        "a.yml": HEAD
        + '#@ log=[]\n#@ def add(self):\n#@   log.append(1)\n#@ end\n#@ s = struct.make_and_bind(log, add=add)\n#@ if pw == "qqq":\n#@   s.add()\n#@ end\n#@ print(len(log))\na: #@ user\n'
    },
    "bind fn": {
        "a.yml": HEAD
        + '#@ log=[]\n#@ def add(l):\n#@   l.append(1)\n#@ end\n#@ f = struct.bind(add, log)\n#@ pw == "qqq" and f()\n#@ print(len(log))\na: #@ user\n'
    },
    "module.make": {
        "a.yml": HEAD
        + '#@ log=[]\n#@ m = module.make("m", add=lambda: log.append(1))\n#@ if pw == "qqq":\n#@   m.add()\n#@ end\n#@ print(len(log))\na: #@ user\n'
    },
    "matcher or_op": {
        "a.yml": HEAD
        + '#@ log=[]\n#@ m = overlay.or_op(lambda i,l,r: log.append(1) or True)\n#@ if pw == "qqq":\n#@   m(0, 1, 2)\n#@ end\n#@ print(len(log))\na: #@ user\n'
    },
    "try": {
        "a.yml": HEAD
        + '#@ log=[]\n#@ assert.try_to(lambda: log.append(1) if pw == "qqq" else 0)\n#@ print(len(log))\na: #@ user\n'
    },
    "via print": {
        "a.yml": '#@ load("@ytt:data","data")\nname: #@ data.values.pw\nv: 1\n---\nname: b\nv: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@ def f(l,r):\n#@   print("x")\n#@   return 1\n#@ end\n#@overlay/match by=overlay.subset({"name":"qqq"}), missing_ok=True\n---\n#@overlay/replace via=f\nv: 3\n',
    },
    "expects print": {
        "a.yml": '#@ load("@ytt:data","data")\nname: #@ data.values.pw\nv: 1\n---\nname: b\nv: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@overlay/match by=overlay.subset({"name":"qqq"}), expects=[lambda n: n == 1, lambda n: print("n", n) or True]\n---\nv: 3\n',
    },
    "when again": {
        "a.yml": '#@ load("@ytt:data","data")\nname: #@ data.values.pw\nv: 1\n---\nname: b\nv: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@overlay/match by=overlay.subset({"name":"qqq"}), when=lambda n: print("w") or n == 1\n---\n#@overlay/replace via=lambda l,r: print("x") or 7\nv: 3\n',
    },
    "when marks": {
        "a.yml": '#@ load("@ytt:data","data")\nname: #@ data.values.pw\nv: 1\n---\nname: b\nv: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@overlay/match by=lambda i,l,r: l["name"] == "qqq" or l["name"] == "b", when=2\n---\nv: 3\n',
    },
    "insert": {
        "a.yml": '#@ load("@ytt:data","data")\nname: #@ data.values.pw\nv: 1\n---\nname: b\nv: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@overlay/match by=overlay.subset({"name":"qqq"}), missing_ok=True\n#@overlay/insert after=True\n---\nv: 3\n',
    },
    "remove": {
        "a.yml": '#@ load("@ytt:data","data")\nname: #@ data.values.pw\nv: 1\n---\nname: b\nv: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@overlay/match by=overlay.subset({"name":"qqq"}), missing_ok=True\n#@overlay/remove\n---\n',
    },
    "or_add": {
        "a.yml": '#@ load("@ytt:data","data")\nname: #@ data.values.pw\nv: 1\n---\nname: b\nv: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@overlay/match by=overlay.subset({"name":"qqq"}), missing_ok=True\n#@overlay/replace or_add=True\n---\nz: 1\n',
    },
    "assert": {
        "a.yml": '#@ load("@ytt:data","data")\nname: #@ data.values.pw\nv: 1\n---\nname: b\nv: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@overlay/match by=overlay.all, expects="1+"\n---\n#@overlay/assert via=lambda l,r: (True, print("yes")) [0]\nv: 3\n',
    },
    "missing key warn": {
        "a.yml": '#@ load("@ytt:data","data")\nname: #@ data.values.pw\nv: 1\n---\nname: b\nv: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@overlay/match by=overlay.subset({"name":"qqq"}), missing_ok=True\n---\n#@overlay/match missing_ok=True\nvv: 3\n',
    },
    "shaped left": {
        "a.yml": '#@ load("@ytt:data","data")\n#@ if data.values.pw == "qqq":\nname: c\nv: 1\n#@ end\n---\nb: 1\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@ load("@ytt:data","data")\n#@ pw=data.values.pw\n#@overlay/match by=lambda i,l,r: print("i") or "v" in l, missing_ok=True\n---\nv: 3\n',
    },
    "shaped free": {
        "a.yml": '#@ load("@ytt:data","data")\n#@ if data.values.pw == "qqq":\nname: c\nv: 1\n#@ end\n',
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=lambda i,l,r: print("i") or "v" in l, missing_ok=True\n---\nv: 3\n',
    },
    "a library": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ l = library.get("p" if pw == "qqq" else "q")\n--- #@ template.replace(l.eval())\n',
    },
    "lib name": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ l = library.get({"qqq":"p"}.get(pw,"q"))\n#@ d = l.eval()\n#@ print(len(d))\n#@ print(d[0]["x"])\na: #@ d[0]["x"]\n',
    },
    "lib choice": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ p, q = library.get("p"), library.get("q")\n#@ l = getattr(struct.make(qqq=p, hunter2Kestrel=q), pw)\n#@ d = l.with_data_values({}).eval()\n#@ print(d[0]["x"])\n',
    },
    "lib if": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ if pw == "qqq":\n#@ d = library.get("p").eval()\n#@ else:\n#@ d = library.get("q").eval()\n#@ end\na: #@ d[0]\n',
    },
    "sorted libs": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ libs = sorted([("p",library.get("p")),("q",library.get("q"))], key=lambda x: x[0] == ("p" if pw == "qqq" else "q"))\n--- #@ template.replace(libs[0][1].eval())\n',
    },
    "dict libs": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ libs = {"qqq": library.get("p"), "hunter2Kestrel": library.get("q")}\n--- #@ template.replace(libs[pw].eval())\n',
    },
    "alias": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ l = library.get("q", alias=pw)\n--- #@ template.replace(l.eval())\n',
    },
    "method": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ l = library.get("p")\n#@ f = l.eval if pw == "qqq" else lambda: 1\n#@ f()\n',
    },
    "warn twice": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ if pw == "qqq":\n#@ library.get("w").eval()\n#@ end\n--- #@ template.replace(library.get("w").eval())\n',
    },
    "missing lib": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ library.get(pw)\n',
    },
    "export": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ f = library.get("e").with_data_values({"pw": pw}).export("f")\n#@ print(f())\n#@ print(library.get("e").with_data_values({"pw": pw}).export("g"))\n#@ print(library.get("e").with_data_values({"pw": pw}).export("h"))\n#@ print(library.get("e").with_data_values({"pw": pw}).export("k"))\n',
    },
    "data_values": {
        **LIBRARIES,
        "a.yml": '#@ load("@ytt:library","library")\n#@ load("@ytt:template","template")\n#@ load("@ytt:data","data")\n#@ load("@ytt:struct","struct")\n#@ pw=data.values.pw\n#@ d = library.get("e").with_data_values({"pw": pw, "u": 1}).data_values()\n#@ print(d.pw)\n#@ print(d.u)\n',
    },
    "nested if print": {
        "a.yml": HEAD
        + '#@ def f(x):\n#@   if x:\n#@     print("x")\n#@   end\n#@ end\n#@ if pw == "qqq":\n#@   f(pw)\n#@ end\na: #@ user\n'
    },
    "other file prints": {
        "b.star": 'def f(x):\n  if x:\n    print("hi")\n  end\nend\n',
        "a.yml": HEAD + '#@ load("b.star","f")\n#@ if pw == "qqq":\n#@   f(pw)\n#@ end\na: 1\n',
    },
    "frag fn": {
        "a.yml": HEAD
        + '#@ def f():\n#@ if pw == "qqq":\nx: 1\n#@ end\ny: 2\n#@ end\n#@ print(len(f()))\n#@ print([k for k in f()])\n#@ print(f()["y"])\na: #@ f()\n'
    },
    "a document": {
        "a.yml": HEAD
        + '#@ if pw == "qqq":\n---\nkind: A\nmetadata: {name: extra}\n#@ end\n---\nkind: B\nmetadata: {name: b}\n'
    },
    "items of a loop": {"a.yml": HEAD + 'items:\n#@ for c in pw.elems():\n- name: #@ "n" + user\n#@ end\n- name: z\n'},
    "cond item": {"a.yml": HEAD + 'items:\n#@ if pw == "qqq":\n- name: one\n#@ end\n- name: z\n  k: #@ user\n'},
    "cond in list expr": {"a.yml": HEAD + 'items: #@ [1,2,3] if pw == "qqq" else [1]\n'},
    "a map that is chosen": {"a.yml": HEAD + 'items: #@ {"a":1} if pw == "qqq" else {"zed":{"y":2}}\n'},
    "comp cond": {
        "a.yml": HEAD
        + 'items: #@ [i for i in range(3) if pw == "qqq"]\nm: #@ {"k%d" % i: i for i in range(3) if pw == "qqq" or i == 0}\n'
    },
    "grown": {
        "a.yml": HEAD
        + '#@ l = [1]\n#@ if pw == "qqq":\n#@ l.append(2)\n#@ end\nitems: #@ l\nd: #@ {"x": l}\nt: #@ (l, 1)\n'
    },
    "dict grown": {
        "a.yml": HEAD
        + '#@ d = {"b": 1}\n#@ if pw == "qqq":\n#@ d["literal"] = 2\n#@ end\nitems: #@ d\nn: #@ struct.encode(d)\n'
    },
    "setdefault": {
        "a.yml": HEAD + '#@ d = {"b": 1}\n#@ [d.setdefault("k" + str(i), i) for i in range(len(pw))]\nitems: #@ d\n'
    },
    "yaml.decode len": {"a.yml": HEAD + 'items: #@ yaml.decode("{a: 1, b: 2}" if pw == "qqq" else "{c: 1}")\n'},
    "template.replace": {
        "a.yml": HEAD + '_: #@ template.replace({"zed": 1} if pw == "qqq" else {"x": 1, "y": 2})\nb: 1\n'
    },
    "replace doc": {
        "a.yml": HEAD
        + '#@ def d():\n---\na: 1\n---\nb: 1\n#@ end\n--- #@ template.replace(d() if pw == "qqq" else d())\n---\nc: 1\n'
    },
    "text": {
        "t.txt": '(@ load("@ytt:data","data") @)(@ if data.values.pw == "qqq": @)yes\nyes2\n(@ end @)free\n',
        "a.yml": "a: 1\n",
    },
    "text2": {
        "t.txt": '(@ load("@ytt:data","data") @)(@ for c in range(len(data.values.pw)): @)\nline\n(@ end @)\nfree\n',
        "a.yml": "a: 1\n",
    },
    "text fn": {
        "t.lib.txt": "x",
        "f.lib.yml": '#@ load("@ytt:data","data")\n#@ def f():\n#@yaml/text-templated-strings\nx: "(@ if data.values.pw == "qqq": @)y(@ end @)"\n#@ end\n',
        "a.yml": '#@ load("f.lib.yml","f")\na: #@ f()\nb: #@ f()["x"]\n',
    },
    "overlay cond": {
        "a.yml": HEAD + "kind: A\nv: 1\n",
        "o.yml": '#@ load("@ytt:data","data")\n#@ load("@ytt:overlay","overlay")\n#@ if data.values.pw == "qqq":\n#@overlay/match by=overlay.all\n---\nv: 2\n#@ end\n',
    },
    "overlay val": {
        "a.yml": HEAD + "kind: A\nv: 1\n",
        "o.yml": '#@ load("@ytt:data","data")\n#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\n#@ if data.values.pw == "qqq":\n#@overlay/remove\nv:\n#@ end\n#@overlay/match missing_ok=True\nw: 1\n',
    },
    "overlay key": {
        "a.yml": HEAD + "kind: A\nv: 1\nw: 1\n",
        "o.yml": '#@ load("@ytt:data","data")\n#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\n#@overlay/match by=lambda i,l,r: (i == "v") == (data.values.pw == "qqq"), expects="1+"\n#@overlay/remove\nx:\n',
    },
    "overlay anyone": {
        "a.yml": "kind: A\nv: 1\n",
        "o.yml": '#@ load("@ytt:data","data")\n#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all, when=1 if data.values.pw == "qqq" else 5\n---\nv: 2\n',
    },
    "overlay exp": {
        "a.yml": "kind: A\nv: 1\n",
        "o.yml": '#@ load("@ytt:data","data")\n#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all, when=lambda n: data.values.pw == "qqq"\n---\nv: 2\n#@overlay/match missing_ok=True\nnew: 1\n',
    },
    "overlay map by": {
        "a.yml": HEAD + "items:\n- name: #@ pw\n  v: 1\n- name: b\n  v: 1\n",
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\nitems:\n#@overlay/match by="name", missing_ok=True\n- name: qqq\n  v: 2\n  #@overlay/match missing_ok=True\n  w: 3\n',
    },
    "overlay insert": {
        "a.yml": HEAD + "items:\n- name: #@ pw\n- name: b\n",
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\nitems:\n#@overlay/match by="name", missing_ok=True\n#@overlay/insert before=True\n- name: qqq\n',
    },
    "an item that is removed": {
        "a.yml": HEAD + "items:\n- name: #@ pw\n- name: b\n",
        "o.yml": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\nitems:\n#@overlay/match by=overlay.subset({"name":"qqq"}), expects="0+"\n#@overlay/remove\n- name: qqq\n',
    },
    "match defaults": {
        "a.yml": HEAD + "items:\n- name: #@ pw\n- name: b\n",
        "o.yml": '#@ load("@ytt:data","data")\n#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n#@overlay/match-child-defaults missing_ok=data.values.pw == "qqq"\n---\nitems:\n- name: q\n',
    },
    "schema cond": {
        "s.yml": '#@data/values-schema\n---\npw: ""\n#@schema/validation ("v", lambda v: print("rule") or True), when=lambda _, ctx: ctx["root"]["pw"] == "qqq"\nuser: ""\n',
        "a.yml": HEAD + "a: 1\n",
    },
    "schema valid msg": {
        "s.yml": '#@data/values-schema\n---\n#@schema/validation min_len=5, max_len=99\npw: ""\nuser: ""\n',
        "a.yml": "a: 1\n",
    },
    "schema rule msg": {
        "s.yml": '#@ load("@ytt:assert","assert")\n#@data/values-schema\n---\n#@schema/validation ("x", lambda v: assert.fail("no " + v))\npw: ""\nuser: ""\n',
        "a.yml": "a: 1\n",
    },
    "schema one_of": {
        "s.yml": '#@data/values-schema\n---\n#@schema/validation one_of=["aa","bb"]\npw: ""\nuser: ""\n',
        "a.yml": "a: 1\n",
    },
    "values overlay": {
        "v.yml": '#@ load("@ytt:overlay","overlay")\n#@data/values\n---\nuser: x\n#@overlay/match missing_ok=True\nextra: 1\n',
        "a.yml": HEAD + "a: #@ data.values.extra\n#@ print(data.values.extra)\n",
    },
    "getattr": {
        "a.yml": HEAD
        + "#@ print(getattr(struct.make(qqq=1, hunter2Kestrel=2), pw))\n#@ print(hasattr(struct.make(qqq=1), pw))\na: #@ user\n"
    },
    "dir": {"a.yml": HEAD + "#@ print(dir(struct.make(**{pw:1})))\na: #@ user\n"},
    "hash": {"a.yml": HEAD + "#@ print(hash(pw))\na: #@ user\n"},
    "encode nums": {
        "a.yml": HEAD
        + '#@ print(json.encode({"n": len(pw)}))\n#@ print(yaml.encode([1]*len(pw)))\n#@ print(toml.encode({"x": len(pw)}))\na: #@ user\n'
    },
    "ip/url": {
        "a.yml": HEAD
        + '#@ u = url.parse("http://x/" + pw)\n#@ print(u.string())\n#@ print(url.path_segment_encode(pw))\n#@ print(url.user_encode(pw) if hasattr(url,"user_encode") else 1)\na: #@ user\n'
    },
    "math": {"a.yml": HEAD + "#@ print(math.floor(len(pw)/2))\n#@ print(math.sqrt(len(pw)))\na: #@ user\n"},
    "regexp groups": {
        "a.yml": HEAD
        + '#@ print(regexp.replace("(.)(.)", user, pw))\n#@ print(regexp.replace(pw, user, "z"))\n#@ print(regexp.match(pw, user))\na: #@ user\n'
    },
    "regexp error": {"a.yml": HEAD + '#@ regexp.match("(" + pw, user)\na: #@ user\n'},
    "json error": {"a.yml": HEAD + '#@ json.decode("{" + pw)\na: #@ user\n'},
    "yaml error": {"a.yml": HEAD + '#@ yaml.decode("a: [" + pw)\na: #@ user\n'},
    "b64 error": {"a.yml": HEAD + '#@ base64.decode(pw + "!")\na: #@ user\n'},
    "toml error": {"a.yml": HEAD + "#@ toml.decode(pw)\na: #@ user\n"},
    "struct missing": {"a.yml": HEAD + "#@ getattr(struct.make(a=1), pw)\na: #@ user\n"},
    "try msg": {"a.yml": HEAD + "#@ x = assert.try_to(lambda: fail(pw))\n#@ print(x[1])\n#@ print(x[0])\na: #@ user\n"},
    "try count": {
        "a.yml": HEAD
        + '#@ n=[0]\n#@ def f():\n#@   n[0] += 1\n#@   if pw == "qqq":\n#@     fail("x")\n#@   end\n#@   n[0] += 1\n#@ end\n#@ assert.try_to(f)\n#@ print(n[0])\na: #@ user\n'
    },
    "assert eq": {"a.yml": HEAD + "#@ assert.equals(len(pw), 3)\na: #@ user\n"},
    "fail cond far": {
        "a.yml": HEAD
        + '#@ def g(x):\n#@   fail("bad " + user)\n#@ end\n#@ def f(x):\n#@   if x == "qqq":\n#@     g(1)\n#@   end\n#@ end\n#@ f(pw)\na: #@ user\n'
    },
    "index err": {"a.yml": HEAD + '#@ x = {"a": 1}[pw]\na: #@ user\n'},
    "limit": {"a.yml": HEAD + '#@ x = "a" * (1 << (40 if pw == "qqq" else 2))\na: #@ user\n'},
    "rec": {
        "a.yml": HEAD
        + "#@ def f(n):\n#@   for i in range(n):\n#@     print(i)\n#@   end\n#@ end\n#@ f(len(pw))\na: #@ user\n"
    },
    "lambda default": {
        "a.yml": HEAD
        + "#@ f = lambda x=pw: x\n#@ print(f())\n#@ g = lambda *a: len(a)\n#@ print(g(*pw.elems()))\na: #@ user\n"
    },
    "enumerate": {"a.yml": HEAD + "#@ for i, c in enumerate(pw.elems()):\n#@   print(i)\n#@ end\na: #@ user\n"},
    "while-like": {
        "a.yml": HEAD
        + "#@ n=0\n#@ for i in range(100):\n#@   if i >= len(pw):\n#@     break\n#@   end\n#@   n += 1\n#@ end\n#@ print(n)\n#@ print(i)\na: #@ user\n"
    },
    "dict order": {
        "a.yml": HEAD
        + "#@ d={}\n#@ for c in pw.elems():\n#@   d[c]=1\n#@ end\n#@ print(d.keys()[0])\n#@ print(len(d.items()))\n#@ print(d.values())\na: #@ user\n"
    },
    "pop": {"a.yml": HEAD + "#@ l=[1,2,3]\n#@ x = l.pop(len(pw) % 3)\n#@ print(l)\n#@ print(x)\na: #@ user\n"},
    "insert again": {"a.yml": HEAD + "#@ l=[1,2,3]\n#@ l.insert(len(pw) % 3, 9)\n#@ print(l)\na: #@ user\n"},
    "remove again": {
        "a.yml": HEAD + '#@ l=["qqq","b"]\n#@ if pw in l:\n#@   l.remove(pw)\n#@ end\n#@ print(l)\na: #@ user\n'
    },
    "nested list": {
        "a.yml": HEAD + "#@ l=[[],[]]\n#@ l[len(pw) % 2].append(1)\n#@ print(l[0])\n#@ print(len(l[1]))\na: #@ user\n"
    },
    "string idx": {
        "a.yml": HEAD
        + '#@ print("abc"[len(pw) % 3])\n#@ print("abcdef".find(pw[0]))\n#@ print("xqqqx".count(pw))\n#@ print("x".startswith(pw))\n#@ print("a,b".split(pw[0]))\na: #@ user\n'
    },
    "format": {
        "a.yml": HEAD
        + '#@ print("{a}".format(a=pw))\n#@ print("%r" % [pw])\n#@ print("{%s}" % pw)\n#@ print(repr({"a":pw}))\na: #@ user\n'
    },
    "set ops": {
        "a.yml": HEAD + '#@ print(set([pw]) == set(["qqq"]))\n#@ print(len(set(["qqq"]) | set([pw])))\na: #@ user\n'
    },
    "bytes": {"a.yml": HEAD + "#@ print([x for x in bytes(pw).elems()])\n#@ print(pw.codepoint_ords())\na: #@ user\n"},
    "ternary chain": {"a.yml": HEAD + '#@ x = 1 if pw == "a" else 2 if pw == "qqq" else 3\n#@ print(x)\na: #@ user\n'},
    "min/max": {
        "a.yml": HEAD
        + '#@ print(min(pw.elems()))\n#@ print(max([1,2], key=lambda v: v if pw == "qqq" else -v))\na: #@ user\n'
    },
    "zip": {
        "a.yml": HEAD
        + "#@ print(len(zip(pw.elems(), [1]*20)))\n#@ print([b for a,b in zip(pw.elems(), [1]*20)])\na: #@ user\n"
    },
    "any/all": {
        "a.yml": HEAD
        + '#@ print(any([c == "q" for c in pw.elems()]))\n#@ print(all([c == "q" for c in pw.elems()]))\na: #@ user\n'
    },
    "int parse": {"a.yml": HEAD + '#@ print(int("1" + str(len(pw))))\na: #@ user\n'},
    "module": {"a.yml": HEAD + '#@ m = module.make("m", a=pw)\n#@ print(m.a)\n#@ print(m)\na: #@ user\n'},
    "closure cell": {
        "a.yml": HEAD
        + '#@ def mk():\n#@   l = []\n#@   def add():\n#@     l.append(1)\n#@   end\n#@   return l, add\n#@ end\n#@ l, add = mk()\n#@ if pw == "qqq":\n#@   add()\n#@ end\n#@ print(len(l))\na: #@ user\n'
    },
    "fn in list": {
        "a.yml": HEAD
        + '#@ l=[]\n#@ fs=[lambda: l.append(1), lambda: 0]\n#@ fs[0 if pw == "qqq" else 1]()\n#@ print(len(l))\na: #@ user\n'
    },
    "sorted stable": {
        "a.yml": HEAD
        + '#@ l=[]\n#@ sorted([3,1,2], key=lambda v: l.append(v) or (v if pw == "qqq" else -v))\n#@ print(l)\na: #@ user\n'
    },
    "struct.bind args": {
        "a.yml": HEAD
        + '#@ l=[]\n#@ f=struct.bind(lambda a, b: l.append(b), 1)\n#@ regexp.replace("q", pw, f)\n#@ print(len(l))\na: #@ user\n'
    },
    "getattr call": {
        "a.yml": HEAD
        + '#@ l=[]\n#@ getattr(regexp, "replace")("q", pw, lambda m: l.append(1) or "")\n#@ print(len(l))\na: #@ user\n'
    },
    "kwargs cb": {
        "a.yml": HEAD
        + '#@ l=[]\n#@ def ap(f, *a):\n#@   return f(*a)\n#@ end\n#@ ap(regexp.replace, "q", pw, lambda m: l.append(1) or "")\n#@ print(len(l))\na: #@ user\n'
    },
    "busy": {
        "a.yml": HEAD
        + "#@ def f(a, g):\n#@   for i in range(a):\n#@     g(i)\n#@   end\n#@ end\n#@ l=[]\n#@ for i in range(60000):\n#@   x = 1\n#@ end\n#@ f(len(pw), lambda i: l.append(i))\n#@ print(len(l))\na: #@ user\n"
    },
    "apply multi": {
        "a.yml": HEAD
        + '#@ def l():\na: 1\n#@ end\n#@ def r():\n#@overlay/match missing_ok=True\nb: 1\n#@ end\n#@ def r2():\n#@overlay/match missing_ok=True\nc: 1\n#@ end\n#@ x = l()\n#@ [overlay.apply(x, r()) for c in pw.elems() if c == "q"]\n#@ print(len(x))\na: #@ x\n'
    },
    "apply in fn": {
        "a.yml": HEAD
        + '#@ def l():\na: 1\n#@ end\n#@ def r():\n#@overlay/match missing_ok=True\nb: 1\n#@ end\n#@ x = l()\n#@ def ch(y):\n#@ overlay.apply(y, r())\n#@ end\n#@ if pw == "qqq":\n#@ ch(x)\n#@ end\n#@ print("b" in x)\n'
    },
    "warn in cond": {"a.yml": HEAD + '#@ def f():\na: 1\n#@ end\n#@ if pw == "qqq":\n#@ f()\n#@ end\nb: 1\n'},
    "repeat key": {"a.yml": HEAD + '#@ if pw == "qqq":\na: 1\n#@ end\n#@yaml/map-key-override\na: 2\nb: 1\n'},
    "annot": {"a.yml": HEAD + '#@overlay/match missing_ok=pw == "qqq"\na: 1\n'},
    "file exists": {
        "a.yml": HEAD + '#@ print(data.list()[0] if pw == "qqq" else "x")\n#@ print(data.read(pw))\na: #@ user\n'
    },
    "a key": {"a.yml": HEAD + 'kind: A\n#@ if pw == "qqq":\nextra: 1\n#@ end\nb: #@ user\n'},
    "an item that apply removes": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r():\n#@ if pw == "qqq":\n#@overlay/remove\nx:\n#@ end\n#@overlay/match missing_ok=True\nw: 1\n#@ end\na: #@ overlay.apply(l(), r())\n'
    },
    "apply removes in place": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r():\n#@ if pw == "qqq":\n#@overlay/remove\nx:\n#@ end\n#@overlay/match missing_ok=True\nw: 1\n#@ end\n#@ f = l()\n#@ overlay.apply(f, r())\n#@ print(len(f))\n#@ print("x" in f)\n#@ print(f["z"])\na: #@ f\n'
    },
    "apply removes by a variable": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r():\n#@ if pw == "qqq":\n#@overlay/remove\nx:\n#@ end\n#@overlay/match missing_ok=True\nw: 1\n#@ end\n#@ f, g = l(), r()\n#@ overlay.apply(f, g)\n#@ print(len(f))\na: #@ f\n'
    },
    "apply removes with two": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r():\n#@ if pw == "qqq":\n#@overlay/remove\nx:\n#@ end\n#@overlay/match missing_ok=True\nw: 1\n#@ end\n#@ f = l()\na: #@ overlay.apply(f, l(), r())\nb: #@ f\n'
    },
    "apply removes within": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r():\n#@ if pw == "qqq":\n#@overlay/remove\nx:\n#@ end\n#@overlay/match missing_ok=True\nw: 1\n#@ end\n#@ f = [l()]\n#@ overlay.apply(f[0], r())\n#@ print(len(f[0]))\na: #@ f\n'
    },
    "apply of a part": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r():\n#@ if pw == "qqq":\n#@overlay/remove\nx:\n#@ end\n#@overlay/match missing_ok=True\nw: 1\n#@ end\n#@ g, h = [r()], struct.make(a=r())\na: #@ overlay.apply(l(), g[0])\nb: #@ overlay.apply(l(), h.a)\n'
    },
    "apply in a function": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r():\n#@ if pw == "qqq":\n#@overlay/remove\nx:\n#@ end\n#@overlay/match missing_ok=True\nw: 1\n#@ end\n#@ def ap(x, y):\n#@   return overlay.apply(x, y)\n#@ end\na: #@ ap(l(), r())\n'
    },
    "apply when": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r():\n#@overlay/match when=1 if pw == "qqq" else 3\n#@overlay/remove\nx:\n#@ end\n#@ f = l()\na: #@ overlay.apply(f, r())\nb: #@ f\n#@ print(len(f))\n'
    },
    "apply removes documents": {
        "a.yml": HEAD
        + '#@ def l():\n---\nname: a\n---\nname: b\n#@ end\n#@ def r():\n#@ if pw == "qqq":\n#@overlay/match by=overlay.subset({"name": "a"})\n#@overlay/remove\n---\n#@ end\n#@ end\n--- #@ template.replace(overlay.apply(l(), r()))\n---\nname: z\n'
    },
    "apply one of two": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r0():\n#@overlay/remove\nx:\n#@ end\n#@ def r1():\n#@overlay/remove\nz:\n#@ end\na: #@ overlay.apply(l(), r0() if pw == "qqq" else r1())\n'
    },
    "apply via": {
        "a.yml": HEAD
        + '#@ def l():\nx: 1\nz: 2\n#@ end\n#@ def r():\n#@overlay/replace via=lambda a, b: {"q": 1} if pw == "qqq" else {"p": 1, "o": 2}\nx:\n#@ end\na: #@ overlay.apply(l(), r())\n'
    },
    "regexp calls": {
        "a.yml": HEAD
        + '#@ f = lambda m: "x"\na: #@ regexp.replace("[a-h]", pw, lambda m: "x")\nb: #@ regexp.replace("k", pw, f)\nc: #@ regexp.replace(pw, "hunter", f)\nd: #@ len(regexp.replace("e", pw, f))\n'
    },
    "sorted calls": {
        "a.yml": HEAD
        + 'a: #@ sorted([c for c in pw.elems() if c == "h"], key=lambda m: "x")\nb: #@ max([1] + [2 for c in pw.elems() if c == "h"], key=lambda m: 1)\n'
    },
    "a document before others": {"a.yml": HEAD + '#@ if pw == "qqq":\n---\nname: z\n#@ end\n---\nb: 1\n---\nb: 2\n'},
    "documents before others": {
        "a.yml": HEAD + "#@ for c in pw.elems():\n---\nname: z\n#@ end\n---\nb: 1\n---\nb: 2\n"
    },
    "a document between": {
        "a.yml": HEAD + '--- \nb: 1\n#@ if pw == "qqq":\n---\nname: z\n---\nname: y\n#@ end\n---\nb: 2\n'
    },
    "items before others": {"a.yml": HEAD + "items:\n#@ for c in pw.elems():\n- 7\n#@ end\n- a\n- b\n"},
    "a key before others": {"a.yml": HEAD + '#@ if pw == "qqq":\nextra: 1\n#@ end\nb: 1\nc: [1, 2]\n---\nd: 1\n'},
    "nodes that cannot be built": {"a.yml": HEAD + '#@ if pw == "qqq":\na: 1\n---\n#@ end\nb: 1\n'},
    "order of keys, a comprehension": {
        "a.yml": HEAD + 'm: #@ {k: 1 for k in sorted(["h", "q"], key=lambda x: pw.find(x))}\n'
    },
    "order of keys, a comprehension over a zip": {
        "a.yml": HEAD + 'm: #@ {k: v for k, v in zip(sorted(["h", "q"], key=lambda x: pw.find(x)), [1, 2])}\n'
    },
    "order of keys, a comprehension over numbers": {
        "a.yml": HEAD + 'm: #@ {k: 1 for i, k in enumerate(sorted(["h", "q"], key=lambda x: pw.find(x)))}\n'
    },
    "order of keys, a loop": {
        "a.yml": HEAD
        + '#@ d = {}\n#@ for k in sorted(["h", "q"], key=lambda x: pw.find(x)):\n#@   d[k] = 1\n#@ end\nm: #@ d\n'
    },
    "order of keys, a branch": {
        "a.yml": HEAD
        + '#@ d = {}\n#@ if pw == "qqq":\n#@   d["b"] = 1\n#@ end\n#@ d["a"] = 1\n#@ d["b"] = 1\nm: #@ d\n'
    },
    "order of keys, an update": {
        "a.yml": HEAD
        + '#@ d = {}\n#@ d.update([("a", 1), ("b", 2)] if pw == "qqq" else [("b", 2), ("a", 1)])\nm: #@ d\n'
    },
    "order of keys, a choice": {"a.yml": HEAD + 'm: #@ {"a": 1, "b": 2} if pw == "qqq" else {"b": 2, "a": 1}\n'},
    "order of keys, a pop": {
        "a.yml": HEAD + '#@ d = {"a": 1, "b": 2}\n#@ if pw == "qqq":\n#@   d["a"] = d.pop("a")\n#@ end\nm: #@ d\n'
    },
    "order of keys, dict": {"a.yml": HEAD + 'm: #@ dict(sorted([("h", 1), ("q", 2)], key=lambda x: pw.find(x[0])))\n'},
    "order of keys, a display": {
        "a.yml": HEAD + '#@ l = sorted(["h", "q"], key=lambda x: pw.find(x))\nm: #@ {l[0]: 1, l[1]: 1}\n'
    },
    "order of keys, nodes": {
        "a.yml": HEAD
        + 'm:\n#@ for k in sorted(["h", "q"], key=lambda x: pw.find(x)):\n  #@yaml/text-templated-strings\n  (@= k @): 1\n#@ end\n'
    },
    "a document that is removed by a function": {
        "a.yml": "kind: A\nb: 1\n---\nkind: B\n",
        "o.yml": '#@ load("@ytt:data", "data")\n#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=lambda i, l, r: data.values.pw == "qqq" and i == 0, expects="0+"\n#@overlay/remove\n---\n',
    },
}

# A secret decides if an item of an overlay is for a map's item, without a matcher. By the annotations and the item.
_COUNTED = {
    "a function": '#@overlay/match when=lambda n: pw == "qqq"\nk: 2\n',
    "a list of functions": '#@overlay/match when=[lambda n: pw == "qqq"]\nk: 2\n',
    "a number": '#@overlay/match when=1 if pw == "qqq" else 2\nk: 2\n',
    "an item to add": '#@overlay/match when=lambda n: pw == "qqq"\nnew: 2\n',
    "an item to remove": '#@overlay/match when=lambda n: pw == "qqq"\n#@overlay/remove\nk:\n',
    "an item to replace": '#@overlay/match when=lambda n: pw == "qqq"\n#@overlay/replace\nl: [5, 6, 7]\n',
    "an item to replace or add": '#@overlay/match when=lambda n: pw == "qqq"\n#@overlay/replace or_add=True\nnew: 7\n',
    "items below": '#@overlay/match when=lambda n: pw == "qqq"\nl:\n#@overlay/append\n- 8\n',
    "an index": 'l:\n#@overlay/match by=overlay.index(0), when=lambda n: pw == "qqq"\n- 3\n',
    "defaults": '#@overlay/match-child-defaults when=lambda n: pw == "qqq"\nm:\n  k: 2\n  n: 2\n',
    "defaults that are a list": '#@overlay/match-child-defaults when=[lambda n: pw == "qqq"]\nm:\n  k: 2\n',
    "defaults that are a number": '#@overlay/match-child-defaults when=1 if pw == "qqq" else 2\nm:\n  k: 2\n',
}
_COUNTED_LEFT = "k: 1\nz: 5\nm:\n  k: 1\n  j: 2\nl:\n- 1\n- 2\n"
for _name, _item in _COUNTED.items():
    PROGRAMS[f"when, {_name}, among files"] = {
        "a.yml": "kind: A\n" + _COUNTED_LEFT,
        "o.yml": HEAD + '#@overlay/match by=overlay.subset({"kind": "A"})\n---\n' + _item,
    }
    PROGRAMS[f"when, {_name}, in a program"] = {
        "a.yml": HEAD
        + f"#@ def left():\n{_COUNTED_LEFT}#@ end\n#@ def right():\n{_item}#@ end\n"
        + "#@ made = overlay.apply(left(), right())\n#@ print(len(made))\na: #@ made\nb: #@ len(made)\n"
    }

# A secret is equal to the name of another item or not, and decides which key identifies the items.
for _what, _keys in {"a name": ("name", "port"), "an id": ("id", "key"), "a port": ("port", "type")}.items():
    PROGRAMS[f"{_what} in an item"] = {
        "a.yml": HEAD + f"l:\n- {_keys[0]}: #@ pw\n  {_keys[1]}: 1\n- {_keys[0]}: qqq\n  {_keys[1]}: 2\n"
    }

# The arguments of a function choose how many items there are, which keys, or which value it is.
for _what, _made in {
    "a set": 'set([pw, "qqq"])',
    "a list of a set": 'list(set([pw, "qqq"]))',
    "a union": 'list(set([pw]) | set(["qqq"]))',
    "an intersection": 'list(set([pw]) & set(["qqq"]))',
    "a dict": 'dict([(pw, 1), ("qqq", 2)])',
    "an attribute": "getattr(struct.make(qqq=[1]), pw, [1, 2])",
    "the least": 'min([pw, 1], ["i", 2, 3])',
    "the greatest": 'max([pw, 1], ["i", 2, 3])',
}.items():
    PROGRAMS[f"{_what} that is chosen by arguments"] = {"a.yml": HEAD + f"x: #@ {_made}\nz: 1\n"}
