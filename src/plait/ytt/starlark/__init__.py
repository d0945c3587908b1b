"""The language of templates: Starlark with blocks closed by `end`, compiled to Python code objects
(docs/reference/language.md).

    scan -> parse -> syntax tree -> resolve -> Python ast -> code object

`compile_program` does all of this. A `Program` can run any number of times. `values`, `containers` and `structs` define
values, `table` the builtins, `operators` and `runtime` the semantics, `step_budget` and `loops` the cost. `optimize`
and `instrument` are optional.
"""
