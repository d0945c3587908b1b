"""Operations at random that mostly apply: a manifest, files of operations whose paths are taken from it, variables."""

from __future__ import annotations

import json
import random

from programs import KEYS, Program

SCALARS = (
    1, 0, -5, 1.5, True, False, None, "", "text", "two words", "yes", "1", "null", "1e3", "a: b", "- x", "#c", "multi\nline\n", "  lead",
    "tail ", "é", "2001-01-01", "0x1f", 12345678901234567890, 1e21, "~", "'", '"', "{", "[", "&a", "*a", "!x", "%", "@", "`", "|", ">",
    "=", "<<", "\t", "x" * 90 + " " + "y" * 20,
)  # fmt: skip
WITH_VARIABLES = ("((v1))", "((v2))-x", "((!v1))", "((v3.k))", "p((v1))q((v2))", "((v4))", "((v3))")
GIVEN = {
    "v1": ("1", "text", "two words", "-3", "'1'"),
    "v2": ("x", "7", "é"),
    "v3": ("{k: 2}", "{k: [1]}", "{k: v, l: ((v1))}"),
    "v4": ("[1, 2]", "null", "1.50", "yes", "2001-01-01", "~", "((v1))", "text"),
}
NO_PLAIN_KEYS = ("1", "-", "k:l")


class Operations:
    """Builds one program of operations."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def tree(self, depth: int = 0) -> object:
        roll = self.random.random()
        if depth == 0 or (roll < 0.35 and depth < 4):
            keys = (*KEYS, "e/f", "g~h", *NO_PLAIN_KEYS) if self.chance(0.1) else (*KEYS, "e/f")
            return {key: self.tree(depth + 1) for key in self.random.sample(keys, self.random.randint(1, 4))}
        if roll < 0.6 and depth < 4:
            if self.chance(0.6):
                return [
                    {"name": f"n{number}", "v": self.tree(depth + 1)} for number in range(self.random.randint(0, 3))
                ]
            return [self.tree(depth + 1) for _ in range(self.random.randint(0, 3))]
        return self.scalar()

    def scalar(self) -> object:
        return self.pick(WITH_VARIABLES) if self.chance(0.25) else self.pick(SCALARS)

    def path(self, value: object, *, new: bool = False) -> tuple[str, object]:
        """A path into a value, mostly one that is there (new: or can be made), and what is there."""
        steps: list[str] = []
        while not steps or self.chance(0.85):
            optional = any(step.endswith("?") for step in steps)
            if isinstance(value, dict) and value:
                if self.chance(0.15 if new else 0.02):
                    steps.append(self.pick(("new", "a", "b", "name", "c")) + ("" if optional else "?"))
                    if self.chance(0.4):
                        steps.append(self.pick(("deep", "-", "name=fresh", "0")))
                    break
                key = self.pick(list(value))
                steps.append(
                    key.replace("~", "~0").replace("/", "~1").replace(":", "~7") + ("?" if self.chance(0.05) else "")
                )
                value = value[key]
            elif isinstance(value, list):
                beside = self.pick(("before", "after", "prev", "next")) if self.chance(0.1 if new else 0.01) else ""
                named = [item["name"] for item in value if isinstance(item, dict) and isinstance(item.get("name"), str)]
                if named and self.chance(0.6):
                    name = self.pick(named)
                    steps.append(f"name={name}" + ("?" if self.chance(0.05) else ""))
                    value = next(item for item in value if isinstance(item, dict) and item.get("name") == name)
                elif value and self.chance(0.7):
                    index = self.random.randrange(len(value))
                    steps.append(str(index if self.chance(0.7) else index - len(value)))
                    value = value[index]
                elif new or not steps or self.chance(0.1):
                    steps.append(self.pick(("-", "-", "-", "5", "-9", "name=none?", "name=none", "0:before")))
                    break
                else:
                    break
                if beside:
                    steps[-1] += f":{beside}"
                    break
            else:
                break
        return "/" + "/".join(steps), value

    def operation(self, base: object) -> dict[str, object]:
        kind = self.pick(("replace", "replace", "replace", "replace", "remove", "remove", "test"))
        path, found = self.path(base, new=kind == "replace")
        operation: dict[str, object] = {"type": kind, "path": path}
        if kind == "replace":
            operation["value"] = self.tree(2)
        elif kind == "test" and self.chance(0.7):
            operation["value"] = found if self.chance(0.85) else self.tree(2)
        elif kind == "test":
            operation["absent"] = True
            operation["path"] = f"{path}/absent" if isinstance(found, dict) else path
        if self.chance(0.03):
            operation["error"] = "said"
        return operation

    def yaml(self, value: object) -> str:
        """A value as YAML, in block style or as JSON."""
        text = (
            json.dumps(value, ensure_ascii=self.chance(0.5)) if self.chance(0.5) else self.block(value, "").lstrip("\n")
        )
        return text.rstrip("\n") + "\n"

    def block(self, value: object, indent: str) -> str:
        """A value in block style, with a newline in front where it is a map or array with items."""
        if isinstance(value, dict) and value:
            lines = []
            for key, item in value.items():
                text = self.block(item, indent + "  ")
                shown = json.dumps(key) if key in NO_PLAIN_KEYS or self.chance(0.3) else key
                lines.append(f"\n{indent}{shown}:{text if text.startswith(chr(10)) else f' {text}'}")
            return "".join(lines)
        if isinstance(value, list) and value:
            texts = [self.block(item, indent + "  ") for item in value]
            return "".join(
                f"\n{indent}- {text.lstrip() if isinstance(item, dict) else text}"
                for item, text in zip(value, texts, strict=True)
            )
        if isinstance(value, str):
            if value.endswith("\n") and self.chance(0.7):
                return "|\n" + "".join(f"{indent}{line}\n" for line in value.splitlines()).rstrip("\n")
            bare = value.replace("-", "").replace("((", "").replace("))", "").replace("!", "")
            if bare.isalnum() and value[0] != "-" and self.chance(0.6):
                return value
        return json.dumps(value, ensure_ascii=False)

    def program(self) -> Program:
        base = self.tree()
        program = Program(["base.yml"])
        program.files["base.yml"] = (
            self.pick(("---\n", "", "# c\n", "")) + self.yaml(base) + self.pick(("", "", "# end\n", "...\n"))
        )
        for number in range(self.pick((0, 1, 1, 1, 2))):
            program.files[f"ops{number}.yml"] = self.yaml(
                [self.operation(base) for _ in range(self.random.randint(1, 3))]
            )
            program.arguments += ["-o", f"ops{number}.yml"]
        for name, texts in GIVEN.items():
            if self.chance(0.8):
                program.arguments += ["-v", f"{name}={self.pick(texts)}"]
        if self.chance(0.3):
            program.files["vars.yml"] = self.yaml({"v1": self.scalar(), "v4": self.tree(2)})
            program.arguments += ["-l", "vars.yml"]
        if self.chance(0.06):
            program.arguments += ["--path", self.path(base)[0]]
        elif self.chance(0.06):
            program.arguments.append(self.pick(("--var-errs", "--var-errs-unused")))
        return program


def operations_program(seed: int) -> Program:
    return Operations(seed).program()
