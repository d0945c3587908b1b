"""The language of templates: Starlark with blocks closed by `end`, compiled to Python code objects
(docs/reference/language.md).

    scan -> parse -> syntax tree -> resolve -> Python ast -> code object

`compile_program` does all of this. A `Program` can run any number of times. `values`, `containers` and `structs` define
values, `table` the builtins, `operators` and `runtime` the meaning of programs, `step_budget` and `loops` their cost.
`optimize` and `probe` (provenance of values) are optional.
"""
