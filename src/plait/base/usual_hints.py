"""Default hints by code, for diagnostics without their own hint. Loaded only to print one."""

from __future__ import annotations

from plait.base.source import Advice, Flag
from plait.base.text_hints import HINTS as BY_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Diagnostic


def usual_hint(diagnostic: Diagnostic) -> str | None:
    """The hint by the lines around a diagnostic, or by its code; or None."""
    if diagnostic.code == "syntax-error":
        from plait.base.syntax_hints import syntax

        return syntax(diagnostic)
    by_text = BY_TEXT.get(diagnostic.code)
    return (by_text and by_text(diagnostic)) or HINTS.get(diagnostic.code)


HINTS: dict[str, str] = {
    # Programs
    "two-values": "remove the value before the comment, or the expression after #@",
    "undefined-name": "assign it before this line, load it from a file, or put a string in quotes",
    "argument-count": "pass one argument for each parameter; those with a default may be left out",
    "repeated-argument": "pass the argument once, by position or by name",
    "wrong-argument-type": "convert the value first, with str(...), int(...) or float(...), or pass one of the expected type",
    "spread-arguments": 'pass a dict whose keys are strings: f(**{"name": value})',
    "index-range": "the first index is 0, and len(...) is one more than the last",
    "unknown-operation": "convert an operand first, with str(...), int(...) or list(...)",
    "unhashable": "use a string, a number or a tuple of them as the key",
    "frozen-value": "change a copy: list(...) and dict(...) create one",
    "not-callable": "remove the parentheses, or call a function",
    "unbound-variable": "assign it before this line, on every path that leads here",
    "duplicate-key": "keep one of the entries",
    "value-not-found": 'test with "in" first',
    "empty-sequence": "test first that there is an item",
    "parameter-list": "parameters without a default come first, then those with one, *args and **kwargs: def f(a, b=1)",
    "not-assignable": "lists and dicts can be changed; for any other type, create a new value",
    "key-not-found": '"in" tests for a key, and .get(key, default) of a dict returns a default',
    "invalid-conversion": "the text must contain a number and nothing else",
    "format-string": "each placeholder needs one argument, and each argument needs one placeholder",
    "division-by-zero": "test the divisor first: x / y if y else 0",
    "incomparable": "compare values of one type: str(...) and int(...) convert them",
    "unpacking": "write one name for each part of an item; x.items() of a dict yields pairs, a struct only its names",
    "not-iterable": "lists, tuples, dicts, sets and ranges have items and a length; strings have a length only",
    "unexpected-keyword": "remove the argument, or use the name of a parameter",
    "symbol-not-found": 'correct the name, or define it there; names that begin with "_" are private',
    "load-cycle": "move what the files share to another file",
    "library-not-found": "a library is a directory in _ytt_lib, next to the files that use it; the inputs must contain it: "
    "-f DIRECTORY instead of the files one by one",
    "not-utf8": "save the text as UTF-8",
    "invalid-base64": "base64.encode(...) creates such text",
    "invalid-ip-address": "write an address such as 10.0.0.1, or a range such as 10.0.0.0/8",
    "invalid-url": "a URL is SCHEME://HOST/PATH; url.path_segment_encode and url.query_param_value_encode escape its parts",
    "invalid-regexp": "the syntax is that of RE2: no lookahead, no lookbehind and no backreferences",
    "version-not-met": "lower the required version",
    "not-yaml-data": "convert the value first, with str(...), list(...) or dict(...)",
    "not-toml-data": "TOML has a map at the top, string keys, and no null",
    "misplaced-statement": "return belongs in a def, break and continue in a for or while loop; without one, use if",
    "assignment-target": "assign to a name, an index or a field: x = ..., x[0] = ..., x.name = ...",
    "load-statement": 'a load is at the top of a file: load("file.star", "name"); names with "_" first are private',
    "argument-range": "use a value that is in the range",
    "unknown-attribute": 'use a name that the value has; dir(x) lists them, and hasattr(x, "name") tests for one',
    "number-range": "write a smaller number, or a string",
    "fail-called": "change the value that the condition above it rejects",
    "failed-assertion": "change the value, or the expected value of the assertion",
    "invalid-toml": 'a line of TOML is KEY = VALUE, with strings in quotes: name = "web"',
    "invalid-json": "JSON has keys and strings in double quotes, no comments, and no comma after the last item",
    "invalid-version": "write three numbers: 1.2.3",
    "one-document": 'remove the other documents, and the "---" between them',
    "load-path": 'load a module as "@ytt:NAME", a file by its path, and a library as "@NAME:FILE"',
    "input-not-found": "add the file to the inputs, or correct the path, which is relative to this file",
    "library-annotation": 'write @library/ref "@NAME" above the document, with the annotation of its data values',
    # Templates, schemas and overlays
    "not-a-string": "insert a string: str(...) converts a value",
    "replace-misused": "pass nodes of the same type: a map for a map item, an array for an array item, documents for a document; "
    "a function returns such nodes if its body is YAML",
    "schema-annotation": "put strings in quotes, and pass a value if the annotation needs one; plait help E0401 has an example",
    "overlay-argument": 'pass an argument of the expected type, such as by=overlay.all, by="name" or expects=1',
    "inside-not-text": "remove one of the two annotations",
    "code-after-end": "move the code to a line of its own",
    "repeated-annotation": "keep one of them",
    "missing-data-value": Advice(Flag("data-value", "NAME=VALUE"), " or a file of data values sets it"),
    "values-not-map": "write NAME: VALUE at the top of the file",
    "json-schema-violation": "write an expected value, or change the schema",
    "unused-library-documents": "correct the name of the library, or remove the documents",
    "no-matched-key": "give the item this key, or match by another one",
    "failed-overlay-assertion": "change the document, or the assertion",
    "callback-result": "let the function return True or False",
    "text-directive": '"(@" opens code, and "@)" closes it',
    "failed-validation": "use a value that meets the rule, or change the rule",
    "wrong-value-type": "use a value of the declared type, or change the declaration",
    "several-actions": "keep one of them",
    "match-count": "expects= of @overlay/match sets the number of matches",
    # Operations and variables
    "not-ops-file": "write each operation as an item: - {type: replace, path: /key, value: x}",
    "operation-fields": "an operation has type and path, and unless it removes, value",
    "variable-definition": "write each definition as an item: - {name: NAME, type: password}",
    "path-not-found": 'correct the path; "?" after a part of it creates the rest',
    "path-matches": 'match a value that exactly one item has, or use an index; "?" after a match adds an item',
    "contradicting-variables": "set the variable once, as a whole or in parts",
    "variable-cycle": Advice(Flag("var", "NAME=VALUE"), " sets one of them"),
    "path-through-scalar": "replace this value as a whole, or end the path before it",
    "end-of-array": "the last item has the index -1",
    "failed-test": "correct the test, or the value at its path",
    "unresolved-variables": Advice(Flag("var", "NAME=VALUE"), " or ", Flag("vars-file", "FILE"), " sets a value"),
    "unused-variables": "remove them, or correct their names",
    # Layering
    "InvalidDocumentFormat": "correct the document: plait layer --validate lists all its faults",
    "InvalidActionPath": "a path is written .key.list[0], and . is all of the data",
    "UnknownSubstitutionError": "correct the path, the pattern or the data",
    "document-data": "change the data, or the DataSchema",
    "EncryptionSourceNotFound": Advice(
        Flag("secrets-file", "PATH"), " or ", Flag("secrets-env", "PREFIX"), " provides secrets"
    ),
    "MissingDocumentKey": 'correct the path, or add the key to the data; the path "." means all data',
    "InvalidDocumentParent": "move one of the documents to another layer, or change the labels of the selector",
    "SubstitutionSourceNotFound": Advice(
        "add the document to the inputs, or correct its schema and name; ",
        Flag("lenient"),
        " leaves the value out, as for certificates that are generated later",
    ),
    # YAML and files
    "invalid-yaml": "correct the line, or put its value in quotes",
    "invalid-scalar": "correct the value, or remove the tag before it",
    "merge-key": "the value of << must be a map, or an alias of one: <<: *name",
    "text-not-writable": "use a value that the format has; TOML and INI have no null",
    "bulk-input": 'write {"files": [{"name": "a.yml", "data": "a: 1"}]}',
    # Flags and settings
    "unknown-flag": "--help lists the flags",
    "missing-argument": "--help shows the arguments",
    "unexpected-argument": "remove it; --help shows the arguments",
    "flag-conflict": "remove one of the two",
    "data-value-flag": "write NAME=VALUE",
    "not-an-input": "name a file that the run reads",
    "setting-type": "write the value in the expected form: plait help U0205 has an example",
    "file-argument": "rename the file, or its directory, or pass the directory",
    "schema-output": Advice(
        Flag("data-values-schema-inspect"), " goes with ", Flag("output", "openapi-v3"), " or json-schema"
    ),
    "secrets-source": "such as file:secrets.yml, or password=file:password.txt for one value",
    "invalid-character": 'remove it, or write it as an escape in double quotes, such as "\\u0007"',
    "recursive-anchor": "write the value instead of the alias",
    "invalid-json-file": "JSON has keys and strings in double quotes, no comments, and no comma after the last item",
    "not-json-data": "write it as a string, or use another output format",
    "no-yaml-files": "the names of YAML files end in .yml or .yaml",
    "url-not-fetched": "check the URL, and that this machine can reach it",
    "duplicate-output": "give one of them another path",
    "output-not-expendable": "name another directory: all files in it would be removed",
    "refused-warnings": Advice(Flag("warnings", "show"), " prints them and continues"),
    "limit-depth": Advice("end the recursion, or raise the limit: ", Flag("limit", "depth=N")),
    "abstract-run": "name one of these runs; plait project lists them",
    "run-cycle": "remove one of the references",
    "run-not-found": "name one of these runs; plait project lists them",
    "duplicate-name": "rename one of them",
    "standard-input": "name a file",
    "unknown-anchor": 'define the anchor before this line with "&"; a string that begins with "*" needs quotes',
}
