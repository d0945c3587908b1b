"""Schemas of documents by kind: Kubernetes objects, custom resources, and other documents of a project.

`catalogue_of` finds the schema of a document among the files that a project names, and checks documents. A `Subschema`
is traversed by keys. Files are read on demand; nothing is fetched.

`schema_index` finds the file of a schema, `definitions` the schemas in a file. `schema_files` reads,
`reference_resolution` resolves each `$ref` and removes unusable parts, detected by `keyword_types` and `patterns`.
`check` runs the library with the keywords of `keywords`; `messages` creates the messages, `violations` adds the lines
of document and schema.

`values_schema` is a schema for data values: `schema_selection` finds it in a file, `defaults` adds missing values,
`export` prints it in another format. `output` checks the documents of a run.
"""

from plait.ytt.json_schema.catalogue import Catalogue, catalogue_of
from plait.ytt.json_schema.check import SchemaViolation
from plait.ytt.json_schema.subschema import Subschema

__all__ = ["Catalogue", "SchemaViolation", "Subschema", "catalogue_of"]
