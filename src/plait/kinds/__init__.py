"""Schemas of documents by their kind: Kubernetes objects, custom resources, and what else a project names schemas for.

`catalogue_of` finds the schema of a document among the files that a project names, and checks documents by theirs; a
`Schema` is gone down along keys. Files are read when they are asked for; nothing is fetched.

`catalogue` asks `layout` which file has a schema, `openapi` what a file defines. `files` reads, `references` follows each
`$ref` and takes out what cannot be used, which `shapes` and `patterns` know. `check` has the library check by the keywords
of `dialect`, and `wording` says what it finds, `findings` with the lines of both.

`values` is a schema as that of data values: `parts` finds it in a file, `defaults` fills in, `described` prints it in another
form. `output` checks the documents of a run.
"""

from plait.kinds.catalogue import Catalogue, catalogue_of
from plait.kinds.check import Fault
from plait.kinds.schema import Schema

__all__ = ["Catalogue", "Fault", "Schema", "catalogue_of"]
