"""Mistakes that type checkers find: each line marked `# refused` fails when it runs, and must not pass a type checker.

A line without the mark must pass. `tests/api/test_typing.py` compares them; the file is left out of the project's own checks.
"""

from __future__ import annotations

import plait

documents = plait.documents({"a": 1})

plait.render(3)  # refused
plait.render(None)  # refused
plait.render(b"a: 1")  # refused
plait.render({"a.yml": 1})  # refused
plait.render({"a.yml": {"a": 1}})  # refused
plait.render([["a.yml"]])  # refused
plait.render("config", value={"a": 1})  # refused
plait.render("config", values=["a=1"])  # refused
plait.render("config", values={"a": object()})  # refused
plait.render("config", values={"a": {1, 2}})  # refused
plait.render("config", values={"a": lambda: 1})  # refused
plait.render("config", values={"a": [1, (2, {"b": None})]})
plait.render("config", file_marks="a.yml:exclude=true")  # refused
plait.render("config", limits={"stesp": 1})  # refused
plait.render("config", limits={"steps": "1"})  # refused
plait.render("config", limits={"steps": 1, "seconds": 0.5})
plait.render("config", {"replicas": 3})  # refused
plait.render("config").to_dict().replicas  # refused
plait.render("config").files["a.yml"].to_dict()  # refused
plait.patch(["a.yml", "b.yml"])  # refused
plait.patch({"a": 1})  # refused
plait.patch("a.yml", store=documents)  # refused
plait.patch("a.yml", variables=["a=1"])  # refused
plait.patch("a.yml", plait.documents([{"type": "remove", "path": "/a"}]))
plait.layer("site", order="nmae")  # refused
plait.layer("site", names="http")  # refused
plait.layer("site", labels=["a=b"])  # refused
plait.layer("site", names=["http"], schemas=("demo/Port",))
plait.compose(["plait.yml", "more.yml"])  # refused
plait.compose({"steps": []})  # refused
plait.explain("config", "a")  # refused
plait.explain(documents, ["a", "b"])  # refused
plait.documents(object())  # refused
plait.documents(documents)  # refused
plait.documents({"a": 1}, [1, 2], "text", None)
plait.diff("a.yml")  # refused
documents["a"]  # refused
documents[0]
documents[0:1]
documents.to_dict()["a"] + 1  # refused


async def awaited() -> None:
    plait.arender("config").to_yaml()  # refused
    await plait.arender("config", value={"a": 1})  # refused
    await plait.arender("config", limits={"stesp": 1})  # refused
    (await plait.arender("config")).to_yaml()
    await plait.render("config")  # refused
