"""The registry of diagnostics by name: the code, the severity, and a summary. Loaded only to print or to look up a code.

A code is one letter for the family and a number. E: the engine rejects the files. U: how plait was called or set up.
D, O, S, R, P, T, I: the families of lint, which warnings share. Codes are never used again for another mistake.
"""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """One mistake. name: what code refers to it by. severity: "error" or "warning"."""

    code: str
    name: str
    severity: str
    summary: str


_ERRORS = (
    ("E101", "undefined-name", "a name is not defined where it is used"),
    ("U101", "unknown-command", "plait has no such command"),
    ("U102", "unknown-extension", "plait has no such extension, or the command does not accept it"),
)
_WARNINGS = (
    ("O251", "counted-documents", "a matcher depends on the index of documents of several files"),
    ("S304", "near-miss", "an overlay adds or skips something, and a similar name exists"),
    ("S305", "repeated-key", "a map has a key twice, and the last one counts"),
    ("S306", "pattern-not-found", "the pattern of a substitution occurs nowhere"),
    ("S351", "pattern-missing", "a substitution has an option that needs a pattern, and no pattern"),
    ("S352", "path-without-effect", "the source of a substitution is not a map, so its path has no effect"),
    ("S353", "substitution-skipped", "a lenient run skips a substitution that fails"),
    ("S354", "duplicate-document", "a layered document is defined twice, and the first one counts"),
    ("S355", "parent-not-found", "no document has the labels of a parentSelector"),
    ("S356", "several-policies", "there is more than one layering policy"),
    ("S357", "nothing-selected", "no layered document matches the selection"),
    ("S358", "actions-without-parent", "a layered document has actions and no parentSelector"),
    ("S359", "parent-without-actions", "a layered document has a parent and no actions"),
    ("S360", "control-document", "a control document has keys that only layered documents use"),
    ("S361", "unused-data", "no action of a layered document uses a key of its data"),
    ("S362", "unknown-metadata", "the metadata of a layered document has an unknown key"),
    ("S363", "not-a-boolean", "a switch in the metadata of a layered document is not a boolean"),
    ("S364", "site-type-not-found", "the directory of a site's type does not exist"),
    ("S365", "own-repository", "a site definition names the repository that it is in"),
    ("S366", "encrypted-data", "the data of a layered document are encrypted"),
    ("S371", "same-name", "an overlay adds an array item beside one of the same name"),
    ("S372", "dropped-nodes", "a function builds nodes and returns another value"),
    ("S373", "unused-nodes", "the nodes that a call returns are not used"),
    ("S374", "lost-annotation", "template.replace removes a node with an annotation"),
    ("S375", "unknown-annotation", "an unknown annotation looks like a known one"),
    ("S376", "no-overlay", "an overlay annotation is in a file without overlays"),
    ("S377", "text-not-templated", "a string contains (@= @) and is not a template"),
    ("S378", "code-in-text", "a text template contains #@ and no (@"),
    ("S379", "text-after-end", "annotations follow the ... that ends the last document"),
    ("S380", "extension-not-enabled", "an annotation of an extension that is not enabled"),
    ("S381", "ignored-arguments", "an annotation has arguments that it does not accept"),
    ("S391", "further-documents", "only the first document of a file is read"),
    ("S392", "nested-operation", "an operation begins within the one before"),
    ("S393", "open-placeholder", "a placeholder is not closed by two parentheses"),
    ("S394", "placeholder-in-value", "the value of a variable contains a placeholder, which is not filled"),
    ("S395", "misspelt-variable", "an unused variable has a name like one without a value"),
    ("S396", "schema-not-checked", "a part of a JSON Schema is not checked, or has no effect"),
    ("R451", "double-braces", "{{ }} is a map within a map"),
    ("P551", "shared-defaults", "ytt also changes other items that have defaults of the schema"),
    ("P552", "inexact-module", "the results of a module differ between CPU architectures"),
    ("U151", "no-inputs", "no inputs are given"),
    ("U152", "only-data-files", "no input has the name of a YAML file"),
    ("U153", "no-values-schema", "the inputs declare no schema of data values"),
    ("U154", "text-not-printed", "text files are not printed with YAML documents"),
    ("U155", "text-dropped", "a pipeline drops the text files of a step"),
    ("U156", "path-as-key", "the argument of --data-values-file looks like a key"),
    ("U157", "kind-without-schema", "no schema describes documents of a kind"),
    ("U158", "no-matching-item", "functionConfig.spec.match matches no item"),
    ("U159", "withheld-lines", "printed lines are withheld because they depend on a secret"),
)
CODES = {
    name: Code(code, name, severity, summary)
    for severity, rows in (("error", _ERRORS), ("warning", _WARNINGS))
    for code, name, summary in rows
}
