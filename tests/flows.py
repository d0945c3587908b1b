"""Programs at random in which a secret decides what is done, and that say all they know.

They never fail, so that two runs with different secrets can be compared line by line.
"""

from __future__ import annotations

import random

import plait

HEAD = """\
#@ load("@ytt:data", "data")
#@ load("@ytt:json", "json")
#@ load("@ytt:struct", "struct")
#@ s, p, t = data.values.secret, data.values.size, data.values.items
#@ v0, v1, v2 = 1, 2, p
#@ l0, l1, l2 = [1], [2, 3], []
#@ d0, d1 = {"a": 1}, {}
#@ n0 = [l0, [4]]
#@ r0 = struct.make(a=l1, b=v1)
#@ def g(x):
#@   return x * 2 + 1
#@ end
#@ def push(l, x):
#@   if x % 3 == 0:
#@     return len(l)
#@   end
#@   l.append(x)
#@   return x
#@ end
#@ def log(x):
#@   d1[str(x % 4)] = x
#@   l2.append(x)
#@   return x
#@ end
"""
VALUES: dict[str, plait.Plain] = {"size": 3, "secret": 0, "items": [{"n": 1, "w": 0}, {"n": 2, "w": 0}]}


class Maker:
    """Programs of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def pick(self, *given: str) -> str:
        return self.random.choice(given)

    def number(self, depth: int = 0) -> str:
        if depth > 2 or self.random.random() < 0.3:
            return self.pick("s", "s % 5", "p", "7", "v0", "v1", "v2", "t[0].n", "t[1].w")
        x, y = self.number(depth + 1), self.number(depth + 1)
        return self.pick(
            f"({x} + {y})",
            f"({x} if {self.condition(depth + 1)} else {y})",
            f"len({self.list_()})",
            f"(l0 or [{x}])[0]",
            f"(l1 or [{x}])[-1]",
            f'd0.get("a", {x})',
            f"d1.get(str({x} % 4), {y})",
            f"g({x} % 100)",
            f"push({self.list_()}, {x} % 100)",
            f"log({x} % 100)",
            f"sum_({self.list_()})",
            f"max([{x}, {y}])",
            f"sorted([{x}, {y}], key=lambda k: -k)[0]",
            f"(lambda a, b=2: a + b)({x})",
            f"[{x}, {y}][{self.number(depth + 1)} % 2]",
            "r0.b",
            "len(r0.a)",
        )

    def list_(self) -> str:
        return self.pick("l0", "l1", "l2", "n0[0]", "n0[1]", "r0.a")

    def condition(self, depth: int = 0) -> str:
        x, y = self.number(depth + 1), self.number(depth + 1)
        return self.pick(
            f"{x} % 2 == 0",
            f"{x} > {y}",
            f"({x} % 3 == 0 and {y} > 2)",
            f"({x} > 5 or {y} % 2)",
            f"{x} in {self.list_()}",
        )

    def block(self, depth: int, indent: str) -> str:
        return "".join(self.statement(depth, indent) for _ in range(self.random.randint(1, 3)))

    def statement(self, depth: int = 0, indent: str = "") -> str:
        at, x = f"#@ {indent}", self.number()
        simple = (
            f"{at}{self.pick('v0', 'v1', 'v2')} = {x}\n",
            f"{at}{self.pick('v0', 'v1')} += {x}\n",
            f"{at}{self.list_()}.append({x})\n",
            f"{at}{self.pick('l0', 'l1')} = [{x}, 1]\n",
            f"{at}{self.pick('l0', 'l1')} = [c + {x} for c in {self.list_()} if c % 2 == 0]\n",
            f"{at}{self.pick('l0', 'l1', 'l2')} = {self.list_()}\n",
            f'{at}d0["a"] = {x}\n',
            f"{at}d0[str({x} % 3)] = {self.number()}\n",
            f"{at}n0[{x} % 2] = {self.pick('l0', 'l1', '[9]')}\n",
            f"{at}push({self.list_()}, {x} % 100)\n",
            f"{at}log({x} % 100)\n",
            f"{at}r0 = struct.make(a={self.list_()}, b={x})\n",
            f"{at}print({x})\n",
            f'{at}print("here")\n',
            f"{at}[print(c) for c in {self.list_()} if c > {x}]\n",
            f"{at}v0, v1 = {x}, {self.number()}\n",
        )
        if depth > 2 or self.random.random() < 0.6:
            return self.random.choice(simple)
        within = indent + "  "
        if self.random.random() < 0.6:
            other = f"{at}else:\n{self.block(depth + 1, within)}" if self.random.random() < 0.4 else ""
            return f"{at}if {self.condition()}:\n{self.block(depth + 1, within)}{other}{at}end\n"
        self.loops += 1
        leave = self.pick("break", "continue")
        ends = f"{at}  if {self.condition()}:\n{at}    {leave}\n{at}  end\n" if self.random.random() < 0.5 else ""
        over = self.pick(f"range({x} % 4)", f"list({self.list_()})[:3]", "[u.n for u in t]")
        body = self.block(depth + 1, within)
        return f"{at}for i{self.loops} in {over}:\n{at}  v2 = i{self.loops}\n{ends}{body}{at}end\n"

    def program(self) -> str:
        """A template; it says what every variable is in the end."""
        code = "".join(self.statement() for _ in range(self.random.randint(2, 8)))
        shown = "".join(f"#@ print({name})\n" for name in ("v0", "v1", "v2", "l0", "l1", "l2", "d0", "d1", "n0"))
        sums = "#@ def sum_(l):\n#@   n = 0\n#@   for x in l[:20]:\n#@     n += x\n#@   end\n#@   return n\n#@ end\n"
        nodes = "---\na: #@ v0\nb: #@ len(l0)\nc: #@ p\n"
        return HEAD + sums + code + shown + "#@ print(json.encode(n0))\n#@ print(r0.b)\n#@ print(p)\n" + nodes


def said(text: str, secret: int, *, trace: bool = False) -> tuple[str, list[str]]:
    """How a program ends, and what it says: its lines and warnings, or its error; with the histories of its output."""
    try:
        made = plait.render({"a.yml": text}, values=VALUES, secrets={"secret": secret}, trace=trace)
    except plait.PlaitError as error:
        return "failed", [error.report()]
    told = [str(one) for one in plait.explain(made)] if trace else []
    return "made", [*made.printed, *made.warnings, *told]
